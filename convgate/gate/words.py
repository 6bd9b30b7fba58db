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
_MAX_SHARE = 0.02  # of turns; a more frequent stem says nothing about a topic
_UNSEEN_SHARE = 1e-4  # of a stem that is not in the table
_PRIOR_TURNS = 100  # the weight of the table


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


@cache
def common_stems() -> dict[str, float]:
    """Return for each stem its share of the turns, 0…1, in the conversations that the gate was trained on."""
    table = resources.files("convgate.gate").joinpath("common_stems.json")
    shares: dict[str, float] = json.loads(table.read_text(encoding="utf-8"))
    return shares


def inverse_frequency(stem: str, matches: int, turns: int) -> float:
    """Return the weight of a stem, 0 or more, when `matches` of `turns` turns have it.

    ln(1 + (N − n + ½)/(n + ½)) as in BM25, with the shares of `common_stems` as a prior of 100 turns; 0 for a
    stem in more than 2% of all turns.
    """
    share = common_stems().get(stem, _UNSEEN_SHARE)
    if share > _MAX_SHARE:
        return 0.0
    n, total = matches + _PRIOR_TURNS * share, turns + _PRIOR_TURNS
    return math.log1p((total - n + 0.5) / (n + 0.5))
