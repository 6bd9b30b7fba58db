"""The chart of outcomes over tokens."""

from __future__ import annotations

import pytest

from convgate.experiments.example import add_example
from convgate.experiments.report import report
from convgate.figures.experiments import describe_outcomes, outcome_over_tokens_figure
from convgate.figures.palette import LIGHT
from convgate.store import Store
from tests.experiments import GATE, add_trials, new_experiment


def test_each_arm_is_a_mark_and_all_but_the_control_have_an_interval(store: Store) -> None:
    shown = report(store, add_example(store))
    control, gate = outcome_over_tokens_figure(shown, "completion", LIGHT).data
    assert (control.x[0], control.y[0]) == (shown.arms[0].tokens, shown.arms[0].completion_rate)
    assert (control.error_y.visible, gate.error_y.visible) == (False, True)
    difference = shown.comparisons[0].tests[0].difference
    assert difference is not None
    assert control.y[0] + difference.high == pytest.approx(gate.y[0] + gate.error_y.array[0])
    assert "everything 65% at 1,942 tokens" in describe_outcomes(shown, "completion")


def test_an_arm_without_outcomes_has_no_mark(store: Store) -> None:
    made = new_experiment(store)
    add_trials(store, made, GATE, 3, answer_test="pass")
    shown = report(store, made)
    assert [trace.name for trace in outcome_over_tokens_figure(shown, "completion", LIGHT).data] == [GATE]
    assert not outcome_over_tokens_figure(shown, "errors", LIGHT).data
