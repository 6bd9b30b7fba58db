"""A message as statements: its sentences and the items of its lists, each by itself.

>>> text = b"rules: - no nuts\\n- at most 3 km. never run"
>>> [text[slice(*span)] for span in statements(text)]
[b'rules: - no nuts', b'at most 3 km.', b'never run']
"""

from __future__ import annotations

import re
from collections.abc import Iterator

Span = tuple[int, int]  # bytes of a folded text, the end exclusive

LONGEST = 2_000
"""Bytes of a statement; what is longer is cut, so that text without an end costs no more than other text."""

_ABBREVIATED = frozenset(
    b"eg e.g ie i.e zb z.b bzw dr mr mrs ms st vs ca nr approx resp bspw prof vgl d.h u.a env p.ex cf".split()
)
_COUNTED = (
    b"jan", b"feb", b"mar", b"apr", b"mai", b"may", b"jun", b"jul", b"aug", b"sep", b"oct", b"okt", b"nov",
    b"dec", b"dez", b"woche", b"tag", b"stock", b"klasse", b"lebensjahr",
)  # fmt: skip
_BREAK = re.compile(rb"[.!?]+[\"')\]_]*(?=\s|$)|\n+")
_BULLET = re.compile(rb"\s*(?:[-*+o]|\(?[0-9a-h][.)])\s+|\s+")
_WORD_BEFORE = re.compile(rb"[a-z0-9.]+$")


def statements(text: bytes) -> Iterator[Span]:
    """Where each statement of a folded message stands, without its bullet and the blanks around it."""
    start = 0
    for found in _BREAK.finditer(text):
        if found.start() < start or not _ends(text, start, found):
            continue
        end = found.end() if text[found.start()] != 10 else found.start()
        yield from _cut(text, start, end)
        start = found.end()
    yield from _cut(text, start, len(text))


def _ends(text: bytes, start: int, found: re.Match[bytes]) -> bool:
    mark = found[0]
    after = text[found.end() : found.end() + 12].lstrip(b" \t")
    if mark[:1] == b"\n":
        line = text[max(start, text.rfind(b"\n", 0, found.start()) + 1) : found.start()]
        wrapped = len(mark) == 1 and len(line) > 60 and line[-1:] not in b".!?:;"
        return not (wrapped and after[:1].isalpha())
    if mark != b"." or not after:
        return True
    before = _WORD_BEFORE.search(text, max(start, found.start() - 12), found.start())
    if before is None:
        return True
    word = before[0]
    if word in _ABBREVIATED or (len(word) == 1 and word.isalpha() and word != b"i"):
        return False
    if word.isdigit() and len(word) < 3:
        return not (before.start() == start or after.startswith(_COUNTED))
    return True


def _cut(text: bytes, start: int, end: int) -> Iterator[Span]:
    bullet = _BULLET.match(text, start, end)
    if bullet:
        start = bullet.end()
    while end > start and text[end - 1 : end].isspace():
        end -= 1
    for place in range(start, end, LONGEST):
        yield place, min(end, place + LONGEST)
