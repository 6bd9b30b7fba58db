"""Metrics by threshold."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import precision_recall_curve

from convgate.evaluation.curves import threshold_curve

RELEVANT = np.array([True, False, True, False])
SCORES = np.array([0.8, 0.6, 0.6, 0.1])

pooled = st.lists(st.tuples(st.booleans(), st.integers(0, 6)), min_size=1, max_size=40)


def test_every_metric_by_hand_with_a_tie():
    curve = threshold_curve(RELEVANT, SCORES, tokens=np.array([10, 20, 30, 40]))
    assert curve.thresholds.tolist() == [0.1, 0.6, 0.8]
    assert curve.precision.tolist() == [2 / 4, 2 / 3, 1]
    assert curve.recall.tolist() == [1, 1, 0.5]
    assert curve.f1 == pytest.approx([2 / 3, 0.8, 2 / 3])
    assert curve.kept_share.tolist() == [1, 0.75, 0.25]
    assert curve.kept_token_share.tolist() == [1, 0.6, 0.1]


def test_a_turn_at_the_threshold_is_kept():
    assert threshold_curve(RELEVANT, SCORES, thresholds=np.array([0.8, 0.81])).kept_share.tolist() == [
        0.25,
        0,
    ]


def test_above_every_score_nothing_is_kept():
    curve = threshold_curve(RELEVANT, SCORES, thresholds=np.array([0.9]))
    assert np.isnan(curve.precision).all()
    assert (curve.recall.tolist(), curve.f1.tolist(), curve.kept_share.tolist()) == ([0], [0], [0])


def test_where_nothing_is_relevant_recall_is_undefined_and_there_is_no_best():
    curve = threshold_curve(np.array([False, False]), np.array([1.0, 2.0]))
    assert curve.precision.tolist() == [0, 0]
    assert np.isnan(curve.recall).all()
    assert np.isnan(curve.f1).all()
    assert curve.best() is None


def test_without_turns_there_is_no_curve():
    curve = threshold_curve(np.array([], bool), np.array([]))
    assert len(curve) == 0
    assert curve.best() is None


def test_the_best_threshold_depends_on_what_is_wanted():
    relevant = np.array([True, False, False, True])
    curve = threshold_curve(relevant, np.array([0.9, 0.5, 0.4, 0.3]))
    assert curve.thresholds[curve.best(beta=0.5)] == 0.9
    assert curve.thresholds[curve.best(beta=2)] == 0.3


def test_of_equally_good_thresholds_the_highest_is_best():
    curve = threshold_curve(RELEVANT, SCORES, thresholds=np.array([0.2, 0.4, 0.6]))
    assert curve.thresholds[curve.best()] == 0.6


@given(pooled)
def test_precision_and_recall_are_those_of_scikit_learn(rows):
    relevant, scores = (np.array(column) for column in zip(*rows, strict=True))
    if not relevant.any():
        relevant[0] = True
    curve = threshold_curve(relevant, scores.astype(float))
    precision, recall, thresholds = precision_recall_curve(relevant, scores)
    assert curve.thresholds.tolist() == thresholds.tolist()
    assert curve.precision == pytest.approx(precision[:-1])
    assert curve.recall == pytest.approx(recall[:-1])


@given(pooled)
def test_a_higher_threshold_never_keeps_more(rows):
    relevant, scores = (np.array(column) for column in zip(*rows, strict=True))
    curve = threshold_curve(relevant, scores.astype(float), thresholds=np.linspace(-1, 7, 23))
    assert (np.diff(curve.kept_share) <= 0).all()
    assert (np.diff(curve.kept_token_share) <= 0).all()
    assert curve.kept_share[0] == 1
    assert curve.kept_share[-1] == 0


def test_a_million_turns_at_a_hundred_thresholds():
    rng = np.random.default_rng(0)
    scores = rng.random(1_000_000)
    curve = threshold_curve(rng.random(1_000_000) < scores, scores, thresholds=np.linspace(0, 0.99, 100))
    assert len(curve) == 100
    assert curve.precision[50] == pytest.approx(0.75, abs=0.01)
