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
    return _blank_quotations(text)[0]


def own_text(text: str) -> str:
    """Return a message, not folded, with quotations and code blanked; one that has nothing else is unchanged.

    >>> own_text('Begin with "Ahoy." each time')
    'Begin with         each time'
    """
    folded = fold(text)
    characters = list(text)
    for span in _blank_quotations(folded.text)[1]:
        start, end = folded.span(*span)
        characters[start:end] = " " * (end - start)
    own = "".join(characters)
    return own if own.strip() else text


def _blank_quotations(text: bytes) -> tuple[bytes, list[tuple[int, int]]]:
    """Return a folded message with quotations and code blanked, and where they are."""
    spans = []
    if b":" in text:
        spans = [match.span() for match in _TASK_TEXT.finditer(text)]
        text = _TASK_TEXT.sub(_blank, text)
    if not any(mark in text for mark in _QUOTING_MARKS):
        return text, spans
    parts = text.split(b"```")
    fenced, end = [], 0
    for number, part in enumerate(parts):
        start, end = end, end + len(part) + len(b"```")
        if number % 2 and part:
            fenced.append((start, start + len(part)))
            parts[number] = part.translate(_BLANKED)
    without_code = b"```".join(parts)
    blanked = _QUOTED.sub(_replace_quote, without_code)
    if not _LETTER.search(blanked):
        return text, spans
    return blanked, spans + fenced + [match.span() for match in _QUOTED.finditer(without_code)]


def _blank(match: re.Match[bytes]) -> bytes:
    return match[0].translate(_BLANKED)


def _replace_quote(match: re.Match[bytes]) -> bytes:
    """Replace quoted words by one word without meaning, so that "never `push`" is still "never xxxx"."""
    return b"x" * len(match[0]) if match[0][:1] in b"`\"'" else _blank(match)
