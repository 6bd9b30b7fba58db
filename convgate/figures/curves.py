"""Lines of metrics: over thresholds, policies against each other, calibration of confidence, and epochs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import cycle
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from convgate.core.text import format_number
from convgate.evaluation.curves import ThresholdCurve
from convgate.evaluation.reliability import Bin, calibration_error
from convgate.evaluation.results import Summary
from convgate.figures.drawing import Drawing
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

_MAX_POINTS = 1_000  # of a line; more cannot be seen
_MAX_CLICKED = 300  # of a line whose points can be clicked
_DASHES = ("solid", "dash", "dot", "dashdot")
_SYMBOLS = ("diamond", "square", "triangle-up", "circle", "cross", "x", "triangle-down", "star")

# Plotly takes clicks on marks only, so a line that can be clicked has invisible ones.
_CLICKABLE: dict[str, Any] = {
    "mode": "lines+markers", "marker": {"size": 8, "opacity": 0, "color": TRANSPARENT}, **steady(opacity=0),
}  # fmt: skip

Curve = Sequence[float | None]


@dataclass(frozen=True)
class CurveMarks:
    """What is marked on a threshold curve, and how it can be used."""

    current: float | None = None  # the threshold in use
    current_name: str = "now"  # trusted
    beta: float = 1.0  # of the F-beta
    best: int | None = None  # the row with a star; by default the one of the best F-beta
    parameter: str = "threshold"  # what the x axis is
    picks: bool = False  # whether points can be clicked; their `customdata` is their row in the curve

    def best_row(self, curve: ThresholdCurve) -> int | None:
        """Return the row with a star; None when no turn is relevant."""
        return curve.best(self.beta) if self.best is None else self.best


_NO_MARKS = CurveMarks()


def threshold_curve_figure(
    curve: ThresholdCurve, marks: CurveMarks = _NO_MARKS, *, palette: Palette
) -> go.Figure:
    """Return precision, recall, F-beta and the share of tokens kept, by threshold."""
    beta, current = marks.beta, marks.current
    rows = _thin(np.arange(len(curve)), _MAX_CLICKED if marks.picks else _MAX_POINTS)
    fig = drawing(palette, height=310, top=64)
    for name, values, look in (
        ("precision", curve.precision, (palette.series[1], "solid")),
        ("recall", curve.recall, (palette.series[2], "dash")),
        (f"F{beta:g}", curve.f_beta(beta), (palette.ink, "solid")),
        ("tokens kept", curve.kept_token_share, (palette.kept, "dot")),
    ):
        add_line(
            fig, name, curve.thresholds[rows], values[rows], look, hover=f"{name} %{{y:.2f}}",
            customdata=rows.tolist(), **(_CLICKABLE if marks.picks else {}),
        )  # fmt: skip
    if (row := marks.best_row(curve)) is not None:
        _add_star(fig, curve.thresholds[row], curve.f_beta(beta)[row], row, palette)
    low, high = score_range(curve.thresholds)
    ends = [0.0, 1.0] if low >= 0 and high <= 1 else [low, high]
    fig.update_layout(
        hovermode="x unified", uirevision="threshold", yaxis=share_axis(palette),
        xaxis=axis(palette, marks.parameter, range=ends, hoverformat=".2f"),
    )  # fmt: skip
    if current is not None:
        mark_threshold(
            fig, current, f"{marks.current_name} <b>{format_number(current)}</b>", palette, across="x"
        )
    return fig.figure()


def precision_recall_figure(
    curve: ThresholdCurve,
    marks: CurveMarks = _NO_MARKS,
    *,
    palette: Palette,
    others: Mapping[str, tuple[float, float]] | None = None,
) -> go.Figure:
    """Return precision over recall; others: further marks, recall and precision by trusted name."""
    current, parameter = marks.current, marks.parameter
    defined = np.flatnonzero(~np.isnan(curve.precision) & ~np.isnan(curve.recall))
    rows = _thin(defined, _MAX_CLICKED if marks.picks else _MAX_POINTS)
    fig = drawing(palette, height=300)
    add_line(
        fig, "precision over recall", curve.recall[rows], curve.precision[rows], (palette.ink, "solid"),
        hover=f"{parameter} %{{text}}<br>precision %{{y:.2f}}, recall %{{x:.2f}}",
        text=[format_number(float(value)) for value in curve.thresholds[rows]],
        customdata=rows.tolist(), showlegend=False, **(_CLICKABLE if marks.picks else {}),
    )  # fmt: skip
    if (row := marks.best_row(curve)) is not None:
        _add_star(fig, curve.recall[row], curve.precision[row], row, palette)
    for name, (recall, precision) in (others or {}).items():
        look = {"symbol": "square-open", "size": 11, "color": palette.dropped, "line": {"width": 2}}
        fig.add_scatter(x=[recall], y=[precision], mode="markers", name=name, hoverinfo="name", marker=look)
    if current is not None and (row := _row_at(curve, current)) is not None:
        fig.add_scatter(
            x=[curve.recall[row]], y=[curve.precision[row]], mode="markers", hoverinfo="name",
            name=f"{marks.current_name}: {parameter} {format_number(current)}", customdata=[row],
            marker={"symbol": "diamond", "size": 12, "color": palette.threshold},
        )  # fmt: skip
    fig.update_layout(xaxis=share_axis(palette, "recall"), yaxis=share_axis(palette, "precision"))
    return fig.figure()


def describe_curve(curve: ThresholdCurve) -> str:
    """Return the best F1 of the curve, and where it is, in a sentence."""
    if not len(curve):
        return "There are no labelled turns yet."
    if (row := curve.best(1.0)) is None:
        return "No labelled turn is relevant, so recall is not defined."
    f1, threshold, precision, recall = (
        format_number(float(column[row]))
        for column in (curve.f_beta(1.0), curve.thresholds, curve.precision, curve.recall)
    )
    return (
        f"Best F1 {f1} at threshold {threshold} (precision {precision}, recall {recall},"
        f" {curve.kept_share[row]:.0%} of turns kept)."
    )


def recall_over_tokens_figure(
    curves: Mapping[str, ThresholdCurve], choices: Mapping[str, Summary], *, palette: Palette
) -> go.Figure:
    """Return recall over the share of the full history's tokens that is kept.

    curves: by policy, each a line: any threshold on its scores. choices: what policies keep by their own
    rules, each a mark; a curve and a choice of one name share their colour. The thin grey line is what turns
    drawn at random would reach.
    """
    fig = _tradeoff(curves, choices, palette, x="kept_token_share", y="recall")
    look = (palette.dropped, "dot")
    zorder = -len(fig.traces) - 1
    add_line(fig, "at random", [0, 1], [0, 1], look, width=1, showlegend=False, zorder=zorder)
    fig.update_layout(xaxis={"title": {"text": "tokens kept, of the full history"}})
    return fig.figure()


def precision_over_recall_figure(
    curves: Mapping[str, ThresholdCurve], choices: Mapping[str, Summary], *, palette: Palette
) -> go.Figure:
    """Return precision over recall; arguments as in `recall_over_tokens_figure`."""
    return _tradeoff(curves, choices, palette, x="recall", y="precision").figure()


def reliability_figure(bins: Sequence[Bin], *, palette: Palette) -> go.Figure:
    """Return a bar for each bin of confidence, and the line on which bars end when confidence is right."""
    fig = drawing(palette, height=320)
    fig.add_bar(
        x=[one.confidence for one in bins], y=[one.right for one in bins], width=0.07, name="right",
        marker={"color": palette.right}, customdata=[one.count for one in bins],
        hovertemplate="confidence %{x:.2f}<br>right %{y:.2f} of %{customdata}<extra></extra>",
    )  # fmt: skip
    add_line(fig, "perfect calibration", [0, 1], [0, 1], (palette.muted, "dash"), width=1.5)
    fig.update_layout(
        xaxis=axis(palette, "confidence", range=[0, 1.02]),
        yaxis=axis(palette, "share right", range=[0, 1.02]),
    )
    return fig.figure()


def describe_reliability(bins: Sequence[Bin]) -> str:
    """Return the same in words."""
    count = sum(one.count for one in bins)
    return f"Expected calibration error {calibration_error(bins):.3f} over {count:,}."


def losses_and_shares(curves: Mapping[str, Curve]) -> tuple[dict[str, Curve], dict[str, Curve]]:
    """Return the curves of losses, by their names, and those of shares in 0…1, without empty ones.

    >>> losses_and_shares({"loss": (0.7, 0.5), "recall": (None, 0.8), "precision": (None, None)})
    ({'loss': (0.7, 0.5)}, {'recall': (None, 0.8)})
    """
    known = {name: curve for name, curve in curves.items() if any(value is not None for value in curve)}
    losses = {name: curve for name, curve in known.items() if "loss" in name}
    return losses, {name: curve for name, curve in known.items() if name not in losses}


def epochs_figure(curves: Mapping[str, Curve], palette: Palette, *, shares: bool) -> go.Figure:
    """Return each curve as a line with a mark an epoch, from epoch 1; gaps where a value is undefined.

    shares: the values are shares, on an axis from 0 to 1.
    """
    fig = drawing(palette, height=240, top=44)
    looks = zip(cycle(palette.series), cycle(_DASHES), strict=False)
    for (name, curve), look in zip(curves.items(), looks, strict=False):
        label = plain(name.replace("_", " "))
        numbers = list(range(1, len(curve) + 1))
        add_line(
            fig, label, numbers, curve, look, hover=f"{label} %{{y:.3f}}", mode="lines+markers",
            marker={"size": 6},
        )  # fmt: skip
    epochs = max((len(curve) for curve in curves.values()), default=1)
    fig.update_layout(
        hovermode="x unified", showlegend=True,
        xaxis=axis(palette, "epoch", range=[0.5, epochs + 0.5], dtick=max(1, round(epochs / 10))),
        yaxis=share_axis(palette) if shares else axis(palette, rangemode="tozero"),
    )  # fmt: skip
    return fig.figure()


def describe_epochs(curves: Mapping[str, Curve]) -> str:
    """Return where each curve began and ended, in words."""
    spans = []
    for name, curve in curves.items():
        if values := [value for value in curve if value is not None]:
            first, last = format_number(values[0]), format_number(values[-1])
            spans.append(f"{name.replace('_', ' ')} from {first} to {last}")
    return f"Over the epochs: {', '.join(spans)}." if spans else "Nothing was measured during training."


def _tradeoff(
    curves: Mapping[str, ThresholdCurve], choices: Mapping[str, Summary], palette: Palette, *, x: str, y: str
) -> Drawing:
    """Return lines and marks on two metrics, which are columns of the curves too; the first policy on top."""
    fig = drawing(palette, height=400, top=84)
    looks = zip(cycle(palette.series), cycle(_DASHES), cycle(_SYMBOLS), strict=False)
    names = dict.fromkeys([*curves, *choices])
    for place, (name, (colour, dash, symbol)) in enumerate(zip(names, looks, strict=False)):
        label = plain(name)
        if (curve := curves.get(name)) is not None:
            across, up = getattr(curve, x), getattr(curve, y)
            rows = _thin(np.flatnonzero(~np.isnan(across) & ~np.isnan(up)), _MAX_CLICKED)
            add_line(
                fig, label, across[rows], up[rows], (colour, dash), legendgroup=label, zorder=-place - 1,
                text=[format_number(float(value)) for value in curve.thresholds[rows]],
                hover=f"{label}, threshold %{{text}}: %{{y:.0%}} at %{{x:.0%}}",
            )  # fmt: skip
        if name in choices:
            outline = {"color": palette.background, "width": 1}
            fig.add_scatter(
                x=[choices[name][x].value], y=[choices[name][y].value], mode="markers", name=label,
                legendgroup=label, showlegend=name not in curves,
                marker={"color": colour, "symbol": symbol, "size": 11, "line": outline},
                hovertemplate=f"{label}, its own choice: %{{y:.0%}} at %{{x:.0%}}<extra></extra>",
            )  # fmt: skip
    fig.update_layout(xaxis=share_axis(palette, x), yaxis=share_axis(palette, y))
    return fig


def _add_star(fig: Drawing, x: float, y: float, row: int, palette: Palette) -> None:
    fig.add_scatter(
        x=[x], y=[y], mode="markers", name="best", customdata=[row], hoverinfo="skip",
        marker={"symbol": "star", "size": 14, "color": palette.ink},
    )  # fmt: skip


def _row_at(curve: ThresholdCurve, threshold: float) -> int | None:
    """Return the row whose metrics a threshold has: the first at or above it; None beyond the last."""
    row = int(np.searchsorted(curve.thresholds, threshold))
    return row if row < len(curve) else None


def _thin(rows: NDArray[np.integer], limit: int) -> NDArray[np.integer]:
    """Return at most `limit` of the rows, evenly spread, with both ends."""
    return rows[np.unique(np.linspace(0, len(rows) - 1, min(len(rows), limit)).astype(np.int64))]
