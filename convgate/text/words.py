"""The words of a text, and their stems."""

from __future__ import annotations

import re
import threading
from collections.abc import Sequence

import Stemmer

_WORD = re.compile(r"\w+")


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
