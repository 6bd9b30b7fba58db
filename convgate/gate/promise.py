"""A promise on missed turns: lose at most a share of the needed turns, on average over conversations.

Where turns are dropped in the order of their use per token, what is lost with turn i and all turns before
it is put at

    E_i = P(any)² · Σ_{j dropped up to i} p_j / Σ_j p_j,    P(any) = 1 − Π (1 − p_j)^0.7
    M_i = 1 − (1 − E_i)^√n

All turns with M_i up to a level are dropped. With P(any) alone E_i would be the expected share of the needed
turns; squared, nothing is sent more often where nothing is needed, for as many tokens and misses. In a long
history of n turns a gate misses more than its scores say, and the level that keeps a promise for E_i falls
about as 1/√n; one level for M_i holds for short and long histories. The level is chosen by conformal risk
control (Angelopoulos, Bates, Fisch, Lei and Schuster 2022), see `convgate.evaluation.risk_control`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from convgate.core.decisions import Floats
from convgate.core.errors import PolicyError
from convgate.core.filling import Integers, use_per_token

CORRELATION_EXPONENT = 0.7  # 1 if turns were relevant independently of each other

Levels = Sequence[tuple[float, float]]
"""Pairs of a promise and the level that keeps it, both increasing."""


def probability_of_none(scores: Floats) -> float:
    """Return the probability that no turn is relevant; relevant turns come together. scores: (n,), 0…1."""
    return float(np.prod(1 - np.clip(scores, 0.0, 1.0)) ** CORRELATION_EXPONENT)


def expected_missed(scores: Floats, tokens: Integers | None = None) -> NDArray[np.float64]:
    """Return (n,) what is lost with each turn and all less useful ones, 0…1: M_i above.

    scores: (n,), 0…1; tokens: (n,), None: all turns cost the same.
    """
    costs = np.ones(len(scores), dtype=np.int64) if tokens is None else tokens
    order = np.argsort(use_per_token(scores, costs), kind="stable")
    clipped = np.clip(scores, 1e-12, 1.0)
    missed = np.empty(len(scores))
    missed[order] = np.cumsum(clipped[order]) / max(float(clipped.sum()), 1e-12)
    at_risk = np.minimum(missed * (1 - probability_of_none(scores)) ** 2, 1.0)
    return np.asarray(1 - (1 - at_risk) ** np.sqrt(len(scores)))


def min_conversations(promise: float) -> int:
    """Return how many labelled conversations a promise takes, when nothing is missed in any of them.

    >>> min_conversations(0.02), min_conversations(0.1)
    (49, 9)
    """
    return math.ceil(1 / promise - 1e-9) - 1


def write_levels(levels: Levels) -> str:
    """Return the levels as text.

    >>> write_levels([(0.02, 0.0151), (0.05, 0.04)])
    '0.02:0.0151 0.05:0.04'
    """
    return " ".join(f"{promise:g}:{level:g}" for promise, level in levels)


def read_levels(text: str) -> Levels:
    """Return the levels of a text as `write_levels` makes it; PolicyError for another one."""
    try:
        pairs = [tuple(map(float, pair.split(":"))) for pair in text.split()]
        levels = [(promise, level) for promise, level in pairs]
    except ValueError as error:
        raise PolicyError(f"levels are pairs such as 0.02:0.0151; got {text[:60]!r}") from error
    promises, values = zip((0.0, 0.0), *levels, strict=True)
    if (
        not np.isfinite([*promises, *values]).all()
        or (np.diff(promises) <= 0).any()
        or (np.diff(values) < 0).any()
    ):
        raise PolicyError(f"levels increase from 0 on; got {text[:60]!r}")
    return levels


def level_of(levels: Levels, promise: float) -> float:
    """Return the level that keeps a promise: between calibrated promises along a line, beyond them in
    proportion; without any the promise itself.

    >>> level_of([(0.25, 0.5)], 0.125), level_of([], 0.3), level_of([(0.25, 0.5)], 0.5)
    (0.25, 0.3, 1.0)
    """
    if not levels:
        return promise
    promises, known = _columns(levels)
    if promise > promises[-1]:
        return float(known[-1] * promise / promises[-1])
    return float(np.interp(promise, promises, known))


def promise_of(levels: Levels, values: Floats) -> NDArray[np.float64]:
    """Return (n,) the highest promise whose level is at most each of (n,) values."""
    if not levels:
        return np.asarray(values, dtype=np.float64)
    promises, known = _columns(levels)
    beyond = values * promises[-1] / max(float(known[-1]), 1e-12)
    return np.asarray(np.where(values > known[-1], beyond, np.interp(values, known, promises)))


def _columns(levels: Levels) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the promises and the levels, each from 0 on."""
    columns = np.array([(0.0, 0.0), *levels])
    return columns[:, 0], columns[:, 1]
