"""Whom a turn attends to, beside what those turns really do to its score.

Attention is no proof of influence, so both stand side by side.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import plotly.graph_objects as go

from convgate.figures.hover import percent, plain, signed
from convgate.figures.layout import axis, figure, steady
from convgate.figures.palette import Palette

if TYPE_CHECKING:  # a chart needs no torch
    from convgate.gate.explain import Link

LIMIT = 12


def links_figure(
    links: Sequence[Link], labels: Sequence[str], palette: Palette, *, start: int = 0
) -> go.Figure:
    """The strongest links of one turn as pairs of bars: attention at the left, measured effect at the right.

    links: strongest first; no more than `LIMIT` are drawn. labels: who and first words of each turn of the
    conversation, by index; untrusted. start: the conversation's index of the history's first turn, since
    links count from there. `customdata` of each bar is the index of the turn attended to.
    """
    links = links[:LIMIT]
    fig = figure(palette, height=96 + 30 * max(len(links), 1), left=108, right=44, top=40)
    indices = [start + link.other for link in links]
    rows = list(range(len(links)))
    bars: dict[str, Any] = {"orientation": "h", "width": 0.62, "y": rows, "customdata": indices}
    bars |= {"textposition": "outside", "cliponaxis": False, "textfont": {"size": 12, "color": palette.ink}}
    bars |= steady()
    bars["unselected"] = {**bars["unselected"], "textfont": {"color": palette.ink}}
    bars |= {"hovertext": [_hover(link, labels[i]) for link, i in zip(links, indices, strict=True)]}
    fig.add_bar(
        x=[link.weight for link in links], text=[percent(link.weight) for link in links],
        marker={"color": palette.tier2}, hoverinfo="text", **bars,
    )  # fmt: skip
    fig.add_bar(
        x=[link.effect for link in links], text=[signed(link.effect, 3) for link in links], xaxis="x2",
        marker={"color": [palette.kept if link.effect > 0 else palette.dropped for link in links]},
        hoverinfo="text", **bars,
    )  # fmt: skip
    widest = max((link.weight for link in links), default=0) or 1.0
    strongest = max((abs(link.effect) for link in links), default=0) or 0.01
    fig.update_layout(
        showlegend=False, bargap=0.3,
        xaxis=axis(palette, domain=[0, 0.4], range=[0, 1.45 * widest], nticks=3, tickformat=".0~%"),
        xaxis2=axis(
            palette, domain=[0.5, 1], range=[-1.7 * strongest, 1.7 * strongest], nticks=4, anchor="y",
            zeroline=True, zerolinecolor=palette.muted,
        ),
        yaxis=axis(
            palette, range=[max(len(links), 1) - 0.5, -0.5], showgrid=False, tickvals=rows,
            ticktext=[f"{i + 1} {plain(labels[i], 12)}" for i in indices],
            tickfont={"size": 12, "color": palette.ink},
        ),
    )  # fmt: skip
    for text, x in (("attention", 0), ("its effect on the score", 0.5)):
        fig.add_annotation(
            text=text, showarrow=False, xref="paper", x=x, xanchor="left", yref="paper", y=1,
            yanchor="bottom", font={"size": 12, "color": palette.muted},
        )  # fmt: skip
    return fig


def describe_links(links: Sequence[Link], *, start: int = 0) -> str:
    """The chart in words."""
    if not links:
        return "There is no other turn to attend to."
    told = "; ".join(
        f"turn {start + link.other + 1} gets {percent(link.weight)} of the attention and changes the score by"
        f" {signed(link.effect, 3)}"
        for link in links[:LIMIT]
    )
    return f"Turn {start + links[0].turn + 1} attends to others: {told}."


def _hover(link: Link, label: str) -> str:
    return (
        f"{plain(label, 60)}<br>{percent(link.weight)} of the attention;"
        f"<br>with it, the score is {signed(link.effect, 3)} against leaving it out"
    )
