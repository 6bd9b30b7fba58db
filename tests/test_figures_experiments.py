"""The chart of outcomes over tokens: of experiments, replays and ablations."""

from __future__ import annotations

import pytest

from convgate.experiments.report import report
from convgate.figures.experiments import (
    OutcomePoint,
    arm_outcomes,
    describe_outcomes,
    outcome_over_tokens_figure,
)
from convgate.figures.palette import LIGHT
from convgate.store import Store
from convgate.versions.card import Metric
from tests.experiments import GATE, add_trials, new_experiment, new_success


def test_each_arm_is_a_mark_and_all_but_the_control_have_an_interval(store: Store) -> None:
    shown = report(store, new_success(store))
    control, gate = outcome_over_tokens_figure(arm_outcomes(shown, "completion"), LIGHT).data
    assert (control.x[0], control.y[0]) == (shown.arms[0].tokens, shown.arms[0].completion_rate)
    assert (control.error_y.visible, gate.error_y.visible) == (False, True)
    difference = shown.comparisons[0].tests[0].difference
    assert control.y[0] + difference.high == pytest.approx(gate.y[0] + gate.error_y.array[0])
    words = f"everything 50% at {shown.arms[0].tokens:,.0f} tokens"
    assert words in describe_outcomes("Completed", arm_outcomes(shown, "completion"))


def test_an_arm_without_outcomes_has_no_mark(store: Store) -> None:
    experiment = new_experiment(store)
    add_trials(store, experiment, GATE, 3, answer_test="pass")
    shown = report(store, experiment)
    assert [
        trace.name for trace in outcome_over_tokens_figure(arm_outcomes(shown, "completion"), LIGHT).data
    ] == [GATE]
    assert not outcome_over_tokens_figure(arm_outcomes(shown, "errors"), LIGHT).data


def test_groups_are_symbols_and_an_arm_is_a_line_through_its_points() -> None:
    points = [
        OutcomePoint(arm, tokens, Metric(0.5, 0.4, 0.7), group)
        for arm in ("gate", "newest")
        for group, tokens in (("long", 200.0), ("short", 100.0))
    ]
    points.append(OutcomePoint("none", 0.0, Metric(None)))
    gate, newest, *legend = outcome_over_tokens_figure(points, LIGHT).data
    assert (gate.name, gate.mode, list(gate.x)) == ("gate", "lines+markers", [100, 200])
    assert gate.error_y.array[0] == pytest.approx(0.2)
    assert gate.error_y.arrayminus[0] == pytest.approx(0.1)
    assert gate.marker.symbol == newest.marker.symbol
    symbols = {trace.name: trace.marker.symbol for trace in legend}
    assert list(gate.marker.symbol) == [symbols["short"], symbols["long"]]
