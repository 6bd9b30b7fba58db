"""A version's main metrics, compared with those of another version on the same cases.

A version is another's parent when it has the name and the weights that the other's card says: the name alone
may be of a later one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from convgate.versions.card import Metric
from convgate.versions.version import Version

HEADLINE = ("map", "f1", "kept_token_share")


@dataclass(frozen=True)
class Figure:
    """One metric of a version."""

    name: str  # as `convgate evaluate` prints it
    value: float
    delta: float | None  # less the other version's; None when that was not measured on the same cases
    sure: bool = True  # False when the delta is the gain on the parent and its interval has 0 in it


@dataclass(frozen=True)
class Headline:
    """What a list shows of a version's metrics."""

    set: str
    figures: tuple[Figure, ...]
    others: int  # sets that the card has besides

    @property
    def compared(self) -> bool:
        """Whether any figure has a delta."""
        return any(figure.delta is not None for figure in self.figures)


def headline(version: Version, other: Version | None) -> Headline | None:
    """Return the metrics on the first set where the other is known, else on the first; None without any."""
    card = version.card
    names = [name for name, measured in card.metrics.items() if _values(measured.metrics)]
    if not names:
        return None
    known = {name: _values(_metrics_on(name, version, other)) if other else {} for name in names}
    name = next((name for name in names if known[name]), names[0])
    theirs, measured = known[name], card.metrics[name]
    gain = measured.gain if other and card.parent == other.as_parent() else {}
    figures = tuple(
        Figure(
            metric,
            value,
            value - theirs[metric] if metric in theirs else None,
            sure=metric not in gain or gain[metric].excludes_0,
        )
        for metric, value in _values(measured.metrics).items()
    )
    return Headline(name, figures, len(card.metrics) - 1)


def _values(metrics: Mapping[str, Metric]) -> dict[str, float]:
    values = {name: metrics[name].value for name in HEADLINE if name in metrics}
    return {name: value for name, value in values.items() if value is not None}


def _metrics_on(set: str, version: Version, other: Version) -> Mapping[str, Metric]:
    """Return the other version's metrics on the cases of that set of the card; empty when unknown.

    A parent was measured beside its child, on the child's cases.
    """
    mine = version.card.metrics[set]
    if mine.parent and version.card.parent == other.as_parent():
        return mine.parent
    theirs = other.card.metrics.get(set)
    if theirs is None or (mine.cases, mine.sha256) != (theirs.cases, theirs.sha256):
        return {}
    return theirs.metrics if mine.conversations == theirs.conversations else {}
