"""The languages that have patterns, and the detection of others, by py3langid, where no pattern decided."""

from __future__ import annotations

import functools
import re
import threading
import unicodedata
from importlib import resources
from typing import Any

from convgate.gatekeeper.pattern import Language
from convgate.text.folding import fold

CODES = ("en", "fr", "de")
"""ISO 639-1, in the order in which they are tried; add a language and its file in `patterns/` here."""

_MAX_DETECTED = 1_000  # characters of a text that the detector reads
_MARGIN = 6.0  # natural logarithm of how much likelier another language has to be than each of the known
_NOT_FOREIGN = {*CODES, "zxx"}  # the detector's code for no language
_MIN_CHARACTERS = 4  # different ones; what has fewer is no text
_ALPHABET = frozenset("abcdefghijklmnopqrstuvwxyzàâäæçéèêëîïôöœùûüÿßªº")
_WORD = re.compile("[a-z_]+")
_COMMON_WORDS = {  # the detector needs more letters
    word: code
    for code, words in {
        "es": "hola vale claro listo hecho hazlo dale bueno gracias adios vamos entendido",
        "it": "ciao bene grazie prego fatto certo perfetto buongiorno buonasera capito",
        "nl": "hoi bedankt goed klaar waarom jawel graag gedaan zeker",
        "sv": "hej tack nej okej varfor klart",
        "tr": "evet hayir tamam neden merhaba selam oldu peki",
    }.items()
    for word in words.split()
}
_LOCK = threading.Lock()


@functools.cache
def load_languages() -> tuple[Language, ...]:
    """Return the languages that have patterns."""
    folder = resources.files("convgate.gatekeeper").joinpath("patterns")
    return tuple(
        Language.read(code, folder.joinpath(f"{code}.toml").read_text(encoding="utf-8")) for code in CODES
    )


def detect_foreign_language(text: str, answer: str) -> str | None:
    """Return the language (ISO 639-1) of a short message when it has no patterns; in doubt None.

    Another language has to show in letters that the known languages lack, in a common word, or by a wide
    margin in the message together with its answer.
    """
    words = _WORD.findall(fold(text).text.decode("ascii"))
    if not words:
        return None
    if common := next((_COMMON_WORDS[word] for word in words if word in _COMMON_WORDS), None):
        return common
    letters = [letter for letter in unicodedata.normalize("NFC", text).lower() if letter.isalpha()]
    has_own_letters = not _ALPHABET.issuperset(letters)
    if not has_own_letters and len({*text, *answer}) < _MIN_CHARACTERS:
        return None
    with _LOCK:  # loaded once, by the first who asks; after that it is only read
        ranking = dict(_load_detector().rank(f"{text}\n{answer}"[:_MAX_DETECTED]))
    best = max(ranking.keys() - _NOT_FOREIGN, key=lambda code: ranking[code])
    best_known = max(ranking[code] for code in _NOT_FOREIGN)
    return str(best) if has_own_letters or ranking[best] - best_known > _MARGIN else None


@functools.cache
def _load_detector() -> Any:
    """Return the detector, which gives log-likelihoods. Takes 0.8 s: the library unpacks its model."""
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=False)
