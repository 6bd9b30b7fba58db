"""95% intervals by a cluster bootstrap: whole conversations are drawn again, never single cases.

A resample is a count for each conversation, and as every metric is a ratio of two sums, all metrics of all
resamples are one matrix product.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from convgate.evaluation.metrics import Terms, ratios

RESAMPLES = 1_000
LEVEL = 0.95

Draws = NDArray[np.float64]  # (resamples, clusters): how often each cluster was drawn


def draw(clusters: int, *, seed: int = 0) -> Draws:
    """Return (RESAMPLES, clusters) how often each cluster is in each resample; rows add up to `clusters`.

    The same clusters and seed give the same draws, so that policies are compared on the same resamples.
    """
    if not clusters:
        return np.zeros((RESAMPLES, 0))
    rng = np.random.default_rng(seed)
    return rng.multinomial(clusters, np.full(clusters, 1 / clusters), size=RESAMPLES).astype(np.float64)


def cluster_sums(terms: Terms, clusters: NDArray[np.integer[Any]], count: int) -> Terms:
    """Return (count, 2, m) terms of cases, (cases, 2, m), summed by cluster, (cases,) in 0 … count - 1."""
    sums = np.zeros((count, *terms.shape[1:]))
    np.add.at(sums, clusters, terms)
    return sums


def resample(sums: Terms, draws: Draws) -> Terms:
    """Return (resamples, m) the metrics of each resample; NaN where a resample leaves one undefined.

    sums: (clusters, 2, m).
    """
    return ratios(np.tensordot(draws, sums, axes=1))


def interval(sums: Terms, draws: Draws) -> Terms:
    """Return (m, 2) the percentile interval of each metric, over the resamples that define it.

    NaN for a metric to which fewer than two clusters contribute: one conversation cannot show how
    much conversations differ.

        >>> sums = np.array([[[1.0], [2.0]], [[3.0], [4.0]], [[2.0], [4.0]]])  # ratios 1/2, 3/4, 2/4
        >>> interval(sums, draw(3)).round(2).tolist()
        [[0.5, 0.75]]
    """
    return _percentiles(resample(sums, draws), _clusters_behind(sums) > 1)


def difference_interval(a: Terms, b: Terms, draws: Draws) -> Terms:
    """Return (m, 2) the percentile interval of metric(b) - metric(a), both on the same resamples.

    a, b: (clusters, 2, m), row by row about the same conversation. NaN as in `interval`.
    """
    enough = np.minimum(_clusters_behind(a), _clusters_behind(b)) > 1
    return _percentiles(resample(b, draws) - resample(a, draws), enough)


def _clusters_behind(sums: Terms) -> NDArray[np.int64]:
    return np.asarray((sums[:, 1] > 0).sum(axis=0))


def _percentiles(values: Terms, enough: NDArray[np.bool_]) -> Terms:
    """Return (m, 2) the middle LEVEL of each column of (resamples, m) without NaN; NaN where not `enough`."""
    tail = (1 - LEVEL) / 2
    bounds = np.full((values.shape[1], 2), np.nan)
    for column in np.flatnonzero(enough):
        defined = values[~np.isnan(values[:, column]), column]
        bounds[column] = np.quantile(defined, [tail, 1 - tail])
    return bounds
