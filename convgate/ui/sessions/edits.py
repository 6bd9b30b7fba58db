"""The selected message: what begins with it and why, and the controls that edit its boundary."""

from __future__ import annotations

from functools import partial

import streamlit as st

from convgate.core.text import format_age, format_duration
from convgate.figures.hover import on_screen
from convgate.policies.sessions import Kind
from convgate.store.edits import MovedBoundaries
from convgate.ui.sessions.boundaries import (
    ConversationBoundaries,
    boundary_at,
    kind_at,
    store_kinds,
    times_of,
    undo_edit,
)
from convgate.ui.sessions.state import page
from convgate.ui.shared import keys
from convgate.ui.shared.actions import draw_result, draw_undo
from convgate.ui.shared.changes import following
from convgate.ui.shared.navigation import EXPLORE
from convgate.ui.shared.session_state import put
from convgate.ui.shared.text import literal
from convgate.ui.shared.turn import Step, draw_turn_head, draw_turn_text

LABELS: dict[Kind, str] = {
    "session": "A session begins", "conversation": "A conversation begins", "none": "Nothing begins",
}  # fmt: skip
_OPTIONS: dict[Kind, str] = {"session": "Session", "conversation": "Conversation", "none": "Nothing"}
KIND, MOVE = "sessions.kind", "sessions.move"


def draw_turn(boundaries: ConversationBoundaries, selected: int) -> None:
    """Draw a turn, why something begins with it or not, and the controls that change this."""
    starts = boundaries.shown.conversation_starts
    draw_turn_head(
        "sessions", boundaries.conversation, selected, page.select,
        Step("next_boundary", "next boundary", keys.NEXT_BOUNDARY, following(starts, selected)),
    )  # fmt: skip
    draw_turn_text(boundaries.conversation.turns[selected])
    _draw_reason(boundaries, selected)
    draw_result(page, boundaries.key)
    if selected:
        _draw_controls(boundaries, selected)
    else:
        st.caption("The first message always begins a session.")
    turns = MovedBoundaries(boundaries.app.store).changed_last(boundaries.key)
    draw_undo(page, turns, partial(undo_edit, boundaries))
    st.page_link(
        EXPLORE, label="Show what the policy keeps, in Explore", icon=":material/query_stats:",
        query_params={
            "conversation": boundaries.key, "turn": str(selected + 1), "policy": "session",
        },
        help="The policy “Session” keeps the turns since the conversation began, by the saved rules.",
    )  # fmt: skip


def _draw_reason(boundaries: ConversationBoundaries, selected: int) -> None:
    record, edit = boundary_at(boundaries.shown, selected), boundaries.edits.get(selected)
    reason = literal(on_screen(record.reason)) if record else "Same conversation as the message before."
    badge = " :orange-badge[:material/person: Edited]" if edit else ""
    st.markdown(f"**{LABELS[kind_at(boundaries.shown, selected)]}:** {reason}{badge}")
    if edit:
        record = boundary_at(boundaries.by_rules, selected)
        reason = f": {literal(on_screen(record.reason))}" if record else "."
        age = f" Edited {format_age(edit.at)}." if edit.at else ""
        st.caption(f"By the rules: {LABELS[kind_at(boundaries.by_rules, selected)].lower()}{reason}{age}")
    times = times_of(boundaries.key, boundaries.conversation)
    if times is not None and selected:
        gap = (times[selected] - times[selected - 1]).total_seconds()
        if gap > 0:
            st.caption(f"{format_duration(round(gap))} after the message before")


def _draw_controls(boundaries: ConversationBoundaries, selected: int) -> None:
    kind = kind_at(boundaries.shown, selected)
    put(KIND, kind)
    st.segmented_control(
        "Begins here", list(_OPTIONS), format_func=_OPTIONS.__getitem__, key=KIND, required=True,
        on_change=_save_kind, args=(boundaries, selected),
    )  # fmt: skip
    if kind != "none":
        starts = (*boundaries.shown.conversation_starts, len(boundaries.conversation))
        place = starts.index(selected)
        put(MOVE, selected + 1)
        st.number_input(
            "Move the boundary to turn", starts[place - 1] + 2, starts[place + 1], key=MOVE,
            on_change=_save_move, args=(boundaries, selected), width=220,
        )  # fmt: skip


def _save_kind(boundaries: ConversationBoundaries, selected: int) -> None:
    store_kinds(boundaries, {selected: st.session_state[KIND]}, selected)


def _save_move(boundaries: ConversationBoundaries, selected: int) -> None:
    turn, kind = int(st.session_state[MOVE]) - 1, kind_at(boundaries.shown, selected)
    if turn != selected:
        store_kinds(boundaries, {selected: "none", turn: kind}, turn)
