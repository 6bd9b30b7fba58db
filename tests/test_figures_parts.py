"""Charts of one turn and of the history's spread: waterfall, tiers, residual gate, links, histogram."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest
from hypothesis import given
from hypothesis import strategies as st

from convgate.figures.palette import DARK, LIGHT
from convgate.figures.parts import links_figure, waterfall_figure
from convgate.figures.scores import BINS, histogram_figure
from convgate.gate.explain import Link
from tests.test_figures_scores import words


def threshold_lines(fig: go.Figure) -> list[Any]:
    return [shape for shape in fig.layout.shapes if shape.name == "threshold"]


@given(st.lists(st.floats(-30, 30), max_size=6), st.floats(-10, 10))
def test_every_running_sum_and_the_threshold_lie_within_the_axis(
    values: list[float], threshold: float
) -> None:
    parts = {f"part {place}": value for place, value in enumerate(values)}
    low, high = waterfall_figure(parts, threshold_logit=threshold, palette=LIGHT).layout.xaxis.range
    for count in range(len(values) + 1):
        assert low <= math.fsum(values[:count]) <= high
    assert low <= threshold <= high


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
