"""The words of a text, and their stems."""

from __future__ import annotations

import re
import threading
from collections.abc import Collection, Sequence
from itertools import islice

import Stemmer

_WORD = re.compile(r"\w+")


_JOINED = re.compile(r"[ -]?")
"""What may stand between words that are quoted as one."""
_PIECES = re.compile(r"(?<=\d[.,:])\d+|\d+(?=[.,:]\d)|(?<=\w['’])\w{1,2}\b|\w+(?=['’]t\b)")
"""Words that are pieces of a number or of a contraction: 200 in "1,200", "ll" in "we'll"."""


class _Stemmers(threading.local):
    """A stemmer for each thread, for it has a state of its own."""

    def __init__(self) -> None:
        self.english = Stemmer.Stemmer("english")  # hardly changes words of other languages


_stemmers = _Stemmers()


def words(text: str) -> list[str]:
    """Return the words of a text, case folded, in their order.

    >>> words("What's the FIX?")
    ['what', 's', 'the', 'fix']
    """
    return _WORD.findall(text.casefold())


def stems(folded: Sequence[str]) -> list[str]:
    """Return the stem of each case-folded word.

    >>> stems(words("She painted the paintings"))
    ['she', 'paint', 'the', 'paint']
    """
    result: list[str] = _stemmers.english.stemWords(folded)
    return result


def find_stems(
    text: str, wanted: Collection[str], *, max_words: int, joined: bool = True
) -> list[tuple[int, int]]:
    """Return where a text has words of these stems, as offsets, among its first `max_words` words.

    Such words that stand side by side are one place if `joined`. Pieces of numbers and of contractions are
    left out.

    >>> find_stems("Your reference number: 42.", {"refer", "number"}, max_words=9)
    [(5, 21)]
    >>> find_stems("we'll pay 1,200, not 200", {"ll", "200"}, max_words=9)
    [(21, 24)]
    """
    places: list[tuple[int, int]] = []
    found = list(islice(_WORD.finditer(text), max_words))
    for match, stem in zip(found, stems([match[0].casefold() for match in found]), strict=True):
        if stem not in wanted or _PIECES.match(text, match.start()):
            continue
        start = match.start()
        if joined and places and _JOINED.fullmatch(text, places[-1][1], start):
            start = places.pop()[0]
        places.append((start, match.end()))
    return places
