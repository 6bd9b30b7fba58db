"""How alike policies decide: the share of turns that each two of them decide the same."""

from __future__ import annotations

import math
from collections.abc import Sequence

import plotly.graph_objects as go

from convgate.decisions import Floats
from convgate.figures.hover import number, percent, plain
from convgate.figures.layout import axis, drawing
from convgate.figures.palette import Palette

_CELL, _EDGES = 44, 76  # pixels
_LABEL = 14  # characters of a policy's name


def agreement_height(policies: int) -> int:
    """The figure's height in pixels."""
    return _EDGES + _CELL * policies


def agreement_figure(alike: Floats, kappa: Floats, *, labels: Sequence[str], palette: Palette) -> go.Figure:
    """A cell for each two policies: the share of turns decided alike, and below it Cohen's kappa.

    alike, kappa: (p, p) symmetric, alike 0…1, kappa at most 1 and NaN where it is not defined. labels: one
    each, untrusted. What stands on the diagonal is alike anyway and is left empty.
    """
    names = [plain(label, _LABEL) for label in labels]
    count = len(names)
    fig = drawing(
        palette,
        height=agreement_height(count),
        left=30 + 7 * max(map(len, names), default=0),
        right=12,
        top=12,
    )
    shown = [
        [None if row == column else float(alike[row][column]) for column in range(count)]
        for row in range(count)
    ]
    words = [[_words(alike, kappa, row, column) for column in range(count)] for row in range(count)]
    hover = [
        [
            f"{names[row]} and {names[column]}: {percent(float(alike[row][column]))} of turns alike,"
            f" kappa {_kappa(float(kappa[row][column]))}"
            for column in range(count)
        ]
        for row in range(count)
    ]
    low, *_, high = palette.sequential
    fig.add_heatmap(
        z=shown, x=list(range(count)), y=list(range(count)), zmin=0, zmax=1, xgap=2, ygap=2,
        colorscale=[[0, low], [1, high]], showscale=False, text=words, texttemplate="%{text}",
        hovertext=hover, hoverinfo="text", textfont={"size": 12},
    )  # fmt: skip
    ticks = list(range(count))
    fig.update_layout(
        xaxis=axis(palette, tickvals=ticks, ticktext=[str(place + 1) for place in ticks], showgrid=False),
        yaxis=axis(
            palette, autorange="reversed", tickvals=ticks, showgrid=False,
            ticktext=[f"{name}  <b>{place + 1}</b>" for place, name in enumerate(names)],
        ),
        showlegend=False,
    )  # fmt: skip
    return fig.figure()


def _words(alike: Floats, kappa: Floats, row: int, column: int) -> str:
    if row == column:
        return ""
    return f"{percent(float(alike[row][column]))}<br>κ {_kappa(float(kappa[row][column]))}"


def _kappa(value: float) -> str:
    return "–" if math.isnan(value) else number(value)
