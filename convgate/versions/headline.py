"""The few numbers by which versions are told apart in a list, and how they moved."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from convgate.versions.card import Metric
from convgate.versions.comparable import of_other
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
    """The metrics on the first set where the other is known, else on the first; None without any."""
    card = version.card
    names = [name for name, one in card.metrics.items() if _values(one.metrics)]
    if not names:
        return None
    known = {name: _values(of_other(name, version, other)) if other else {} for name in names}
    name = next((name for name in names if known[name]), names[0])
    theirs, measured = known[name], card.metrics[name]
    gain = measured.gain if other and card.parent == other.as_parent() else {}
    figures = tuple(
        Figure(
            metric,
            value,
            value - theirs[metric] if metric in theirs else None,
            sure=metric not in gain or gain[metric].leaves_out_0,
        )
        for metric, value in _values(measured.metrics).items()
    )
    return Headline(name, figures, len(card.metrics) - 1)


def _values(metrics: Mapping[str, Metric]) -> dict[str, float]:
    found = {name: metrics.get(name) for name in HEADLINE}
    return {name: one.value for name, one in found.items() if one is not None and one.value is not None}
