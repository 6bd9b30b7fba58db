"""The relevance matrix: every turn's scores against every earlier turn."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from convgate.core.decisions import Floats
from convgate.core.text import format_number, format_threshold
from convgate.figures.hover import describe, describe_range
from convgate.figures.layout import axis, drawing, steady
from convgate.figures.palette import Palette

LIMIT = 300  # turns a side; more is neither quick nor readable


def matrix_figure(
    matrix: Floats,
    *,
    start: int,
    palette: Palette,
    threshold: float | None = None,
    selected: tuple[int, int] | None = None,
) -> go.Figure:
    """Return scores as colours: current turns downwards, earlier turns to the right.

    matrix: (n, n) with n ≤ `LIMIT`; [i, j] is the score of turn start + j for the current turn start + i,
    NaN where j is not earlier. With a threshold the scores below it are grey and those from it on blue.
    selected: (current, earlier), 0-based turn indices; its cell gets a frame, its row and column a line.
    `customdata` of each cell is [current, earlier]. Plotly selects no cells of a heatmap, so invisible marks
    above them take the clicks.

    Raises ValueError for a matrix that is not square or too large.
    """
    n = len(matrix)
    if matrix.shape != (n, n) or n > LIMIT:
        raise ValueError(f"a square matrix of at most {LIMIT} turns is drawn; got {matrix.shape}")
    low, high = _limits(matrix)
    gap = 0 if n > 60 else 1
    numbers = np.arange(start + 1, start + n + 1)
    fig = drawing(palette, height=460, left=48, right=8, top=16)
    font = {"size": 12, "color": palette.muted}
    fig.add_trace(
        {
            "type": "heatmap", "z": matrix, "x": numbers, "y": numbers, "zmin": low, "zmax": high,
            "hoverinfo": "skip", "colorscale": _scale(palette, low, high, threshold), "xgap": gap,
            "ygap": gap,
            "colorbar": {
                "title": {"text": "score", "font": font}, "thickness": 12, "tickfont": font,
                "outlinewidth": 0, "tickformat": ".2f", **_ticks(low, high, threshold),
            },
        }
    )  # fmt: skip
    hidden = {"opacity": 0}
    rows, columns = np.nonzero(~np.isnan(matrix))
    fig.add_trace(
        {
            "type": "scattergl", "x": numbers[columns], "y": numbers[rows], "mode": "markers",
            "showlegend": False, **steady(**hidden),
            "marker": {"color": matrix[rows, columns], "size": max(4, 320 // max(n, 1)), **hidden},
            # As objects they reach the browser as lists; typed rows would come back from a click as objects.
            "customdata": np.stack([rows + start, columns + start], axis=1).astype(object),
            "hovertemplate": "turn %{y}, earlier turn %{x}<br>score %{marker.color:.2f}<extra></extra>",
        }
    )  # fmt: skip
    free = {"fixedrange": False, "showgrid": False, "tickformat": "d", "ticks": ""}
    ends = [start + 0.5, start + n + 0.5]
    fig.update_layout(
        uirevision=f"{start} {n}", dragmode="zoom",
        xaxis=axis(palette, "earlier turn", range=ends, **free),
        yaxis=axis(palette, "current turn", range=ends[::-1], **free),
    )  # fmt: skip
    if selected is not None:
        current, earlier = selected
        line = {"color": palette.muted, "width": 1}
        fig.add_vline(earlier + 1, line=line, name="selected")
        fig.add_hline(current + 1, line=line, name="selected")
        for size, colour in ((17, palette.background), (14, palette.ink)):  # visible on any colour
            fig.add_scatter(
                x=[earlier + 1], y=[current + 1], mode="markers", name="selected", showlegend=False,
                hoverinfo="skip", customdata=[[current, earlier]],
                marker={"symbol": "square-open", "size": size, "color": colour, "line": {"width": 2}},
            )  # fmt: skip
    return fig.figure()


def describe_matrix(matrix: Floats, *, start: int, threshold: float | None = None) -> str:
    """Return the matrix in words."""
    scores = matrix[~np.isnan(matrix)]
    if not len(scores):
        return "There are no earlier turns to score."
    reached = None if threshold is None else f"{np.mean(scores >= threshold):.0%} of scores"
    return describe(
        f"Turns {start + 1} to {start + len(matrix)}, each as the current one against every earlier turn",
        {"scores": describe_range(scores), "threshold": threshold, "reached by": reached},
    )


def _limits(matrix: Floats) -> tuple[float, float]:
    """Return the range of the colours: that of the scores, widened to whole twentieths."""
    scores = matrix[~np.isnan(matrix)]
    if not len(scores):
        return 0.0, 1.0
    low, high = np.floor(20 * float(scores.min())) / 20, np.ceil(20 * float(scores.max())) / 20
    return float(low), float(high if high > low else low + 0.05)


def _scale(palette: Palette, low: float, high: float, threshold: float | None) -> list[tuple[float, str]]:
    """Return colours from `low` to `high`, with a break at the threshold when it lies between."""
    if threshold is None:
        return _ramp(palette.sequential, 0.0, 1.0)
    cut = min(max((threshold - low) / (high - low), 0.0), 1.0)
    below = _ramp(palette.sequential_dropped, 0.0, cut) if cut > 0 else []
    return below + (_ramp(palette.sequential[1:], cut, 1.0) if cut < 1 else [])


def _ramp(colours: tuple[str, ...], first: float, last: float) -> list[tuple[float, str]]:
    return list(zip(np.linspace(first, last, len(colours)).tolist(), colours, strict=True))


def _ticks(low: float, high: float, threshold: float | None) -> dict[str, object]:
    """Return numbers beside the colour bar: its ends, and the threshold."""
    if threshold is None or not low < threshold < high:
        return {"nticks": 6}
    values = [low, threshold, high]
    text = [format_number(low), f"<b>{format_threshold(threshold)}</b>", format_number(high)]
    return {"tickvals": values, "ticktext": text}
