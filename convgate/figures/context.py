"""A context's tokens by section next to its budget, and modes and contexts along a conversation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import plotly.graph_objects as go

from convgate.context.budgets import SECTIONS
from convgate.context.bundle import ContextBundle
from convgate.context.mode import MODES, Mode
from convgate.core.text import format_share, join_words, pluralize
from convgate.figures.drawing import Drawing
from convgate.figures.hover import head
from convgate.figures.layout import (
    add_marks,
    axis,
    drawing,
    fill,
    mark_threshold,
    marker,
    steady,
    turn_axis,
)
from convgate.figures.modes import SECTION_LABELS, Look, mode_colour, mode_letter, section_look
from convgate.figures.palette import Palette

BUDGET_HEIGHT = 132  # pixels
_CONTEXT, _WHOLE = 1.0, 0.0  # levels of the two bars of a budget
_NEAR = 1.6  # times the longer bar: a budget up to there is on the axis, a larger one at its edge
_STRIP, _TOKENS = 104, 150  # pixels of the strip of modes with the axis, and of the bars above it
_MAX_LETTERS = 60  # turns; of more, letters would not fit on their marks
_MODE, _LETTER = 0.0, 0.75  # levels of the strip


@dataclass(frozen=True, slots=True)
class ModeMark:
    """The mode of one user's turn."""

    turn: int  # 0-based
    mode: Mode  # that was applied
    found: Mode  # of the message by itself
    confidence: float  # 0…1
    label: str  # who and the first words; untrusted


def message_tokens(bundle: ContextBundle) -> int:
    """Return the tokens of the message to answer, which no section has."""
    return bundle.tokens - sum(section.tokens for section in bundle.sections)


def budget_figure(bundle: ContextBundle, *, palette: Palette) -> go.Figure:
    """Return a bar of what is sent, by section, over one of the whole conversation, with the budget dashed.

    `customdata` of a section's bar is its name. What exceeds the budget is framed. A budget far beyond both
    bars stands with an arrow at the edge, so that the bars can be seen.
    """
    longest = max(bundle.tokens, bundle.tokens_total, 1)
    end = max(longest, bundle.budget) if bundle.budget <= _NEAR * longest else longest
    fig = drawing(palette, height=BUDGET_HEIGHT, left=84, right=20, top=24)
    fig.update_layout(
        barmode="stack", bargap=0.25, uniformtext={"minsize": 11, "mode": "hide"}, showlegend=False,
        xaxis=axis(palette, "tokens", range=[0, 1.02 * end], tickformat=",d", nticks=8),
        yaxis=axis(
            palette, range=[-0.5, 1.5], showgrid=False, tickvals=[_CONTEXT, _WHOLE],
            ticktext=["context", "everything"],
        ),
    )  # fmt: skip
    for used in bundle.sections:
        label, turns = SECTION_LABELS[used.name], pluralize(len(used.turns), "turn")
        share = f" ({format_share(used.tokens / used.budget)} of its {used.budget:,})" if used.budget else ""
        hover = f"<b>{label}</b><br>{used.tokens:,} tokens{share}<br>{turns}"
        look = section_look(used.name, palette)
        _add_bar(fig, label, used.tokens, _CONTEXT, look, hover, customdata=[used.name])
    if present := message_tokens(bundle):
        hover = f"The message to answer<br>{present:,} tokens"
        _add_bar(
            fig, "message to answer", present, _CONTEXT, Look(palette.ink, "", palette.background), hover
        )
    hover = f"Everything up to the message to answer<br>{bundle.tokens_total:,} tokens"
    _add_bar(fig, "everything", bundle.tokens_total, _WHOLE, Look(palette.grid, "", palette.ink), hover)
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
    if present := message_tokens(bundle):
        sentences.append(f"The message to answer: {present:,}.")
    if bundle.tokens > bundle.budget:
        sentences.append(f"It is {bundle.tokens - bundle.budget:,} over the budget.")
    return " ".join(sentences)


def modes_along_height(built: Mapping[int, ContextBundle]) -> int:
    """Return the figure's height in pixels."""
    return _STRIP + (_TOKENS if built else 0)


