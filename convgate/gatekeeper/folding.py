"""Text as patterns see it: plain ASCII, lower case, one byte a character, quotations and code blanked.

>>> folded = fold("J’adore les thés")
>>> folded.text, folded.span(8, 16)
(b"j'adore les thes", (8, 16))
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

_DROPPED = "\0"  # replaces characters without width: combining accents, joiners, direction marks
_REPLACEMENTS = {
    **dict.fromkeys("’‘ʼ′‛＇´", "'"),
    **dict.fromkeys("“”„‟″«»‹›「」『』", '"'),
    **dict.fromkeys("‐‑‒–—―−", "-"),
    **dict.fromkeys("…。．", "."),
    **dict.fromkeys("，、", ","),
    **dict.fromkeys("ßẞ", "s"),
    **dict.fromkeys("\x85\u2028\u2029\r", "\n"),
    **{"œ": "o", "Œ": "o", "æ": "a", "Æ": "a", "ø": "o", "Ø": "o", "ł": "l", "Ł": "l", "đ": "d", "ı": "i"},
}

_QUOTING_MARKS = (b'"', b" '", b"`", b">", b"#", b"//", b"/*")
_LETTER = re.compile(rb"[a-wyz]")  # of words that are not blanked
_BLANKED = bytes(ord("_") if chr(code).isalnum() or chr(code) == "'" else code for code in range(256))
_MAX_QUOTE = 300  # characters; a longer one is a quotation mark that stands alone

# Text that is handed over to be worked on.
_TASK_TEXT = re.compile(
    rb"\b(?:translate|rewrite|reword|rephrase|paraphrase|proofread|summari[sz]e|(?:write|make) an? [a-z]+"
    rb"|what does|traduis|traduisez|reecris|reformule|corrige|uberset[a-z]+|formulier[a-z]*)\b"
    rb"[^:.!?\n]{0,60}:[^\n]*"
)

# Quotations and code: backticks, quotation marks, a quoted line, comments. Each alternative repeats one class
# up to what ends it, so all take linear time. Within single quotes an apostrophe stands between letters.
_QUOTED = re.compile(
    rb'`[^`\n]+`|"[^"\n]{2,%d}"|^[ \t]*>[^\n]*' % _MAX_QUOTE
    + rb"|(?<=[\s(:])'(?:[^'\n]|(?<=[a-z])'(?=[a-z])){2,%d}'(?![a-z0-9])" % _MAX_QUOTE
    + rb"|^(?://|[ \t]+(?:#|//))[^\n]*|^[ \t]*/\*[^\n]*(?:\n[ \t]*\*[^\n]*)*|(?<=\S)[ \t](?:#|//) [^\n]*",
    re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class Folded:
    """A message without case, accents and typography; letters of other scripts are `_`, symbols blanks."""

    text: bytes  # ASCII
    origin: Sequence[int] | None  # (len(text),) each byte's position in the message; None: the same

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return where `text[start:end]`, not empty, is in the message: characters, exclusive end."""
        if self.origin is None:
            return start, end
        return self.origin[start], self.origin[end - 1] + 1


class _Table(dict[int, str]):
    """A translation table that computes entries on first use."""

    def __missing__(self, code: int) -> str:
        self[code] = replacement = _fold_character(chr(code))
        return replacement


def fold(text: str) -> Folded:
    """Return the message as patterns see it; linear in its length."""
    if text.isascii() and _DROPPED not in text:
        return Folded(text.lower().encode("ascii"), None)
    folded = text.translate(_TABLE)
    if _DROPPED not in folded:
        return Folded(folded.encode("ascii"), None)
    origin = [index for index, character in enumerate(folded) if character != _DROPPED]
    return Folded(folded.replace(_DROPPED, "").encode("ascii"), origin)


def _fold_character(character: str) -> str:
    if character == _DROPPED:  # one that was in the message
        return " "
    if character in _REPLACEMENTS:
        return _REPLACEMENTS[character]
    if character.isascii():
        return character.lower()
    if unicodedata.category(character) in {"Mn", "Me", "Cf"}:
        return _DROPPED
    plain = unicodedata.normalize("NFKD", character)[0]
    if plain.isascii() and not plain.isspace():
        return plain.lower()
    return "_" if character.isalpha() else " "


_TABLE = _Table()


def own_words(text: bytes) -> bytes:
    """Return a folded message with quotations and code blanked; one that has nothing else is unchanged."""
    if b":" in text:
        text = _TASK_TEXT.sub(_blank, text)
    if not any(mark in text for mark in _QUOTING_MARKS):
        return text
    parts = text.split(b"```")
    parts[1::2] = [part.translate(_BLANKED) for part in parts[1::2]]
    blanked = _QUOTED.sub(_replace_quote, b"```".join(parts))
    return blanked if _LETTER.search(blanked) else text


def own_text(text: str) -> str:
    """Return a message, not folded, with its quotations and code blanked.

    >>> own_text('Begin with "Ahoy." each time')
    'Begin with         each time'
    """
    folded = fold(text)
    own = own_words(folded.text)
    if own == folded.text:
        return text
    characters = list(text)
    for place, (left, whole) in enumerate(zip(own, folded.text, strict=True)):
        if left != whole:
            characters[folded.span(place, place + 1)[0]] = " "
    return "".join(characters)


def _blank(match: re.Match[bytes]) -> bytes:
    return match[0].translate(_BLANKED)


def _replace_quote(match: re.Match[bytes]) -> bytes:
    """Replace quoted words by one word without meaning, so that "never `push`" is still "never xxxx"."""
    return b"x" * len(match[0]) if match[0][:1] in b"`\"'" else _blank(match)
