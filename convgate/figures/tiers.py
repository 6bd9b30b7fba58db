"""One turn's way from tier 1 over tier 2 to its final score."""

from __future__ import annotations

import math

import plotly.graph_objects as go

from convgate.decisions import TurnDecisions
from convgate.figures.layout import UNDER_TOOLBAR, axis, drawing, mark_threshold
from convgate.figures.palette import Palette
from convgate.text import format_number, format_share, format_signed


def tiers_figure(decisions: TurnDecisions, index: int, *, palette: Palette) -> go.Figure:
    """The scores of both tiers and the final one of turn `index` (0-based), on one scale from 0 to 1.

    Raises KeyError for a turn that is not in the history, ValueError when the policy has no tiers.
    """
    stages = _stages(decisions, index)
    colours = (palette.tier1, palette.tier2, palette.ink)
    fig = drawing(palette, height=176, left=124, right=56, top=UNDER_TOOLBAR)
    names = [name for name, _ in stages]
    scores = [_logistic(logit) for _, logit in stages]
    for name, score, (_, logit), colour, dash in zip(
        names, scores, stages, colours, ("dot", "dashdot", "solid"), strict=True
    ):
        fig.add_scatter(
            x=[0, score], y=[name, name], mode="lines", line={"color": colour, "width": 3, "dash": dash},
            hoverinfo="skip",
        )  # fmt: skip
        fig.add_scatter(
            x=[score], y=[name], mode="markers+text", text=[format_number(score)],
            textposition="middle right",
            textfont={"color": palette.ink}, cliponaxis=False, customdata=[index],
            marker={"color": colour, "size": 11},
            hovertext=[f"logit {format_signed(logit)}"], hoverinfo="text",
        )  # fmt: skip
    fig.update_layout(
        showlegend=False,
        margin={"b": 24},
        xaxis=axis(palette, range=[0, 1], dtick=0.25, tickformat=".2~f"),
        yaxis=axis(
            palette, categoryarray=names[::-1], showgrid=False, tickfont={"size": 13, "color": palette.ink}
        ),
    )
    if decisions.threshold is not None:
        label = f"threshold <b>{format_number(decisions.threshold)}</b>"
        mark_threshold(fig, decisions.threshold, label, palette, across="x")
    return fig.figure()


def describe_tiers(decisions: TurnDecisions, index: int) -> str:
    """The chart in a sentence."""
    first, second, final = (format_number(_logistic(logit)) for _, logit in _stages(decisions, index))
    told = f"Turn {index + 1}: alone {first}, among the other turns {second}, final {final}"
    if decisions.gate_activation is None:
        return f"{told}."
    return f"{told}; {format_share(decisions.gate_activation)} of it is from tier 2."


def _stages(decisions: TurnDecisions, index: int) -> list[tuple[str, float]]:
    """Each stage with its logit."""
    if decisions.tier1 is None or decisions.attention is None or decisions.logits is None:
        raise ValueError(f"the policy {decisions.policy} has no tiers")
    rows = (decisions.indices == index).nonzero()[0]
    if not len(rows):
        raise KeyError(index)
    columns = (
        ("1: turn alone", decisions.tier1),
        ("2: among turns", decisions.attention),
        ("final", decisions.logits),
    )
    return [(name, float(column[rows[0]])) for name, column in columns]


def _logistic(logit: float) -> float:
    return 1 / (1 + math.exp(-logit)) if logit >= 0 else math.exp(logit) / (1 + math.exp(logit))
