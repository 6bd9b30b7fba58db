"""The chart of outcomes over tokens: of replays and ablations."""

from __future__ import annotations

import pytest

from convgate.figures.experiments import OutcomePoint, describe_outcomes, outcome_over_tokens_figure
from convgate.figures.palette import LIGHT
from convgate.versions.card import Metric


def test_arms_of_one_group_are_labelled_marks_with_intervals_where_there_are_any() -> None:
    points = [
        OutcomePoint("newest", 900.0, Metric(0.5)), OutcomePoint("gate", 800.0, Metric(0.7, 0.6, 0.85)),
        OutcomePoint("none", 0.0, Metric(None)),
    ]  # fmt: skip
    newest, gate = outcome_over_tokens_figure(points, LIGHT).data
    assert (newest.x[0], newest.y[0], newest.mode) == (900, 0.5, "markers+text")
    assert (newest.error_y.visible, gate.error_y.visible) == (False, True)
    assert gate.error_y.array[0] == pytest.approx(0.15)
    assert "newest 50% at 900 tokens" in describe_outcomes("Completed", points).replace(":", "")


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
