"""A context's tokens by section, compared with its budget and with the whole conversation."""

from __future__ import annotations

import plotly.graph_objects as go

from convgate.core.text import format_share, pluralize
from convgate.figures.drawing import Drawing
from convgate.figures.layout import axis, drawing, fill, mark_threshold
from convgate.figures.modes import SECTION_LABELS, Look, section_look
from convgate.figures.palette import Palette
from convgate.selection.bundle import ContextBundle

_CONTEXT, _WHOLE = 1.0, 0.0  # levels of the two bars
_NEAR = 1.6  # times the longer bar: a budget up to there is on the axis, a larger one at its edge


def budget_figure(bundle: ContextBundle, *, palette: Palette) -> go.Figure:
    """Return a bar of what is sent, by section, over one of the whole conversation, with the budget dashed.

    What exceeds the budget is framed. A budget far beyond both bars stands with an arrow at the edge, so that
    the bars can be seen.
    """
    longest = max(bundle.tokens, bundle.tokens_total, 1)
    end = max(longest, bundle.budget) if bundle.budget <= _NEAR * longest else longest
    fig = drawing(palette, height=190, left=84, right=20, top=82)
    fig.update_layout(
        barmode="stack", bargap=0.25, uniformtext={"minsize": 11, "mode": "hide"},
        legend={"traceorder": "normal"},
        xaxis=axis(palette, "tokens", range=[0, 1.02 * end], tickformat=",d", nticks=8),
        yaxis=axis(
            palette, range=[-0.5, 1.5], showgrid=False, tickvals=[_CONTEXT, _WHOLE],
            ticktext=["context", "everything"],
        ),
    )  # fmt: skip
    for used in bundle.sections:
        if used.tokens:
            label, turns = SECTION_LABELS[used.name], pluralize(len(used.turns), "turn")
            share = f" ({format_share(used.tokens / used.budget)} of {used.budget:,})" if used.budget else ""
            hover = f"<b>{label}</b><br>{used.tokens:,} tokens{share}<br>{turns}"
            _add_bar(fig, label, used.tokens, _CONTEXT, section_look(used.name, palette), hover)
    if current := _current_tokens(bundle):
        look = Look(palette.ink, "", palette.background)
        _add_bar(fig, "Current message", current, _CONTEXT, look, f"Current message<br>{current:,} tokens")
    hover = f"Everything up to the current message<br>{bundle.tokens_total:,} tokens"
    look = Look(palette.grid, "", palette.ink)
    _add_bar(fig, "Everything", bundle.tokens_total, _WHOLE, look, hover, in_legend=False)
    over = bundle.tokens - bundle.budget
    label = f"budget {bundle.budget:,}"
    if over > 0:
        label += f", {over:,} over"
        fig.add_shape(
            type="rect", x0=bundle.budget, x1=bundle.tokens, y0=_CONTEXT - 0.46, y1=_CONTEXT + 0.46,
            line={"color": palette.threshold, "width": 3}, name="over the budget",
        )  # fmt: skip
    mark_threshold(fig, bundle.budget, label, palette, across="x")
    return fig.figure()


def describe_budget(bundle: ContextBundle) -> str:
    """Return the chart in a few sentences, as alternative text."""
    sentences = [
        f"{bundle.tokens:,} of {bundle.budget:,} tokens are used, instead of {bundle.tokens_total:,}."
    ]
    sentences += [
        f"{SECTION_LABELS[used.name]}: {used.tokens:,} of {used.budget:,}."
        for used in bundle.sections
        if used.tokens
    ]
    if current := _current_tokens(bundle):
        sentences.append(f"Current message: {current:,}.")
    if bundle.tokens > bundle.budget:
        sentences.append(f"It is {bundle.tokens - bundle.budget:,} over the budget.")
    return " ".join(sentences)


def _current_tokens(bundle: ContextBundle) -> int:
    """Return the tokens of the current message, which is in no section."""
    return bundle.tokens - sum(section.tokens for section in bundle.sections)


def _add_bar(
    fig: Drawing,
    name: str,
    tokens: int,
    level: float,
    look: Look,
    hover: str,
    *,
    in_legend: bool = True,
) -> None:
    fig.add_bar(
        orientation="h", x=[tokens], y=[level], width=0.72, name=name, showlegend=in_legend,
        hoverinfo="text", hovertext=[hover], text=[f"{tokens:,}"], textposition="inside",
        insidetextanchor="middle", textangle=0, insidetextfont={"color": look.text, "size": 12},
        marker=fill(look.colour, look.pattern, look.text),
    )  # fmt: skip
