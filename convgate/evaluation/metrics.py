"""What is measured, as ratios of two sums over cases.

Every metric here is a sum over cases divided by another sum over cases: MAP adds up average precisions
and counts the cases that have one, micro precision adds up hits and kept turns. So a case gives one
numerator and one denominator a metric (`case_terms`), any group of cases is summed, and a bootstrap
only has to weigh the sums of whole conversations (`convgate.evaluation.bootstrap`). A denominator of
zero is a metric that the cases do not define: NaN in arrays, None in results, null in JSON.

Turns with equal scores have no order of their own. Ranking metrics give the expected value over all
orders of the tied turns, as in McSherry & Najork (2008), "Computing Information Retrieval Performance
Measures Efficiently in the Presence of Tied Scores": no policy gains or loses by the order in which a
sort happens to leave its ties. A policy that ranks by position says so with scores that grow with it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from convgate.decisions import Floats

CUTOFFS = (5, 10, 25, 50)
RANKING_METRICS = ("map", *(f"recall@{k}" for k in CUTOFFS))
SELECTION_METRICS = ("precision", "recall", "f1", "exact_empty", "kept_token_share")
METRICS = (*RANKING_METRICS, *SELECTION_METRICS)

Bools = NDArray[np.bool_]
Terms = NDArray[np.float64]  # (..., 2, len(METRICS)): numerators, then denominators


def average_precision(relevant: Bools, scores: Floats) -> float:
    """Average precision of one ranking, highest score first; NaN when nothing is relevant.

    relevant: (n,) bool; scores: (n,) on any scale.

        >>> relevant = np.array([True, False, True, False])
        >>> average_precision(relevant, np.array([0.9, 0.5, 0.4, 0.1])) == (1 / 1 + 2 / 3) / 2
        True

    Equal scores give the mean over the orders of the tied turns, here of 1/1 and 1/2:

        >>> average_precision(np.array([True, False]), np.array([0.5, 0.5]))
        0.75
    """
    return _average_precision(*_tie_groups(relevant, scores)) if relevant.any() else float("nan")


def recall_at(relevant: Bools, scores: Floats, cutoffs: tuple[int, ...] = CUTOFFS) -> Terms:
    """(len(cutoffs),) share of the relevant turns among the k highest scores; NaN when nothing is relevant.

    relevant: (n,) bool; scores: (n,) on any scale. A tie across the cut counts by its expected share:

        >>> recall_at(np.array([True, True, False]), np.array([0.9, 0.5, 0.5]), cutoffs=(1, 2, 3)).tolist()
        [0.5, 0.75, 1.0]
    """
    if not relevant.any():
        return np.full(len(cutoffs), np.nan)
    return _recall_at(*_tie_groups(relevant, scores), cutoffs)


def case_terms(
    relevant: Bools, kept: Bools, scores: Floats | None, tokens: NDArray[np.integer[Any]]
) -> Terms:
    """(2, len(METRICS)) numerators and denominators that one case adds to each metric.

    relevant, kept: (n,) bool; scores: (n,), None from a policy that does not rank; tokens: (n,) counts.
    Where nothing is relevant, a case says nothing about ranking; where something is, nothing about
    `exact_empty`. A case with an empty history has nothing relevant and nothing kept.

        >>> relevant, kept = np.array([True, True, False]), np.array([True, False, True])
        >>> terms = case_terms(relevant, kept, None, tokens=np.array([3, 2, 5]))
        >>> dict(zip(METRICS[5:], terms[:, 5:].T.tolist()))  # doctest: +NORMALIZE_WHITESPACE
        {'precision': [1.0, 2.0], 'recall': [1.0, 2.0], 'f1': [2.0, 4.0], 'exact_empty': [0.0, 0.0],
         'kept_token_share': [8.0, 10.0]}
    """
    terms = np.zeros((2, len(METRICS)))
    found = int(relevant.sum())
    hits, chosen = int((relevant & kept).sum()), int(kept.sum())
    if found and scores is not None:
        bounds, hits_through = _tie_groups(relevant, scores)
        terms[0, 0] = _average_precision(bounds, hits_through)
        terms[0, 1 : len(RANKING_METRICS)] = _recall_at(bounds, hits_through, CUTOFFS)
        terms[1, : len(RANKING_METRICS)] = 1
    terms[:, len(RANKING_METRICS) :] = (
        (hits, hits, 2 * hits, not found and not chosen, tokens @ kept),
        (chosen, found, chosen + found, not found, tokens.sum()),
    )
    return terms


def ratios(terms: Terms) -> Terms:
    """(..., len(METRICS)) the metrics of summed terms; NaN where the denominator is 0.

    terms: (..., 2, len(METRICS)).

        >>> ratios(np.array([[1.0, 0.0], [4.0, 0.0]])).tolist()
        [0.25, nan]
    """
    over, under = terms[..., 0, :], terms[..., 1, :]
    return share(over, under)


def share(part: Terms, whole: Terms) -> Terms:
    """`part` / `whole`, NaN where the whole is 0."""
    shares: Terms = np.divide(part, whole, out=np.full(np.shape(part), np.nan), where=np.asarray(whole) > 0)
    return shares


def _tie_groups(relevant: Bools, scores: Floats) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Ranks where groups of equal scores end, and the hits up to there; both (groups + 1,), from 0."""
    order = np.argsort(-scores)
    ranked = scores[order]
    bounds = np.concatenate(([0], np.flatnonzero(ranked[1:] != ranked[:-1]) + 1, [len(ranked)]))
    return bounds, np.concatenate(([0], np.cumsum(relevant[order])))[bounds]


def _average_precision(bounds: NDArray[np.int64], hits_through: NDArray[np.int64]) -> float:
    """Expected average precision: at each rank, the chance of a hit times the precision expected there."""
    sizes, hits = np.diff(bounds), np.diff(hits_through)
    group = np.repeat(np.arange(len(sizes)), sizes)
    rank = np.arange(bounds[-1])
    # Given a hit at a rank, the group's other hits are spread evenly over its other ranks.
    earlier = hits_through[group] + (rank - bounds[group]) * ((hits - 1) / np.maximum(sizes - 1, 1))[group]
    return float(((hits / sizes)[group] * (earlier + 1) / (rank + 1)).sum() / hits_through[-1])


def _recall_at(bounds: NDArray[np.int64], hits_through: NDArray[np.int64], cutoffs: tuple[int, ...]) -> Terms:
    """Expected recall at each cutoff: hits grow evenly from one end of a group of ties to the other."""
    return np.asarray(np.interp(cutoffs, bounds, hits_through) / hits_through[-1])
