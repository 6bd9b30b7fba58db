"""What a threshold may be chosen for: each goal with its control and its words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from convgate.evaluation.calibration import (
    BestFBeta,
    Goal,
    LeastCost,
    WantedPrecision,
    WantedRecall,
    best_row,
    nearest_row,
)
from convgate.evaluation.curves import ThresholdCurve


@dataclass(frozen=True)
class Kind:
    """A kind of goal, as its slider needs it."""

    label: str  # on the menu
    slider: str
    help: str
    low: float
    high: float
    step: float
    start: float
    make: Callable[[float], Goal]


GOALS = {
    "f_beta": Kind(
        "Balance", "Beta: above 1 recall counts more, below 1 precision",
        "F-beta is one number for both: at 1 they count alike, at 2 recall counts twice as much.",
        0.25, 4.0, 0.25, 1.0, BestFBeta,
    ),
    "recall": Kind(
        "Wanted recall", "Of the turns that matter, keep at least this share",
        "The highest threshold that still keeps them, so that as little else as possible comes along.",
        0.05, 1.0, 0.01, 0.9, WantedRecall,
    ),
    "precision": Kind(
        "Wanted precision", "Of the turns that are kept, at least this share should matter",
        "Of all thresholds that reach it, the one that loses fewest turns that matter.",
        0.05, 1.0, 0.01, 0.8, WantedPrecision,
    ),
    "cost": Kind(
        "Cost", "One dropped turn that mattered costs as much as this many kept turns that did not",
        "Above 1, dropping what mattered is the worse mistake, and more is kept; below 1, less is.",
        0.1, 20.0, 0.1, 4.0, lambda ratio: LeastCost(1 / ratio),
    ),
}  # fmt: skip
"""By the name that addresses have."""


@dataclass(frozen=True)
class Found:
    """Where on the curve the goal is served best."""

    row: int | None  # None: nowhere
    told: str  # in words


def goal_of(name: str, wanted: float) -> Goal:
    """The goal of that name."""
    return GOALS[name].make(wanted)


def goal_words(name: str, wanted: float) -> str:
    """The goal, to stand after "for".

    >>> goal_words("cost", 4.0), goal_words("recall", 0.9)
    ('the least cost, where a dropped turn that mattered costs as much as 4 kept that did not', 'recall 0.90')
    """
    if name == "cost":
        many = f"{wanted:g} kept that did not"
        return f"the least cost, where a dropped turn that mattered costs as much as {many}"
    return goal_of(name, wanted).label


def find(curve: ThresholdCurve, name: str, wanted: float, *, parameter: str, anchor: float = 0.0) -> Found:
    """The best place for the goal; where none reaches it, what is the best that can be had.

    anchor: of the rule, if it has one.
    """
    goal, words = goal_of(name, wanted), goal_words(name, wanted)
    if not len(curve) or not curve.recall[0] >= 0:  # NaN where nothing is relevant
        return Found(None, "None of these turns is labelled relevant, so no threshold can be found yet.")
    row = best_row(curve, goal)
    if row is None:
        near = nearest_row(curve, goal)
        return Found(
            None,
            f"No {parameter} reaches {words} here. Best that can be had: {_at(curve, near, parameter)}."
            + (f" Without a turn that scores {anchor:.2f}, the anchor, nothing is kept." if anchor else ""),
        )
    return Found(row, f"For {words}: {_at(curve, row, parameter)}.")


def _at(curve: ThresholdCurve, row: int, parameter: str) -> str:
    precision = curve.precision[row]
    told = "nothing kept" if precision != precision else f"precision {precision:.2f}"
    return f"{parameter} {curve.thresholds[row]:.2f}, with {told} and recall {curve.recall[row]:.2f}"
