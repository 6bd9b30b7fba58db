"""A rule along the parameter that has it keep less: one number a turn says where it is dropped."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from convgate.errors import EvaluationError
from convgate.evaluation.calibration import BestFBeta, WantedRecall
from convgate.evaluation.evaluate import evaluate
from convgate.evaluation.fitting import FOUND, fit_threshold
from convgate.evaluation.sweeps import at_value, keeps, reach, sweep_of, value_of
from convgate.gate.thresholds import (
    RULES,
    Absolute,
    Anchored,
    Blended,
    Calibrated,
    Expected,
    Relative,
    Rule,
    Stricter,
    TokenBudget,
    TopK,
)
from tests.test_evaluation_fitting import Told, labelled, noisy

SCORES = st.lists(st.integers(0, 20).map(lambda n: n / 20), max_size=8).map(np.array)
SHARES = st.integers(0, 20).map(lambda n: n / 20)
RULE: st.SearchStrategy[Rule] = st.one_of(
    st.just(Absolute()),
    st.just(Calibrated()),
    st.builds(Anchored, anchor=SHARES),
    st.just(Expected()),
    st.just(Relative()),
    st.just(Stricter()),
    st.builds(Blended, weight=SHARES),
)


@given(RULE, SCORES, SHARES, st.floats(0, 1))
def test_the_rule_keeps_what_reaches_its_parameter(
    rule: Rule, scores: np.ndarray[Any, Any], learned: float, share: float
) -> None:
    sweep = sweep_of(rule)
    assert sweep is not None
    value = sweep.low + share * (sweep.high - sweep.low)
    reached = reach(rule, scores, learned=learned)
    finite = reached[np.isfinite(reached)]
    assume(not (np.abs(finite - value) < 1e-6).any() or value in finite)
    cut = at_value(rule, value).cut(scores, learned=learned)
    assert keeps(reached, value).tolist() == cut.kept.tolist()


@given(RULE, SCORES, SHARES)
def test_a_turn_is_kept_at_the_very_value_that_it_reaches(
    rule: Rule, scores: np.ndarray[Any, Any], learned: float
) -> None:
    sweep = sweep_of(rule)
    assert sweep is not None
    reached = reach(rule, scores, learned=learned)
    for row in np.flatnonzero(np.isfinite(reached)):
        if sweep.low <= reached[row] <= sweep.high:
            assert at_value(rule, float(reached[row])).cut(scores, learned=learned).kept[row]


def test_every_rule_is_swept_or_fills_a_number() -> None:
    assert {name for name, rule in RULES.items() if sweep_of(rule()) is None} == {"top_k", "token_budget"}
    for rule in (TopK(), TokenBudget()):
        assert value_of(rule, learned=0.4) is None
        with pytest.raises(EvaluationError, match=f"{rule.name} has no threshold to move"):
            reach(rule, np.array([0.5]))
        with pytest.raises(EvaluationError, match=f"{rule.name} has no threshold to move"):
            at_value(rule, 0.5)
    assert value_of(Anchored(), learned=0.4) == 0.4
    assert value_of(Stricter(0.7), learned=0.4) == 0.7


LOST = ((0.45, 0.1), {0})  # relevant, but no turn is an anchor
FOUND_CASES = (((0.9, 0.4), {0, 1}), ((0.8, 0.3), {0}), LOST)


def test_fitting_keeps_the_anchor_of_the_rule_that_decides() -> None:
    fitted = fit_threshold([labelled(*FOUND_CASES)], Told(Anchored(0.6)), BestFBeta())
    assert isinstance(fitted.rule, Anchored)
    assert (fitted.rule.anchor, fitted.rule.threshold, fitted.rule.goal) == (0.6, 0.4, "the best F1")
    assert "no turn reaches the anchor 0.60" in fitted.rule.cut(np.array([0.5]), learned=0.5).because
    assert (
        "fitted for the best F1 on 3 cases of tiny" in fitted.rule.cut(np.array([0.5]), learned=0.5).because
    )
    # The same cases without the anchor reach what it hides.
    plain = fit_threshold([labelled(*FOUND_CASES)], Told(Anchored(0.6)), WantedRecall(1.0), rule=Calibrated())
    assert plain.rule.threshold == 0.4
    with pytest.raises(EvaluationError, match=r"no threshold reaches recall 1.00 on 3 cases of tiny"):
        fit_threshold([labelled(*FOUND_CASES)], Told(Anchored(0.6)), WantedRecall(1.0))


def test_evaluating_with_the_anchored_rule_gives_the_figures_that_the_fit_told() -> None:
    given = noisy(60)
    fitted = fit_threshold([given], Told(Anchored(0.62)), BestFBeta(2), seed=3)
    measured = evaluate([given], [Told(fitted.rule)], seed=3).sets["noisy"].policies["told"].overall
    told = fitted.result.policies[FOUND].overall
    for metric in ("precision", "recall", "f1", "exact_empty", "kept_token_share"):
        assert told[metric] == measured[metric]
    assert fitted.curve.recall[fitted.row] == pytest.approx(measured["recall"].value)
    without = fit_threshold([given], Told(Stricter()), BestFBeta(2), seed=3)
    assert fitted.curve.recall[fitted.row] < without.curve.recall[without.row]
