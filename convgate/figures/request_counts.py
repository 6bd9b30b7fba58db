"""Requests over time: what fell back and why, tokens that were sent and saved, and how long building took."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import plotly.graph_objects as go

from convgate.context.guardrails.report_records import Bin
from convgate.context.request import Cause
from convgate.figures.drawing import Drawing
from convgate.figures.hover import percent
from convgate.figures.layout import axis
from convgate.figures.over_time import Frame, extent, middle, time_drawing, width
from convgate.figures.palette import LIGHT, Palette

CAUSES: Mapping[Cause, str] = {"drift": "drift", "errors": "errors of the mode", "breach": "a breach"}
"""Why GENERAL or the baseline context was given, in words."""

_LATENCIES = (("p50", "solid"), ("p95", "dash"), ("p99", "dot"))


def fallbacks_figure(bins: Sequence[Bin], frame: Frame, *, palette: Palette) -> go.Figure:
    """Requests that fell back by cause, stacked; a cross is where invariants were missing."""
    fig = time_drawing(frame, palette)
    fig.update_layout(
        barmode="stack", bargap=0, margin={"r": 16},
        yaxis=axis(palette, "requests", rangemode="tozero", tickformat=",d", nticks=4),
    )  # fmt: skip
    looks: dict[Cause, tuple[str, str]] = {
        "drift": (palette.flip, ""), "errors": (palette.tier2, "/"), "breach": (palette.threshold, "x"),
    }  # fmt: skip
    for cause, look in looks.items():
        chosen = [one for one in bins if one.totals.by_cause[cause]]
        counts = [one.totals.by_cause[cause] for one in chosen]
        _add_bars(fig, chosen, counts, CAUSES[cause], look, "requests by")
    broken = [one for one in bins if one.totals.breaches]
    if broken:
        fig.add_scatter(
            x=[middle(one.start, one.end) for one in broken], y=[one.totals.breaches for one in broken],
            mode="markers", name="invariants missing", hoverinfo="text",
            hovertext=[
                f"{one.totals.breaches:,} missing, and put back<br>{extent(one.start, one.end)}"
                for one in broken
            ],
            marker={"symbol": "x-thin", "size": 9, "line": {"width": 2, "color": palette.ink}},
        )  # fmt: skip
    if not any(one.totals.fallbacks or one.totals.breaches for one in bins):
        fig.update_layout(showlegend=False, yaxis={"range": [0, 1], "showticklabels": False})
        fig.add_annotation(
            text="none", showarrow=False, name="nothing", xref="paper", x=0.5, yref="paper", y=0.5,
            font={"size": 13, "color": palette.muted},
        )  # fmt: skip
    return fig.figure()


def tokens_figure(bins: Sequence[Bin], frame: Frame, *, palette: Palette) -> go.Figure:
    """Tokens that were sent, filled, and those that were not, above them."""
    fig = time_drawing(frame, palette)
    fig.update_layout(
        barmode="relative", bargap=0, margin={"r": 16},
        yaxis=axis(palette, "tokens", rangemode="tozero", nticks=4),
    )  # fmt: skip
    filled = [one for one in bins if one.totals.requests]
    sent, saved = [one.totals.tokens for one in filled], [one.totals.tokens_saved for one in filled]
    _add_bars(fig, filled, sent, "sent", (palette.kept, ""), "tokens")
    _add_bars(fig, filled, saved, "saved", (palette.grid, ""), "tokens")
    return fig.figure()


def latency_figure(bins: Sequence[Bin], frame: Frame, *, palette: Palette) -> go.Figure:
    """Percentiles of the milliseconds that building a context took, as three lines."""
    fig = time_drawing(frame, palette)
    fig.update_layout(
        margin={"r": 16}, hovermode="x unified", yaxis=axis(palette, "ms", rangemode="tozero", nticks=4)
    )
    colours = {"p50": palette.kept, "p95": palette.tier2, "p99": palette.threshold}
    for name, dash in _LATENCIES:
        fig.add_scatter(
            x=[middle(one.start, one.end) for one in bins] or [None],
            y=[_milliseconds(one, name) for one in bins] or [None],
            mode="lines+markers", name=name, connectgaps=False,
            hovertemplate=f"{name} %{{y:,.1f}} ms<extra></extra>",
            line={"color": colours[name], "dash": dash, "width": 1.75}, marker={"size": 4},
        )  # fmt: skip
    return fig.figure()


def describe_counts(bins: Sequence[Bin]) -> dict[str, str]:
    """The three charts in words, for people who do not see them: "fallbacks", "tokens", "latency"."""
    causes = {cause: sum(one.totals.by_cause[cause] for one in bins) for cause in CAUSES}
    fell = ", ".join(f"{count:,} by {CAUSES[cause]}" for cause, count in causes.items() if count)
    broken = sum(one.totals.breaches for one in bins)
    sent, total = (sum(getattr(one.totals, name) for one in bins) for name in ("tokens", "tokens_total"))
    slow = [one.totals.latency for one in bins if one.totals.latency is not None]
    saved = (
        f"{sent:,} of {total:,} tokens were sent, {percent(1 - sent / total)} saved."
        if total
        else "No tokens."
    )
    return {
        "fallbacks": f"Requests that fell back: {fell or 'none'}. Invariants that were missing: {broken:,}.",
        "tokens": saved,
        "latency": "No requests."
        if not slow
        else f"Building took {1000 * max(one.p50 for one in slow):,.1f} ms at the median of the slowest time,"
        f" and {1000 * max(one.p99 for one in slow):,.1f} ms at its 99th percentile.",
    }


def _milliseconds(one: Bin, percentile: str) -> float | None:
    return None if one.totals.latency is None else 1000 * float(getattr(one.totals.latency, percentile))


def _add_bars(
    fig: Drawing, bins: Sequence[Bin], values: Sequence[int], name: str, look: tuple[str, str], unit: str
) -> None:
    colour, pattern = look
    fig.add_bar(
        x=[middle(one.start, one.end) for one in bins] or [None], y=list(values) or [None],
        width=[width(one.start, one.end) for one in bins] or [1], name=name, showlegend=bool(bins),
        hoverinfo="text",
        hovertext=[
            f"<b>{value:,}</b> {unit} {name}<br>{extent(one.start, one.end)}"
            for value, one in zip(values, bins, strict=True)
        ],
        marker={
            "color": colour, "line": {"width": 0},
            "pattern": {
                "shape": pattern, "fillmode": "overlay", "fgcolor": LIGHT.ink, "fgopacity": 0.35, "size": 6,
                "solidity": 0.2,
            },
        },
    )  # fmt: skip
