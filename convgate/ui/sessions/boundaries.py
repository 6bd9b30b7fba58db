"""The boundaries of a conversation, and the selected message with its edits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any

import streamlit as st

from convgate.core.conversation import Conversation
from convgate.core.text import format_age, format_duration, pluralize
from convgate.figures.hover import on_screen
from convgate.policies.sessions import Boundaries, Boundary, BoundaryKind, BoundaryRules, segment, with_moved
from convgate.policies.sessions.boundaries import workflow_state_of
from convgate.store.edits import MovedBoundaries, MovedBoundary
from convgate.ui.shared import keys, services
from convgate.ui.shared.actions import ActionResult, draw_result, draw_undo, run_action
from convgate.ui.shared.changes import following
from convgate.ui.shared.frame import App
from convgate.ui.shared.page_state import Address
from convgate.ui.shared.session_state import put
from convgate.ui.shared.text import literal
from convgate.ui.shared.turn import Step, draw_turn_head, draw_turn_text, moves

LABELS: dict[BoundaryKind, str] = {
    "session": "A session begins", "conversation": "A conversation begins", "none": "Nothing begins",
}  # fmt: skip
_OPTIONS: dict[BoundaryKind, str] = {"session": "Session", "conversation": "Conversation", "none": "Nothing"}
KIND = "sessions.kind"


@dataclass(frozen=True, eq=False)
class ConversationBoundaries:
    """The boundaries of a conversation, with and without the edits of people."""

    app: App
    page: Address[Any]
    key: str  # in the library; empty: a sample, which cannot be edited
    conversation: Conversation  # as it was read
    edits: Mapping[int, MovedBoundary]  # by turn
    shown: Boundaries  # by the rules, with edits
    by_rules: Boundaries  # by the rules alone


def load_boundaries(app: App, page: Address[Any], key: str, rules: BoundaryRules) -> ConversationBoundaries:
    """Return the boundaries of a conversation of the library, kept between reruns."""
    conversation = services.conversation(app.settings.database, key)
    edits = MovedBoundaries(app.store).of(key)
    edited = with_moved(conversation, edits)
    return ConversationBoundaries(
        app, page, key, conversation, edits,
        shown=_segment(key, moves(edited), rules, edited),
        by_rules=_segment(key, moves(conversation), rules, conversation),
    )  # fmt: skip


def example_boundaries(
    app: App, page: Address[Any], conversation: Conversation, rules: BoundaryRules
) -> ConversationBoundaries:
    """Return the boundaries of a sample that is not in the library."""
    shown = segment(conversation.turns, rules)
    return ConversationBoundaries(app, page, "", conversation, {}, shown, shown)


def boundary_at(boundaries: Boundaries, turn: int) -> Boundary | None:
    """Return what begins with a turn, or why nothing does; None for most turns."""
    records = (*boundaries.records, *boundaries.continued)
    return next((record for record in records if record.index == turn), None)


def kind_at(boundaries: Boundaries, turn: int) -> BoundaryKind:
    """Return what begins with a turn."""
    record = boundary_at(boundaries, turn)
    return "none" if record is None else record.kind


def undo_edit(boundaries: ConversationBoundaries) -> None:
    """Undo the last stored edit of the conversation; for callbacks."""

    def undo() -> ActionResult:
        turns = MovedBoundaries(boundaries.app.store).undo(boundaries.key)
        boundaries.page.select(turns[-1] if turns else None)
        return ActionResult("Undone.")

    run_action(boundaries.page, undo, boundaries.key)


@st.cache_resource(max_entries=16, show_spinner=False)
def times_of(key: str, _conversation: Conversation) -> list[datetime] | None:
    """Return the time of each turn as its clock showed it; None when most turns have none.

    A turn without a time has that of the one before.
    """
    times = [turn.timestamp and turn.timestamp.replace(tzinfo=None) for turn in _conversation.turns]
    known = [time for time in times if time is not None]
    if 2 * len(known) < len(times) or len(set(known)) < 2:
        return None
    filled, last = [], known[0]
    for time in times:
        last = time or last
        filled.append(last)
    return filled


@st.cache_resource(max_entries=16, show_spinner=False)
def states_of(key: str, _conversation: Conversation) -> dict[int, str]:
    """Return the workflow states that messages reach, by turn."""
    states = ((index, workflow_state_of(turn)) for index, turn in enumerate(_conversation.turns))
    return {index: name for index, name in states if name is not None}


@st.cache_resource(max_entries=64, show_spinner=False, hash_funcs={BoundaryRules: repr})
def _segment(key: str, edits: str, rules: BoundaryRules, _conversation: Conversation) -> Boundaries:
    return segment(_conversation.turns, rules)


def draw_turn(
    boundaries: ConversationBoundaries, selected: int, starts: Sequence[int], suggestion: str
) -> None:
    """Draw a turn, why something begins with it or not, and the controls that change this.

    starts: of the parts; suggestion: why another subject may begin with the turn, or empty.
    """
    draw_turn_head(
        "sessions", boundaries.conversation, selected, boundaries.page.select,
        Step("next_boundary", "next part", keys.NEXT_BOUNDARY, following(starts, selected)),
    )  # fmt: skip
    draw_turn_text(boundaries.conversation.turns[selected])
    _draw_reason(boundaries, selected, suggestion)
    if not boundaries.key:
        return
    draw_result(boundaries.page, boundaries.key)
    if selected:
        _draw_controls(boundaries, selected)
    else:
        st.caption("The first message always begins a session.")
    turns = MovedBoundaries(boundaries.app.store).changed_last(boundaries.key)
    draw_undo(boundaries.page, turns, partial(undo_edit, boundaries))


def _draw_reason(boundaries: ConversationBoundaries, selected: int, suggestion: str) -> None:
    record, edit = boundary_at(boundaries.shown, selected), boundaries.edits.get(selected)
    words = f"**{literal(suggestion)}**"
    if record or not suggestion:
        reason = literal(on_screen(record.reason)) if record else "the conversation goes on."
        words = f"**{LABELS[kind_at(boundaries.shown, selected)]}:** {reason}"
    st.markdown(words + " :orange-badge[:material/person: Edited]" * bool(edit))
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
    put(KIND, kind_at(boundaries.shown, selected))
    st.segmented_control(
        "Begins here", list(_OPTIONS), format_func=_OPTIONS.__getitem__, key=KIND, required=True,
        on_change=_save_kind, args=(boundaries, selected),
        help="For later messages, Session sends no turn from before a conversation or session that begins,"
        " but those that state what must hold. A session can have several conversations.",
    )  # fmt: skip


def begin_conversations(boundaries: ConversationBoundaries, turns: Sequence[int]) -> ActionResult:
    """Store that a conversation begins with each of the turns, as one change."""
    MovedBoundaries(boundaries.app.store).change(
        boundaries.key, {turn: MovedBoundary("conversation") for turn in turns}
    )
    boundaries.page.select(turns[-1])
    return ActionResult(f"{pluralize(len(turns), 'conversation')} begun.")


def _save_kind(boundaries: ConversationBoundaries, selected: int) -> None:
    """Store what begins with a turn, and select it; what the rules say is no edit."""
    kind = st.session_state[KIND]
    edit = None if kind == kind_at(boundaries.by_rules, selected) else MovedBoundary(kind)

    def store() -> ActionResult:
        MovedBoundaries(boundaries.app.store).change(boundaries.key, {selected: edit})
        boundaries.page.select(selected)
        return ActionResult("Saved.")

    run_action(boundaries.page, store, boundaries.key)
