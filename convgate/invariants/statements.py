"""The statements of a message: its sentences and list items."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Literal

from convgate.embedding.spans import mark_spans
from convgate.invariants.topic import Topic, read_topic
from convgate.text.folding import fold, own_text, own_words

StatementKind = Literal[
    "none", "safety_requirement", "user_correction", "hard_constraint", "blocking_error", "lifted", "resolved"
]

KINDS: tuple[StatementKind, ...] = (
    "none", "safety_requirement", "user_correction", "hard_constraint", "blocking_error", "lifted",
    "resolved",
)  # fmt: skip
"""Labels of the classifier: the types of invariants, what ends one, and none of these."""


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence or list item. `start` and `end` are characters of the message."""

    start: int
    end: int
    text: str  # verbatim
    topic: Topic
    denied: frozenset[str] = frozenset()  # stems and numbers that it denies: "not Anne"
    points: bool = False  # begins with "it's", "they are", …
    quoted: bool = False  # hardly more than quotation or code
    kind: StatementKind = "none"
    likelihood: float = 0.0  # 0…1, of the kind
    resolves: bool = False  # says that earlier errors are solved; may report a new one
    signs: tuple[str, ...] = ()  # n-grams that contribute most to the kind
    scope: str = ""  # what it is about, in its own words


Span = tuple[int, int]  # bytes of a folded text, the end exclusive

MAX_BYTES = 2_000
"""Bytes of a statement; a longer one is split."""

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


def split_statements(text: bytes) -> Iterator[Span]:
    """Yield the span of each statement of a folded message, without its bullet and blanks.

    >>> text = b"rules: - no nuts\\n- at most 3 km. never run"
    >>> [text[slice(*span)] for span in split_statements(text)]
    [b'rules: - no nuts', b'at most 3 km.', b'never run']
    """
    start = 0
    for match in _BREAK.finditer(text):
        if match.start() < start or not _is_end(text, start, match):
            continue
        end = match.end() if text[match.start()] != 10 else match.start()
        yield from _cut(text, start, end)
        start = match.end()
    yield from _cut(text, start, len(text))


def _is_end(text: bytes, start: int, match: re.Match[bytes]) -> bool:
    mark = match[0]
    after = text[match.end() : match.end() + 12].lstrip(b" \t")
    if mark[:1] == b"\n":
        line = text[max(start, text.rfind(b"\n", 0, match.start()) + 1) : match.start()]
        wrapped = len(mark) == 1 and len(line) > 60 and line[-1:] not in b".!?:;"
        return not (wrapped and after[:1].isalpha())
    if mark != b"." or not after:
        return True
    before = _WORD_BEFORE.search(text, max(start, match.start() - 12), match.start())
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
    for place in range(start, end, MAX_BYTES):
        yield place, min(end, place + MAX_BYTES)


MAX_STATEMENTS = 20_000
"""Max number of statements that are read of one message."""

_LETTER = re.compile(rb"[a-z]")
_DENIED = re.compile(
    rb"\b(?:not|instead of|rather than|in place of|no longer|isn't|aren't|nicht|statt|anstatt|anstelle"
    rb"|au lieu d[eu']|plutot que|(?:et|,|mais) (?:non )?pas|nicht mehr|pas)\b"
    rb"((?:\s+[a-z0-9_#.:%'-]+){1,5})"
)


_POINTING = re.compile(
    rb"(?:(?:oh|and|but|so|ok|yes|no|nope|sorry|actually|wait|well)[,.:!?]* )*"
    rb"(?:it's|it is|it was|they're|they are|make (?:it|that)|es ist|es sind|c'est)\b"
)


@functools.lru_cache(4_096)
def read_statements(text: str) -> tuple[Statement, ...]:
    """Return the statements of a message in order, their kinds not yet known."""
    folded = fold(text)
    own = own_words(folded.text)
    statements = []
    for span in islice(split_statements(folded.text), MAX_STATEMENTS):
        words = own[slice(*span)]
        start, end = folded.span(*span)
        if not _LETTER.search(folded.text, *span) and not any(map(str.isdigit, text[start:end])):
            continue
        statements.append(
            Statement(
                start=start,
                end=end,
                text=text[start:end],
                topic=read_topic(words),
                denied=frozenset().union(*(read_topic(match[1]).values for match in _DENIED.finditer(words))),
                points=_POINTING.match(words) is not None,
                quoted=_is_quoted(words, folded.text[slice(*span)]),
            )
        )
    return tuple(statements)


def mark_statements(text: str) -> str:
    """Return the user's own words marked with their statements, as the encoder of statements reads them."""
    return mark_spans(
        own_text(text), ((statement.start, statement.end) for statement in read_statements(text))
    )


def _is_quoted(own: bytes, whole: bytes) -> bool:
    """Return whether most words are quotation or code, which `own_words` blanks or replaces by x."""
    kept = sum(byte == other for byte, other in zip(own, whole, strict=True))
    return 2 * kept < len(whole)
