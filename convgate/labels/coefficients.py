"""Cohen's kappa and Krippendorff's alpha for two answers, out of sums over conversations or messages.

Both are ratios of sums, so one call gives them for every resample of a bootstrap; the tests hold them
against scikit-learn and the library `krippendorff`, neither of which takes sums.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from convgate.evaluation.bootstrap import LEVEL, draw

Sums = NDArray[np.floating[Any]]
Clusters = NDArray[np.int64]

_MOST_CLUSTERS = 200


def kappa(cells: Sums) -> Sums:
    """(…) Cohen's kappa of (…, 4) numbers of turns: both relevant, only one, only the other, neither.

    NaN where both always gave the same one answer: agreeing by chance is then certain.

        >>> kappa(np.array([20.0, 5, 10, 15])).round(2).tolist()  # 35 of 50 agree, 25 would by chance
        0.4
    """
    both, one, other, neither = np.moveaxis(np.asarray(cells, dtype=np.float64), -1, 0)
    by_chance = (both + one) * (one + neither) + (both + other) * (other + neither)
    return _ratio(2 * (both * neither - one * other), by_chance)


def alpha(sums: Sums) -> Sums:
    """(…) Krippendorff's alpha, nominal, of (…, 3): answers relevant, answers not relevant, conflict.

    Over turns with at least two answers; conflict adds up relevant · not relevant / (answers - 1) of each.
    NaN where all answers are the same one.

        >>> alpha(np.array([3.0, 3.0, 1.0])).round(2).tolist()  # by two: yes yes, no no, yes no
        0.44
    """
    relevant, not_relevant, conflict = np.moveaxis(np.asarray(sums, dtype=np.float64), -1, 0)
    return 1 - _ratio(conflict * (relevant + not_relevant - 1), relevant * not_relevant)


def interval(
    sums: Sums, clusters: Clusters, coefficient: Callable[[Sums], Sums]
) -> tuple[float, float] | None:
    """The 95% interval of a coefficient of (rows, k) sums whose rows belong to (rows,) clusters.

    Whole clusters are drawn again. None when there are fewer than two, or no resample defines it.
    """
    _, places = np.unique(clusters, return_inverse=True)
    count = min(int(places.max(initial=-1)) + 1, _MOST_CLUSTERS)
    if count < 2:
        return None
    by_cluster = np.zeros((count, sums.shape[1]))
    # Clusters are independent, so adding some together changes no variance, and bounds the work.
    np.add.at(by_cluster, places % count, sums)
    values = coefficient(draw(count) @ by_cluster)
    values = values[~np.isnan(values)]
    if not len(values):
        return None
    tail = (1 - LEVEL) / 2
    low, high = np.quantile(values, [tail, 1 - tail])
    return float(low), float(high)


def _ratio(above: Sums, below: Sums) -> Sums:
    return np.divide(above, below, out=np.full_like(below, np.nan), where=below > 0)
