"""How common each stem is anyway, as the lexical features weigh it."""

from __future__ import annotations

import json
import math
from functools import cache
from importlib import resources

_MAX_SHARE = 0.02  # of turns; a more frequent stem says nothing about a topic
_UNSEEN_SHARE = 1e-4  # of a stem that is not in the table
_PRIOR_TURNS = 100  # the weight of the table


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
