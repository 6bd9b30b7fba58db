"""Curves over the epochs of a training."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import cycle

import plotly.graph_objects as go

from convgate.core.text import format_number
from convgate.figures.hover import describe, plain
from convgate.figures.layout import add_line, axis, drawing, share_axis
from convgate.figures.palette import Palette
from convgate.training.epochs import Epoch

_DASHES = ("solid", "dash", "dot", "dashdot")

Curve = Sequence[float | None]


def losses_and_shares(curves: Mapping[str, Curve]) -> tuple[dict[str, Curve], dict[str, Curve]]:
    """Return the curves of losses, by their names, and those of shares in 0…1, without empty ones.

    >>> losses_and_shares({"loss": (0.7, 0.5), "recall": (None, 0.8), "precision": (None, None)})
    ({'loss': (0.7, 0.5)}, {'recall': (None, 0.8)})
    """
    non_empty = {name: curve for name, curve in curves.items() if any(value is not None for value in curve)}
    losses = {name: curve for name, curve in non_empty.items() if "loss" in name}
    return losses, {name: curve for name, curve in non_empty.items() if name not in losses}


def epoch_curves(epochs: Sequence[Epoch]) -> dict[str, Curve]:
    """Return the curves of a training by name: losses, precision, recall, and how far the gate is open."""
    return {
        "loss": [epoch.loss for epoch in epochs],
        "validation_loss": [epoch.validation_loss for epoch in epochs],
        "precision": [epoch.precision for epoch in epochs],
        "recall": [epoch.recall for epoch in epochs],
        "gate_open": [epoch.activation for epoch in epochs],
    }


def epochs_figure(
    curves: Mapping[str, Curve],
    palette: Palette,
    *,
    shares: bool,
    best: int | None = None,
    max_epochs: int = 1,
) -> go.Figure:
    """Return each curve as a line with a mark an epoch, from epoch 1; gaps where a value is undefined.

    shares: the values are shares, on an axis from 0 to 1. best: the epoch that is marked. max_epochs: how
    many epochs there can be, so that the axis stays while they come.
    """
    fig = drawing(palette, height=250, top=44)
    looks = zip(cycle(palette.series), cycle(_DASHES), strict=False)
    for (name, curve), look in zip(curves.items(), looks, strict=False):
        label = plain(name.replace("_", " "))
        numbers = list(range(1, len(curve) + 1))
        add_line(
            fig, label, numbers, curve, look, hover=f"{label} %{{y:.3f}}", mode="lines+markers",
            marker={"size": 6},
        )  # fmt: skip
    if best is not None:
        fig.add_vline(best, line={"color": palette.flip, "dash": "dot", "width": 2}, name="best epoch")
        fig.add_annotation(
            text="best", name="best epoch", x=best, xanchor="left", yref="paper", y=1, yanchor="top",
            font={"size": 12, "color": palette.flip_text},
        )  # fmt: skip
    last = max([max_epochs, *(len(curve) for curve in curves.values())])
    fig.update_layout(
        hovermode="x unified", showlegend=True,
        xaxis=axis(palette, "epoch", range=[0.5, last + 0.5], dtick=max(1, round(last / 10))),
        yaxis=share_axis(palette) if shares else axis(palette, "loss", rangemode="tozero"),
    )  # fmt: skip
    return fig.figure()


def describe_epochs(curves: Mapping[str, Curve]) -> str:
    """Return where each curve began and ended, in words."""
    spans: dict[str, object] = {}
    for name, curve in curves.items():
        if values := [value for value in curve if value is not None]:
            spans[name.replace("_", " ")] = f"{format_number(values[0])} to {format_number(values[-1])}"
    return describe("Over the epochs", spans) if spans else "Nothing was measured during training."
