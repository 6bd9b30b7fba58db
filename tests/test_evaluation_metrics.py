"""Metrics of cases, by threshold, and their intervals over conversations."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import bootstrap
from sklearn.metrics import average_precision_score, precision_recall_curve

from convgate.evaluation.bootstrap import difference_interval, draw, interval, resample
from convgate.evaluation.curves import CurveSums
from convgate.evaluation.metrics import METRICS, RANKING_METRICS, case_terms


def ranking_terms(relevant, scores):
    """MAP and recall at each cutoff of one case."""
    terms = case_terms(relevant, np.zeros(len(relevant), bool), scores, np.ones(len(relevant), int))
    return terms[0, [METRICS.index(name) for name in RANKING_METRICS]]


def column(values, dtype=float):
    return np.array(values, dtype=dtype)


@st.composite
def rankings(draw):
    n = draw(st.integers(1, 30))
    relevant = draw(st.lists(st.booleans(), min_size=n, max_size=n).filter(any))
    scores = draw(st.lists(st.integers(0, 4), min_size=n, max_size=n))
    return column(relevant, bool), column(scores)


@given(rankings())
def test_ties_rank_the_newer_turn_first(ranking):
    relevant, scores = ranking
    newer_higher = scores + np.linspace(0, 0.5, len(scores))
    assert (ranking_terms(relevant, scores) == ranking_terms(relevant, newer_higher)).all()


@given(rankings())
def test_without_ties_average_precision_is_that_of_scikit_learn(ranking):
    relevant, scores = ranking
    distinct = scores + np.linspace(0, 0.5, len(scores))
    expected = average_precision_score(relevant, distinct)
    assert ranking_terms(relevant, distinct)[0] == pytest.approx(expected)


def test_terms_of_a_case_by_hand():
    relevant, kept = column([1, 1, 0, 0], bool), column([1, 0, 1, 1], bool)
    terms = case_terms(relevant, kept, column([4, 1, 3, 2]), column([10, 20, 30, 40], int))
    over, under = (dict(zip(METRICS, row, strict=True)) for row in terms)
    assert over["map"] == pytest.approx((1 + 2 / 4) / 2)
    assert (over["recall@5"], under["recall@5"]) == (1, 1)
    assert (over["precision"], under["precision"]) == (1, 3)
    assert (over["recall"], under["recall"]) == (1, 2)
    assert (over["f1"], under["f1"]) == (2, 5)
    assert under["exact_empty"] == 0
    assert (over["kept_token_share"], under["kept_token_share"]) == (80, 100)


@pytest.mark.parametrize(("kept", "exact"), [([0, 0], 1), ([0, 1], 0)])
def test_a_case_with_nothing_relevant_counts_for_exact_empty_alone_of_the_rates(kept, exact):
    terms = case_terms(column([0, 0], bool), column(kept, bool), column([2, 1]), column([5, 5], int))
    over, under = (dict(zip(METRICS, row, strict=True)) for row in terms)
    assert (over["exact_empty"], under["exact_empty"]) == (exact, 1)
    assert all(under[name] == 0 for name in (*RANKING_METRICS, "recall"))


RELEVANT = np.array([True, False, True, False])
SCORES = np.array([0.8, 0.6, 0.6, 0.1])

pooled = st.lists(st.tuples(st.booleans(), st.integers(0, 6)), min_size=1, max_size=40)


def test_every_metric_by_hand_with_a_tie():
    curve = CurveSums.of(RELEVANT, SCORES, tokens=np.array([10, 20, 30, 40])).curve()
    assert curve.thresholds.tolist() == [0.1, 0.6, 0.8]
    assert curve.precision.tolist() == [2 / 4, 2 / 3, 1]
    assert curve.recall.tolist() == [1, 1, 0.5]
    assert curve.f1 == pytest.approx([2 / 3, 0.8, 2 / 3])
    assert curve.kept_share.tolist() == [1, 0.75, 0.25]
    assert curve.kept_token_share.tolist() == [1, 0.6, 0.1]


@given(pooled)
def test_precision_and_recall_are_those_of_scikit_learn(rows):
    relevant, scores = (np.array(column) for column in zip(*rows, strict=True))
    if not relevant.any():
        relevant[0] = True
    curve = CurveSums.of(relevant, scores.astype(float)).curve()
    precision, recall, thresholds = precision_recall_curve(relevant, scores)
    assert curve.thresholds.tolist() == thresholds.tolist()
    assert curve.precision == pytest.approx(precision[:-1])
    assert curve.recall == pytest.approx(recall[:-1])


@given(pooled)
def test_a_higher_threshold_never_keeps_more(rows):
    relevant, scores = (np.array(column) for column in zip(*rows, strict=True))
    curve = CurveSums.of(relevant, scores.astype(float), thresholds=np.linspace(-1, 7, 23)).curve()
    assert (np.diff(curve.kept_share) <= 0).all()
    assert (np.diff(curve.kept_token_share) <= 0).all()
    assert curve.kept_share[0] == 1
    assert curve.kept_share[-1] == 0


@pytest.fixture
def sums():
    """(40 conversations, 2, 1): hits of between 5 and 20 tries."""
    rng = np.random.default_rng(7)
    tries = rng.integers(5, 20, 40)
    hits = rng.binomial(tries, 0.7)
    return np.stack([hits, tries], axis=1)[:, :, None].astype(float)


def test_the_interval_is_near_that_of_scipy(sums, monkeypatch):
    monkeypatch.setattr("convgate.evaluation.bootstrap.RESAMPLES", 9_999)
    ours = interval(sums, draw(40))[0]
    theirs = bootstrap(
        (sums[:, 0, 0], sums[:, 1, 0]),
        lambda hits, tries, axis: hits.sum(axis) / tries.sum(axis),
        paired=True,
        method="percentile",
        rng=np.random.default_rng(0),
    ).confidence_interval
    assert ours == pytest.approx([theirs.low, theirs.high], abs=0.004)


def test_a_single_conversation_has_no_interval():
    assert np.isnan(interval(np.array([[[1.0], [2.0]]]), draw(1))).all()
    only_one_counts = np.array([[[1.0], [2.0]], [[0.0], [0.0]], [[0.0], [0.0]]])
    assert np.isnan(interval(only_one_counts, draw(3))).all()


def test_resamples_that_leave_a_metric_undefined_are_left_out():
    rare = np.zeros((30, 2, 1))
    rare[:2] = [[1.0], [1.0]]
    draws = draw(30)
    assert np.isnan(resample(rare, draws)).any()
    assert interval(rare, draws)[0].tolist() == [1, 1]


def test_the_difference_is_paired(sums):
    """One hit more everywhere is a sure gain, though each policy's own interval is wide."""
    better = sums + np.array([[1.0], [0.0]])
    draws = draw(40)
    low, high = difference_interval(sums, better, draws)[0]
    assert 0.06 < low < high < 0.11
    own_low, own_high = interval(sums, draws)[0]
    assert own_high - own_low > 2 * (high - low)
