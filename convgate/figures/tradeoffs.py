"""What policies reach and what it takes: lines for any threshold on their scores, marks for their choices."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import cycle
from typing import Any

import numpy as np
import plotly.graph_objects as go

from convgate.evaluation.curves import ThresholdCurve
from convgate.evaluation.results import Summary
from convgate.figures.drawing import Drawing
from convgate.figures.hover import plain
from convgate.figures.layout import axis, drawing
from convgate.figures.palette import Palette
from convgate.text import format_number

_POINTS = 400  # of a line; several share the figure
_DASHES = ("solid", "dash", "dot", "dashdot")
_SYMBOLS = ("diamond", "square", "triangle-up", "circle", "cross", "x", "triangle-down", "star")


def recall_over_tokens_figure(
    curves: Mapping[str, ThresholdCurve], choices: Mapping[str, Summary], *, palette: Palette
) -> go.Figure:
    """Recall over the share of the full history's tokens that is kept.

    curves: by policy, each a line. choices: what policies keep by their own rules, each a mark; a curve and a
    choice of one name share their colour. The thin grey line is what turns drawn by lot would reach.
    """
    fig = _tradeoff(curves, choices, palette, x="kept_token_share", y="recall")
    fig.add_scatter(
        x=[0, 1], y=[0, 1], mode="lines", name="drawn by lot", hoverinfo="skip", showlegend=False,
        line={"color": palette.dropped, "dash": "dot", "width": 1}, zorder=-len(fig.traces) - 1,
    )  # fmt: skip
    fig.update_layout(
        xaxis={"title": {"text": "tokens kept, of the full history"}}, yaxis={"title": {"text": "recall"}}
    )
    return fig.figure()


def precision_over_recall_figure(
    curves: Mapping[str, ThresholdCurve], choices: Mapping[str, Summary], *, palette: Palette
) -> go.Figure:
    """Precision over recall; arguments as in `recall_over_tokens_figure`."""
    fig = _tradeoff(curves, choices, palette, x="recall", y="precision")
    fig.update_layout(xaxis={"title": {"text": "recall"}}, yaxis={"title": {"text": "precision"}})
    return fig.figure()


def _tradeoff(
    curves: Mapping[str, ThresholdCurve], choices: Mapping[str, Summary], palette: Palette, *, x: str, y: str
) -> Drawing:
    """Lines and marks on two metrics, which are columns of the curves too; the first policy is on top."""
    fig = drawing(palette, height=400, top=84)
    colours = (
        palette.kept, palette.threshold, palette.forced, palette.tier2, palette.ink, palette.flip,
        palette.tier1, palette.dropped,
    )  # fmt: skip
    looks = zip(cycle(colours), cycle(_DASHES), cycle(_SYMBOLS), strict=False)
    names = dict.fromkeys([*curves, *choices])
    for place, (name, (colour, dash, symbol)) in enumerate(zip(names, looks, strict=False)):
        if name in curves:
            line = {"color": colour, "dash": dash, "width": 2}
            fig.add_scatter(**_line(name, curves[name], x, y, line), zorder=-place - 1)
        if name in choices:
            marker = {
                "color": colour, "symbol": symbol, "size": 11,
                "line": {"color": palette.background, "width": 1},
            }  # fmt: skip
            fig.add_scatter(**_mark(name, choices[name], x, y, marker), showlegend=name not in curves)
    fig.update_layout(hovermode="closest")
    for part in ("xaxis", "yaxis"):
        fig.update_layout(**{part: axis(palette, "", range=[-0.02, 1.04], tickformat=".0%", dtick=0.25)})
    return fig


def _line(name: str, curve: ThresholdCurve, x: str, y: str, line: Mapping[str, object]) -> dict[str, Any]:
    told, across, up = plain(name), getattr(curve, x), getattr(curve, y)
    rows = np.flatnonzero(~np.isnan(across) & ~np.isnan(up))
    rows = rows[np.unique(np.linspace(0, len(rows) - 1, min(len(rows), _POINTS)).astype(np.int64))]
    return {
        "x": across[rows], "y": up[rows], "mode": "lines", "name": told, "legendgroup": told, "line": line,
        "text": [format_number(float(threshold)) for threshold in curve.thresholds[rows]],
        "hovertemplate": f"{told}, threshold %{{text}}: %{{y:.0%}} at %{{x:.0%}}<extra></extra>",
    }  # fmt: skip


def _mark(name: str, choice: Summary, x: str, y: str, marker: Mapping[str, object]) -> dict[str, Any]:
    told = plain(name)
    return {
        "x": [choice[x].value], "y": [choice[y].value], "mode": "markers", "name": told,
        "legendgroup": told, "marker": marker,
        "hovertemplate": f"{told}, its own choice: %{{y:.0%}} at %{{x:.0%}}<extra></extra>",
    }  # fmt: skip
