"""The modes of requests over time, as shares of each bin, beside the baseline."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import plotly.graph_objects as go

from convgate.context.guardrails.report_records import Bin
from convgate.context.mode import MODES
from convgate.figures.drawing import Drawing
from convgate.figures.hover import percent
from convgate.figures.layout import axis
from convgate.figures.modes import mode_letter, mode_look
from convgate.figures.over_time import Frame, extent, middle, time_drawing, width
from convgate.figures.palette import Palette

HEIGHT = 320  # pixels
FEW = 20
"""Requests; bins with fewer are pale, for their shares mean little."""

_PALE = 0.4


def mode_shares_figure(
    bins: Sequence[Bin], baseline: Mapping[str, int] | None, frame: Frame, *, palette: Palette
) -> go.Figure:
    """Stacked shares of the modes that were found, a bar a bin; the baseline is the bar at the right."""
    fig = time_drawing(frame, palette, height=HEIGHT, top=82, filled=True)
    fig.update_layout(
        barmode="stack", bargap=0, legend={"traceorder": "normal"}, margin={"r": 16},
        xaxis={"domain": [0, 0.86], "anchor": "y"},
        yaxis=axis(palette, range=[0, 1], tickformat=".0%", nticks=5),
    )  # fmt: skip
    fig.layout["xaxis2"] = axis(
        palette, domain=[0.9, 1], range=[-0.5, 0.5], showgrid=False, tickvals=[0],
        ticktext=["baseline" if baseline else "no baseline"],
    )  # fmt: skip
    filled = [one for one in bins if one.totals.requests]
    for mode in MODES:
        look = mode_look(mode, palette)
        fill = {
            "color": look.colour, "line": {"color": palette.background, "width": 0.5},
            "pattern": {"shape": look.pattern, "fillmode": "overlay", "fgcolor": look.text,
                        "fgopacity": 0.35, "size": 7, "solidity": 0.2},
        }  # fmt: skip
        counts = [one.totals.classified[mode] for one in filled]
        fig.add_bar(
            x=[middle(one.start, one.end) for one in filled] or [None],
            y=[count / one.totals.requests for count, one in zip(counts, filled, strict=True)] or [None],
            width=[width(one.start, one.end) for one in filled] or [1], name=f"{mode_letter(mode)} {mode}",
            hoverinfo="text", marker=fill | {"opacity": [_opacity(one) for one in filled] or [1]},
            hovertext=[
                f"<b>{mode}</b> {percent(count / one.totals.requests)}<br>{count:,} of"
                f" {one.totals.requests:,} requests<br>{extent(one.start, one.end)}"
                for count, one in zip(counts, filled, strict=True)
            ],
        )  # fmt: skip
        if baseline:
            _add_baseline(fig, mode, baseline, fill, look.text)
    return fig.figure()


def describe_mode_shares(bins: Sequence[Bin], baseline: Mapping[str, int] | None) -> str:
    """The chart in a few sentences, for people who do not see it."""
    requests = sum(one.totals.requests for one in bins)
    if not requests:
        return "No requests in this time."
    found: dict[str, int] = {mode: sum(one.totals.classified[mode] for one in bins) for mode in MODES}
    told = [f"Modes of {requests:,} requests: {_shares(found)}."]
    if baseline:
        told.append(f"In the baseline: {_shares(baseline)}.")
    return " ".join(told)


def _shares(counts: Mapping[str, int]) -> str:
    total = sum(counts.values())
    return ", ".join(f"{mode} {percent(counts.get(mode, 0) / total)}" for mode in MODES)


def _opacity(one: Bin) -> float:
    return 1.0 if one.totals.requests >= FEW else _PALE


def _add_baseline(
    fig: Drawing, mode: str, baseline: Mapping[str, int], fill: Mapping[str, object], text: str
) -> None:
    total = sum(baseline.values())
    share = baseline.get(mode, 0) / total
    fig.add_bar(
        x=[0], y=[share], width=[0.9], xaxis="x2", name=f"baseline {mode}", showlegend=False, marker=fill,
        hoverinfo="text", text=[mode[0] if share > 0.05 else ""], textposition="inside", textangle=0,
        insidetextanchor="middle", insidetextfont={"color": text, "size": 12},
        hovertext=[
            f"<b>{mode}</b> {percent(share)} of the baseline<br>{baseline.get(mode, 0):,} of {total:,}"
        ],
    )  # fmt: skip
