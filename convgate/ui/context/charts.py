"""Tokens by section within the budget, and the conversation's modes with its contexts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import cast

import streamlit as st

from convgate.context.budgets import SECTIONS, SectionName
from convgate.context.mode import MODES, Mode
from convgate.context.modes import ConversationModes
from convgate.core.text import pluralize
from convgate.figures.context import (
    BUDGET_HEIGHT,
    ModeMark,
    budget_figure,
    describe_budget,
    describe_modes_along,
    message_tokens,
    modes_along_figure,
    modes_along_height,
)
from convgate.figures.layout import CONFIG
from convgate.figures.modes import SECTION_LABELS, mode_colour, mode_letter, section_look
from convgate.transcripts.characters import writable
from convgate.ui.context import state
from convgate.ui.context.build import ContextView, Replay
from convgate.ui.state import clicked, selected_points
from convgate.ui.theme import current_palette
from convgate.ui.turn import turn_labels


def draw_sections_legend(sections: Sequence[SectionName], *, present: bool) -> None:
    """The sections that the bar has, and the message to answer."""
    palette = current_palette()
    entries = [(f"background: {section_look(one, palette).colour}", SECTION_LABELS[one]) for one in sections]
    if present:
        entries.append((f"background: {palette.ink}", "Message to answer"))
    _draw(entries)


def colour_sections(sections: Iterable[SectionName]) -> None:
    """Give the boxes of the sections the colours of the bar, on their left edges."""
    palette = current_palette()
    rules = (
        f".st-key-context-section-{section} {{ border-left: 5px solid"
        f" {section_look(section, palette).colour}; }}"
        for section in sections
    )
    st.html(f"<style>{' '.join(rules)}</style>")


def draw_modes_legend(modes: Sequence[Mode]) -> None:
    """The modes that the strip has."""
    palette = current_palette()
    entries = [(f"background: {mode_colour(mode, palette)}", f"{mode_letter(mode)} {mode}") for mode in modes]
    if modes:
        entries.append((f"border: 2px solid {palette.muted}", "open: carried on from before"))
    _draw(entries)


def _draw(entries: Iterable[tuple[str, str]]) -> None:
    """Styles of swatches, and their names; all of it our own words."""
    items = "".join(f'<span><i style="{style}"></i>{name}</span>' for style, name in entries)
    st.html(f'<div class="context-legend" aria-hidden="true">{items}</div>')


BAR, ALONG, SLIDER = "context.bar", "context.along", "context.slider"
MOST = 400
"""Contexts that are built at one click."""


def draw_bar(shown: ContextView) -> None:
    """Tokens by section; a click on one lists it."""
    bundle = shown.bundle
    st.plotly_chart(
        budget_figure(bundle, palette=current_palette()), theme=None, key=BAR, on_select=_clicked_section,
        selection_mode="points", config=CONFIG, height=BUDGET_HEIGHT,
        alt=writable(describe_budget(bundle)),
    )  # fmt: skip
    sections = [section.name for section in bundle.sections if section.tokens]
    draw_sections_legend(sections, present=message_tokens(bundle) > 0)


def draw_along(shown: ContextView, replay: Replay, modes: ConversationModes) -> None:
    """The modes of all messages, and the contexts built so far; a click goes to a message."""
    marks, built = _marks(shown, replay, modes), dict(sorted(replay.built.items()))
    _draw_slider(shown)
    st.plotly_chart(
        modes_along_figure(
            marks, built, turns=len(shown.conversation), palette=current_palette(), current=shown.index
        ),
        theme=None, key=ALONG, on_select=_clicked_turn, selection_mode="points", config=CONFIG,
        height=modes_along_height(built), alt=writable(describe_modes_along(marks, built, shown.index)),
    )  # fmt: skip
    draw_modes_legend(sorted({mark.mode for mark in marks}, key=MODES.index))
    missing = [turn for turn in shown.conversation.answerable() if turn not in replay.built]
    if missing:
        told = f"Build all {len(missing):,} contexts" if len(missing) <= MOST else f"Build {MOST:,} more"
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.caption(
                f"Built so far: the contexts of {pluralize(len(replay.built), 'message')}, {len(missing):,} are"
                " missing. As this conversation is long, only those of the message you look at and of"
                f" {'the one' if replay.before == 1 else f'the {replay.before}'} before it are built by"
                " themselves.",
                width="stretch",
            )
            st.button(
                told, key="context.build_all", icon=":material/stacked_bar_chart:", type="tertiary",
                on_click=_build, args=(replay, missing[:MOST]),
            )  # fmt: skip


def _draw_slider(shown: ContextView) -> None:
    """From message to message; what nobody answers is passed over."""
    count = len(shown.conversation)
    if count < 2:
        return
    state.put(SLIDER, count if shown.index is None else shown.index + 1)
    st.slider(
        "Message to answer", 1, count, key=SLIDER, on_change=_slid, disabled=shown.index is None,
        args=(shown.conversation.answerable(),),
        help="Step through the conversation and watch what a model would be given. N and P go to the next"
        " and the previous message.",
    )  # fmt: skip


def _marks(shown: ContextView, replay: Replay, modes: ConversationModes) -> list[ModeMark]:
    labels = turn_labels(shown.key, shown.conversation)
    marks = []
    for turn, found in modes.found.items():
        applied = modes.applied[turn]
        if (bundle := replay.built.get(turn)) is not None:
            found, applied = bundle.found, bundle.mode
        marks.append(ModeMark(turn, applied, found.mode, found.confidence, labels[turn]))
    return marks


def _clicked_section() -> None:
    points = selected_points(BAR)
    state.touched()
    names = [point[0] if isinstance(point, list) and point else point for point in points]
    name = next((name for name in names if name in SECTIONS), None)
    if name is not None:
        state.change(show="sections", section=cast(SectionName, name))


def _clicked_turn() -> None:
    # Copied at once: the chart forgets its selection whenever it is drawn anew.
    state.touched()
    if (turn := clicked(ALONG)) is not None:
        state.answer(turn)


def _slid(messages: list[int]) -> None:
    to = int(st.session_state[SLIDER]) - 1
    before = [turn for turn in messages if turn <= to]
    state.answer(before[-1] if before else messages[0])


def _build(replay: Replay, turns: list[int]) -> None:
    state.touched()
    replay.build_all(turns)
