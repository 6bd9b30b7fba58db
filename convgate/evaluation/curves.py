"""Precision, recall, F1 and what is kept, at every threshold: what a slider would do, before it is moved."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from convgate.decisions import Floats
from convgate.evaluation.judge import JudgedCase
from convgate.evaluation.metrics import Bools, Terms, share


@dataclass(frozen=True, eq=False)
class ThresholdCurve:
    """Metrics of keeping every turn that scores at least the threshold; one row a threshold, increasing.

    NaN where a metric is undefined: precision when nothing is kept, recall when nothing is relevant.
    """

    thresholds: Floats  # (t,) on the scale of the scores
    precision: Terms  # (t,) 0…1, as are the others
    recall: Terms
    f1: Terms
    kept_share: Terms  # turns kept, of all turns
    kept_token_share: Terms  # their tokens, of all tokens; of turns when there are no counts

    def __len__(self) -> int:
        return len(self.thresholds)

    def f_beta(self, beta: float) -> Terms:
        """(t,) F-beta; beta above 1 weighs recall more, below 1 precision. Zero where nothing is hit."""
        return _f_beta(self.precision, self.recall, beta)

    def best(self, beta: float = 1.0) -> int | None:
        """Row of the highest F-beta, the highest threshold of equals; None where nothing is relevant."""
        f_beta = self.f_beta(beta)
        if not len(self) or np.isnan(f_beta).all():
            return None
        return len(self) - 1 - int(np.nanargmax(f_beta[::-1]))


def threshold_curve(
    relevant: Bools,
    scores: Floats,
    *,
    tokens: NDArray[np.integer[Any]] | None = None,
    thresholds: Floats | None = None,
) -> ThresholdCurve:
    """Exact metrics at the given thresholds, sorted, or at every distinct score.

    relevant: (n,) bool; scores: (n,) on any scale, comparable between cases; tokens: (n,) counts, for
    `kept_token_share`. Rows of all cases may be put one after the other: the metrics are micro. The
    thresholds of scikit-learn's precision_recall_curve are the scores themselves; a chart of a million
    turns wants a few hundred, and a slider its own, so they can be given.

        >>> curve = threshold_curve(np.array([True, False, True]), np.array([0.9, 0.5, 0.1]))
        >>> curve.thresholds.tolist(), curve.recall.tolist(), curve.precision.round(2).tolist()
        ([0.1, 0.5, 0.9], [1.0, 0.5, 0.5], [0.67, 0.5, 1.0])
        >>> float(curve.thresholds[curve.best()])
        0.1
    """
    thresholds = np.unique(scores if thresholds is None else thresholds)
    order = np.argsort(scores)
    first = np.searchsorted(scores[order], thresholds, side="left")  # rows from here on are kept
    weights = np.ones(len(scores)) if tokens is None else tokens

    def kept(amounts: NDArray[Any]) -> Terms:
        """(t + 1,) what is kept of the amounts, (n,), at each threshold, then their total."""
        above = np.concatenate((np.cumsum(amounts[order][::-1])[::-1], [0])).astype(np.float64)
        return np.append(above[first], above[0])

    hits, chosen, weight = kept(relevant), kept(np.ones(len(scores))), kept(weights)
    precision, recall = share(hits[:-1], chosen[:-1]), share(hits[:-1], hits[-1])
    return ThresholdCurve(
        thresholds=thresholds,
        precision=precision,
        recall=recall,
        f1=_f_beta(precision, recall, 1.0),
        kept_share=share(chosen[:-1], chosen[-1]),
        kept_token_share=share(weight[:-1], weight[-1]),
    )


def pooled_curve(judged: Iterable[JudgedCase], *, thresholds: Floats | None = None) -> ThresholdCurve | None:
    """The curve of one policy over all turns of all its cases; None when the policy does not rank."""
    relevant, scores, tokens = [], [], []
    for case in judged:
        if case.scores is None:
            if len(case.relevant):
                return None
            continue
        relevant.append(case.relevant)
        scores.append(case.scores)
        tokens.append(case.tokens)
    if not scores:
        return None
    return threshold_curve(
        np.concatenate(relevant), np.concatenate(scores), tokens=np.concatenate(tokens), thresholds=thresholds
    )


def _f_beta(precision: Terms, recall: Terms, beta: float) -> Terms:
    """F-beta by F = (1 + β²)·P·R / (β²·P + R); 0 without a hit, NaN where nothing is relevant."""
    nothing_kept = np.isnan(precision)
    precision = np.where(nothing_kept, 0.0, precision)
    both = (1 + beta**2) * precision * recall
    mixed = beta**2 * precision + recall
    return np.where(
        np.isnan(recall), np.nan, np.divide(both, mixed, out=np.zeros_like(both), where=mixed > 0)
    )
