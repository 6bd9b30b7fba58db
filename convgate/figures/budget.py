"""A selection's tokens by section, compared with its budget and with the whole conversation."""

from __future__ import annotations

import plotly.graph_objects as go

from convgate.core.text import format_share, pluralize
from convgate.figures.layout import Drawing, axis, drawing, fill, mark_threshold
from convgate.figures.modes import SECTION_LABELS, Look, section_look
from convgate.figures.palette import Palette
from convgate.selection.selection import Budgeted, Selection

_SENT, _WHOLE = 1.0, 0.0  # levels of the two bars
_NEAR = 1.6  # times the longer bar: a budget up to there is on the axis, a larger one at its edge


def budget_figure(selection: Selection, spent: Budgeted, *, palette: Palette) -> go.Figure:
    """Return a bar of what is sent, by section, over one of the whole conversation, with the budget dashed.

    What exceeds the budget is framed. A budget far beyond both bars stands with an arrow at the edge, so that
    the bars can be seen.
    """
    longest = max(selection.tokens, selection.tokens_total, 1)
    end = max(longest, spent.total) if spent.total <= _NEAR * longest else longest
    fig = drawing(palette, height=190, left=84, right=20, top=82)
    fig.update_layout(
        barmode="stack", bargap=0.25, uniformtext={"minsize": 11, "mode": "hide"},
        legend={"traceorder": "normal"},
        xaxis=axis(palette, "tokens", range=[0, 1.02 * end], tickformat=",d", nticks=8),
        yaxis=axis(
            palette, range=[-0.5, 1.5], showgrid=False, tickvals=[_SENT, _WHOLE],
            ticktext=["sent", "everything"],
        ),
    )  # fmt: skip
    for used in spent.sections:
        if used.tokens:
            label, turns = SECTION_LABELS[used.name], pluralize(len(used.turns), "turn")
            share = f" ({format_share(used.tokens / used.budget)} of {used.budget:,})" if used.budget else ""
            hover = f"<b>{label}</b><br>{used.tokens:,} tokens{share}<br>{turns}"
            _add_bar(fig, label, used.tokens, _SENT, section_look(used.name, palette), hover)
    if current := _current_tokens(selection):
        look = Look(palette.ink, "", palette.background)
        _add_bar(fig, "Current message", current, _SENT, look, f"Current message<br>{current:,} tokens")
    hover = f"Everything up to the current message<br>{selection.tokens_total:,} tokens"
    look = Look(palette.grid, "", palette.ink)
    _add_bar(fig, "Everything", selection.tokens_total, _WHOLE, look, hover, in_legend=False)
    over = selection.tokens - spent.total
    label = f"budget {spent.total:,}"
    if over > 0:
        label += f", {over:,} over"
        fig.add_shape(
            type="rect", x0=spent.total, x1=selection.tokens, y0=_SENT - 0.46, y1=_SENT + 0.46,
            line={"color": palette.threshold, "width": 3}, name="over the budget",
        )  # fmt: skip
    mark_threshold(fig, spent.total, label, palette, across="x")
    return fig.figure()


def describe_budget(selection: Selection, spent: Budgeted) -> str:
    """Return the chart in a few sentences, as alternative text."""
    sentences = [
        f"{selection.tokens:,} of {spent.total:,} tokens are used, instead of {selection.tokens_total:,}."
    ]
    sentences += [
        f"{SECTION_LABELS[used.name]}: {used.tokens:,} of {used.budget:,}."
        for used in selection.sections
        if used.tokens
    ]
    if current := _current_tokens(selection):
        sentences.append(f"Current message: {current:,}.")
    if selection.tokens > spent.total:
        sentences.append(f"It is {selection.tokens - spent.total:,} over the budget.")
    return " ".join(sentences)


def _current_tokens(selection: Selection) -> int:
    """Return the tokens of the current message, which is in no section."""
    return selection.tokens - sum(section.tokens for section in selection.sections)


def _add_bar(
    fig: Drawing, name: str, tokens: int, level: float, look: Look, hover: str, *, in_legend: bool = True
) -> None:
    fig.add_bar(
        orientation="h", x=[tokens], y=[level], width=0.72, name=name, showlegend=in_legend,
        hoverinfo="text", hovertext=[hover], text=[f"{tokens:,}"], textposition="inside",
        insidetextanchor="middle", textangle=0, insidetextfont={"color": look.text, "size": 12},
        marker=fill(look.colour, look.pattern, look.text),
    )  # fmt: skip
