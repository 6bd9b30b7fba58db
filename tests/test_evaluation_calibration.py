"""Calibration: the threshold that a wanted figure asks for."""

from __future__ import annotations

import numpy as np
import pytest

from convgate.errors import PolicyError
from convgate.evaluation.calibration import BestFBeta, WantedPrecision, WantedRecall, calibrate
from convgate.evaluation.curves import threshold_curve

# precision at .1 to .9 is .60, .50, .67, .50, 1.0; recall 1, .67, .67, .33, .33
RELEVANT = np.array([True, False, True, False, True])
SCORES = np.array([0.9, 0.7, 0.5, 0.3, 0.1])
CURVE = threshold_curve(RELEVANT, SCORES)


@pytest.mark.parametrize(
    ("goal", "threshold"),
    [
        (WantedPrecision(0.6), 0.1),
        (WantedPrecision(0.65), 0.5),
        (WantedPrecision(0.9), 0.9),
        (WantedRecall(1.0), 0.1),
        (WantedRecall(0.6), 0.5),
        (BestFBeta(), 0.1),
        (BestFBeta(0.25), 0.9),
    ],
)
def test_threshold_serves_the_goal(goal, threshold: float):
    rule = calibrate(CURVE, goal, fitted_on="5 labels")
    assert rule.threshold == threshold
    assert (rule.goal, rule.fitted_on) == (goal.label, "5 labels")


def test_goal_out_of_reach_is_told():
    curve = threshold_curve(np.array([False, True]), np.array([0.9, 0.1]))
    with pytest.raises(PolicyError, match=r"no threshold reaches precision 0\.90 on 2 labels"):
        calibrate(curve, WantedPrecision(0.9), fitted_on="2 labels")


def test_nothing_relevant_cannot_be_calibrated():
    with pytest.raises(PolicyError, match="no threshold reaches the best F1"):
        calibrate(threshold_curve(np.zeros(3, dtype=bool), SCORES[:3]), BestFBeta())
