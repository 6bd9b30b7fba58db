"""How alike policies decide: the share of turns that each two of them decide the same."""

from __future__ import annotations

import math
from collections.abc import Sequence

import plotly.graph_objects as go

from convgate.decisions import Floats
from convgate.figures.hover import plain
from convgate.figures.layout import axis, drawing
from convgate.figures.palette import Palette
from convgate.text import format_number, format_share

_CELL, _EDGES = 44, 76  # pixels
_LABEL = 16  # characters of a policy's name


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
    hover = [
        [
            f"{names[row]} and {names[column]}: {format_share(float(alike[row][column]))} of turns alike,"
            f" kappa {_kappa(float(kappa[row][column]))}"
            for column in range(count)
        ]
        for row in range(count)
    ]
    low, *_, high = palette.sequential
    fig.add_heatmap(
        z=shown, x=list(range(count)), y=list(range(count)), zmin=0, zmax=1, xgap=2, ygap=2,
        colorscale=[[0, low], [1, high]], showscale=False,
        hovertext=hover, hoverinfo="text",
    )  # fmt: skip
    for row in range(count):
        for column in range(count):
            if row != column:
                share = float(alike[row][column])
                # By hand: plotly's own choice of a text's colour is hard to read on a dark page.
                ink = _readable(low, high, share, (palette.ink, palette.background))
                fig.add_annotation(
                    x=column, y=row, text=_words(alike, kappa, row, column), showarrow=False,
                    font={"size": 12, "color": ink},
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
    return f"{format_share(float(alike[row][column]))}<br>κ {_kappa(float(kappa[row][column]))}"


def _readable(low: str, high: str, share: float, inks: tuple[str, str]) -> str:
    """The ink that stands out more from the colour between `low` and `high`."""
    ends = (_rgb(low), _rgb(high))
    ground = _luminance([a + share * (b - a) for a, b in zip(*ends, strict=True)])
    return max(inks, key=lambda ink: _contrast(_luminance(_rgb(ink)), ground))


def _rgb(colour: str) -> list[float]:
    return [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]


def _luminance(rgb: list[float]) -> float:
    """Relative luminance as WCAG has it."""
    red, green, blue = (one / 12.92 if one <= 0.04045 else ((one + 0.055) / 1.055) ** 2.4 for one in rgb)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _contrast(one: float, other: float) -> float:
    return (max(one, other) + 0.05) / (min(one, other) + 0.05)


def _kappa(value: float) -> str:
    return "–" if math.isnan(value) else format_number(value)
