"""Words as the lexical features count them: stems, and how common each one is anyway."""

from __future__ import annotations

import json
import math
import re
import threading
from collections.abc import Sequence
from functools import cache
from importlib import resources

import Stemmer

_WORD = re.compile(r"\w+")
_TOO_COMMON = 0.02  # a stem in more turns than this share says nothing about a topic
_UNSEEN = 1e-4  # share of turns that is assumed for a stem that is not in the table
_PRIOR_TURNS = 100  # how many turns the table weighs as much as


class _Stemmers(threading.local):
    """A stemmer for each thread, for it has a state of its own."""

    def __init__(self) -> None:
        self.english = Stemmer.Stemmer("english")  # leaves words of other languages as they are, or nearly so


_stemmers = _Stemmers()


def words(text: str) -> list[str]:
    """The words of a text, case folded, in their order."""
    return _WORD.findall(text.casefold())


def stems(folded: Sequence[str]) -> list[str]:
    """The stem of each case-folded word.

    >>> stems(words("She painted the paintings"))
    ['she', 'paint', 'the', 'paint']
    """
    result: list[str] = _stemmers.english.stemWords(folded)
    return result


@cache
def common_stems() -> dict[str, float]:
    """Share of turns, 0…1, in which a stem was found in the conversations that the gate was trained on."""
    table = resources.files("convgate.gate").joinpath("common_stems.json")
    shares: dict[str, float] = json.loads(table.read_text(encoding="utf-8"))
    return shares


def inverse_frequency(stem: str, matches: int, turns: int) -> float:
    """How much it says that two turns share a stem, 0 or more, when `matches` of `turns` turns have it.

    ln(1 + (N − n + ½)/(n + ½)) as in BM25, with the shares of `common_stems` as if they had been seen in
    100 turns before; 0 for a stem that is in more than 2% of turns everywhere.
    """
    share = common_stems().get(stem, _UNSEEN)
    if share > _TOO_COMMON:
        return 0.0
    n, total = matches + _PRIOR_TURNS * share, turns + _PRIOR_TURNS
    return math.log1p((total - n + 0.5) / (n + 0.5))
