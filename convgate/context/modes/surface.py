"""What a classifier sees on the surface of a message: cues, and words in a row."""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from convgate.context.modes.cues import CUES
from convgate.gatekeeper.folding import Folded, fold
from convgate.gatekeeper.pattern import Lexicon, Pattern, compiled, spelled_out

READ = 4_000
"""Characters of a message that are looked at: its first and its last half of them."""

_MOST_COUNTED = 4  # matches of a cue; more say no more

_WORD = re.compile(r"\n+|[a-z_]+(?:'[a-z]+)*|\d+|[^\sa-z0-9]")


@dataclass(frozen=True, slots=True)
class Surface:
    """What one message shows. Names of cues and runs are rows of the model's weights."""

    cues: dict[str, float]  # by name: logarithm of how often, 1 for once
    said: dict[str, str]  # by name of the cue: the first words that matched, as they were written
    runs: dict[str, float]  # one to three words in a row, folded, with marks; root of how often


def excerpt(text: str) -> str:
    """What is read of a message: all of it, or the beginning and the end of a long one.

    A pasted log of a megabyte says what it is in its first lines, and would take an encoder half a minute.
    """
    return text if len(text) <= READ else f"{text[: READ // 2]}\n{text[-READ // 2 :]}"


def surface_of(text: str) -> Surface:
    """What a message shows; linear in its length, and no more than `READ` characters of it are read.

    >>> surface_of("How does a fridge work?").said["how_do_things"]
    'How does a'
    """
    text = excerpt(text)
    folded = fold(text)
    cues: dict[str, float] = {}
    said: dict[str, str] = {}
    for name, start, end, count in _cues(folded.text):
        cues[name] = math.log2(1 + min(count, _MOST_COUNTED))
        first, last = folded.span(start, end)
        said[name] = text[first:last].strip()
    return Surface(cues, said, _runs(folded))


def runs_of(text: str) -> dict[str, float]:
    """One to three words in a row, folded, with marks; root of how often each is in the text.

    >>> list(runs_of("Never!"))
    ['never', '!', '^ never', 'never !', '! $', '^ never !', 'never ! $']
    """
    return _runs(fold(text))


def _cues(text: bytes) -> Iterator[tuple[str, int, int, int]]:
    """Name, first byte, byte after the last, and count of each cue in a folded text."""
    found: dict[str, tuple[int, int, int]] = {}
    for one in _lexicon().find(text):
        start, end, count = found.get(one.pattern.name, (*one.span, 0))
        found[one.pattern.name] = (start, end, count + 1)
    for name, opening in _openings():
        if match := opening.match(text):
            found[name] = (*match.span(1), 1)
    return ((name, *place) for name, place in found.items())


@functools.cache
def _lexicon() -> Lexicon:
    patterns = [Pattern("mode", cue.name, cue.expression) for cue in CUES if not cue.opens]
    return Lexicon(patterns, [{}] * len(patterns))


@functools.cache
def _openings() -> list[tuple[str, Any]]:
    return [
        (cue.name, compiled(rf"[\s\"'(*#-]*({spelled_out(cue.expression, {})})\b"))
        for cue in CUES
        if cue.opens
    ]


def _runs(folded: Folded) -> dict[str, float]:
    words = _WORD.findall(folded.text.decode("ascii"))
    told = ["^", *("0" if word.isdigit() else "\n" if word[0] == "\n" else word for word in words), "$"]
    counts: dict[str, int] = {}
    for run in (
        *told[1:-1],
        *map(" ".join, pairwise(told)),
        *map(" ".join, zip(told, told[1:], told[2:], strict=False)),
    ):
        counts[run] = counts.get(run, 0) + 1
    return {run: math.sqrt(count) if count > 1 else 1.0 for run, count in counts.items()}
