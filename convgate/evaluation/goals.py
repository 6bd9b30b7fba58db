"""Fits a rule's threshold on labelled cases: the one that a wanted figure asks for.

>>> from convgate.evaluation.curves import CurveSums
>>> curve = CurveSums.of(np.array([True, False, True, True]), np.array([0.9, 0.6, 0.5, 0.4])).curve()
>>> calibrate(curve, Goal.min_precision(0.7), fitted_on="4 labels")
Calibrated(threshold=0.4, goal='precision 0.70', fitted_on='4 labels')

`convgate.evaluation.fitting` does it from relevance sets, with intervals.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from convgate.core.errors import EvaluationError
from convgate.evaluation.curves import ThresholdCurve
from convgate.evaluation.metrics import Terms
from convgate.gate.thresholds import Calibrated, Fittable

_ROUNDING = 1e-12  # what is equally good must not differ by a rounding error


@dataclass(frozen=True, eq=False, slots=True)
class Goal:
    """What a threshold is fitted for. Raises EvaluationError for a share or factor that cannot be."""

    label: str  # in words
    objective: Callable[[ThresholdCurve], Terms]
    """Returns (t,) what the best threshold maximises; NaN where undefined or the goal is not reached."""

    @classmethod
    def min_precision(cls, precision: float) -> Goal:
        """The most recall at a precision of at least `precision`, above 0 and up to 1."""
        _check_share("precision", precision)
        return cls(
            f"precision {precision:.2f}",
            lambda curve: np.where(curve.precision >= precision - _ROUNDING, curve.recall, np.nan),
        )

    @classmethod
    def min_recall(cls, recall: float) -> Goal:
        """The highest threshold with a recall of at least `recall`, above 0 and up to 1."""
        _check_share("recall", recall)
        return cls(
            f"recall {recall:.2f}",
            lambda curve: np.where(curve.recall >= recall - _ROUNDING, curve.thresholds, np.nan),
        )

    @classmethod
    def best_f_beta(cls, beta: float = 1.0) -> Goal:
        """The highest F-beta; beta above 1 weighs recall more, below 1 precision. Beta is above 0."""
        _check_factor("beta", beta)
        return cls(f"the best F{beta:g}", lambda curve: curve.f_beta(beta))

    @classmethod
    def min_cost(cls, false_keep_cost: float) -> Goal:
        """The least cost, where a false keep costs `false_keep_cost`, above 0, and a false drop costs 1.

        0.25 says that dropping what was needed is four times as bad as keeping what was not.
        """
        _check_factor("the cost of a false keep", false_keep_cost)
        return cls(
            f"the least cost (false keep {false_keep_cost:g}, false drop 1)",
            lambda curve: -(false_keep_cost * curve.false_keep_share + curve.false_drop_share),
        )


def best_row(curve: ThresholdCurve, goal: Goal) -> int | None:
    """Return the curve's row that serves the goal best, the highest threshold of equals.

    None when none reaches it, or nothing is relevant.
    """
    if not _has_relevant(curve):
        return None
    objective = goal.objective(curve)
    if np.isnan(objective).all():
        return None
    return int(np.flatnonzero(objective >= np.nanmax(objective) - _ROUNDING)[-1])


def calibrate(
    curve: ThresholdCurve, goal: Goal, *, fitted_on: str = "", rule: Fittable | None = None
) -> Fittable:
    """Return the rule, `calibrated` unless another is given, with the threshold that serves the goal best.

    With an anchor the curve is of `Rule.reach`.
    Raises EvaluationError when nothing is labelled relevant, or no threshold reaches the goal.
    """
    labels = fitted_on or "these labels"
    if not _has_relevant(curve):
        raise EvaluationError(
            f"no turn is relevant in {labels}, so no threshold can be fitted; "
            "it takes cases with relevant turns"
        )
    row = best_row(curve, goal)
    if row is None:
        raise EvaluationError(f"no threshold reaches {goal.label} on {labels}; choose a lower goal")
    threshold = float(curve.thresholds[row])
    return replace(rule or Calibrated(), threshold=threshold, goal=goal.label, fitted_on=fitted_on)


def _has_relevant(curve: ThresholdCurve) -> bool:
    return bool(len(curve)) and not np.isnan(curve.recall).all()


def _check_share(name: str, value: float) -> None:
    if not 0 < value <= 1:
        raise EvaluationError(f"the wanted {name} must be above 0 and at most 1; got {value!r}")


def _check_factor(name: str, value: float) -> None:
    if not (value > 0 and math.isfinite(value)):
        raise EvaluationError(f"{name} must be a number above 0; got {value!r}")
