"""Intervals over conversations."""

import numpy as np
import pytest
from scipy.stats import bootstrap

from convgate.evaluation.bootstrap import cluster_sums, difference_interval, draw, interval, resampled


@pytest.fixture
def sums():
    """(40 conversations, 2, 1): hits of between 5 and 20 tries."""
    rng = np.random.default_rng(7)
    tries = rng.integers(5, 20, 40)
    hits = rng.binomial(tries, 0.7)
    return np.stack([hits, tries], axis=1)[:, :, None].astype(float)


def test_a_resample_draws_as_many_conversations_as_there_are():
    draws = draw(12, resamples=50)
    assert draws.shape == (50, 12)
    assert (draws.sum(axis=1) == 12).all()


def test_the_seed_decides_the_draws():
    assert (draw(12, seed=3) == draw(12, seed=3)).all()
    assert (draw(12, seed=3) != draw(12, seed=4)).any()


def test_terms_are_added_up_by_conversation():
    terms = np.arange(6.0).reshape(3, 2, 1)
    assert cluster_sums(terms, np.array([1, 0, 1]), 3)[:, :, 0].tolist() == [[2, 3], [4, 6], [0, 0]]


def test_a_resample_weighs_whole_conversations():
    sums = np.array([[[1.0], [2.0]], [[3.0], [4.0]]])
    values = resampled(sums, np.array([[1.0, 1.0], [2.0, 0.0], [0.0, 2.0]]))
    assert values[:, 0].tolist() == [4 / 6, 1 / 2, 3 / 4]


def test_the_interval_is_near_that_of_scipy(sums):
    ours = interval(sums, draw(40, resamples=9_999))[0]
    theirs = bootstrap(
        (sums[:, 0, 0], sums[:, 1, 0]),
        lambda hits, tries, axis: hits.sum(axis) / tries.sum(axis),
        paired=True,
        method="percentile",
        rng=np.random.default_rng(0),
    ).confidence_interval
    assert ours == pytest.approx([theirs.low, theirs.high], abs=0.004)


def test_conversations_that_agree_give_a_narrow_interval_and_those_that_differ_a_wide_one():
    alike = np.tile([[1.0], [2.0]], (20, 1, 1))
    apart = np.tile([[[2.0], [2.0]], [[0.0], [2.0]]], (10, 1, 1))
    draws = draw(20)
    assert interval(alike, draws)[0].tolist() == [0.5, 0.5]
    low, high = interval(apart, draws)[0]
    assert (low, high) == pytest.approx((0.3, 0.7), abs=0.06)


def test_a_single_conversation_has_no_interval():
    assert np.isnan(interval(np.array([[[1.0], [2.0]]]), draw(1))).all()
    only_one_counts = np.array([[[1.0], [2.0]], [[0.0], [0.0]], [[0.0], [0.0]]])
    assert np.isnan(interval(only_one_counts, draw(3))).all()


def test_resamples_that_leave_a_metric_undefined_are_left_out():
    rare = np.zeros((30, 2, 1))
    rare[:2] = [[1.0], [1.0]]
    draws = draw(30)
    assert np.isnan(resampled(rare, draws)).any()
    assert interval(rare, draws)[0].tolist() == [1, 1]


def test_no_conversations_give_no_interval():
    assert np.isnan(interval(np.zeros((0, 2, 3)), draw(0))).all()


def test_the_difference_is_paired(sums):
    """One hit more everywhere is a sure gain, though each policy's own interval is wide."""
    better = sums + np.array([[1.0], [0.0]])
    draws = draw(40)
    low, high = difference_interval(sums, better, draws)[0]
    assert 0.06 < low < high < 0.11
    own_low, own_high = interval(sums, draws)[0]
    assert own_high - own_low > 2 * (high - low)


def test_a_policy_does_not_differ_from_itself(sums):
    assert difference_interval(sums, sums, draw(40)).tolist() == [[0, 0]]


def test_swapping_the_two_turns_the_difference_round(sums):
    other = sums[::-1] * [[1.0], [1.5]]
    draws = draw(40)
    forth, back = difference_interval(sums, other, draws)[0], difference_interval(other, sums, draws)[0]
    assert forth == pytest.approx(-back[::-1])
