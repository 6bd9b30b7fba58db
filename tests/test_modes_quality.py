"""Figures of modes: what is given, calibration, and how a tuning is chosen."""

from __future__ import annotations

import numpy as np
import pytest

from convgate.context.classifier.model import probabilities
from convgate.context.mode import MODES
from convgate.context.modes.fitting import (
    ModeQuality,
    Tuning,
    best_tuning,
    given,
    qualities,
    reliability,
)
from convgate.evaluation.reliability import calibration_error

TASK, DEBUGGING, GENERAL = (MODES.index(mode) for mode in ("TASK", "DEBUGGING", "GENERAL"))


def test_what_is_below_the_least_confidence_is_general():
    shares = np.array([[0.7, 0.3, 0, 0, 0], [0.69, 0.31, 0, 0, 0], [0, 0, 1, 0, 0]], dtype=np.float32)
    assert given(shares).tolist() == [TASK, GENERAL, DEBUGGING]


def test_precision_recall_and_f1_by_hand():
    found = np.array([TASK, TASK, TASK, GENERAL])
    modes = np.array([TASK, TASK, GENERAL, TASK])
    task = qualities(found, modes)["TASK"]
    assert (task.precision, task.recall, task.f1) == pytest.approx((2 / 3, 2 / 3, 2 / 3))
    assert qualities(found, modes)["LEARNING"] == ModeQuality(0, 0, 0)
    assert ModeQuality(0.85, 0.8, 0.82).reaches_floors
    assert not ModeQuality(0.85, 0.79, 0.82).reaches_floors


def test_calibration_is_the_distance_between_confidence_and_what_is_right():
    shares = np.array([[0.95, 0.05, 0, 0, 0]] * 4 + [[0.55, 0.45, 0, 0, 0]] * 4, dtype=np.float32)
    modes = np.array([0, 0, 0, 0, 0, 0, 1, 1])
    bins = reliability(shares, modes)
    assert [(one.count, one.right) for one in bins] == [(4, 0.5), (4, 1.0)]
    assert calibration_error(bins) == pytest.approx(0.05, abs=1e-6)


def test_a_tuning_sharpens_holds_general_back_and_leaves_a_doubt():
    logits = np.array([[1.0, 0, 0, 0, 1.0]], dtype=np.float32)
    (plain,) = Tuning()(logits)
    assert plain[TASK] == plain[GENERAL]
    (tuned,) = Tuning(0.5, 1.0, 0.1)(logits)
    assert tuned == pytest.approx(probabilities(np.array([[2.0, 0, 0, 0, 0]]), 0.1)[0], abs=1e-6)
    assert tuned.min() >= 0.02
    assert tuned.sum() == pytest.approx(1)


def test_timid_logits_are_made_as_sure_as_they_are_right():
    generator = np.random.default_rng(0)
    modes = generator.integers(0, len(MODES), 400)
    logits = generator.normal(0, 0.1, (400, len(MODES))).astype(np.float32)
    logits[np.arange(400), modes] += 1.2  # always right, and never sure of it
    tuning = best_tuning(logits, modes)
    assert tuning.temperature < 0.5
    assert (given(tuning(logits)) == modes).mean() > 0.95
    assert (given(Tuning()(logits)) == modes).mean() < 0.5
