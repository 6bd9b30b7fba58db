"""Charts of one turn: waterfall and links."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from convgate.figures.palette import LIGHT
from convgate.figures.parts import PARTS, links_figure, waterfall_figure
from convgate.gate import features
from convgate.gate.explain import Link
from tests.test_figures_scores import words


@given(st.lists(st.floats(-30, 30), max_size=6), st.floats(-10, 10))
def test_every_running_sum_and_the_threshold_lie_within_the_axis(
    values: list[float], threshold: float
) -> None:
    parts = {f"part {place}": value for place, value in enumerate(values)}
    low, high = waterfall_figure(parts, threshold_logit=threshold, palette=LIGHT).layout.xaxis.range
    for count in range(len(values) + 1):
        assert low <= math.fsum(values[:count]) <= high
    assert low <= threshold <= high


def test_each_part_of_the_default_preset_is_explained() -> None:
    assert set(features.PARTS) <= set(PARTS)


def links(count: int) -> list[Link]:
    return [Link(20, place, 0.5 / (place + 1), (-1) ** place * 0.02) for place in range(count)]


def test_links_pair_attention_with_the_measured_effect() -> None:
    fig = links_figure(links(3), words(10), LIGHT, start=2)
    attention, effect = fig.data
    assert list(attention.x) == [0.5, 0.25, pytest.approx(1 / 6)]
    assert list(effect.x) == [0.02, -0.02, 0.02]
    assert list(attention.y) == list(effect.y) == [0, 1, 2]
    assert list(attention.customdata) == list(effect.customdata) == [2, 3, 4], "turns, not rows"
    notes = {note.y: note.text for note in fig.layout.annotations if note.yref == "y"}
    assert notes == {0: "+0.020", 1: "−0.020", 2: "+0.020"}, "beside the bars, for both together are too wide"
    assert effect.xaxis != attention.xaxis, "shares and score changes have different units"
    assert fig.layout.yaxis.ticktext[0].startswith("3 ")


def test_links_escape_what_people_wrote() -> None:
    fig = links_figure(links(1), ["<b>x</b> <script>"], LIGHT)
    for shown in (fig.data[0].hovertext[0], fig.layout.yaxis.ticktext[0]):
        assert "<b>" not in shown
        assert "<script>" not in shown
        assert "&lt;b&gt;" in shown
