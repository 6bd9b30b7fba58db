"""In which language something is written: asked of py3langid where no pattern decided."""

from __future__ import annotations

import functools
import re
import threading
import unicodedata
from collections.abc import Iterator
from typing import Any

from convgate.gatekeeper.folding import fold
from convgate.gatekeeper.patterns import LANGUAGES

LOOKED_AT = 1_000
"""Characters of a text that the detector reads."""

KNOWN = frozenset(language.code for language in LANGUAGES)

_MARGIN = 6.0  # natural logarithm of how much likelier another language has to be than each of the known
_NOT_FOREIGN = KNOWN | {"zxx"}  # the detector's code for what is no language, such as "asdf"
_LETTERS = 4  # different characters, at least: what has fewer is no text
_ALPHABET = frozenset("abcdefghijklmnopqrstuvwxyzàâäæçéèêëîïôöœùûüÿßªº")
_EVERYWHERE = frozenset(
    ("lol", "haha", "hehe", "hmm", "hm", "bye", "wow", "brb", "omg", "wtf", "idk", "np", "thx")
)
_WORD = re.compile("[a-z_]+")
_LOCK = threading.Lock()

# Everyday words that a detector cannot place for want of letters.
_EVERYDAY = {
    word: code
    for code, words in {
        "es": "hola vale claro listo hecho hazlo dale bueno gracias adios vamos entendido",
        "it": "ciao bene grazie prego fatto certo perfetto buongiorno buonasera capito",
        "pt": "oi ola sim nao feito obrigado obrigada beleza entendi valeu",
        "nl": "hoi bedankt goed klaar waarom jawel graag gedaan zeker",
        "pl": "tak dobrze gotowe dzieki czesc dlaczego jasne",
        "sv": "hej tack nej okej varfor klart",
        "tr": "evet hayir tamam neden merhaba selam oldu peki",
        "hu": "igen nem koszonom szia kesz miert",
        "cs": "ano diky ahoj hotovo proc dobre",
        "fi": "kylla kiitos valmis miksi hyva",
        "ro": "multumesc gata",
        "id": "tidak terima kasih sudah baik",
    }.items()
    for word in words.split()
}


def foreign_language(text: str, answer: str) -> str | None:
    """The language (ISO 639-1) of a short message when it is written in none that has patterns; else None.

    Of a word or two a detector knows little ("Fix it" may be Maltese), so in doubt it is none: another
    language has to show in letters that English, French and German do not have, in an everyday word of its
    own, or by far in what the detector says of the message together with its answer.
    """
    words = _WORD.findall(fold(text).text.decode("ascii"))
    if not words or _EVERYWHERE.issuperset(words):
        return None
    if everyday := next((_EVERYDAY[word] for word in words if word in _EVERYDAY), None):
        return everyday
    own_letters = any(letter not in _ALPHABET for letter in _letters(text))
    if not own_letters and len({*text, *answer}) < _LETTERS:
        return None
    ranking = dict(_ranked(f"{text}\n{answer}"))
    best = max(ranking.keys() - _NOT_FOREIGN, key=lambda code: ranking[code])
    known = max(ranking[code] for code in _NOT_FOREIGN)
    return best if own_letters or ranking[best] - known > _MARGIN else None


def _letters(text: str) -> Iterator[str]:
    return (letter for letter in unicodedata.normalize("NFC", text).lower() if letter.isalpha())


@functools.cache
def _loaded() -> Any:
    """The detector; most of the 0.8 s that it takes the library unpacks its one compressed file."""
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=False)


def _ranked(text: str) -> list[tuple[str, float]]:
    """Languages with their log-likelihoods, the likeliest first."""
    with _LOCK:  # it is loaded once, by the first who asks; after that it is only read
        detector = _loaded()
    ranking: list[tuple[str, float]] = detector.rank(text[:LOOKED_AT])
    return ranking
