"""Lines of metrics: over thresholds, and policies against each other."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import cycle
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from convgate.core.text import format_number
from convgate.evaluation.curves import ThresholdCurve
from convgate.evaluation.metrics import BUDGETS
from convgate.evaluation.results import Summary
from convgate.figures.hover import plain
from convgate.figures.layout import (
    TRANSPARENT,
    add_line,
    axis,
    drawing,
    mark_threshold,
    score_range,
    share_axis,
    steady,
)
from convgate.figures.palette import Palette

MAX_LABELLED = 3
"""Policies that are labelled beside their marks; more have a legend."""

_MAX_POINTS = 300  # of a line
_DASHES = ("solid", "dash", "dot", "dashdot")
_SYMBOLS = ("diamond", "square", "triangle-up", "circle", "cross", "x", "triangle-down", "star")

# Plotly takes clicks on marks only, so a line that can be clicked has invisible ones.
_CLICKABLE: dict[str, Any] = {
    "mode": "lines+markers", "marker": {"size": 8, "opacity": 0, "color": TRANSPARENT}, **steady(opacity=0),
}  # fmt: skip


def threshold_curve_figure(
    curve: ThresholdCurve,
    *,
    current: float | None,
    best: int | None,
    parameter: str,
    palette: Palette,
) -> go.Figure:
    """Return precision, recall, F1 and the share of tokens kept, by threshold; points can be clicked.

    current: the new threshold. best: the row of the curve with a star. parameter: title of the x axis.
    `customdata` of a point is its row in the curve.
    """
    rows = _thin(np.arange(len(curve)))
    fig = drawing(palette, height=310, top=64)
    for name, values, look in (
        ("precision", curve.precision, (palette.series[1], "solid")),
        ("recall", curve.recall, (palette.series[2], "dash")),
        ("F1", curve.f_beta(1), (palette.ink, "solid")),
        ("tokens kept", curve.kept_token_share, (palette.kept, "dot")),
    ):
        add_line(
            fig, name, curve.thresholds[rows], values[rows], look, hover=f"{name} %{{y:.2f}}",
            customdata=rows.tolist(), **_CLICKABLE,
        )  # fmt: skip
    if best is not None:
        fig.add_scatter(
            x=[curve.thresholds[best]], y=[curve.f_beta(1)[best]], mode="markers", name="best",
            customdata=[best], hoverinfo="skip",
            marker={"symbol": "star", "size": 14, "color": palette.ink},
        )  # fmt: skip
    low, high = score_range(curve.thresholds)
    ends = [0.0, 1.0] if low >= 0 and high <= 1 else [low, high]
    fig.update_layout(
        hovermode="x unified", uirevision="threshold", yaxis=share_axis(palette),
        xaxis=axis(palette, parameter, range=ends, hoverformat=".2f"),
    )  # fmt: skip
    if current is not None:
        mark_threshold(fig, current, f"new <b>{format_number(current)}</b>", palette, across="x")
    return fig.figure()


def answers_over_tokens_figure(
    policies: Mapping[str, Summary], attainable: Mapping[str, float | None], *, palette: Palette
) -> go.Figure:
    """Return the share of the cases with all needed turns sent, over the share of the tokens sent.

    policies: by name, the first on top; each is a mark by its own rule and, where it ranks, a line over the
    budgets. attainable: by budget, the thin grey line.
    """
    is_labelled = len(policies) <= MAX_LABELLED
    fig = drawing(palette, height=360, top=16 if is_labelled else 84)
    looks = zip(cycle(palette.series), cycle(_DASHES), cycle(_SYMBOLS), strict=False)
    for place, ((name, summary), (colour, dash, symbol)) in enumerate(
        zip(policies.items(), looks, strict=False)
    ):
        label = plain(name)
        shares = [summary[f"answerable@{budget:.0%}"].value for budget in BUDGETS]
        if is_ranked := None not in shares:
            add_line(
                fig, label, [0, *BUDGETS], [0, *shares], (colour, dash), legendgroup=label, zorder=-place - 1,
                showlegend=not is_labelled, hover=f"{label}, a budget of %{{x:.0%}}: %{{y:.0%}}",
            )  # fmt: skip
        outline = {"color": palette.background, "width": 1}
        x, y = summary["kept_token_share"].value, summary["answerable"].value
        fig.add_scatter(
            x=[x], y=[y], name=label, legendgroup=label, showlegend=not (is_ranked or is_labelled),
            mode="markers+text" if is_labelled else "markers", text=[f"<b>{label}</b>"], cliponaxis=False,
            textposition="middle left" if (x or 0) > 0.5 else "middle right", textfont={"color": palette.ink},
            marker={"color": colour, "symbol": symbol, "size": 11, "line": outline},
            hovertemplate=f"{label}, by its own rule: %{{y:.0%}} at %{{x:.0%}}<extra></extra>",
        )  # fmt: skip
    if attainable and None not in attainable.values():
        name = "attainable with whole turns"
        add_line(
            fig, name, [0, *BUDGETS], [0, *attainable.values()], (palette.dropped, "dot"), width=1,
            zorder=-len(policies) - 1, showlegend=not is_labelled,
            hover="attainable with %{x:.0%}: %{y:.0%}",
        )  # fmt: skip
        if is_labelled:
            fig.add_annotation(
                x=BUDGETS[-1], y=list(attainable.values())[-1], text=name, xanchor="left", xshift=4,
                font={"size": 12, "color": palette.muted},
            )  # fmt: skip
    fig.update_layout(
        xaxis=share_axis(palette, "tokens sent, of the full history"),
        yaxis=share_axis(palette, "all needed turns sent"),
    )
    return fig.figure()


def _thin(rows: NDArray[np.integer]) -> NDArray[np.integer]:
    """Return at most `_MAX_POINTS` of the rows, evenly spread, with both ends."""
    return rows[np.unique(np.linspace(0, len(rows) - 1, min(len(rows), _MAX_POINTS)).astype(np.int64))]
