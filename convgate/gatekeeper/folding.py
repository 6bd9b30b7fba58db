"""Text as patterns see it: plain ASCII, lower case, one byte a character, so that places stay what they were.

>>> folded = fold("J’adore les thés")
>>> folded.text, folded.span(8, 16)
(b"j'adore les thes", (8, 16))
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

_DROPPED = "\0"  # what has no width: accents that stand alone, joiners, marks of direction
_BY_HAND = {
    **dict.fromkeys("’‘ʼ′‛＇´", "'"),
    **dict.fromkeys("“”„‟″«»‹›「」『』", '"'),
    **dict.fromkeys("‐‑‒–—―−", "-"),
    **dict.fromkeys("…。．", "."),
    **dict.fromkeys("，、", ","),
    **dict.fromkeys("ßẞ", "s"),
    **dict.fromkeys("\x85\u2028\u2029\r", "\n"),
    **{"œ": "o", "Œ": "o", "æ": "a", "Æ": "a", "ø": "o", "Ø": "o", "ł": "l", "Ł": "l", "đ": "d", "ı": "i"},
}


@dataclass(frozen=True, slots=True)
class Folded:
    """A message without case, accents and typography; letters of other scripts are `_`, symbols blanks."""

    text: bytes  # ASCII
    origin: Sequence[int] | None  # (len(text),) where each byte stood; None: where it stands

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Where `text[start:end]` stood in the message: characters, the end exclusive; it is not empty."""
        if self.origin is None:
            return start, end
        return self.origin[start], self.origin[end - 1] + 1


class _Table(dict[int, str]):
    """One ASCII character for each that is asked for; remembers what it was asked."""

    def __missing__(self, code: int) -> str:
        self[code] = folded = _folded(chr(code))
        return folded


def fold(text: str) -> Folded:
    """The message as patterns see it; linear in its length."""
    if text.isascii() and _DROPPED not in text:
        return Folded(text.lower().encode("ascii"), None)
    folded = text.translate(_TABLE)
    if _DROPPED not in folded:
        return Folded(folded.encode("ascii"), None)
    origin = [place for place, character in enumerate(folded) if character != _DROPPED]
    return Folded(folded.replace(_DROPPED, "").encode("ascii"), origin)


def _folded(character: str) -> str:
    if character == _DROPPED:  # one that was in the message
        return " "
    if character in _BY_HAND:
        return _BY_HAND[character]
    if character.isascii():
        return character.lower()
    if unicodedata.category(character) in {"Mn", "Me", "Cf"}:
        return _DROPPED
    plain = unicodedata.normalize("NFKD", character)[0]
    if plain.isascii() and not plain.isspace():
        return plain.lower()
    return "_" if character.isalpha() else " "


_TABLE = _Table()
