"""Whom a turn attends to, beside what those turns really do to its score.

Attention is no proof of influence, so both stand side by side.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import plotly.graph_objects as go

from convgate.figures.hover import plain
from convgate.figures.layout import UNDER_TOOLBAR, axis, drawing, steady
from convgate.figures.palette import Palette
from convgate.text import format_share, format_signed

if TYPE_CHECKING:  # a chart needs no torch
    from convgate.gate.explain import Link

LIMIT = 12


def links_figure(
    links: Sequence[Link], labels: Sequence[str], palette: Palette, *, start: int = 0
) -> go.Figure:
    """The strongest links of one turn as pairs of bars: attention at the left, measured effect at the right,
    with its number in a column of its own, for the panel is narrow.

    links: strongest first; no more than `LIMIT` are drawn. labels: who and first words of each turn of the
    conversation, by index; untrusted. start: the conversation's index of the history's first turn, since
    links count from there. `customdata` of each bar is the index of the turn attended to.
    """
    links = links[:LIMIT]
    fig = drawing(palette, height=66 + 30 * max(len(links), 1), left=104, right=4, top=UNDER_TOOLBAR)
    fig.update_layout(margin={"b": 16})
    indices = [start + link.other for link in links]
    rows = list(range(len(links)))
    bars: dict[str, Any] = {"orientation": "h", "width": 0.62, "y": rows, "customdata": indices}
    bars |= {"textposition": "outside", "cliponaxis": False, "textfont": {"size": 12, "color": palette.ink}}
    bars |= steady()
    bars["unselected"] = {**bars["unselected"], "textfont": {"color": palette.ink}}
    bars |= {"hovertext": [_hover(link, labels[i]) for link, i in zip(links, indices, strict=True)]}
    fig.add_bar(
        x=[link.weight for link in links], text=[format_share(link.weight) for link in links],
        marker={"color": palette.tier2}, hoverinfo="text", **bars,
    )  # fmt: skip
    fig.add_bar(
        x=[link.effect for link in links], xaxis="x2",
        marker={"color": [palette.kept if link.effect > 0 else palette.dropped for link in links]},
        hoverinfo="text", **bars,
    )  # fmt: skip
    widest = max((link.weight for link in links), default=0) or 1.0
    strongest = max([0.01, *(abs(link.effect) for link in links)])  # next to nothing has to look like it
    fig.update_layout(
        showlegend=False, bargap=0.3,
        xaxis=axis(palette, domain=[0, 0.4], range=[0, 2.2 * widest], showticklabels=False, showgrid=False),
        xaxis2=axis(
            palette, domain=[0.44, 0.66], range=[-strongest, strongest], showticklabels=False, showgrid=False,
            anchor="y", zeroline=True, zerolinecolor=palette.muted,
        ),
        yaxis=axis(
            palette, range=[max(len(links), 1) - 0.5, -0.5], showgrid=False, tickvals=rows,
            ticktext=[f"{i + 1} {plain(labels[i], 12)}" for i in indices],
            tickfont={"size": 12, "color": palette.ink},
        ),
    )  # fmt: skip
    for row, link in enumerate(links):
        fig.add_annotation(
            text=format_signed(link.effect, 3), showarrow=False, xref="paper", x=1, xanchor="right", y=row,
            yref="y", font={"size": 12, "color": palette.ink},
        )  # fmt: skip
    for text, x, anchor in (("attention", 0, "left"), ("effect", 1, "right")):
        fig.add_annotation(
            text=text, showarrow=False, xref="paper", x=x, xanchor=anchor, yref="paper", y=1,
            yanchor="bottom", font={"size": 12, "color": palette.muted},
        )  # fmt: skip
    return fig.figure()


def describe_links(links: Sequence[Link], *, start: int = 0) -> str:
    """The chart in words."""
    if not links:
        return "There is no other turn to attend to."
    told = "; ".join(
        f"turn {start + link.other + 1} gets {format_share(link.weight)} of the attention and changes the"
        f" score by {format_signed(link.effect, 3)}"
        for link in links[:LIMIT]
    )
    return f"Turn {start + links[0].turn + 1} attends to others: {told}."


def _hover(link: Link, label: str) -> str:
    return (
        f"{plain(label, 60)}<br>{format_share(link.weight)} of the attention;"
        f"<br>with it, the score is {format_signed(link.effect, 3)} against leaving it out"
    )
