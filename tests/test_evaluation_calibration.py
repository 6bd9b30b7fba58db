"""Calibration: the threshold that a wanted figure asks for."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from convgate.errors import EvaluationError
from convgate.evaluation.calibration import (
    BestFBeta,
    LeastCost,
    WantedPrecision,
    WantedRecall,
    best_row,
    calibrate,
)
from convgate.evaluation.curves import candidate_thresholds, threshold_curve

# precision at .1 to .9 is .60, .50, .67, .50, 1.0; recall 1, .67, .67, .33, .33
RELEVANT = np.array([True, False, True, False, True])
SCORES = np.array([0.9, 0.7, 0.5, 0.3, 0.1])
CURVE = threshold_curve(RELEVANT, SCORES)

labelled = st.lists(st.tuples(st.booleans(), st.integers(0, 9)), min_size=1, max_size=30).filter(
    lambda rows: any(relevant for relevant, _ in rows)
)


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
        (LeastCost(0.25), 0.1),  # costs .5 there, 1.25 at .5, 2 at .9
        (LeastCost(0.9), 0.1),  # 1.8, 1.9, 2
        (LeastCost(4), 0.9),  # 8, 5, 2
    ],
)
def test_threshold_serves_the_goal(goal, threshold: float):
    rule = calibrate(CURVE, goal, fitted_on="5 labels")
    assert rule.threshold == threshold
    assert (rule.goal, rule.fitted_on) == (goal.label, "5 labels")


def test_of_equal_thresholds_the_highest_is_taken():
    curve = threshold_curve(np.array([True, False]), np.array([0.9, 0.1]), thresholds=np.array([0.2, 0.6]))
    for goal in (WantedPrecision(0.9), WantedRecall(0.9), BestFBeta(), LeastCost(1)):
        assert calibrate(curve, goal).threshold == 0.6


@given(labelled, st.floats(0.01, 100))
def test_no_threshold_costs_less_than_the_one_of_least_cost(rows, cost: float):
    relevant, scores = (np.array(column) for column in zip(*rows, strict=True))
    curve = threshold_curve(relevant, scores / 10)

    def costs(threshold: float) -> float:
        kept = scores / 10 >= threshold
        return cost * (kept & ~relevant).sum() + (relevant & ~kept).sum()

    found = calibrate(curve, LeastCost(cost)).threshold
    assert costs(found) <= min(costs(threshold) for threshold in scores / 10) + 1e-6


@given(labelled, st.floats(0.01, 10), st.floats(0.01, 10))
def test_a_dearer_false_keep_never_lowers_the_threshold(rows, one: float, other: float):
    relevant, scores = (np.array(column) for column in zip(*rows, strict=True))
    curve = threshold_curve(relevant, scores / 10)
    cheap, dear = (calibrate(curve, LeastCost(cost)).threshold for cost in sorted((one, other)))
    assert cheap <= dear


def test_goal_out_of_reach_is_told_with_the_nearest_threshold():
    curve = threshold_curve(np.array([False, True, False]), np.array([0.9, 0.5, 0.1]))
    told = (
        r"no threshold reaches precision 0\.90 on 3 labels; "
        r"0\.500 comes nearest, with precision 0\.50 and recall 1\.00"
    )
    with pytest.raises(EvaluationError, match=told):
        calibrate(curve, WantedPrecision(0.9), fitted_on="3 labels")
    assert best_row(curve, WantedPrecision(0.9)) is None


@pytest.mark.parametrize("goal", [WantedPrecision(0.5), WantedRecall(0.5), BestFBeta(), LeastCost(1)])
def test_nothing_relevant_cannot_be_calibrated(goal):
    for curve in (
        threshold_curve(np.zeros(3, dtype=bool), SCORES[:3]),
        threshold_curve(np.zeros(0, dtype=bool), SCORES[:0]),
    ):
        with pytest.raises(EvaluationError, match="no turn is relevant in these labels"):
            calibrate(curve, goal)


@pytest.mark.parametrize(
    ("goal", "value"),
    [
        (WantedPrecision, 0),
        (WantedPrecision, 1.5),
        (WantedRecall, float("nan")),
        (BestFBeta, 0),
        (BestFBeta, float("inf")),
        (LeastCost, -1),
        (LeastCost, float("nan")),
    ],
)
def test_a_goal_that_makes_no_sense_is_told(goal, value: float):
    with pytest.raises(EvaluationError, match=r"must be .* got"):
        goal(value)


def test_candidates_are_every_score_or_enough_of_very_many():
    rng = np.random.default_rng(0)
    few = rng.random(50).round(1)
    assert candidate_thresholds(few > 0.5, few).tolist() == np.unique(few).tolist()
    many = rng.random(50_000)
    relevant = many > 0.999  # some 50 turns, all among the highest
    candidates = candidate_thresholds(relevant, many)
    assert len(candidates) <= 1_000
    assert set(many[relevant]) <= set(candidates)
    assert (candidates[0], candidates[-1]) == (many.min(), many.max())
    assert np.diff(candidates).max() < 0.01
