"""What sets two versions apart: config, threshold, data, metrics, and the weights that moved most."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from convgate.versions.card import Card, Metric
from convgate.versions.comparable import pairs
from convgate.versions.version import Version

if TYPE_CHECKING:
    from torch import Tensor

Pair = tuple[Any, Any]


@dataclass(frozen=True)
class Moved:
    """How far one named parameter of the gate moved."""

    name: str
    shape: tuple[int, ...]
    relative: float | None  # ‖b − a‖ / ‖a‖; None where a is zero
    largest: float  # max |b − a|


@dataclass(frozen=True)
class Difference:
    """The way from version a to version b."""

    a: str
    b: str
    config: Mapping[str, Pair]  # what differs, by field
    threshold: Mapping[
        str, Pair
    ]  # the same for rule, its parameters, the learned threshold, the residual gate
    data: Mapping[str, tuple[str, ...]]  # names of data sets: of `both`, of `a` alone, of `b` alone
    metrics: Mapping[str, Mapping[str, tuple[Metric | None, Metric | None]]]  # by set, by metric
    moved: tuple[Moved, ...]  # the parameters that differ, by `relative`, the largest first
    not_shared: tuple[str, ...]  # parameters that only one has, or that have another shape

    def to_json(self) -> dict[str, Any]:
        """The difference as plain JSON values."""
        return asdict(self)


def difference(a: Version, b: Version) -> Difference:
    """Compare two versions; GateError when one of them is damaged."""
    before, after = a.load().state_dict(), b.load().state_dict()
    shared = [name for name in before if name in after and before[name].shape == after[name].shape]
    moved = [_moved(name, before[name], after[name]) for name in shared]
    return Difference(
        a=a.name,
        b=b.name,
        config=_differing(_flat(a.config.to_json()), _flat(b.config.to_json())),
        threshold=_differing(_threshold(a.card), _threshold(b.card)),
        data=_data(a.card, b.card),
        metrics=dict(pairs(a, b)),
        moved=tuple(sorted((one for one in moved if one.largest), key=_order)),
        not_shared=tuple(sorted({*before, *after} - {*shared})),
    )


def _moved(name: str, before: Tensor, after: Tensor) -> Moved:
    change, length = (after - before).double(), float(before.double().norm())
    return Moved(
        name=name,
        shape=tuple(before.shape),
        relative=float(change.norm()) / length if length else None,
        largest=float(change.abs().max()),
    )


def _order(moved: Moved) -> tuple[float, float]:
    return (-float("inf") if moved.relative is None else -moved.relative, -moved.largest)


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
