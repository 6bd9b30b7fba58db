"""A context's tokens by section, beside the budget and beside the whole conversation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import plotly.graph_objects as go

from convgate.context.section import SectionName
from convgate.figures.drawing import Drawing
from convgate.figures.layout import axis, drawing, mark_threshold, steady
from convgate.figures.modes import SECTION_LABELS, section_look
from convgate.figures.palette import Palette
from convgate.text import format_share

HEIGHT = 132  # pixels
_CONTEXT, _WHOLE = 1.0, 0.0  # levels of the two bars
_NEAR = 1.6  # times the longer bar: a budget up to there is on the axis, a larger one at its edge


@dataclass(frozen=True, slots=True)
class Used:
    """One section of a context."""

    section: SectionName
    tokens: int
    budget: int  # tokens
    turns: int


@dataclass(frozen=True)
class Spent:
    """What a context costs."""

    sections: Sequence[Used]
    present: int  # tokens of the message to answer, which no section has
    budget: int  # tokens of the whole context
    whole: int  # tokens of the whole conversation up to that message

    @property
    def tokens(self) -> int:
        """Of the context."""
        return sum(used.tokens for used in self.sections) + self.present


def budget_figure(spent: Spent, *, palette: Palette) -> go.Figure:
    """A bar of what is sent, by section, over one of the whole conversation; the budget is a dashed line.

    `customdata` of a section's bar is its name. What exceeds the budget is framed. A budget far beyond both
    bars stands with an arrow at the edge, so that the bars can be seen.
    """
    longest = max(spent.tokens, spent.whole, 1)
    end = max(longest, spent.budget) if spent.budget <= _NEAR * longest else longest
    fig = drawing(palette, height=HEIGHT, left=84, right=20, top=24)
    fig.update_layout(
        barmode="stack", bargap=0.25, uniformtext={"minsize": 11, "mode": "hide"}, hovermode="closest",
        showlegend=False,
        xaxis=axis(palette, "tokens", range=[0, 1.02 * end], tickformat=",d", nticks=8),
        yaxis=axis(
            palette, range=[-0.5, 1.5], showgrid=False, tickvals=[_CONTEXT, _WHOLE],
            ticktext=["context", "everything"],
        ),
    )  # fmt: skip
    for used in spent.sections:
        _add_section(fig, used, palette)
    if spent.present:
        _add_bar(
            fig, "message to answer", spent.present, _CONTEXT, palette.ink, palette.background,
            f"The message to answer<br>{spent.present:,} tokens",
        )  # fmt: skip
    whole = f"Everything up to the message to answer<br>{spent.whole:,} tokens"
    _add_bar(fig, "everything", spent.whole, _WHOLE, palette.grid, palette.ink, whole)
    over = spent.tokens - spent.budget
    if over > 0:
        fig.add_shape(
            type="rect", x0=spent.budget, x1=spent.tokens, y0=_CONTEXT - 0.46, y1=_CONTEXT + 0.46,
            line={"color": palette.threshold, "width": 3}, name="over the budget",
        )  # fmt: skip
    told = f"budget {spent.budget:,}" + (f", {over:,} over" if over > 0 else "")
    mark_threshold(fig, spent.budget, told, palette, across="x")
    return fig.figure()


def describe_budget(spent: Spent) -> str:
    """The chart in a few sentences, for people who do not see it."""
    told = [f"{spent.tokens:,} of {spent.budget:,} tokens are used, {spent.whole:,} would be everything."]
    told += [
        f"{SECTION_LABELS[used.section]}: {used.tokens:,} of {used.budget:,}."
        for used in spent.sections
        if used.tokens
    ]
    if spent.present:
        told.append(f"The message to answer: {spent.present:,}.")
    if spent.tokens > spent.budget:
        told.append(f"It is {spent.tokens - spent.budget:,} over the budget.")
    return " ".join(told)


def _add_section(fig: Drawing, used: Used, palette: Palette) -> None:
    look, label = section_look(used.section, palette), SECTION_LABELS[used.section]
    of = f" ({format_share(used.tokens / used.budget)} of its {used.budget:,})" if used.budget else ""
    turns = f"{used.turns:,} turn" if used.turns == 1 else f"{used.turns:,} turns"
    _add_bar(
        fig, label, used.tokens, _CONTEXT, look.colour, look.text,
        f"<b>{label}</b><br>{used.tokens:,} tokens{of}<br>{turns}",
        customdata=used.section, pattern=look.pattern,
    )  # fmt: skip


def _add_bar(
    fig: Drawing,
    name: str,
    tokens: int,
    level: float,
    colour: str,
    text: str,
    hover: str,
    *,
    customdata: str | None = None,
    pattern: str = "",
) -> None:
    fig.add_bar(
        orientation="h", x=[tokens], y=[level], name=name, hoverinfo="text",
        hovertext=[hover], text=[f"{tokens:,}"], textposition="inside", insidetextanchor="middle",
        insidetextfont={"color": text, "size": 12}, textangle=0, width=0.72,
        customdata=None if customdata is None else [customdata], **steady(opacity=1),
        marker={
            "color": colour, "line": {"color": "rgba(0,0,0,0)", "width": 0},
            "pattern": {
                "shape": pattern, "fillmode": "overlay", "fgcolor": text, "fgopacity": 0.35, "size": 6,
                "solidity": 0.2,
            },
        },
    )  # fmt: skip
