"""Threshold rules: hand values, invariants, reasons."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from convgate.core.errors import PolicyError
from convgate.gate.rule import TurnLimits
from convgate.gate.thresholds import (
    RULES,
    Absolute,
    Anchored,
    Blended,
    Expected,
    Relative,
    Stricter,
    TokenBudget,
    TopK,
    make_rule,
)

SCORES = np.array([0.9, 0.1, 0.5, 0.7])
score_arrays = arrays(np.float64, st.integers(0, 40), elements=st.floats(0, 1))


def kept_indices(rule, scores=SCORES, learned=0.5, tokens=None) -> list[int]:
    return np.flatnonzero(rule.cut(scores, learned=learned, tokens=tokens).kept).tolist()


def test_absolute_uses_the_learned_threshold_unless_one_is_set():
    assert kept_indices(Absolute()) == [0, 2, 3]
    assert kept_indices(Absolute(0.6)) == [0, 3]
    assert kept_indices(Absolute(0.95)) == []


def test_expected_keeps_the_turns_of_the_highest_expected_f1():
    # Of 0.9, 0.7, 0.5, 0.1 (2.2 together): 1.8/3.2, 3.2/4.2, 4.2/5.2, 4.4/6.2; nothing is 0.049.
    cut = Expected().cut(SCORES, learned=0.99)
    assert (cut.kept.tolist(), cut.threshold) == ([True, False, True, True], 0.5)
    assert "0.50" in cut.because
    assert kept_indices(Expected(4.0)) == [0]
    assert kept_indices(Expected(0.25)) == kept_indices(Expected(0.0)) == [0, 1, 2, 3]


@given(scores=score_arrays, strictness=st.floats(0.25, 4.0))
def test_expected_keeps_the_best_count_or_fewer_when_stricter(scores, strictness: float):
    chosen = Expected(strictness).cut(scores, learned=0.5).kept
    assert not chosen.any() or scores[chosen].min() >= scores[~chosen].max(initial=0)
    stricter = Expected(min(4.0, strictness * 1.5)).cut(scores, learned=0.5).kept
    assert not (stricter & ~chosen).any()
    if chosen.any():
        best, weight = np.sort(scores)[::-1], strictness**-2
        worth = (1 + weight) * np.cumsum(best) / (np.arange(1, len(best) + 1) + weight * best.sum())
        assert worth[chosen.sum() - 1] == pytest.approx(worth.max())


def test_anchored_keeps_turns_only_if_one_reaches_the_anchor():
    assert kept_indices(Anchored(), learned=0.1) == [0, 1, 2, 3]
    assert kept_indices(Anchored(0.9), learned=0.6) == [0, 3]
    assert kept_indices(Anchored(0.95), learned=0.6) == []
    assert kept_indices(Anchored(0.9, threshold=0.4), learned=0.6) == [0, 2, 3]
    cut = Anchored(0.95).cut(SCORES, learned=0.6)
    assert (cut.threshold, cut.because) == (
        0.95,
        "The learned threshold is 0.60, but no turn reaches the anchor 0.95, so nothing is kept.",
    )


def test_relative_keeps_turns_well_above_the_mean():
    # mean 0.55, std sqrt((0.35² + 0.45² + 0.05² + 0.15²) / 4) = 0.2958
    cut = Relative(0.5).cut(SCORES, learned=0.5)
    assert cut.threshold == pytest.approx(0.55 + 0.5 * 0.29580, abs=1e-4)
    assert kept_indices(Relative(0.5)) == [0, 3]


def test_stricter_takes_the_larger_threshold():
    assert Stricter().cut(SCORES, learned=0.5).threshold == pytest.approx(0.6979, abs=1e-4)
    assert Stricter().cut(SCORES, learned=0.8).threshold == 0.8


def test_blended_lies_between_both_thresholds():
    relative = Relative(0.5).cut(SCORES, learned=0).threshold
    assert Blended(0.25).cut(SCORES, learned=0.5).threshold == pytest.approx(0.75 * 0.5 + 0.25 * relative)
    assert Blended(0.0).cut(SCORES, learned=0.5).threshold == 0.5


def test_top_k_prefers_the_newer_of_equal_scores():
    assert kept_indices(TopK(2)) == [0, 3]
    assert kept_indices(TopK(1), np.array([0.5, 0.5, 0.5])) == [2]
    assert kept_indices(TopK(0)) == []
    assert kept_indices(TopK(3, above=0.0), np.array([0.0, 2.0, 0.0])) == [1]


def test_token_budget_takes_the_highest_use_per_token_and_skips_what_does_not_fit():
    scores, tokens = np.array([0.9, 0.5, 0.1, 0.4]), np.array([300, 50, 90, 60])
    assert kept_indices(TokenBudget(110), scores, tokens=tokens) == [1, 3]
    assert kept_indices(TokenBudget(410), scores, tokens=tokens) == [0, 1, 3]
    assert kept_indices(TokenBudget(200), scores, tokens=tokens) == [1, 2, 3]
    assert kept_indices(TokenBudget(0), scores, tokens=tokens) == []


@pytest.mark.parametrize("name", RULES)
def test_every_rule_takes_no_turns_and_one(name: str):
    rule = RULES[name]()
    assert len(rule.cut(np.zeros(0), learned=0.5, tokens=np.zeros(0, dtype=np.int64)).kept) == 0
    assert len(rule.cut(np.array([0.7]), learned=0.5, tokens=np.array([5])).kept) == 1


@given(score_arrays, st.floats(0, 1), st.floats(0, 1))
def test_a_higher_threshold_never_keeps_more(scores: np.ndarray, first: float, second: float):
    low, high = sorted((first, second))
    loose, strict = Absolute(low).cut(scores, learned=0), Absolute(high).cut(scores, learned=0)
    assert not (strict.kept & ~loose.kept).any()


@given(score_arrays, st.floats(0, 1), st.floats(0, 1))
def test_an_anchored_rule_keeps_all_that_the_absolute_one_does_or_nothing(
    scores: np.ndarray, anchor: float, learned: float
):
    chosen = Anchored(anchor).cut(scores, learned=learned).kept
    every = Absolute().cut(scores, learned=learned).kept
    assert (chosen == every).all() or (not chosen.any() and (scores[every] < anchor).all())


@given(score_arrays, st.integers(0, 50))
def test_top_k_keeps_the_best(scores: np.ndarray, k: int):
    chosen = TopK(k).cut(scores, learned=0).kept
    assert chosen.sum() == min(k, len(scores))
    if chosen.any() and not chosen.all():
        assert scores[chosen].min() >= scores[~chosen].max()


@given(score_arrays, st.floats(-2, 3), st.floats(0, 1))
def test_thresholds_stay_on_the_scale_of_scores(scores: np.ndarray, deviations: float, learned: float):
    for rule in (Relative(deviations), Stricter(deviations), Blended(0.3, deviations)):
        assert 0 <= rule.cut(scores, learned=learned).threshold <= 1


def test_limits_bring_back_the_best_dropped_and_drop_the_worst_kept():
    nothing, everything = np.zeros(4, dtype=bool), np.ones(4, dtype=bool)
    assert TurnLimits(min_turns=2).changes(SCORES, nothing).keys() == {0, 3}
    assert TurnLimits(max_turns=3).changes(SCORES, everything).keys() == {1}
    assert TurnLimits().changes(SCORES, nothing) == {}
    assert TurnLimits(min_turns=9).changes(SCORES, nothing).keys() == {0, 1, 2, 3}


@pytest.mark.parametrize(
    "build",
    [
        lambda: Absolute(1.5),
        lambda: TopK(-1),
        lambda: Relative(float("nan")),
        lambda: TurnLimits(min_turns=5, max_turns=2),
        lambda: make_rule("magic"),
        lambda: make_rule("top_k", n=3),
        lambda: TopK(2.5),
    ],
)
def test_parameters_out_of_range_are_refused(build):
    with pytest.raises(PolicyError):
        build()
