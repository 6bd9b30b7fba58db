"""Whether confidence is what it says: the share that is right, by confidence."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go

from convgate.evaluation.reliability import Bin, calibration_error
from convgate.figures.layout import axis, drawing
from convgate.figures.palette import Palette


def reliability_figure(bins: Sequence[Bin], *, palette: Palette) -> go.Figure:
    """A bar for each bin of confidence, and the line on which bars end when confidence is right."""
    fig = drawing(palette, height=320)
    fig.add_bar(
        x=[one.confidence for one in bins], y=[one.right for one in bins], width=0.07, name="right",
        marker={"color": palette.tier1}, customdata=[one.count for one in bins],
        hovertemplate="confidence %{x:.2f}<br>right %{y:.2f} of %{customdata}<extra></extra>",
    )  # fmt: skip
    fig.add_scatter(
        x=[0, 1], y=[0, 1], mode="lines", name="as it should be", hoverinfo="skip",
        line={"color": palette.muted, "dash": "dash", "width": 1.5},
    )  # fmt: skip
    fig.update_layout(
        xaxis=axis(palette, "confidence", range=[0, 1.02]),
        yaxis=axis(palette, "share right", range=[0, 1.02]),
    )
    return fig.figure()


def describe_reliability(bins: Sequence[Bin]) -> str:
    """The same in words."""
    return (
        f"Expected calibration error {calibration_error(bins):.3f} over {sum(one.count for one in bins):,}."
    )
