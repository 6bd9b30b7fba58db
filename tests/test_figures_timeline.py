"""Lanes of decisions over turns, and how alike they are."""

from __future__ import annotations

from typing import Any

import numpy as np
import plotly.graph_objects as go

from convgate.core.decisions import TurnDecisions
from convgate.figures.palette import LIGHT
from convgate.figures.timeline import Lane, timeline_figure

LABELS = [f"user: text {index}" for index in range(6)]


def decisions(*kept: bool, start: int = 0, **columns: Any) -> TurnDecisions:
    return TurnDecisions(
        "last_k", "last_k", np.arange(start, start + len(kept)), np.array(kept), "young.", "old.", **columns
    )


def marks(fig: go.Figure, name: str) -> list[tuple[int, float]]:
    """Turn number and height of every mark of a kind."""
    return [
        (int(x), float(y))
        for trace in fig.data
        if trace.name == name
        for x, y in zip(trace.x, trace.y, strict=True)
        if x is not None
    ]


def test_each_lane_has_a_mark_for_each_turn_which_tells_the_turn() -> None:
    lanes = [Lane("Gate", decisions(True, False, True)), Lane("BM25", decisions(False, False, True), [0])]
    fig = timeline_figure(lanes, labels=LABELS, palette=LIGHT)
    assert marks(fig, "kept") == [(1, -0.42), (3, -0.42), (3, -1.42)]
    assert marks(fig, "dropped") == [(2, -0.42), (1, -1.42), (2, -1.42)]
    assert marks(fig, "flipped") == [(1, -1.42)]
    for trace in fig.data:
        if trace.x[0] is not None:
            assert list(trace.customdata) == [x - 1 for x in trace.x], "a click has to tell the turn"
    kept = next(trace for trace in fig.data if trace.name == "kept")
    assert kept.hovertext[0] == "<b>Turn 1</b> user: text 0<br>Gate<br>Kept: young."
    names = [one.text for one in fig.layout.annotations]
    assert names == ["<b>Gate</b> 2 kept", "<b>BM25</b> 1 kept · 1 flipped"]
