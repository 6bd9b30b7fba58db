"""Two policies on the same cases: how much one is better, and how sure that is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from convgate.core.errors import EvaluationError
from convgate.evaluation.bootstrap import cluster_sums, difference_interval, draw
from convgate.evaluation.metrics import METRICS, Terms, ratios
from convgate.evaluation.results import Measure, PolicyResult, SetResult


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


def _policy(result: SetResult, name: str) -> PolicyResult:
    try:
        return result.policies[name]
    except KeyError:
        known = ", ".join(result.policies)
        raise EvaluationError(f"{result.name} was not evaluated with {name!r}, only with {known}") from None
