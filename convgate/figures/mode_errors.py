"""Error rates by mode with their intervals, and the rate above which a mode is overruled."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go

from convgate.context.guardrails.report_records import ModeErrors
from convgate.figures.drawing import Drawing
from convgate.figures.hover import percent
from convgate.figures.layout import axis, drawing, mark_threshold
from convgate.figures.palette import Palette
from convgate.store.requests import Outcomes

HEIGHT = 250  # pixels
_NEWEST, _PERIOD = 0.13, -0.17  # of a mode's lane, where the marks stand


def rate_interval(outcomes: Outcomes) -> tuple[float, float]:
    """The 95% interval of an error rate by Wilson's score; 0 to 1 without any outcome.

    >>> [round(end, 3) for end in rate_interval(Outcomes(20, 0))]
    [0.0, 0.161]
    """
    from scipy.stats import binomtest

    if not outcomes.count:
        return 0.0, 1.0
    found = binomtest(outcomes.failures, outcomes.count).proportion_ci(method="wilson")
    return float(found.low), float(found.high)


def mode_errors_figure(errors: Sequence[ModeErrors], *, palette: Palette) -> go.Figure:
    """A lane a mode: filled, the newest outcomes, by which it is judged; hollow, those of the period."""
    told = [one for one in errors if one.newest.count or one.period.count]
    limit = next((one.limit for one in errors if one.limit is not None), None)
    rates = [one.rate for each in told for one in (each.newest, each.period) if one.rate is not None]
    top = min(1.0, max([0.1, *(1.5 * rate for rate in rates), 1.3 * (limit or 0)]))
    fig = drawing(palette, height=HEIGHT, left=110, right=24, top=58)
    lanes = {one.mode: len(errors) - 1 - place for place, one in enumerate(errors)}
    fig.update_layout(
        hovermode="closest",
        xaxis=axis(palette, "failed", range=[-0.03 * top, top], tickformat=".0%", nticks=6),
        yaxis=axis(
            palette, range=[-0.6, len(errors) - 0.4], showgrid=False, tickvals=list(lanes.values()),
            ticktext=list(lanes),
        ),
    )  # fmt: skip
    _add_rates(
        fig, [(lanes[one.mode] + _PERIOD, one.mode, one.period) for one in told], "this period",
        palette.dropped, "circle-open",
    )  # fmt: skip
    _add_rates(
        fig, [(lanes[one.mode] + _NEWEST, one.mode, one.newest) for one in told], "the newest, judged by",
        palette.kept, "circle",
    )  # fmt: skip
    if limit is not None:
        mark_threshold(fig, limit, f"limit {percent(limit)}", palette, across="x")
    return fig.figure()


def describe_mode_errors(errors: Sequence[ModeErrors]) -> str:
    """The chart in a few sentences, for people who do not see it."""
    told = [
        f"{one.mode}: {one.newest.failures:,} of the newest {one.newest.count:,} failed."
        for one in errors
        if one.newest.count
    ]
    return " ".join(told) or "No outcomes were told."


def _add_rates(
    fig: Drawing, rates: Sequence[tuple[float, str, Outcomes]], name: str, colour: str, symbol: str
) -> None:
    known = [(y, mode, one, one.rate, rate_interval(one)) for y, mode, one in rates if one.rate is not None]
    fig.add_scatter(
        x=[rate for *_, rate, _ in known] or [None], y=[y for y, *_ in known] or [None], mode="markers",
        name=name, hoverinfo="text", marker={"symbol": symbol, "size": 10, "color": colour,
                                             "line": {"width": 1.5, "color": colour}},
        error_x={
            "type": "data", "array": [high - rate for *_, rate, (_, high) in known],
            "arrayminus": [rate - low for *_, rate, (low, _) in known], "color": colour, "thickness": 1.5,
            "width": 3,
        },
        hovertext=[
            f"<b>{mode}</b>, {name}<br>{percent(rate)} failed: {one.failures:,} of {one.count:,}"
            f"<br>95% interval {percent(low)} to {percent(high)}"
            for _, mode, one, rate, (low, high) in known
        ],
    )  # fmt: skip
