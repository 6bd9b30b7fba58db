"""Metrics of two versions that may be subtracted: those that were measured on the very same cases."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from convgate.versions.card import Measured, Metric
from convgate.versions.version import Version

Pairs = Mapping[str, tuple[Metric | None, Metric | None]]


def of_other(set: str, version: Version, other: Version) -> Mapping[str, Metric]:
    """The other version's metrics on the cases of that set of the version's card; empty when unknown.

    A parent was measured beside its child, on the child's cases.
    """
    mine = version.card.metrics[set]
    if mine.parent and version.card.parent == other.as_parent():
        return mine.parent
    theirs = other.card.metrics.get(set)
    return theirs.metrics if theirs is not None and _same_cases(mine, theirs) else {}


def pairs(a: Version, b: Version) -> Iterator[tuple[str, Pairs]]:
    """By set, each metric of both; None where one was not measured on those cases.

    A set that each measured on cases of its own comes twice, and says whose cases they are.
    """
    mine, other = a.card.metrics, b.card.metrics
    for set in {**mine, **other}:
        both = set in mine and set in other
        if both and _same_cases(mine[set], other[set]):
            yield set, _beside(mine[set].metrics, other[set].metrics)
            continue
        if set in mine:
            yield _called(set, a, both=both), _beside(mine[set].metrics, of_other(set, a, b))
        if set in other:
            yield _called(set, b, both=both), _beside(of_other(set, b, a), other[set].metrics)


def _beside(a: Mapping[str, Metric], b: Mapping[str, Metric]) -> Pairs:
    return {metric: (a.get(metric), b.get(metric)) for metric in {**a, **b}}


def _called(set: str, version: Version, *, both: bool) -> str:
    return f"{set}, cases of {version.name}" if both else set


def _same_cases(a: Measured, b: Measured) -> bool:
    return (a.cases, a.conversations, a.sha256) == (b.cases, b.conversations, b.sha256)
