"""Two policies on the same cases: how much one is better, how sure that is, which turns it fixes or breaks.

>>> relevant = np.array([True, True, False, False])
>>> a, b = np.array([False, True, True, False]), np.array([True, False, True, False])
>>> [OUTCOMES[code] for code in outcome_codes(relevant, a, b)]
['fixed', 'broken', 'both wrong', 'both right']
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from convgate.core.errors import EvaluationError
from convgate.evaluation.bootstrap import cluster_sums, difference_interval, draw
from convgate.evaluation.evaluate import pool_results
from convgate.evaluation.judged_cases import JudgedSet
from convgate.evaluation.metrics import METRICS, Bools, Terms, ratios
from convgate.evaluation.results import Measure, PolicyResult, SetResult, Summary

OUTCOMES = ("fixed", "broken", "both wrong", "both right")
FIXED, BROKEN, BOTH_WRONG, BOTH_RIGHT = range(len(OUTCOMES))


@dataclass(frozen=True)
class Comparison:
    """Metric by metric, `policy` less `baseline`, each with its paired 95% interval."""

    set: str
    tag: str | None  # the cases compared; None for all
    baseline: str
    policy: str
    differences: Mapping[str, Measure]  # by metric; value, low and high in -1…1

    def to_json(self) -> dict[str, Any]:
        """{"baseline", "difference": {METRIC: value}, "ci": {METRIC: [low, high]}}, null where undefined."""
        return {
            "baseline": self.baseline,
            "difference": {name: measure.value for name, measure in self.differences.items()},
            "ci": {name: measure.interval for name, measure in self.differences.items()},
        }


def compare(
    result: SetResult, *, baseline: str, policy: str, tag: str | None = None, seed: int = 0
) -> Comparison:
    """`policy` against `baseline` on one set, or on its cases with a tag.

    The bootstrap is paired: both policies are measured on the same resampled conversations, so what
    makes a conversation hard for both does not widen the interval. An interval without 0 is a
    difference that is unlikely to be chance.

    Raises EvaluationError when the set was not evaluated with such a policy or has no such tag.
    """
    if tag is not None and tag not in result.tags:
        raise EvaluationError(
            f"{result.name} has no tag {tag!r}; its tags: {', '.join(result.tags) or 'none'}"
        )
    chosen = np.ones(len(result.case_ids), dtype=np.bool_) if tag is None else result.tags[tag]

    def sums(name: str) -> Terms:
        return cluster_sums(
            _policy(result, name).terms[chosen], result.clusters[chosen], result.conversations
        )

    a, b = sums(baseline), sums(policy)
    values = ratios(b.sum(axis=0)) - ratios(a.sum(axis=0))
    bounds = difference_interval(a, b, draw(result.conversations, seed=seed))
    differences = {
        name: Measure.of(value, low, high)
        for name, value, (low, high) in zip(METRICS, values, bounds, strict=True)
    }
    return Comparison(set=result.name, tag=tag, baseline=baseline, policy=policy, differences=differences)


def compare_all(
    result: SetResult, *, baseline: str, tag: str | None = None, seed: int = 0
) -> dict[str, Comparison]:
    """Every other policy of the set against `baseline`, by name; arguments and errors as in `compare`."""
    _policy(result, baseline)
    return {
        name: compare(result, baseline=baseline, policy=name, tag=tag, seed=seed)
        for name in result.policies
        if name != baseline
    }


@dataclass(frozen=True, eq=False)
class Sides:
    """Two policies on the same set, a and b."""

    a: JudgedSet
    b: JudgedSet
    summary_a: Summary
    summary_b: Summary
    comparison: Comparison  # b less a
    codes: NDArray[np.int8]  # (n,) the place in OUTCOMES of each judged turn

    @property
    def counts(self) -> dict[str, int]:
        """How many turns have each outcome, by the names in OUTCOMES."""
        counts = np.bincount(self.codes, minlength=len(OUTCOMES))
        return dict(zip(OUTCOMES, counts.tolist(), strict=True))


def side_by_side(a: JudgedSet, b: JudgedSet, *, seed: int = 0) -> Sides:
    """Return the metrics of two policies on the same set, the paired difference, and every turn's outcome."""
    result = pool_results({"a": a, "b": b}, seed=seed)
    return Sides(
        a=a,
        b=b,
        summary_a=result.policies["a"].overall,
        summary_b=result.policies["b"].overall,
        comparison=compare(result, baseline="a", policy="b", seed=seed),
        codes=outcome_codes(a.relevant, a.kept, b.kept),
    )


def outcome_codes(relevant: Bools, a: Bools, b: Bools) -> NDArray[np.int8]:
    """(n,) the place in OUTCOMES of each turn: whether it is relevant, and whether a and b keep it."""
    right_a, right_b = a == relevant, b == relevant
    conditions = [right_a & right_b, ~right_a & right_b, right_a & ~right_b]
    return np.select(conditions, [BOTH_RIGHT, FIXED, BROKEN], BOTH_WRONG).astype(np.int8)


def _policy(result: SetResult, name: str) -> PolicyResult:
    try:
        return result.policies[name]
    except KeyError:
        known = ", ".join(result.policies)
        raise EvaluationError(f"{result.name} was not evaluated with {name!r}, only with {known}") from None
