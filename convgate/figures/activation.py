"""How far the residual gate lets the attention tier into the score."""

from __future__ import annotations

import plotly.graph_objects as go

from convgate.figures.layout import axis, drawing
from convgate.figures.palette import Palette
from convgate.text import format_share


def activation_words(activation: float) -> str:
    """The activation for the strip above the page.

    >>> activation_words(0.0067), activation_words(0.34), activation_words(0)
    ('0.7% open', '34% open', 'closed')
    """
    return "closed" if activation == 0 else f"{format_share(activation)} open"


def describe_activation(activation: float) -> str:
    """What the number means; the two shares it names add up to 100%."""
    words = activation_words(activation)
    alone = f"{1 - activation:.1%}" if 0 < activation < 0.0995 else format_share(1 - activation)
    return (
        f"The gate to tier 2 is {words}: {format_share(activation)} of each score comes from the attention"
        f" among turns, {alone} from each turn alone."
    )


def activation_figure(activation: float, palette: Palette) -> go.Figure:
    """A bar from closed to open; activation in 0…1."""
    fig = drawing(palette, height=92, left=16, right=16, top=30)
    fig.add_bar(
        x=[1], y=[""], orientation="h", width=0.5, marker={"color": palette.grid}, hoverinfo="skip"
    )  # the whole way
    fig.add_bar(
        x=[activation], y=[""], orientation="h", width=0.5, marker={"color": palette.tier2},
        hovertext=[activation_words(activation)], hoverinfo="text",
    )  # fmt: skip
    words = f"gate to tier 2: <b>{activation_words(activation)}</b>"
    for text, x, anchor, y in ((words, 0, "left", 1), ("closed", 0, "left", 0), ("open", 1, "right", 0)):
        fig.add_annotation(
            text=text, showarrow=False, xref="paper", x=x, xanchor=anchor,
            yref="paper", y=y, yanchor="bottom" if y else "top",
        )  # fmt: skip
    fig.update_layout(
        barmode="overlay", showlegend=False, margin={"b": 26},
        xaxis=axis(palette, range=[0, 1], showticklabels=False, showgrid=False),
        yaxis=axis(palette, showticklabels=False, showgrid=False),
    )  # fmt: skip
    return fig.figure()
