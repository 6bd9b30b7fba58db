"""Precision, recall, F1 and what is kept, at every threshold: what a slider would do, before it is moved."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from convgate.core.decisions import Floats
from convgate.core.extras import needs_extra
from convgate.evaluation.metrics import Bools, Terms, share

with needs_extra("train", "evaluation"):
    from scipy.sparse import coo_array, csr_array

CANDIDATES = 1_000  # thresholds of a curve, unless others are given


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
    false_keep_share: Terms  # turns kept that are not relevant, of all turns
    false_drop_share: Terms  # relevant turns dropped, of all turns

    def __len__(self) -> int:
        return len(self.thresholds)

    def to_json(self) -> dict[str, list[float | None]]:
        """Return each column by its name; null where undefined."""
        columns = {field.name: getattr(self, field.name).tolist() for field in fields(self)}
        return {
            name: [None if np.isnan(value) else value for value in column] for name, column in columns.items()
        }

    def f_beta(self, beta: float) -> Terms:
        """Return (t,) F-beta; beta above 1 weighs recall more, below 1 precision. 0 where nothing is hit."""
        return _f_beta(self.precision, self.recall, beta)


def candidate_thresholds(relevant: Bools, scores: Floats) -> Floats:
    """Return (t,) candidate thresholds: every distinct score, or CANDIDATES of very many.

    Of very many, half are spread evenly over the scores of the relevant turns, for only at those does
    recall change, and half over the scores of all turns. relevant: (n,) bool; scores: (n,).
    """
    distinct: Floats = np.unique(scores)
    if len(distinct) <= CANDIDATES:
        return distinct
    places = np.linspace(0, 1, CANDIDATES // 2)
    parts = [part for part in (scores, scores[relevant]) if len(part)]
    return np.unique([np.quantile(part, places, method="nearest") for part in parts])


@dataclass(frozen=True, eq=False)
class CurveSums:
    """What each conversation adds to a curve, so that conversations can be weighed or drawn again.

    Rows of all cases may be put one after the other: the metrics are micro.

    >>> curve = CurveSums.of(np.array([True, False, True]), np.array([0.9, 0.5, 0.1])).curve()
    >>> curve.thresholds.tolist(), curve.recall.tolist(), curve.precision.round(2).tolist()
    ([0.1, 0.5, 0.9], [1.0, 0.5, 0.5], [0.67, 0.5, 1.0])
    """

    thresholds: Floats  # (t,) increasing
    amounts: tuple[csr_array, csr_array, csr_array]
    """Relevant turns, turns, tokens: each (t + 1, conversations), row i of turns that reach i thresholds."""

    @classmethod
    def of(
        cls,
        relevant: Bools,
        scores: Floats,
        *,
        thresholds: Floats | None = None,
        tokens: NDArray[np.integer[Any]] | None = None,
        clusters: NDArray[np.integer[Any]] | None = None,
        count: int = 1,
    ) -> CurveSums:
        """Return sums by conversation.

        relevant: (n,) bool; scores: (n,) on any scale, comparable between cases; thresholds: increasing, by
        default every distinct score; tokens: (n,) counts, for `kept_token_share`; clusters: (n,), each turn's
        conversation as a number below `count`.
        """
        thresholds = np.unique(scores) if thresholds is None else thresholds
        reached = np.searchsorted(thresholds, scores, side="right")
        columns = np.zeros(len(scores), dtype=np.int64) if clusters is None else clusters
        turns = np.ones(len(scores))

        def by_conversation(amounts: NDArray[Any]) -> csr_array:
            shape = (len(thresholds) + 1, count)
            return coo_array((amounts.astype(np.float64), (reached, columns)), shape=shape).tocsr()

        weights = turns if tokens is None else tokens
        amounts = (by_conversation(relevant), by_conversation(turns), by_conversation(weights))
        return cls(thresholds, amounts)

    def curve(self) -> ThresholdCurve:
        """Return the curve with each conversation counted once."""
        return next(self.curves(np.ones((1, self.amounts[0].shape[1]))))

    def curves(self, times: Terms) -> Iterator[ThresholdCurve]:
        """Return a curve for each row of `times`, (m, conversations)."""
        kept = [np.cumsum((amount @ times.T)[::-1], axis=0)[::-1] for amount in self.amounts]
        for column in range(len(times)):
            yield curve_of_sums(self.thresholds, *(sums[:, column] for sums in kept))


def curve_of_sums(thresholds: Floats, hits: Terms, turns: Terms, tokens: Terms) -> ThresholdCurve:
    """Return the curve of (t + 1,) sums: of everything, then of what each threshold keeps."""
    precision, recall = share(hits[1:], turns[1:]), share(hits[1:], hits[0])
    return ThresholdCurve(
        thresholds=thresholds,
        precision=precision,
        recall=recall,
        f1=_f_beta(precision, recall, 1.0),
        kept_share=share(turns[1:], turns[0]),
        kept_token_share=share(tokens[1:], tokens[0]),
        false_keep_share=share(turns[1:] - hits[1:], turns[0]),
        false_drop_share=share(hits[0] - hits[1:], turns[0]),
    )


def _f_beta(precision: Terms, recall: Terms, beta: float) -> Terms:
    """Return F = (1 + β²)·P·R / (β²·P + R); 0 without a hit, NaN where nothing is relevant."""
    nothing_kept = np.isnan(precision)
    precision = np.where(nothing_kept, 0.0, precision)
    numerator = (1 + beta**2) * precision * recall
    denominator = beta**2 * precision + recall
    return np.where(
        np.isnan(recall),
        np.nan,
        np.divide(numerator, denominator, out=np.zeros_like(numerator), where=denominator > 0),
    )
