"""What a threshold would do on labelled turns, at every place it could have."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from convgate.decisions import Floats
from convgate.evaluation.curves import ThresholdCurve
from convgate.figures.drawing import Drawing
from convgate.figures.layout import axis, drawing, mark_threshold, steady
from convgate.figures.palette import Palette
from convgate.text import format_number

_POINTS = 1_000  # of a line; more cannot be seen
_CLICKED = 300  # of a line whose points are marks, too
# Only marks can be clicked, so lines that can be have some that nobody sees.
_UNSEEN = steady(opacity=0) | {"marker": {"size": 8, "opacity": 0, "color": "rgba(0,0,0,0)"}}


def threshold_curve_figure(
    curve: ThresholdCurve,
    *,
    palette: Palette,
    current: float | None = None,
    beta: float = 1.0,
    current_name: str = "now",
    best: int | None = None,
    parameter: str = "threshold",
    picks: bool = False,
) -> go.Figure:
    """Precision, recall, F-beta and the share of turns kept, by threshold.

    `current` is the threshold in use, drawn as the threshold line with the trusted text `current_name`; a
    star marks the row `best`, the one of the best F-beta unless given. `parameter` names the x axis when it
    is no threshold. With `picks` points can be clicked; their `customdata` is their row in the curve.
    """
    rows = _thinned(len(curve), _CLICKED if picks else _POINTS)
    low, high = _limits(curve.thresholds)
    mode, marks = ("lines+markers", _UNSEEN) if picks else ("lines", {})
    fig = drawing(palette, height=310, top=64)
    for name, values, colour, dash, width in (
        ("precision", curve.precision, palette.tier1, "solid", 2),
        ("recall", curve.recall, palette.tier2, "dash", 2),
        (_f_name(beta), curve.f_beta(beta), palette.ink, "solid", 2.5),
        ("turns kept", curve.kept_share, palette.dropped, "dot", 2),
    ):
        fig.add_scatter(
            x=curve.thresholds[rows], y=values[rows], mode=mode, name=name, customdata=rows.tolist(),
            line={"color": colour, "dash": dash, "width": width}, **marks,
            hovertemplate=f"{name} %{{y:.2f}}<extra></extra>",
        )  # fmt: skip
    best = curve.best(beta) if best is None else best
    if best is not None:
        _add_star(fig, float(curve.thresholds[best]), float(curve.f_beta(beta)[best]), best, palette)
    fig.update_layout(
        hovermode="x unified", uirevision="threshold",
        xaxis=axis(palette, parameter, range=[low, high], hoverformat=".2f"),
        yaxis=axis(palette, range=[-0.02, 1.04], tickformat=".0%", dtick=0.25),
    )  # fmt: skip
    if current is not None:
        mark_threshold(fig, current, f"{current_name} <b>{format_number(current)}</b>", palette, across="x")
    return fig.figure()


def precision_recall_figure(
    curve: ThresholdCurve,
    *,
    palette: Palette,
    current: float | None = None,
    beta: float = 1.0,
    current_name: str = "now",
    best: int | None = None,
    parameter: str = "threshold",
    others: Mapping[str, tuple[float, float]] | None = None,
    picks: bool = False,
) -> go.Figure:
    """Precision over recall, with the best F-beta, or the row `best`, and the threshold in use marked.

    others: further marks, recall and precision by trusted name. `parameter` is what the number of a point
    is. With `picks` points can be clicked; their `customdata` is their row in the curve.
    """
    rows = _thinned(len(curve), _CLICKED if picks else _POINTS)
    mode, marks = ("lines+markers", _UNSEEN) if picks else ("lines", {})
    rows = rows[~np.isnan(curve.precision[rows]) & ~np.isnan(curve.recall[rows])]
    fig = drawing(palette, height=300, top=36)
    fig.add_scatter(
        x=curve.recall[rows], y=curve.precision[rows], mode=mode, name="precision over recall",
        line={"color": palette.kept, "width": 2}, customdata=rows.tolist(), showlegend=False, **marks,
        text=[format_number(float(value)) for value in curve.thresholds[rows]],
        hovertemplate=f"{parameter} %{{text}}<br>precision %{{y:.2f}}, recall %{{x:.2f}}<extra></extra>",
    )  # fmt: skip
    best = curve.best(beta) if best is None else best
    if best is not None:
        _add_star(fig, float(curve.recall[best]), float(curve.precision[best]), best, palette)
    for name, (recall, precision) in (others or {}).items():
        fig.add_scatter(
            x=[recall], y=[precision], mode="markers", name=name, hoverinfo="name",
            marker={"symbol": "square-open", "size": 11, "color": palette.dropped, "line": {"width": 2}},
        )  # fmt: skip
    if current is not None and (row := _row_at(curve, current)) is not None:
        fig.add_scatter(
            x=[curve.recall[row]], y=[curve.precision[row]], mode="markers",
            name=f"{current_name}: {parameter} {format_number(current)}", customdata=[row], hoverinfo="name",
            marker={"symbol": "diamond", "size": 12, "color": palette.threshold},
        )  # fmt: skip
    fig.update_layout(
        hovermode="closest",
        xaxis=axis(palette, "recall", range=[-0.02, 1.04], tickformat=".0%", dtick=0.25),
        yaxis=axis(palette, "precision", range=[-0.02, 1.04], tickformat=".0%", dtick=0.25),
    )
    return fig.figure()


def describe_curve(curve: ThresholdCurve, *, current: float | None = None, beta: float = 1.0) -> str:
    """Either chart in a sentence or two."""
    if not len(curve):
        return "There are no labelled turns yet."
    told = []
    if (best := curve.best(beta)) is None:
        told.append("No labelled turn is relevant, so recall is not defined.")
    else:
        told.append(f"Best {_f_name(beta)} {_at(curve, best, beta)}.")
    if current is not None and (row := _row_at(curve, current)) is not None:
        told.append(f"Now {_at(curve, row, beta, threshold=current)}.")
    return " ".join(told)


def _at(curve: ThresholdCurve, row: int, beta: float, *, threshold: float | None = None) -> str:
    place = float(curve.thresholds[row]) if threshold is None else threshold
    return (
        f"{format_number(float(curve.f_beta(beta)[row]))} at threshold {format_number(place)} (precision"
        f" {format_number(float(curve.precision[row]))}, recall {format_number(float(curve.recall[row]))},"
        f" {curve.kept_share[row]:.0%} of turns kept)"
    )


def _add_star(fig: Drawing, x: float, y: float, row: int, palette: Palette) -> None:
    fig.add_scatter(
        x=[x], y=[y], mode="markers", name="best", customdata=[row], hoverinfo="skip",
        marker={"symbol": "star", "size": 14, "color": palette.ink},
    )  # fmt: skip


def _row_at(curve: ThresholdCurve, threshold: float) -> int | None:
    """The row whose metrics a threshold has: the first at or above it; None beyond the last."""
    row = int(np.searchsorted(curve.thresholds, threshold))
    return row if row < len(curve) else None


def _thinned(count: int, most: int = _POINTS) -> NDArray[np.int64]:
    return np.unique(np.linspace(0, count - 1, min(count, most)).astype(np.int64))


def _limits(thresholds: Floats) -> tuple[float, float]:
    low, high = (float(thresholds[0]), float(thresholds[-1])) if len(thresholds) else (0.0, 1.0)
    if low >= 0 and high <= 1:
        return 0.0, 1.0
    return (low, high) if high > low else (low - 0.5, high + 0.5)


def _f_name(beta: float) -> str:
    return f"F{beta:g}"
