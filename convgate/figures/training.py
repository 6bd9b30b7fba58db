"""A training as it goes on."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go

from convgate.figures.drawing import Drawing
from convgate.figures.layout import axis, drawing
from convgate.figures.palette import Palette
from convgate.training.epochs import Epoch

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
