"""The monitor's pictures: modes beside the baseline, levels with their limits, counts, errors by mode."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

import pytest

from convgate.context.budgets import SECTIONS
from convgate.context.guardrails.report import Bin, ModeErrors, Totals
from convgate.context.mode import MODES
from convgate.figures.levels import Level, Point, describe_level, level_figure
from convgate.figures.over_time import Episode, Frame, extent
from convgate.figures.palette import DARK, LIGHT, Palette
from convgate.figures.requests import (
    describe_mode_errors,
    describe_requests,
    fallbacks_figure,
    latency_figure,
    mode_errors_figure,
    mode_shares_figure,
    rate_interval,
    tokens_figure,
)
from convgate.store.requests import Outcomes

NINE = datetime(2026, 3, 5, 9)
HOUR = timedelta(hours=1)
FRAME = Frame(NINE, NINE + 4 * HOUR, [Episode(NINE + HOUR, NINE + 2 * HOUR, "all as GENERAL")])
BASELINE = {"TASK": 60, "DEBUGGING": 40}


def totals(classified: Mapping[str, int], **other: Any) -> Totals:
    requests = sum(classified.values())
    values: dict[str, Any] = {
        "requests": requests,
        "classified": {mode: classified.get(mode, 0) for mode in MODES},
        "applied": {mode: classified.get(mode, 0) for mode in MODES},
        "judged": requests,
        "unsure": 0,
        "fallbacks": 0,
        "by_cause": {"drift": 0, "errors": 0, "breach": 0},
        "breaches": 0,
        "over_budget": 0,
        "tokens": (10 * requests,) * len(SECTIONS),
        "tokens_total": 100 * requests,
        "outcomes": 0,
        "successes": 0,
        "latency": (0.01, 0.02, 0.04) if requests else None,
    }
    return Totals(**(values | other))


BINS = (
    Bin(NINE, NINE + HOUR, totals({"TASK": 30, "DEBUGGING": 10}), 0.02),
    Bin(NINE + HOUR, NINE + 2 * HOUR, totals({}), None),
    Bin(
        NINE + 2 * HOUR,
        NINE + 3 * HOUR,
        totals(
            {"DEBUGGING": 4},
            fallbacks=3,
            by_cause={"drift": 3, "errors": 0, "breach": 1},
            breaches=2,
        ),
        0.2,
    ),
)


def traces(fig: Any) -> dict[str, Any]:
    return {one.name: one for one in fig.data}


def names(fig: Any, kind: str) -> list[str]:
    return [one.text for one in fig.layout.annotations if one.name == kind]


@pytest.mark.parametrize("palette", [LIGHT, DARK])
def test_modes_are_shares_of_each_bin_and_pale_where_requests_are_few(palette: Palette) -> None:
    fig = mode_shares_figure(BINS, BASELINE, FRAME, palette=palette)
    task, debugging = traces(fig)["T TASK"], traces(fig)["D DEBUGGING"]
    assert (task.y, debugging.y) == ((0.75, 0.0), (0.25, 1.0)), "an empty bin has no bar"
    assert task.x == ("2026-03-05 09:30:00.000", "2026-03-05 11:30:00.000")
    assert task.width == (3_600_000, 3_600_000)
    assert task.marker.opacity[0] == 1 > task.marker.opacity[1]
    assert "<b>TASK</b> 75%<br>30 of 40 requests" in task.hovertext[0]
    beside = traces(fig)["baseline TASK"]
    assert (beside.y, beside.xaxis, beside.text) == ((0.6,), "x2", ("T",))
    looks = {(one.marker.color, one.marker.pattern.shape) for one in fig.data if one.showlegend is None}
    assert len({shape for _, shape in looks}) == len(MODES), "never by colour alone"
    assert [shape.name for shape in fig.layout.shapes] == ["episode"]
    assert names(fig, "episode") == ["all as GENERAL"]
    late = Frame(NINE, NINE + 4 * HOUR, [Episode(NINE + 3 * HOUR, NINE + 4 * HOUR, "alert")])
    (words,) = mode_shares_figure(BINS, BASELINE, late, palette=palette).layout.annotations
    assert (words.x, words.xanchor) == ("2026-03-05 13:00:00.000", "right"), "within the picture"


def test_without_requests_or_a_baseline_the_picture_says_so() -> None:
    fig = mode_shares_figure([], None, FRAME, palette=DARK)
    assert fig.layout.xaxis2.ticktext == ("no baseline",)
    assert fig.layout.xaxis.range == ("2026-03-05 09:00:00.000", "2026-03-05 13:00:00.000")
    words = describe_requests(BINS, BASELINE)["modes"]
    assert "44 requests: TASK 68%" in words
    assert "baseline: TASK 60%" in words


def test_a_level_has_its_limit_its_recovery_and_gaps_where_too_little_is_known() -> None:
    points = [Point(NINE, 0.05, "300 requests"), Point(NINE + HOUR, None), Point(NINE + 2 * HOUR, 0.3)]
    level = Level("Divergence", points, 0.1, 0.05)
    fig = level_figure(level, FRAME, palette=DARK, marks=[(NINE + HOUR, "drift begins")])
    (line,) = fig.data
    assert line.y == (0.05, None, 0.3)
    assert line.connectgaps is False
    assert line.marker.symbol == ("circle", "circle", "diamond"), "above the limit"
    assert line.hovertext[0] == "<b>0.050</b><br>Thu 5 Mar, 09:00<br>300 requests"
    assert (names(fig, "threshold"), names(fig, "recovery")) == (["limit 0.1"], ["ends 0.05"])
    assert names(fig, "mark") == ["drift begins"]
    assert fig.layout.yaxis.range[1] > 0.3
    assert "1 of 2 points are above it" in describe_level(level)
    empty = Level("Unsure", [Point(NINE, None)], 0.3, 0.24, is_share=True)
    assert len(names(level_figure(empty, FRAME, palette=DARK), "nothing")) == 1


def test_fallbacks_are_counted_by_cause_with_breaches_as_crosses() -> None:
    fig = fallbacks_figure(BINS, FRAME, palette=DARK)
    found = traces(fig)
    assert (found["drift"].y, found["lost invariant"].y, found["lost invariants"].y) == ((3,), (1,), (2,))
    assert found["errors of the mode"].showlegend is False
    assert names(fallbacks_figure(BINS[:2], FRAME, palette=DARK), "nothing") == ["none"]
    assert "3 by drift, 1 by lost invariant" in describe_requests(BINS, BASELINE)["fallbacks"]


def test_tokens_and_times_stand_by_bins() -> None:
    drawn = tokens_figure(BINS, FRAME, palette=DARK)
    assert drawn.layout.xaxis.tickangle == 0, "turned, days are cut off on a phone"
    assert len(drawn.layout.xaxis.tickformatstops) == 2
    found = traces(drawn)
    assert (found["sent"].y, found["saved"].y) == ((2_400, 240), (1_600, 160))
    found = traces(latency_figure(BINS, FRAME, palette=DARK))
    assert (found["p50"].y, found["p99"].y) == ((10, None, 10), (40, None, 40))
    assert len({line.line.dash for line in found.values()}) == 3, "never by colour alone"
    words = describe_requests(BINS, None)
    assert "2,640 of 4,400 tokens were sent, 40% saved" in words["tokens"]
    assert "10.0 ms" in words["latency"]
    assert set(describe_requests([], None)) == set(words)


def test_error_rates_have_intervals_and_the_limit() -> None:
    low, high = rate_interval(Outcomes(50, 5))
    assert (round(low, 4), round(high, 4)) == (0.0435, 0.2136)
    assert rate_interval(Outcomes(0, 0)) == (0, 1)
    none = Outcomes(0, 0)
    errors = [ModeErrors(mode, none, none, 0.08, is_held=False) for mode in MODES]
    errors[0] = ModeErrors("TASK", Outcomes(100, 6), Outcomes(50, 5), 0.08, is_held=False)
    fig = mode_errors_figure(errors, palette=DARK)
    newest, period = traces(fig)["the newest, judged by"], traces(fig)["this period"]
    assert (newest.x, period.x) == ((0.1,), (0.06,))
    assert newest.error_x.array[0] == pytest.approx(high - 0.1)
    assert "<b>TASK</b>, the newest, judged by<br>10% failed: 5 of 50" in newest.hovertext[0]
    assert names(fig, "threshold") == ["limit 8.0%"]
    assert describe_mode_errors(errors) == "TASK: 5 of the newest 50 failed."


def test_a_bin_over_midnight_names_both_days() -> None:
    assert extent(NINE, NINE + 20 * HOUR) == "Thu 5 Mar, 09:00 – Fri 6 Mar, 05:00"
