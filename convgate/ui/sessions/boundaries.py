"""The boundaries of a conversation of the library, and storing edits of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

import streamlit as st

from convgate.core.conversation import Conversation
from convgate.policies.sessions import Boundaries, Boundary, BoundaryRules, Kind, segment, with_moved
from convgate.policies.sessions.boundaries import workflow_state_of
from convgate.store.edits import MovedBoundaries, MovedBoundary
from convgate.ui.sessions.state import page
from convgate.ui.shared import services
from convgate.ui.shared.actions import ActionResult, run_action
from convgate.ui.shared.frame import App
from convgate.ui.shared.turn import moves


@dataclass(frozen=True, eq=False)
class ConversationBoundaries:
    """The boundaries of a conversation, with and without the edits of people."""

    app: App
    key: str
    conversation: Conversation  # as it was read
    edits: Mapping[int, MovedBoundary]  # by turn
    shown: Boundaries  # by the rules, with edits
    by_rules: Boundaries  # by the rules alone


def load_boundaries(app: App, key: str, rules: BoundaryRules) -> ConversationBoundaries:
    """Return the boundaries of a conversation of the library, kept between reruns."""
    conversation = services.conversation(app.settings.database, key)
    edits = MovedBoundaries(app.store).of(key)
    edited = with_moved(conversation, edits)
    return ConversationBoundaries(
        app, key, conversation, edits,
        shown=_segment(key, moves(edited), rules, edited),
        by_rules=_segment(key, moves(conversation), rules, conversation),
    )  # fmt: skip


def boundary_at(boundaries: Boundaries, turn: int) -> Boundary | None:
    """Return what begins with a turn, or why nothing does; None for most turns."""
    records = (*boundaries.records, *boundaries.continued)
    return next((record for record in records if record.index == turn), None)


def kind_at(boundaries: Boundaries, turn: int) -> Kind:
    """Return what begins with a turn."""
    record = boundary_at(boundaries, turn)
    return "none" if record is None else record.kind


def store_kinds(boundaries: ConversationBoundaries, kinds: Mapping[int, Kind], turn: int) -> None:
    """Store what begins with turns, and select `turn`; for callbacks. No edit is what the rules say."""
    edits = {
        place: None if kind == kind_at(boundaries.by_rules, place) else MovedBoundary(kind)
        for place, kind in kinds.items()
    }

    def store() -> ActionResult:
        MovedBoundaries(boundaries.app.store).change(boundaries.key, edits)
        page.select(turn)
        return ActionResult("Saved.")

    run_action(page, store, boundaries.key)


def undo_edit(boundaries: ConversationBoundaries) -> None:
    """Undo the last stored edit of the conversation; for callbacks."""

    def undo() -> ActionResult:
        turns = MovedBoundaries(boundaries.app.store).undo(boundaries.key)
        page.select(turns[-1] if turns else None)
        return ActionResult("Undone.")

    run_action(page, undo, boundaries.key)


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
