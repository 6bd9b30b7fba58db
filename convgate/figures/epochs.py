"""How training went, epoch by epoch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import plotly.graph_objects as go

from convgate.figures.hover import plain
from convgate.figures.layout import axis, drawing
from convgate.figures.palette import Palette
from convgate.text import format_number

Curve = Sequence[float | None]

_DASHES = ("solid", "dash", "dot", "dashdot")


def losses_and_shares(curves: Mapping[str, Curve]) -> tuple[dict[str, Curve], dict[str, Curve]]:
    """The curves of losses, by their names, and those of shares in 0…1; those without a number are left out.

    >>> losses_and_shares({"loss": (0.7, 0.5), "recall": (None, 0.8), "precision": (None, None)})
    ({'loss': (0.7, 0.5)}, {'recall': (None, 0.8)})
    """
    told = {name: curve for name, curve in curves.items() if any(value is not None for value in curve)}
    losses = {name: curve for name, curve in told.items() if "loss" in name}
    return losses, {name: curve for name, curve in told.items() if name not in losses}


def epochs_figure(curves: Mapping[str, Curve], palette: Palette, *, shares: bool) -> go.Figure:
    """Each curve as a line with a mark an epoch, from epoch 1; gaps where a value is undefined.

    shares: the values are shares, on an axis from 0 to 1.
    """
    fig = drawing(palette, height=240, top=44)
    colours = (palette.kept, palette.threshold, palette.forced, palette.tier2)
    for place, (name, curve) in enumerate(curves.items()):
        told = plain(name.replace("_", " "))
        look = {"color": colours[place % len(colours)], "dash": _DASHES[place % len(_DASHES)], "width": 2}
        fig.add_scatter(
            x=list(range(1, len(curve) + 1)), y=list(curve), mode="lines+markers", name=told, line=look,
            marker={"size": 6}, hovertemplate=f"{told} %{{y:.3f}}<extra></extra>",
        )  # fmt: skip
    epochs = max((len(curve) for curve in curves.values()), default=1)
    fig.update_layout(
        hovermode="x unified",
        xaxis=axis(palette, "epoch", range=[0.5, epochs + 0.5], dtick=max(1, round(epochs / 10))),
        yaxis=axis(
            palette, **({"range": [-0.02, 1.04], "dtick": 0.25} if shares else {"rangemode": "tozero"})
        ),
        showlegend=True,
    )
    return fig.figure()


def describe_epochs(curves: Mapping[str, Curve]) -> str:
    """Where each curve began and ended, in words."""
    told = []
    for name, curve in curves.items():
        values = [value for value in curve if value is not None]
        if values:
            told.append(
                f"{name.replace('_', ' ')} from {format_number(values[0])} to {format_number(values[-1])}"
            )
    return f"Over the epochs: {', '.join(told)}." if told else "Nothing was measured during training."
