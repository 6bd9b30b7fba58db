"""The boundaries of a conversation of the library, and storing edits of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

import streamlit as st

from convgate.core.conversation import Conversation
from convgate.core.errors import ConvgateError
from convgate.policies.sessions import Boundaries, Boundary, BoundaryRules, Kind, segment, with_moved
from convgate.policies.sessions.boundaries import workflow_state_of
from convgate.store.edits import MovedBoundaries, MovedBoundary
from convgate.ui import services
from convgate.ui.frame import App
from convgate.ui.sessions import state
from convgate.ui.text import literal
from convgate.ui.turn import moves

PROBLEM = "sessions.problem"  # why an edit could not be stored

Changes = Mapping[int, MovedBoundary | None]


@dataclass(frozen=True, eq=False)
class ConversationBoundaries:
    """The boundaries of a conversation, with and without the edits of people."""

    app: App
    key: str
    conversation: Conversation  # as it was read
    edits: Mapping[int, MovedBoundary]  # by turn
    rules: BoundaryRules
    saved_rules: BoundaryRules
    shown: Boundaries  # by the rules, with edits
    by_rules: Boundaries  # by the rules alone
    saved: Boundaries  # by the saved rules, with edits


def load_boundaries(
    app: App, key: str, rules: BoundaryRules, saved_rules: BoundaryRules
) -> ConversationBoundaries:
    """Return the boundaries of a conversation of the library, kept between reruns."""
    conversation = services.conversation(app.settings.database, key)
    edits = MovedBoundaries(app.store).of(key)
    edited = with_moved(conversation, edits)
    return ConversationBoundaries(
        app, key, conversation, edits, rules, saved_rules,
        shown=_segment(key, moves(edited), rules, edited),
        by_rules=_segment(key, moves(conversation), rules, conversation),
        saved=_segment(key, moves(edited), saved_rules, edited),
    )  # fmt: skip


def boundary_at(boundaries: Boundaries, turn: int) -> Boundary | None:
    """Return what begins with a turn, or why nothing does; None for most turns."""
    records = (*boundaries.records, *boundaries.continued)
    return next((record for record in records if record.item == turn), None)


def kind_at(boundaries: Boundaries, turn: int) -> Kind:
    """Return what begins with a turn."""
    record = boundary_at(boundaries, turn)
    return "none" if record is None else record.kind


def set_boundary(boundaries: ConversationBoundaries, turn: int, kind: Kind, note: str = "") -> Changes:
    """Return the edit with which `kind` begins at a turn; none when the rules say so, without a note."""
    by_rules = kind_at(boundaries.by_rules, turn)
    return {turn: None if kind == by_rules and not note.strip() else MovedBoundary(kind, note)}


def move_boundary(boundaries: ConversationBoundaries, start: int, to: int) -> Changes:
    """Return the edits that move the boundary at turn `start`, with its note, to turn `to`."""
    note = boundaries.edits[start].note if start in boundaries.edits else ""
    kind = kind_at(boundaries.shown, start)
    return {**set_boundary(boundaries, start, "none"), **set_boundary(boundaries, to, kind, note)}


def store_edits(boundaries: ConversationBoundaries, changes: Changes, turn: int) -> None:
    """Store edits, and select the turn; for callbacks."""
    try:
        MovedBoundaries(boundaries.app.store).change(boundaries.key, changes)
    except ConvgateError as error:
        st.session_state[PROBLEM] = str(error)
    state.page.select(turn)


def undo_edit(app: App, key: str) -> None:
    """Undo the last stored edit of the conversation; for callbacks."""
    try:
        turns = MovedBoundaries(app.store).undo(key)
    except ConvgateError as error:
        st.session_state[PROBLEM], turns = str(error), []
    state.page.touched()
    state.page.select(turns[-1] if turns else None)


def draw_problem() -> None:
    """Show why the last edit could not be stored."""
    if problem := st.session_state.pop(PROBLEM, None):
        st.error(f"Not saved: {literal(problem)}", icon=":material/error:")


@st.cache_resource(max_entries=16, show_spinner=False)
def times_of(key: str, _conversation: Conversation) -> list[datetime] | None:
    """Return the local time of each turn, without a zone; None when most turns have none.

    A turn without a time has that of the one before.
    """
    times = [_local_time(turn.timestamp, _conversation) for turn in _conversation.turns]
    known = [time for time in times if time is not None]
    if 2 * len(known) < len(times) or len(set(known)) < 2:
        return None
    filled, last = [], known[0]
    for time in times:
        last = time or last
        filled.append(last)
    return filled


def _local_time(time: datetime | None, conversation: Conversation) -> datetime | None:
    """Return a time in the first zone of the conversation; None when it is out of range there."""
    if time is None or time.tzinfo is None:
        return time
    stamps = (turn.timestamp for turn in conversation.turns)
    zone = next(stamp.tzinfo for stamp in stamps if stamp is not None and stamp.tzinfo is not None)
    try:
        return time.astimezone(zone).replace(tzinfo=None)
    except OverflowError:  # the first and last of all days
        return None


@st.cache_resource(max_entries=16, show_spinner=False)
def states_of(key: str, _conversation: Conversation) -> dict[int, str]:
    """Return the workflow states that messages reach, by turn."""
    states = ((index, workflow_state_of(turn)) for index, turn in enumerate(_conversation.turns))
    return {index: name for index, name in states if name is not None}


@st.cache_resource(max_entries=64, show_spinner=False, hash_funcs={BoundaryRules: repr})
def _segment(key: str, edits: str, rules: BoundaryRules, _conversation: Conversation) -> Boundaries:
    return segment(_conversation.turns, rules)
