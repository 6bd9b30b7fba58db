"""In which language something is written: asked of py3langid where no pattern decided."""

from __future__ import annotations

import functools
import threading
import unicodedata
from typing import Any

from convgate.gatekeeper.patterns import LANGUAGES

LOOKED_AT = 1_000
"""Characters of a text that the detector reads."""

KNOWN = frozenset(language.code for language in LANGUAGES)

_MARGIN = 6.0  # natural logarithm of how much likelier another language has to be than each of the known
_ALPHABET = frozenset("abcdefghijklmnopqrstuvwxyzàâäæçéèêëîïôöœùûüÿßªº")
_LOCK = threading.Lock()


def foreign_language(text: str, answer: str) -> str | None:
    """The language (ISO 639-1) of a short message when it is written in none that has patterns; else None.

    Of a word or two a detector knows little ("Fix it" may be Maltese), so in doubt it is none: another
    language has to show in letters that English, French and German do not have, or by far in what the
    detector says of the message together with its answer.
    """
    letters = [letter for letter in text[:LOOKED_AT].lower() if letter.isalpha()]
    if not letters:
        return None
    ranking = _ranked(f"{text}\n{answer}"[:LOOKED_AT])
    others = [(code, likely) for code, likely in ranking if code not in KNOWN]
    best, likely = others[0]
    if any(unicodedata.normalize("NFC", letter) not in _ALPHABET for letter in letters):
        return best
    known = max(likely for code, likely in ranking if code in KNOWN)
    return best if likely - known > _MARGIN else None


@functools.cache
def _detector() -> Any:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=False)


def _ranked(text: str) -> list[tuple[str, float]]:
    """Languages with their log-likelihoods, the likeliest first."""
    with _LOCK:  # the model is loaded once, by the first who asks
        ranking: list[tuple[str, float]] = _detector().rank(text)
    return ranking
