"""How sure an F1, and the gain of one gate on another, are: 95% intervals over conversations.

They say how much other conversations could change the numbers, not what another seed would have trained.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from convgate.evaluation.bootstrap import cluster_sums, difference_interval, draw, interval
from convgate.evaluation.metrics import Bools, Terms, ratios
from convgate.evaluation.results import Measure

FEWEST = 5
"""Conversations from which the gain has an interval: of fewer, chance alone often puts all on one side."""

LABELLED = 25  # conversations, of which about so many are held out


def f1_terms(kept: Bools, relevant: Bools, conversation: NDArray[np.int64], count: int) -> Terms:
    """(count, 2, 1) what each conversation adds to F1: twice the right ones kept; the kept and the relevant.

    kept, relevant: (n,) of turns; conversation: (n,) the number of each one's, in 0 … count - 1.

        >>> kept, relevant = np.array([True, True, False]), np.array([True, False, True])
        >>> f1_terms(kept, relevant, np.array([0, 0, 1]), 2)[:, :, 0].tolist()
        [[2.0, 3.0], [0.0, 1.0]]
    """
    turns = np.stack([2 * (kept & relevant), kept.astype(int) + relevant], axis=1)[:, :, np.newaxis]
    return cluster_sums(turns.astype(np.float64), conversation, count)


def f1_measure(terms: Terms) -> Measure:
    """F1 over (conversations, 2, 1) terms, with its interval; 1 when nothing is relevant and nothing kept."""
    return Measure.of(_f1(terms), *interval(terms, draw(len(terms)))[0])


def gain(before: Terms, after: Terms) -> Measure:
    """F1 after less F1 before, -1…1, with its interval; both (conversations, 2, 1), row by row the same."""
    value = _f1(after) - _f1(before)
    if len(before) < FEWEST:
        return Measure(value)
    return Measure.of(value, *difference_interval(before, after, draw(len(before)))[0])


def span(low: float, high: float) -> str:
    """An interval of a difference in words.

    >>> span(-0.02, 0.1)
    'between −0.02 and +0.10 (95% interval)'
    """
    return f"between {low:+.2f} and {high:+.2f} (95% interval)".replace("-", "\N{MINUS SIGN}")


def _f1(terms: Terms) -> float:
    value = float(ratios(terms.sum(axis=0))[0])
    return 1.0 if np.isnan(value) else value
