"""The monitor's figures: modes and baseline."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

import pytest

from convgate.figures.over_time import AlertEpisode, Frame
from convgate.figures.palette import DARK, LIGHT, Palette
from convgate.figures.requests import mode_shares_figure
from convgate.guardrails.report import Bin, Totals
from convgate.modes.budgets import SECTIONS
from convgate.modes.mode import MODES

NINE = datetime(2026, 3, 5, 9)
HOUR = timedelta(hours=1)
FRAME = Frame(NINE, NINE + 4 * HOUR, [AlertEpisode(NINE + HOUR, NINE + 2 * HOUR, "all as GENERAL")])
BASELINE = {"TASK": 60, "DEBUGGING": 40}


def totals(classified: Mapping[str, int]) -> Totals:
    n_requests, modes = sum(classified.values()), {mode: classified.get(mode, 0) for mode in MODES}
    return Totals(
        requests=n_requests, judged=n_requests, unsure=0, breaches=0, over_budget=0, tokens_total=0,
        outcomes=0, successes=0, fallbacks=0, by_cause={}, tokens=(0,) * len(SECTIONS), applied=modes,
        classified=modes, latency=None, invariant_types={},
    )  # fmt: skip


BINS = (
    Bin(NINE, NINE + HOUR, totals({"TASK": 30, "DEBUGGING": 10}), 0.02),
    Bin(NINE + HOUR, NINE + 2 * HOUR, totals({}), None),
    Bin(NINE + 2 * HOUR, NINE + 3 * HOUR, totals({"DEBUGGING": 4}), 0.2),
)


def traces(fig: Any) -> dict[str, Any]:
    return {one.name: one for one in fig.data}


def names(fig: Any, kind: str) -> list[str]:
    return [one.text for one in fig.layout.annotations if one.name == kind]


@pytest.mark.parametrize("palette", [LIGHT, DARK])
def test_modes_are_shares_of_each_bin_and_pale_where_requests_are_few(palette: Palette) -> None:
    fig = mode_shares_figure(BINS, BASELINE, FRAME, palette=palette)
    task, debugging = traces(fig)["Task"], traces(fig)["Debugging"]
    assert (task.y, debugging.y) == ((0.75, 0.0), (0.25, 1.0)), "an empty bin has no bar"
    assert task.x == ("2026-03-05 09:30:00.000", "2026-03-05 11:30:00.000")
    assert task.width == (3_600_000, 3_600_000)
    assert task.marker.opacity[0] == 1 > task.marker.opacity[1]
    assert "<b>Task</b> 75%<br>30 of 40 requests" in task.hovertext[0]
    beside = traces(fig)["baseline Task"]
    assert (beside.y, beside.xaxis, beside.text) == ((0.6,), "x2", ("T",))
    looks = {(one.marker.color, one.marker.pattern.shape) for one in fig.data if one.showlegend is None}
    assert len({shape for _, shape in looks}) == len(MODES), "never by colour alone"
    assert [shape.name for shape in fig.layout.shapes] == ["episode"]
    assert names(fig, "episode") == ["all as GENERAL"]
    late = Frame(NINE, NINE + 4 * HOUR, [AlertEpisode(NINE + 3 * HOUR, NINE + 4 * HOUR, "alert")])
    (words,) = mode_shares_figure(BINS, BASELINE, late, palette=palette).layout.annotations
    assert (words.x, words.xanchor) == ("2026-03-05 13:00:00.000", "right"), "within the picture"
