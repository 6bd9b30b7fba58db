"""A training as it goes on, and whether more labels would help."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go

from convgate.figures.drawing import Drawing
from convgate.figures.layout import axis, drawing
from convgate.figures.palette import Palette
from convgate.training.epochs import Epoch
from convgate.training.learning_curve import CurvePoint, LearningCurve

HEIGHT = 260


def losses_figure(epochs: Sequence[Epoch], most: int, *, palette: Palette) -> go.Figure:
    """Loss in training and in validation over epochs, with the best epoch marked.

    most: how many epochs there can be, so that the axis stays while they come.
    """
    fig = drawing(palette, height=HEIGHT, top=44)
    _line(fig, epochs, [epoch.loss for epoch in epochs], "training", palette.dropped, "dot")
    _line(fig, epochs, [epoch.validation_loss for epoch in epochs], "validation", palette.kept, "solid")
    if best := [epoch for epoch in epochs if epoch.best]:
        fig.add_scatter(
            x=[best[-1].number], y=[best[-1].validation_loss], mode="markers", name="best epoch",
            marker={"symbol": "circle-open", "size": 14, "color": palette.flip, "line": {"width": 2}},
            hovertemplate="best: epoch %{x}<extra></extra>",
        )  # fmt: skip
    fig.update_layout(xaxis=_epochs(palette, most), yaxis=axis(palette, "loss", rangemode="tozero"))
    return fig.figure()


def quality_figure(epochs: Sequence[Epoch], most: int, *, palette: Palette) -> go.Figure:
    """Precision and recall on the validation conversations, and how far the residual gate is open."""
    fig = drawing(palette, height=HEIGHT, top=44)
    _line(fig, epochs, [epoch.precision for epoch in epochs], "precision", palette.kept, "solid")
    _line(fig, epochs, [epoch.recall for epoch in epochs], "recall", palette.threshold, "dash")
    _line(fig, epochs, [epoch.activation for epoch in epochs], "gate open", palette.tier2, "dot")
    fig.update_layout(
        xaxis=_epochs(palette, most),
        yaxis=axis(palette, "", range=[-0.02, 1.04], tickformat=".0%", dtick=0.25),
    )
    return fig.figure()


def learning_curve_figure(curve: LearningCurve, *, palette: Palette) -> go.Figure:
    """F1 over the number of conversations learned from, with 95% intervals; the parent as a dashed line."""
    fig = drawing(palette, height=HEIGHT, top=44)
    points, f1 = curve.points, [point.f1 for point in curve.points]
    up = [0.0 if point.high is None else point.high - point.f1 for point in points]
    down = [0.0 if point.low is None else point.f1 - point.low for point in points]
    fig.add_scatter(
        x=[point.conversations for point in points], y=f1,
        customdata=[[f"{point.share:.0%}", _span(point)] for point in points],
        mode="lines+markers", name="trained on so many",
        line={"color": palette.kept, "width": 2}, marker={"size": 9},
        error_y={"type": "data", "array": up, "arrayminus": down, "color": palette.kept, "thickness": 1.5},
        hovertemplate="%{x} conversations, %{customdata[0]}: F1 %{y:.3f}%{customdata[1]}<extra></extra>",
    )  # fmt: skip
    most = max((point.conversations for point in curve.points), default=1)
    fig.add_scatter(
        x=[0, most * 1.05], y=[curve.parent_f1] * 2, mode="lines", name="parent",
        line={"color": palette.dropped, "width": 2, "dash": "dash"},
        hovertemplate="the parent: F1 %{y:.3f}<extra></extra>",
    )  # fmt: skip
    fig.update_layout(
        xaxis=axis(palette, "conversations learned from", range=[0, most * 1.05]),
        yaxis=axis(palette, "F1", range=[-0.02, 1.04], dtick=0.25),
    )
    return fig.figure()


def _span(point: CurvePoint) -> str:
    if point.low is None or point.high is None:
        return ""
    return f", 95% between {point.low:.3f} and {point.high:.3f}"


def describe_epochs(epochs: Sequence[Epoch]) -> str:
    """What both figures of a training say, for those who cannot see them."""
    if not epochs:
        return "No epoch is over yet."
    last = epochs[-1]
    best = max((epoch.number for epoch in epochs if epoch.best), default=last.number)
    return (
        f"After {last.number} {'epoch' if last.number == 1 else 'epochs'} the training loss is"
        f" {last.loss:.3f}, the validation loss {last.validation_loss:.3f}, precision {last.precision:.0%},"
        f" recall {last.recall:.0%}, the residual gate {last.activation:.0%} open; epoch {best} was the best."
    )


def _line(
    fig: Drawing, epochs: Sequence[Epoch], values: Sequence[float], name: str, colour: str, dash: str
) -> None:
    fig.add_scatter(
        x=[epoch.number for epoch in epochs], y=values, mode="lines+markers", name=name,
        line={"color": colour, "dash": dash, "width": 2}, marker={"size": 6},
        hovertemplate=f"epoch %{{x}}, {name}: %{{y:.3f}}<extra></extra>",
    )  # fmt: skip


def _epochs(palette: Palette, most: int) -> dict[str, object]:
    return axis(palette, "epoch", range=[0.5, max(most, 1) + 0.5], dtick=max(1, most // 8))
