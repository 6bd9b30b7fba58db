"""The chart of scores over turns: what its marks hold, and that text cannot get in as markup."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest
from hypothesis import given
from hypothesis import strategies as st

from convgate.decisions import Override, TurnDecisions, Why
from convgate.figures.hover import clicked_cell, clicked_turn, plain, wrapped
from convgate.figures.layout import MANY
from convgate.figures.palette import DARK, LIGHT
from convgate.figures.scores import describe_scores, scores_figure


def gate_decisions(logits: list[float], threshold: float = 0.6, start: int = 0) -> TurnDecisions:
    column = np.array(logits, dtype=np.float64)
    scores = 1 / (1 + np.exp(-column))
    return TurnDecisions(
        policy="gate",
        rule="absolute",
        indices=np.arange(start, start + len(column)),
        kept=scores >= threshold,
        why_kept="{score:.2f}, above the threshold {threshold:.2f} by {margin:.2f}.",
        why_dropped="{score:.2f}, below the threshold {threshold:.2f} by {margin:.2f}.",
        scores=scores,
        threshold=threshold,
        because="The threshold was set.",
        logits=column,
        parts={"semantic": column - 0.25, "contextual": np.full(len(column), 0.25)},
        tier1=column - 0.25,
        attention=column + 0.5,
        gate_activation=0.34,
    )


def words(count: int) -> list[str]:
    return [f"user: turn number {index}" for index in range(count)]


def trace(fig: go.Figure, name: str) -> Any:
    return next(item for item in fig.data if item.name == name)


def turns_of(fig: go.Figure, name: str) -> list[int]:
    return list(trace(fig, name).customdata)


FIVE = gate_decisions([2.0, -2.0, 0.0, 1.0, -1.0])


def test_kept_and_dropped_turns_are_two_traces_whose_customdata_is_the_turn() -> None:
    fig = scores_figure(FIVE, labels=words(5), palette=LIGHT)
    kept, dropped = trace(fig, "kept"), trace(fig, "dropped")
    assert list(kept.customdata) == [0, 3]
    assert list(dropped.customdata) == [1, 2, 4]
    assert list(kept.x) == [1, 4], "turn numbers count from 1"
    np.testing.assert_allclose(kept.y, FIVE.scores[[0, 3]])  # type: ignore[index]
    assert (kept.marker.symbol, dropped.marker.symbol) == ("circle", "circle-open")
    assert (kept.marker.color, dropped.marker.color) == (LIGHT.kept, LIGHT.dropped)


def test_moving_the_threshold_moves_neither_axes_nor_size_nor_zoom() -> None:
    low = scores_figure(gate_decisions([2.0, -2.0, 0.3], 0.1), labels=words(3), palette=LIGHT)
    high = scores_figure(gate_decisions([2.0, -2.0, 0.3], 0.99), labels=words(3), palette=LIGHT)
    for part in ("xaxis", "yaxis", "height", "margin", "uirevision"):
        assert low.layout[part] == high.layout[part]
    assert low.layout.uirevision
    assert list(low.layout.yaxis.range) == [-0.06, 1.06]
    assert [item.name for item in low.data] == [item.name for item in high.data], "the legend stays as it is"


def test_a_policy_without_scores_gets_a_line_for_kept_and_one_for_dropped() -> None:
    window = replace(
        FIVE, policy="last_k", scores=None, logits=None, parts={}, threshold=None, because="",
        why_kept="it is one of the last 2.", why_dropped="it is not one of the last 2.",
    )  # fmt: skip
    fig = scores_figure(window, labels=words(5), palette=LIGHT)
    assert list(trace(fig, "kept").y) == [1, 1]
    assert list(trace(fig, "dropped").y) == [0, 0, 0]
    assert list(fig.layout.yaxis.ticktext) == ["dropped", "kept"]
    assert fig.layout.height == scores_figure(FIVE, labels=words(5), palette=LIGHT).layout.height
    assert "one of the last 2" in trace(fig, "kept").hovertext[0]


def test_forced_turns_are_green_diamonds_with_their_own_reason() -> None:
    forced = FIVE.with_overrides(
        {
            1: Override(True, "its tool call is kept.", "messages", "unit"),
            3: Override(False, "its call is not kept.", "messages", "unit"),
        }
    )
    fig = scores_figure(forced, labels=words(5), palette=LIGHT)
    assert turns_of(fig, "kept") == [0]
    assert turns_of(fig, "dropped") == [2, 4]
    assert turns_of(fig, "kept anyway") == [1]
    assert turns_of(fig, "dropped anyway") == [3]
    assert trace(fig, "kept anyway").marker.symbol == "diamond"
    assert trace(fig, "kept anyway").marker.color == LIGHT.forced
    assert "its tool call is kept" in trace(fig, "kept anyway").hovertext[0]


def test_flips_are_ringed_with_an_arrow_to_where_they_went() -> None:
    fig = scores_figure(FIVE, labels=words(5), palette=LIGHT, flipped={0: "was 0.58 before", 4: ""})
    rings = trace(fig, "flipped")
    assert list(rings.customdata) == [0, 4]
    assert list(rings.text) == ["▲", "▼"]
    assert rings.marker.color == LIGHT.flip
    assert "was 0.58 before" in trace(fig, "kept").hovertext[0]
    assert turns_of(scores_figure(FIVE, labels=words(5), palette=LIGHT, flipped=[2]), "flipped") == [2]


def test_a_second_policy_is_a_rug_beneath_on_an_axis_of_its_own() -> None:
    other = replace(FIVE, policy="last_k", kept=np.array([False, False, False, True, True]))
    fig = scores_figure(FIVE, labels=words(5), palette=LIGHT, other=other)
    rug = trace(fig, "last k: kept")
    assert (list(rug.customdata), list(rug.x), rug.yaxis) == ([3, 4], [4, 5], "y2")
    assert turns_of(fig, "last k: dropped") == [0, 1, 2]
    assert fig.layout.yaxis2.domain[1] < fig.layout.yaxis.domain[0]


@pytest.mark.parametrize(
    "attack", ["<script>alert(1)</script>", "<b>bold</b>", "<a href='//x'>x</a>", "a & b &lt;"]
)
def test_transcript_text_is_escaped_on_hover(attack: str) -> None:
    fig = scores_figure(FIVE, labels=[attack] * 5, palette=LIGHT)
    hover = trace(fig, "kept").hovertext[0]
    assert attack not in hover
    assert hover.startswith("<b>Turn 1</b> ")
    assert hover.count("<") == 3, "the bold turn number and one line break"


@given(st.text(max_size=400))
def test_no_text_keeps_anything_that_plotly_would_read(text: str) -> None:
    for made in (plain(text), wrapped(text).replace("<br>", " ")):
        assert not set("<>$\n\r\t\u202e\x00") & set(made)
    assert len(wrapped("x" * 500)) < 300


def test_thousands_of_turns_are_drawn_by_webgl_and_still_know_their_turn() -> None:
    few = scores_figure(gate_decisions([0.0] * 10), labels=words(10), palette=LIGHT)
    many = gate_decisions(np.linspace(-3, 3, MANY + 1).tolist())
    fig = scores_figure(
        many, labels=words(len(many)), palette=LIGHT, selected=5, flipped=[1], show_tiers=True
    )
    assert {item.type for item in few.data} == {"scatter"}
    assert {item.type for item in fig.data} == {"scattergl"}
    assert sorted(turns_of(fig, "kept") + turns_of(fig, "dropped")) == list(range(len(many)))
    assert "turn number 0" in trace(fig, "dropped").hovertext[0]


@pytest.mark.parametrize("logits", [[], [0.4]])
def test_no_turn_and_one_turn_are_charts_too(logits: list[float]) -> None:
    for tiers in (False, True):
        fig = scores_figure(
            gate_decisions(logits), labels=words(1), palette=DARK, selected=3, show_tiers=tiers
        )
        assert len(fig.to_json()) > 100
    assert describe_scores(gate_decisions(logits))


def test_too_few_labels_are_told() -> None:
    with pytest.raises(ValueError, match="4 labels cannot name turn 4"):
        scores_figure(FIVE, labels=words(4), palette=LIGHT)


def test_clicks_are_read_from_customdata_and_nonsense_is_passed_over() -> None:
    assert clicked_turn([{"customdata": 3}, {"customdata": 5}]) == 5
    assert (
        clicked_turn([{"customdata": 3}, {}, {"customdata": "x"}, {"customdata": -1}, {"customdata": True}])
        == 3
    )
    assert clicked_cell([{"customdata": [5, 2]}, {"customdata": [1]}, {"customdata": {"0": 1}}]) == (5, 2)
    assert clicked_cell([{"customdata": 4}]) is None


def test_turns_without_a_score_stand_beneath_the_others_and_say_why() -> None:
    levels = np.array([2.0, np.nan, 0.0, np.nan])
    some = replace(
        gate_decisions([2.0, 0.0, 0.0, 0.0]),
        kept=np.array([True, False, False, False]),
        scores=1 / (1 + np.exp(-levels)),
        **dict.fromkeys(("logits", "tier1", "attention"), levels),
        told=lambda index: Why("greeting", "a greeting.", how="by the gatekeeper"),
    )
    fig = scores_figure(some, labels=words(4), palette=LIGHT, show_tiers=True, selected=1)
    dropped, (low, _) = trace(fig, "dropped"), fig.layout.yaxis.range
    assert turns_of(fig, "dropped") == [1, 2, 3]
    assert low < dropped.y[0] == dropped.y[2] < dropped.y[1] == 0.5
    assert "Dropped by the gatekeeper: a greeting." in dropped.hovertext[0]
    assert [note.text for note in fig.layout.annotations if note.name == "unscored"] == ["no score"]
    assert "1 kept of 4, 2 of them without a score, scores from 0.50 to 0.88" in describe_scores(some)
