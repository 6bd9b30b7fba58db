"""What is measured, as ratios of two sums over cases: a numerator and a denominator a case and metric.

A denominator of zero is a metric that the cases do not define: NaN in arrays, None in results, null in
JSON. Among turns with equal scores the newer ranks first, as in every top-k rule here.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from convgate.core.decisions import Floats

CUTOFFS = (5, 10, 25, 50)
RANKING_METRICS = ("map", *(f"recall@{k}" for k in CUTOFFS))
SELECTION_METRICS = ("precision", "recall", "f1", "exact_empty", "kept_token_share")
METRICS = (*RANKING_METRICS, *SELECTION_METRICS)
LABELS = {  # in tables
    "map": "MAP",
    **{f"recall@{k}": f"R@{k}" for k in CUTOFFS},
    "precision": "P",
    "recall": "R",
    "f1": "F1",
    "exact_empty": "empty",
    "kept_token_share": "tokens",
}

Bools = NDArray[np.bool_]
Terms = NDArray[np.float64]  # (..., 2, len(METRICS)): numerators, then denominators


def ranks_of_relevant(relevant: Bools, scores: Floats) -> NDArray[np.int64]:
    """Return (relevant turns,) their ranks from 1, increasing; by score, of equal scores the newer first.

    relevant: (n,) bool, oldest turn first; scores: (n,).

        >>> ranks_of_relevant(np.array([True, False, True, False]), np.array([0.9, 0.5, 0.5, 0.5])).tolist()
        [1, 3]
    """
    best_first = np.argsort(-scores[::-1], kind="stable")
    return np.flatnonzero(relevant[::-1][best_first]) + 1


def case_terms(
    relevant: Bools, kept: Bools, scores: Floats | None, tokens: NDArray[np.integer[Any]]
) -> Terms:
    """Return (2, len(METRICS)) numerators and denominators that one case adds to each metric.

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
    n_relevant = int(relevant.sum())
    hits, n_kept = int((relevant & kept).sum()), int(kept.sum())
    if n_relevant and scores is not None:
        ranks = ranks_of_relevant(relevant, scores)
        terms[0, 0] = _average_precision(ranks)
        terms[0, 1 : len(RANKING_METRICS)] = np.searchsorted(ranks, CUTOFFS, side="right") / len(ranks)
        terms[1, : len(RANKING_METRICS)] = 1
    terms[:, len(RANKING_METRICS) :] = (
        (hits, hits, 2 * hits, not n_relevant and not n_kept, tokens @ kept),
        (n_kept, n_relevant, n_kept + n_relevant, not n_relevant, tokens.sum()),
    )
    return terms


def ratios(terms: Terms) -> Terms:
    """Return (..., len(METRICS)) the metrics of summed terms; NaN where the denominator is 0.

    terms: (..., 2, len(METRICS)).

        >>> ratios(np.array([[1.0, 0.0], [4.0, 0.0]])).tolist()
        [0.25, nan]
    """
    return share(terms[..., 0, :], terms[..., 1, :])


def share(part: Terms, whole: Terms) -> Terms:
    """Return `part` / `whole`, NaN where the whole is 0."""
    shares: Terms = np.divide(part, whole, out=np.full(np.shape(part), np.nan), where=np.asarray(whole) > 0)
    return shares


def _average_precision(ranks: NDArray[np.int64]) -> float:
    """Return the mean precision at the ranks of the relevant turns.

    >>> _average_precision(np.array([1, 3])) == (1 / 1 + 2 / 3) / 2
    True
    """
    return float((np.arange(1, len(ranks) + 1) / ranks).mean())