def modes_along_figure(
    marks: Sequence[ModeMark],
    built: Mapping[int, ContextBundle],
    *,
    turns: int,
    palette: Palette,
    current: int | None,
) -> go.Figure:
    """Return a mark a user's turn, `turns` turns in all, with bars of the contexts built for them above.

    `customdata` of marks and bars is the turn's 0-based index. A mark is filled where the message by itself
    has the mode that was applied, open where the mode is carried over. `current` gets a band.
    """
    fig = drawing(palette, height=modes_along_height(built), right=12, top=16)
    fig.update_layout(
        barmode="stack", bargap=0.15, uirevision=f"{turns}", showlegend=False,
        xaxis=turn_axis(palette, 1, turns, fixedrange=True, anchor="y"),
        yaxis=axis(
            palette, range=[-0.7, 1.1], showgrid=False, showticklabels=False,
            domain=[0, 0.26] if built else [0, 1],
        ),
    )  # fmt: skip
    if built:
        fig.layout["yaxis2"] = axis(palette, "tokens", domain=[0.34, 1], rangemode="tozero", nticks=4)
        _add_contexts(fig, built, palette)
    if current is not None:
        half = max(0.5, 0.004 * turns)  # a band that can be seen, whose letter can be read
        fig.add_shape(
            type="rect", xref="x", x0=current + 1 - half, x1=current + 1 + half, yref="paper", y0=0, y1=1,
            line={"color": palette.muted, "width": 1}, fillcolor=palette.grid, layer="below", name="current",
        )  # fmt: skip
    few = len(marks) <= _MAX_LETTERS
    for mode in MODES:
        chosen = [mark for mark in marks if mark.mode == mode]
        if not chosen:
            continue
        x, chosen_turns = [mark.turn + 1 for mark in chosen], [mark.turn for mark in chosen]
        look = marker("square", 15 if few else 8, mode_colour(mode, palette), 2)
        look["symbol"] = ["square" if mark.found == mark.mode else "square-open" for mark in chosen]
        hover = [_hover(mark) for mark in chosen]
        add_marks(fig, mode, x, [_MODE] * len(x), chosen_turns, look, hover=hover, count=len(marks))
        if few:
            fig.add_scatter(
                x=x, y=[_LETTER] * len(x), mode="text", text=[mode_letter(mode)] * len(x), name="letters",
                hoverinfo="skip", textfont={"size": 12, "color": palette.ink},
            )  # fmt: skip
    return fig.figure()


def describe_modes_along(
    marks: Sequence[ModeMark], built: Mapping[int, ContextBundle], current: int | None
) -> str:
    """Return the chart in a few sentences, as alternative text."""
    if not marks:
        return "No message of a user, so no modes."
    before = [None, *(mark.mode for mark in marks)]
    changes = [
        f"{mark.mode} from turn {mark.turn + 1:,}"
        for mark, last in zip(marks, before, strict=False)
        if mark.mode != last
    ]
    sentences = [f"Modes of {len(marks):,} messages."]
    sentences.append(", ".join(changes[:12]) + (", …" if len(changes) > 12 else "") + ".")
    if built:
        totals = [bundle.tokens for bundle in built.values()]
        sentences.append(f"{len(built):,} contexts of {min(totals):,} to {max(totals):,} tokens.")
    if current is not None:
        sentences.append(f"Turn {current + 1:,} is answered.")
    return " ".join(sentences)


def _add_contexts(fig: Drawing, built: Mapping[int, ContextBundle], palette: Palette) -> None:
    bundles = list(built.values())
    layers = [
        (
            SECTION_LABELS[name],
            section_look(name, palette),
            [bundle.section(name).tokens for bundle in bundles],
        )
        for name in SECTIONS
    ]
    present = [message_tokens(bundle) for bundle in bundles]
    layers.append(("message to answer", Look(palette.ink, "", palette.background), present))
    for label, look, tokens in layers:
        if any(tokens):
            fig.add_bar(
                x=[turn + 1 for turn in built], y=tokens, customdata=list(built), name=label, yaxis="y2",
                marker=fill(look.colour, look.pattern, look.text), **steady(opacity=1),
                hovertemplate=f"turn %{{x}}<br>{label}: %{{y:,}} tokens<extra></extra>",
            )  # fmt: skip
    troubles = {
        turn: "breach" if bundle.breaches else join_words(one.cause for one in bundle.fallbacks)
        for turn, bundle in built.items()
        if bundle.breaches or bundle.fallbacks
    }
    if troubles:
        turns = list(troubles)
        add_marks(
            fig, "fallback or breach", [turn + 1 for turn in turns], [built[turn].tokens for turn in turns],
            turns, {"symbol": "x", "size": 9, "color": palette.threshold}, yaxis="y2",
            hover=[f"Turn {turn + 1:,}<br>{trouble}" for turn, trouble in troubles.items()],
        )  # fmt: skip


def _add_bar(
    fig: Drawing, name: str, tokens: int, level: float, look: Look, hover: str, **trace: Any
) -> None:
    fig.add_bar(
        orientation="h", x=[tokens], y=[level], width=0.72, name=name, hoverinfo="text", hovertext=[hover],
        text=[f"{tokens:,}"], textposition="inside", insidetextanchor="middle", textangle=0,
        insidetextfont={"color": look.text, "size": 12}, **steady(opacity=1), **trace,
        marker=fill(look.colour, look.pattern, look.text),
    )  # fmt: skip


def _hover(mark: ModeMark) -> str:
    by_itself = "" if mark.found == mark.mode else f", by itself {mark.found}"
    confidence = format_share(mark.confidence)
    return f"{head(mark.turn, mark.label)}<br>{mark.mode}{by_itself} (confidence {confidence})"
