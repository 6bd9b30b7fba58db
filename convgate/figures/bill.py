"""What policies cost: a bar for each bill, with its name and figures above it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import plotly.graph_objects as go

from convgate.core.text import format_dollars, format_share
from convgate.evaluation.bill_report import BillReport, BillRow
from convgate.figures.hover import describe, plain
from convgate.figures.layout import Drawing, axis, drawing, fill
from convgate.figures.palette import LIGHT, Palette

_PARTS = {
    "read from the cache": ("forced", "/"),
    "written to the cache": ("flip", ""),
    "plain input": ("kept", ""),
}  # a role of the palette, and a pattern
_ROW = 54  # pixels
_TOP, _BOTTOM = 44, 44


def bill_figure(report: BillReport, *, palette: Palette) -> go.Figure:
    """Return a stacked bar for each policy, its name, bill and change from sending everything above it."""
    rows = report.rows
    longest = max((row.cost for row in rows), default=0) or 1.0
    xaxis = axis(palette, "USD", range=[0, 1.01 * longest], tickprefix="$", nticks=6)
    fig = _draw_names([(row.policy, _label(row)) for row in rows], xaxis, palette)
    fig.update_layout(uniformtext={"minsize": 11, "mode": "hide"}, legend={"traceorder": "normal"})
    costs = [row.costs_of_parts(report.price) for row in rows]
    for place, (name, (role, pattern)) in enumerate(_PARTS.items()):
        if not any(parts[place] for parts in costs):
            continue
        ink = palette.background if role == "kept" else LIGHT.ink
        texts = [
            format_dollars(parts[place]) if 0 < parts[place] < sum(parts) else "" for parts in costs
        ]  # one that is the whole bill stands above the bar
        fig.add_bar(
            orientation="h", x=[parts[place] for parts in costs], y=list(range(len(rows))), width=0.46,
            name=name, marker=fill(getattr(palette, role), pattern, LIGHT.ink),
            text=texts, textposition="inside", insidetextanchor="middle", textangle=0,
            insidetextfont={"color": ink, "size": 12}, hoverinfo="text",
            hovertext=[
                f"<b>{plain(row.policy)}</b><br>{format_dollars(parts[place])} {name}"
                for row, parts in zip(rows, costs, strict=True)
            ],
        )  # fmt: skip
    return fig.figure()


def _draw_names(labels: Sequence[tuple[str, str]], xaxis: Mapping[str, Any], palette: Palette) -> Drawing:
    """Return a drawing with room for a bar for each label, its name and figures above it."""
    height = _TOP + _BOTTOM + _ROW * len(labels)
    fig = drawing(palette, height=height, left=8, right=16, top=_TOP)
    yaxis = axis(palette, range=[len(labels) - 0.4, -0.6], showgrid=False, showticklabels=False)
    fig.update_layout(barmode="stack", xaxis=xaxis, yaxis=yaxis)
    for level, (name, words) in enumerate(labels):
        fig.add_annotation(
            text=f"<b>{plain(name, 32)}</b> {words}", xref="paper", x=0, xanchor="left",
            y=level - 0.25, yanchor="bottom", font={"size": 13}, name="bill",
        )  # fmt: skip
    return fig


def describe_bill(report: BillReport) -> str:
    """Return the chart in words, as alternative text."""
    bills = {}
    for row in report.rows:
        parts = zip(_PARTS, row.costs_of_parts(report.price), strict=True)
        listed = ", ".join(f"{format_dollars(cost)} {name}" for name, cost in parts if cost)
        bills[row.policy] = f"{format_dollars(row.cost)} ({listed})"
    return describe("Bills of the input", bills)


def _label(row: BillRow) -> str:
    """Return a bill, its change from sending everything and the needed turns that it misses, if any."""
    parts = [format_dollars(row.cost)]
    if row.change:
        parts.append(f"{abs(row.change):.0%} {'more' if row.change > 0 else 'less'}")
    if row.missed:
        parts.append(f"misses {format_share(row.missed)}")
    return ", ".join(parts)
