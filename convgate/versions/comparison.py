"""Two versions compared by their cards, and all versions in the order of their descent.

A version is another's parent when it has the name and the weights that the other's card says: the name alone
may be of a later one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from convgate.versions.card import Card, Measured, Metric
from convgate.versions.version import Version

Pair = tuple[Any, Any]
MetricPairs = Mapping[str, tuple[Metric | None, Metric | None]]
HEADLINE = ("map", "f1", "kept_token_share")


@dataclass(frozen=True)
class Descent:
    """A version's place among the others."""

    version: Version
    parent: str | None  # None without a parent, or when that is not here
    depth: int  # generations below the oldest ancestor that is here


def lineage(versions: Sequence[Version]) -> list[Descent]:
    """Return every version once, children behind their parents, otherwise in the order given."""
    existing = {version.as_parent() for version in versions}
    children: dict[str | None, list[Version]] = {}
    for version in versions:
        parent = version.card.parent
        children.setdefault(parent.name if parent and parent in existing else None, []).append(version)
    places: dict[str, Descent] = {}

    def add(version: Version, parent: str | None, depth: int) -> None:
        if version.name not in places:
            places[version.name] = Descent(version, parent, depth)
            for child in children.get(version.name, []):
                add(child, version.name, depth + 1)

    for version in (
        *children.get(None, []),
        *versions,
    ):  # cards edited by hand may name each other as parents
        add(version, None, 0)
    return list(places.values())


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
    known = {name: _values(metrics_on(name, version, other)) if other else {} for name in names}
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


def metrics_on(set: str, version: Version, other: Version) -> Mapping[str, Metric]:
    """The other version's metrics on the cases of that set of the version's card; empty when unknown.

    A parent was measured beside its child, on the child's cases.
    """
    mine = version.card.metrics[set]
    if mine.parent and version.card.parent == other.as_parent():
        return mine.parent
    theirs = other.card.metrics.get(set)
    return theirs.metrics if theirs is not None and _same_cases(mine, theirs) else {}


def metric_pairs(a: Version, b: Version) -> Iterator[tuple[str, MetricPairs]]:
    """By set, each metric of both; None where one was not measured on those cases.

    A set that each measured on cases of its own comes twice, and says whose cases they are.
    """
    mine, other = a.card.metrics, b.card.metrics
    for set in {**mine, **other}:
        both = set in mine and set in other
        if both and _same_cases(mine[set], other[set]):
            yield set, _pair_metrics(mine[set].metrics, other[set].metrics)
            continue
        if set in mine:
            yield _called(set, a, both=both), _pair_metrics(mine[set].metrics, metrics_on(set, a, b))
        if set in other:
            yield _called(set, b, both=both), _pair_metrics(metrics_on(set, b, a), other[set].metrics)


def _pair_metrics(a: Mapping[str, Metric], b: Mapping[str, Metric]) -> MetricPairs:
    return {metric: (a.get(metric), b.get(metric)) for metric in {**a, **b}}


def _called(set: str, version: Version, *, both: bool) -> str:
    return f"{set}, cases of {version.name}" if both else set


def _same_cases(a: Measured, b: Measured) -> bool:
    return (a.cases, a.conversations, a.sha256) == (b.cases, b.conversations, b.sha256)


@dataclass(frozen=True)
class Difference:
    """The way from version a to version b."""

    a: str
    b: str
    config: Mapping[str, Pair]  # what differs, by field
    threshold: Mapping[str, Pair]  # the same for rule, parameters, learned threshold, residual gate
    data: Mapping[str, tuple[str, ...]]  # names of data sets: of `both`, of `a` alone, of `b` alone
    metrics: Mapping[str, MetricPairs]  # by set, by metric
    same_weights: bool

    def to_json(self) -> dict[str, Any]:
        """The difference as plain JSON values."""
        return asdict(self)


def compare_versions(a: Version, b: Version) -> Difference:
    """Return what the configs and cards of two versions do not share."""
    return Difference(
        a=a.name,
        b=b.name,
        config=_differing(_flat(a.config.to_json()), _flat(b.config.to_json())),
        threshold=_differing(_threshold(a.card), _threshold(b.card)),
        data=_data(a.card, b.card),
        metrics=dict(metric_pairs(a, b)),
        same_weights=a.card.weights_sha256 == b.card.weights_sha256,
    )


def _flat(values: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Values by their dotted names."""
    flat: dict[str, Any] = {}
    for name, value in values.items():
        if isinstance(value, Mapping):
            flat |= _flat(value, f"{prefix}{name}.")
        else:
            flat[f"{prefix}{name}"] = value
    return flat


def _threshold(card: Card) -> dict[str, Any]:
    return _flat(
        {
            "rule": card.threshold_rule,
            "parameters": card.threshold_parameters,
            "learned": card.learned_threshold,
            "activation": card.activation,
        }
    )


def _differing(a: Mapping[str, Any], b: Mapping[str, Any]) -> dict[str, Pair]:
    pairs = {name: (a.get(name), b.get(name)) for name in {**a, **b}}
    return {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}


def _data(a: Card, b: Card) -> dict[str, tuple[str, ...]]:
    """By content: the same file under another name is the same data."""
    mine, other = {one.sha256 for one in a.data}, {one.sha256 for one in b.data}
    return {
        "both": tuple(one.name for one in a.data if one.sha256 in other),
        "a": tuple(one.name for one in a.data if one.sha256 not in other),
        "b": tuple(one.name for one in b.data if one.sha256 not in mine),
    }
