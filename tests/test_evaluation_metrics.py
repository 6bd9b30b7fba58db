"""Metrics of single cases, by hand, by brute force and by scikit-learn."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score

from convgate.evaluation.metrics import (
    CUTOFFS,
    METRICS,
    RANKING_METRICS,
    average_precision,
    case_terms,
    ratios,
    recall_at,
)


def column(values, dtype=float):
    return np.array(values, dtype=dtype)


@st.composite
def rankings(draw):
    n = draw(st.integers(1, 30))
    relevant = draw(st.lists(st.booleans(), min_size=n, max_size=n).filter(any))
    scores = draw(st.lists(st.integers(0, 4), min_size=n, max_size=n))
    return column(relevant, bool), column(scores)


def test_average_precision_by_hand():
    relevant = column([0, 1, 1, 0, 1], bool)
    scores = column([0.9, 0.8, 0.7, 0.6, 0.5])
    assert average_precision(relevant, scores) == pytest.approx((1 / 2 + 2 / 3 + 3 / 5) / 3)


def test_average_precision_and_recall_are_undefined_when_nothing_is_relevant():
    nothing = column([0, 0], bool)
    assert np.isnan(average_precision(nothing, column([1, 2])))
    assert np.isnan(recall_at(nothing, column([1, 2]))).all()


@given(rankings())
def test_ties_rank_the_newer_turn_first(ranking):
    relevant, scores = ranking
    newer_higher = scores + np.linspace(0, 0.5, len(scores))
    assert average_precision(relevant, scores) == average_precision(relevant, newer_higher)
    assert (recall_at(relevant, scores) == recall_at(relevant, newer_higher)).all()


@given(rankings())
def test_only_the_order_of_the_scores_matters(ranking):
    relevant, scores = ranking
    assert average_precision(relevant, np.exp(scores) - 3) == average_precision(relevant, scores)


@given(rankings())
def test_without_ties_average_precision_is_that_of_scikit_learn(ranking):
    relevant, scores = ranking
    distinct = scores + np.linspace(0, 0.5, len(scores))
    assert average_precision(relevant, distinct) == pytest.approx(average_precision_score(relevant, distinct))


def test_recall_at_k_by_hand():
    relevant = column([1] * 4 + [0] * 4, bool)
    scores = column([8, 7, 2, 1, 6, 5, 4, 3])
    np.testing.assert_allclose(recall_at(relevant, scores, cutoffs=(1, 5, 7, 8, 50)), [0.25, 0.5, 0.75, 1, 1])


def test_scores_that_are_all_alike_rank_as_recency():
    relevant = column([1, 0, 0], bool)
    assert average_precision(relevant, np.zeros(3)) == pytest.approx(1 / 3)
    assert average_precision(relevant, np.arange(3.0)) == pytest.approx(1 / 3)
    assert average_precision(relevant[::-1], np.arange(3.0)) == 1


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


def test_keeping_nothing_though_something_is_relevant_is_no_exact_empty():
    terms = case_terms(column([1, 0], bool), column([0, 0], bool), None, column([5, 5], int))
    assert terms[:, METRICS.index("exact_empty")].tolist() == [0, 0]


def test_a_policy_without_a_ranking_has_no_ranking_terms():
    terms = case_terms(column([1], bool), column([1], bool), None, column([5], int))
    assert not terms[:, : len(RANKING_METRICS)].any()
    assert terms[:, len(RANKING_METRICS) :].any()


def test_an_empty_history_adds_nothing_but_an_exactly_empty_selection():
    empty = column([], bool)
    terms = case_terms(empty, empty, column([]), column([], int))
    assert [(METRICS[m], terms[0, m]) for m in range(len(METRICS)) if terms[1, m]] == [("exact_empty", 1)]


@given(rankings())
def test_a_perfect_policy_gets_one_in_every_metric_it_defines(ranking):
    relevant, _ = ranking
    terms = case_terms(relevant, relevant, relevant.astype(float), np.ones(len(relevant), int))
    values = dict(zip(METRICS, ratios(terms), strict=True))
    perfect = ["map", "precision", "recall", "f1"] + [f"recall@{k}" for k in CUTOFFS if k >= relevant.sum()]
    assert [values[name] for name in perfect] == pytest.approx([1] * len(perfect))


@given(rankings(), st.lists(st.booleans(), min_size=30, max_size=30))
def test_every_metric_is_a_share(ranking, kept):
    relevant, scores = ranking
    terms = case_terms(relevant, column(kept[: len(scores)], bool), scores, np.arange(len(scores)))
    defined = ratios(terms)[terms[1] > 0]
    assert ((defined >= 0) & (defined <= 1 + 1e-12)).all()
