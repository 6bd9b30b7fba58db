"""The chart of scores over turns: its marks, and that text is escaped."""

from __future__ import annotations

from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest
from hypothesis import given
from hypothesis import strategies as st

from convgate.core.decisions import Override, TurnDecisions
from convgate.figures.hover import clicked_cell, clicked_turn, plain, wrapped
from convgate.figures.palette import LIGHT
from convgate.figures.scores import scores_figure


def gate_decisions(logits: list[float], threshold: float = 0.6, start: int = 0) -> TurnDecisions:
    column = np.array(logits, dtype=np.float64)
    scores = 1 / (1 + np.exp(-column))
    return TurnDecisions(
        policy="gate",
        rule="absolute",
        indices=np.arange(start, start + len(column)),
        kept=scores >= threshold,
        why_kept="{score}, above the threshold {threshold} by {margin}.",
        why_dropped="{score}, below the threshold {threshold} by {margin}.",
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
    np.testing.assert_allclose(kept.y, FIVE.scores[[0, 3]])
    assert (kept.marker.symbol, dropped.marker.symbol) == ("circle", "circle-open")
    assert (kept.marker.color, dropped.marker.color) == (LIGHT.kept, LIGHT.dropped)


def test_forced_turns_are_green_diamonds_with_their_own_reason() -> None:
    forced = FIVE.with_overrides(
        {
            1: Override("unit", "its tool call is kept.", stage="messages", kept=True),
            3: Override("unit", "its call is not kept.", stage="messages", kept=False),
        }
    )
    fig = scores_figure(forced, labels=words(5), palette=LIGHT)
    assert turns_of(fig, "kept") == [0]
    assert turns_of(fig, "dropped") == [2, 4]
    assert turns_of(fig, "kept, not by score") == [1]
    assert turns_of(fig, "dropped, not by score") == [3]
    assert trace(fig, "kept, not by score").marker.symbol == "diamond"
    assert trace(fig, "kept, not by score").marker.color == LIGHT.forced


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
    for label in (plain(text), wrapped(text).replace("<br>", " ")):
        assert not set("<>$\n\r\t\u202e\x00") & set(label)
    assert len(wrapped("x" * 500)) < 300


def test_clicks_are_read_from_customdata_and_invalid_ones_are_ignored() -> None:
    assert clicked_turn([{"customdata": 3}, {"customdata": 5}]) == 5
    assert (
        clicked_turn([{"customdata": 3}, {}, {"customdata": "x"}, {"customdata": -1}, {"customdata": True}])
        == 3
    )
    assert clicked_cell([{"customdata": [5, 2]}, {"customdata": [1]}, {"customdata": {"0": 1}}]) == (5, 2)
    assert clicked_cell([{"customdata": 4}]) is None


@pytest.mark.parametrize("logits", [[40.0, -40.0, 0.0], [0.1, 0.05, 0.0]])
def test_no_mark_is_cut_at_the_edge_of_the_chart(logits: list[float]) -> None:
    fig = scores_figure(gate_decisions(logits), labels=words(len(logits)), palette=LIGHT)
    low, high = fig.layout.yaxis.range
    levels = [y for each in fig.data if each.name in ("kept", "dropped") for y in each.y if y is not None]
    assert len(levels) == len(logits)
    room = 0.05 * (high - low)  # half a mark
    assert low + room <= min(levels) <= max(levels) <= high - room
