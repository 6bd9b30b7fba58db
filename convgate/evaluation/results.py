"""What an evaluation found: frozen records, and the JSON that the command line prints."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from convgate.evaluation.bootstrap import Draws, cluster_sums, interval
from convgate.evaluation.metrics import METRICS, Bools, Terms, ratios
from convgate.versions.card import Metric


@dataclass(frozen=True)
class Summary:
    """Every metric over a group of cases, or of one policy less those of another."""

    cases: int
    measures: Mapping[str, Metric]  # by name, all of METRICS in order

    @classmethod
    def of(cls, cases: int, values: Terms, bounds: Terms) -> Summary:
        """Return the summary of METRICS with these values, (m,), and intervals, (m, 2); NaN if undefined."""
        pairs = zip(METRICS, values, bounds, strict=True)
        return cls(cases, {name: Metric.of(value, low, high) for name, value, (low, high) in pairs})

    def __getitem__(self, metric: str) -> Metric:
        return self.measures[metric]

    def to_json(self) -> dict[str, Any]:
        """Return {METRIC: value, …, "ci": {METRIC: [low, high]}}, null where undefined."""
        values: dict[str, Any] = {name: measure.value for name, measure in self.measures.items()}
        return values | {"ci": {name: measure.interval for name, measure in self.measures.items()}}


@dataclass(frozen=True, eq=False)
class PolicyResult:
    """How one policy did on one set."""

    policy: str
    overall: Summary
    by_tag: Mapping[str, Summary]
    terms: Terms  # (cases, 2, len(METRICS)), what each case adds to each metric

    def to_json(self) -> dict[str, Any]:
        """Return the metrics, each tag's metrics and the intervals."""
        tags = {tag: {"cases": summary.cases} | summary.to_json() for tag, summary in self.by_tag.items()}
        return self.overall.to_json() | {"by_tag": tags}


@dataclass(frozen=True, eq=False)
class SetResult:
    """How all policies did on one set; row i of every column is about case `case_ids[i]`."""

    name: str
    case_ids: tuple[str, ...]  # by conversation, then by id
    clusters: NDArray[np.int64]  # (cases,) number of the case's conversation, from 0
    tags: Mapping[str, Bools]  # each (cases,), whether the case has the tag
    policies: Mapping[str, PolicyResult]  # by name, in the order asked for
    attainable: Mapping[str, float | None] = field(default_factory=dict)
    """By budget, such as 15%, the share of the cases whose needed turns fit in it at all."""

    @property
    def conversations(self) -> int:
        """How many conversations the cases come from."""
        return int(self.clusters.max(initial=-1)) + 1

    def conversations_with(self, tag: str | None) -> int:
        """Return how many conversations have a case with the tag; all of them for None."""
        return self.conversations if tag is None else len(np.unique(self.clusters[self.tags[tag]]))

    def to_json(self) -> dict[str, Any]:
        """Return the number of cases and of conversations, what is attainable, and each policy's metrics."""
        policies = {name: result.to_json() for name, result in self.policies.items()}
        counts = {"cases": len(self.case_ids), "conversations": self.conversations}
        return {**counts, "attainable": dict(self.attainable), "policies": policies}


@dataclass(frozen=True, eq=False)
class Evaluation:
    """How policies did on relevance sets."""

    sets: Mapping[str, SetResult]  # by name, in the order asked for
    seed: int  # of the bootstrap

    def to_json(self) -> dict[str, Any]:
        """Return the object that `convgate evaluate --json` prints."""
        return {"sets": {name: result.to_json() for name, result in self.sets.items()}}


def pool_terms(
    terms: Mapping[str, Terms],
    *,
    name: str,
    case_ids: Iterable[str],
    clusters: NDArray[np.int64],
    draws: Draws,
    tags: Mapping[str, Bools],
    attainable: Mapping[str, float | None] | None = None,
) -> SetResult:
    """Return the metrics, with intervals, of (cases, 2, m) terms by policy; tags: (cases,) by name."""

    def pool(policy: str) -> PolicyResult:
        own = terms[policy]
        by_tag = {tag: summarise(own[has], clusters[has], draws) for tag, has in tags.items()}
        return PolicyResult(policy, summarise(own, clusters, draws), by_tag, own)

    policies = {policy: pool(policy) for policy in terms}
    return SetResult(name, tuple(case_ids), clusters, tags, policies, attainable or {})


def summarise(terms: Terms, clusters: NDArray[np.int64], draws: Draws) -> Summary:
    """Return metrics and intervals of cases: terms (cases, 2, m), clusters (cases,), draws of clusters."""
    sums = cluster_sums(terms, clusters, draws.shape[1])
    return Summary.of(len(terms), ratios(sums.sum(axis=0)), interval(sums, draws))
