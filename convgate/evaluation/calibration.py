"""Fits the rule `calibrated` on labelled cases: the threshold that a wanted figure asks for.

>>> curve = threshold_curve(np.array([True, False, True, True]), np.array([0.9, 0.6, 0.5, 0.4]))
>>> calibrate(curve, WantedPrecision(0.7), fitted_on="4 labels")
Calibrated(threshold=0.4, goal='precision 0.70', fitted_on='4 labels')
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from convgate.errors import PolicyError
from convgate.evaluation.curves import ThresholdCurve, threshold_curve
from convgate.gate.thresholds import Calibrated

__all__ = ["BestFBeta", "Goal", "WantedPrecision", "WantedRecall", "calibrate", "threshold_curve"]


class Goal(Protocol):
    """What a threshold is fitted for."""

    @property
    def label(self) -> str:
        """The goal in words."""
        ...

    def row(self, curve: ThresholdCurve) -> int | None:
        """The curve's row that serves the goal best; None when none reaches it."""
        ...


@dataclass(frozen=True, slots=True)
class WantedPrecision:
    """The most recall at a precision of at least `precision`, in 0…1."""

    precision: float

    @property
    def label(self) -> str:
        """The goal in words."""
        return f"precision {self.precision:.2f}"

    def row(self, curve: ThresholdCurve) -> int | None:
        """The lowest threshold of those with the most recall that reach the precision."""
        reached = np.where(curve.precision >= self.precision, curve.recall, np.nan)
        return None if np.isnan(reached).all() else int(np.nanargmax(reached))


@dataclass(frozen=True, slots=True)
class WantedRecall:
    """The highest threshold with a recall of at least `recall`, in 0…1."""

    recall: float

    @property
    def label(self) -> str:
        """The goal in words."""
        return f"recall {self.recall:.2f}"

    def row(self, curve: ThresholdCurve) -> int | None:
        """The highest threshold that reaches the recall."""
        rows = np.flatnonzero(curve.recall >= self.recall)
        return int(rows[-1]) if len(rows) else None


@dataclass(frozen=True, slots=True)
class BestFBeta:
    """The highest F-beta; beta above 1 weighs recall more, below 1 precision."""

    beta: float = 1.0

    @property
    def label(self) -> str:
        """The goal in words."""
        return f"the best F{self.beta:g}"

    def row(self, curve: ThresholdCurve) -> int | None:
        """The highest threshold of the best F-beta."""
        return curve.best(self.beta)


def calibrate(curve: ThresholdCurve, goal: Goal, *, fitted_on: str = "") -> Calibrated:
    """The rule with the threshold that serves the goal on these labels.

    Raises PolicyError when no threshold reaches the goal, or nothing is labelled relevant.
    """
    row = goal.row(curve)
    if row is None:
        raise PolicyError(f"no threshold reaches {goal.label} on {fitted_on or 'these labels'}")
    return Calibrated(float(curve.thresholds[row]), goal=goal.label, fitted_on=fitted_on)
