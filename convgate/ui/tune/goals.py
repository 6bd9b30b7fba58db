"""What a threshold may be chosen for: each goal with its control and its words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from convgate.core.text import pluralize
from convgate.evaluation.calibration import (
    BestFBeta,
    Goal,
    LeastCost,
    WantedPrecision,
    WantedRecall,
    best_row,
)
from convgate.evaluation.curves import ThresholdCurve
from convgate.evaluation.tuning import ScoredCases
from convgate.evaluation.ways import Way, nearest_way, ways
from convgate.gate.thresholds import Anchored, Rule
from convgate.ui.choice import Choice

_NEARLY_ALL = 0.9  # of the turns: a rule that keeps more hardly chooses


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
class GoalResult:
    """Where on the curve the goal is served best."""

    row: int | None  # None: nowhere
    told: str  # in words
    ways: Sequence[Way] = ()  # where it is nowhere: rules that reach it, then what comes nearest


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


def find(
    curve: ThresholdCurve, name: str, wanted: float, *, parameter: str, rule: Rule, scored: ScoredCases
) -> GoalResult:
    """The best place for the goal on the rule's curve; where none reaches it, the ways that there are."""
    goal, words = goal_of(name, wanted), goal_words(name, wanted)
    if not len(curve) or not curve.recall[0] >= 0:  # NaN where nothing is relevant
        return GoalResult(None, "None of these turns is labelled relevant, so no threshold can be found yet.")
    row = best_row(curve, goal)
    if row is not None:
        at = f"{parameter} {curve.thresholds[row]:.2f}"
        told = f"For {words}: {at}, with {_figures(curve.precision[row], curve.recall[row])}"
        if (share := curve.kept_share[row]) > _NEARLY_ALL:
            turns = len(scored.case)
            told += f"; it keeps {round(share * turns):,} of {pluralize(turns, 'turn')}"
        return GoalResult(row, f"{told}.")
    told = f"No {parameter} of this rule reaches {words} here."
    if isinstance(rule, Anchored):
        told += f" Before a message where no turn scores {rule.anchor:.2f}, its anchor, it keeps nothing."
    others = ways(scored, goal)
    if not any(way.reaches for way in others):
        told += " Nor does any other anchor, or one fixed threshold: this version's scores do not allow it."
    nearest = nearest_way(curve, rule, goal)
    return GoalResult(
        None, told, [*others, *([] if nearest.rule in [way.rule for way in others] else [nearest])]
    )


def way_words(way: Way) -> str:
    """A rule that is offered, and what it does."""
    kind = "Reaches it" if way.reaches else "Comes nearest"
    return f"{kind}: **{Choice(way.rule).told()}**, with {_figures(way.precision, way.recall)}"


def _figures(precision: float, recall: float) -> str:
    told = "nothing kept" if precision != precision else f"precision {precision:.2f}"
    return f"{told} and recall {recall:.2f}"
