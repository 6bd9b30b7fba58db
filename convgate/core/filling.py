"""Fill a budget of tokens with whole turns."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from convgate.core.decisions import Floats

Integers = NDArray[np.integer[Any]]


def expected_use(scores: Floats) -> NDArray[np.float64]:
    """Return (n,) −ln(1 − p), the expected use of turns that are needed with (n,) probabilities.

    To send all needed turns with the highest probability, Π (1 − pᵢ) of the turns left out has to be as high
    as possible, and so the sum of the uses of those sent.
    """
    return np.asarray(-np.log1p(-np.clip(scores, 0.0, 1 - 1e-9)), dtype=np.float64)


def use_per_token(scores: Floats, tokens: Integers) -> NDArray[np.float64]:
    """Return (n,) the expected use of each turn for each token that it costs; tokens: (n,)."""
    return np.asarray(expected_use(scores) / np.maximum(tokens, 1), dtype=np.float64)


def fill(values: Floats, tokens: Integers, budget: float) -> NDArray[np.bool_]:
    """Return (n,) the turns that fit, the highest value first; of equal ones the newer; others are skipped.

    >>> fill(np.array([3.0, 2.0, 1.0]), np.array([50, 40, 10]), budget=60).tolist()
    [True, False, True]
    """
    order = len(values) - 1 - np.argsort(-values[::-1], kind="stable")
    costs, kept = tokens[order], np.zeros(len(values), dtype=np.bool_)
    left, start = budget, 0
    while start < len(order):
        fits = int(np.searchsorted(np.cumsum(costs[start:]), left, side="right"))
        kept[order[start : start + fits]] = True
        left -= int(costs[start : start + fits].sum())
        smaller = np.flatnonzero(costs[start + fits + 1 :] <= left)
        if not len(smaller):
            break
        start += fits + 1 + int(smaller[0])
    return kept
