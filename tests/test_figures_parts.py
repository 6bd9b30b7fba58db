"""Charts of one turn and of the history's spread: waterfall, tiers, residual gate, links, histogram."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest
from hypothesis import given
from hypothesis import strategies as st

from convgate.figures.palette import DARK, LIGHT
from convgate.figures.parts import (
    PARTS,
    activation_words,
    describe_activation,
    describe_parts,
    describe_tiers,
    links_figure,
    parts_figure,
    tiers_figure,
    waterfall_figure,
)
from convgate.figures.scores import BINS, histogram_figure
from convgate.gate.explain import Link
from tests.test_figures_scores import gate_decisions, words

LOGIT = {"semantic": 1.5, "recency": 0.25, "decay": -0.5, "contextual": -0.05}


def threshold_lines(fig: go.Figure) -> list[Any]:
    return [shape for shape in fig.layout.shapes if shape.name == "threshold"]


def test_the_waterfall_names_its_parts_in_plain_words_and_adds_them_up() -> None:
    (bars,) = waterfall_figure(LOGIT, threshold_logit=0.4, palette=LIGHT).data
    assert list(bars.y) == ["meaning", "recency", "age", "other turns", "sum"]
    assert list(bars.x)[:-1] == [1.5, 0.25, -0.5, -0.05]
    assert bars.x[-1] == pytest.approx(sum(LOGIT.values()))
    assert list(bars.measure) == ["relative"] * 4 + ["total"]
    assert list(bars.text)[:4] == ["+1.50", "+0.25", "−0.50", "−0.05"]


@pytest.mark.parametrize("threshold", [None, math.inf, -math.inf])
def test_a_threshold_that_is_no_logit_has_no_line(threshold: float | None) -> None:
    fig = waterfall_figure(LOGIT, threshold_logit=threshold, palette=LIGHT)
    assert not threshold_lines(fig)
    assert not fig.layout.annotations


@given(st.lists(st.floats(-30, 30), max_size=6), st.floats(-10, 10))
def test_every_running_sum_and_the_threshold_lie_within_the_axis(
    values: list[float], threshold: float
) -> None:
    parts = {f"part {place}": value for place, value in enumerate(values)}
    low, high = waterfall_figure(parts, threshold_logit=threshold, palette=LIGHT).layout.xaxis.range
    for count in range(len(values) + 1):
        assert low <= math.fsum(values[:count]) <= high
    assert low <= threshold <= high


def test_every_part_of_the_gate_has_a_sentence_and_others_keep_their_name() -> None:
    assert set(PARTS) >= {"semantic", "recency", "decay", "contextual"}
    assert all(part.help.endswith(".") for part in PARTS.values())
    (bars,) = waterfall_figure({"<b>odd</b>_part": 1.0}, threshold_logit=None, palette=LIGHT).data
    assert bars.y[0] == "&lt;b&gt;odd&lt;/b&gt; part"


def test_tiers_show_both_tiers_and_the_final_score_of_one_turn() -> None:
    decisions = gate_decisions([2.0, 0.0], start=4)
    fig = tiers_figure(decisions, 5, palette=LIGHT)
    dots = [item for item in fig.data if item.mode == "markers+text"]
    assert [item.text[0] for item in dots] == ["0.44", "0.62", "0.50"]
    assert [item.marker.color for item in dots] == [LIGHT.tier1, LIGHT.tier2, LIGHT.ink]
    assert [item.customdata[0] for item in dots] == [5, 5, 5]
    assert len(threshold_lines(fig)) == 1
    assert "Turn 6: alone 0.44, among the other turns 0.62, final 0.50; 34%" in describe_tiers(decisions, 5)


def test_tiers_of_a_turn_that_is_not_there_or_a_policy_without_them() -> None:
    with pytest.raises(KeyError, match="9"):
        tiers_figure(gate_decisions([0.0]), 9, palette=LIGHT)

    with pytest.raises(ValueError, match="gate has no tiers"):
        describe_tiers(replace(gate_decisions([0.0]), tier1=None), 0)


def test_the_residual_gate_in_words_and_as_a_bar() -> None:
    assert activation_words(0.0067) == "0.7% open"
    assert activation_words(1.0) == "100% open"
    assert "0.7% open" in describe_activation(0.0067)
    assert "99.3% from each turn alone" in describe_activation(0.0067)


def links(count: int) -> list[Link]:
    return [Link(20, place, 0.5 / (place + 1), (-1) ** place * 0.02) for place in range(count)]


def test_links_pair_attention_with_the_measured_effect() -> None:
    fig = links_figure(links(3), words(10), LIGHT, start=2)
    attention, effect = fig.data
    assert list(attention.x) == [0.5, 0.25, pytest.approx(1 / 6)]
    assert list(effect.x) == [0.02, -0.02, 0.02]
    assert list(attention.y) == list(effect.y) == [0, 1, 2]
    assert list(attention.customdata) == list(effect.customdata) == [2, 3, 4], "turns, not rows"
    told = {note.y: note.text for note in fig.layout.annotations if note.yref == "y"}
    assert told == {0: "+0.020", 1: "−0.020", 2: "+0.020"}, "beside the bars, for both together are too wide"
    assert effect.xaxis != attention.xaxis, "shares and score changes have different units"
    assert fig.layout.yaxis.ticktext[0].startswith("3 ")


def test_links_escape_what_people_wrote() -> None:
    fig = links_figure(links(1), ["<b>x</b> <script>"], LIGHT)
    for shown in (fig.data[0].hovertext[0], fig.layout.yaxis.ticktext[0]):
        assert "<b>" not in shown
        assert "<script>" not in shown
        assert "&lt;b&gt;" in shown


def test_the_histogram_counts_every_turn_once_as_kept_or_dropped() -> None:
    scores = np.random.default_rng(1).random(500)
    fig = histogram_figure(scores, scores >= 0.7, 0.7, DARK)
    counts = {item.name: np.array(item.y) for item in fig.data}
    assert counts["kept"].sum() == (scores >= 0.7).sum()
    assert counts["kept"].sum() + counts["dropped"].sum() == 500
    assert len(counts["kept"]) == BINS
    assert threshold_lines(fig)[0].x0 == 0.7


def test_the_histogram_stays_where_it_is_when_the_threshold_moves() -> None:
    scores = np.random.default_rng(1).random(500)
    low = histogram_figure(scores, scores >= 0.2, 0.2, LIGHT)
    high = histogram_figure(scores, scores >= 0.9, 0.9, LIGHT)
    assert low.layout.xaxis == high.layout.xaxis
    assert low.layout.yaxis == high.layout.yaxis


def test_parts_over_turns_has_a_line_for_each_part_and_their_sum() -> None:
    decisions = gate_decisions([2.0, 0.0, 1.0], start=3)
    fig = parts_figure(decisions, palette=LIGHT, selected=4)
    assert [item.name for item in fig.data] == ["meaning", "other turns", "sum"]
    np.testing.assert_allclose(fig.data[0].y + fig.data[1].y, fig.data[2].y)
    assert list(fig.data[0].customdata) == [3, 4, 5]
    assert list(fig.data[0].x) == [4, 5, 6]
    assert "meaning −0.25 to +1.75" in describe_parts(decisions)
