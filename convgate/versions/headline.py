"""The few numbers by which versions are told apart in a list, and how they moved."""

from __future__ import annotations

from dataclasses import dataclass

from convgate.versions.card import Card, Measured, Metric

HEADLINE = ("map", "f1", "kept_token_share")


@dataclass(frozen=True)
class Figure:
    """One metric of a version."""

    name: str  # as `convgate evaluate` prints it
    value: float
    delta: float | None  # less the other version's; None when that was not measured on the same cases


@dataclass(frozen=True)
class Headline:
    """What a list shows of a version's metrics."""

    set: str
    figures: tuple[Figure, ...]
    others: int  # sets that the card has besides


def headline(card: Card, other: Card | None) -> Headline | None:
    """The metrics on the first set that both were measured on, else on the first; None without any."""
    names = [name for name, one in card.metrics.items() if _values(one)]
    if not names:
        return None
    shared = [name for name in names if other and _same_cases(card.metrics[name], other.metrics.get(name))]
    name = next(iter([*shared, *names]))
    theirs = _values(other.metrics[name]) if other and name in shared else {}
    figures = tuple(
        Figure(metric, value, value - theirs[metric] if metric in theirs else None)
        for metric, value in _values(card.metrics[name]).items()
    )
    return Headline(name, figures, len(card.metrics) - 1)


def _same_cases(a: Measured, b: Measured | None) -> bool:
    # Cards tell no more of the set than its name and its size.
    return b is not None and (a.cases, a.conversations) == (b.cases, b.conversations)


def _values(measured: Measured) -> dict[str, float]:
    found: dict[str, Metric | None] = {name: measured.metrics.get(name) for name in HEADLINE}
    return {name: one.value for name, one in found.items() if one is not None and one.value is not None}
