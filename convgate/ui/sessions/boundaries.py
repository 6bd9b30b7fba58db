"""The boundaries of a conversation, and moving them by hand with undo."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

import streamlit as st

from convgate.core.conversation import Conversation
from convgate.core.errors import ConvgateError
from convgate.policies.sessions import Boundaries, Boundary, BoundaryRules, Kind, segment, with_moved
from convgate.policies.sessions.workflow import workflow_state_of
from convgate.store.edits import MovedBoundaries, MovedBoundary
from convgate.ui import services
from convgate.ui.frame import App
from convgate.ui.sessions import state
from convgate.ui.turn import moves


@dataclass(frozen=True, slots=True)
class Segment:
    """A conversation of the transcript."""

    number: int  # from 1
    session: int  # number of the session that it is in, from 1
    start: int  # 0-based turns: from `start` to before `stop`
    stop: int
    boundary: Boundary


@dataclass(frozen=True, eq=False)
class ConversationBoundaries:
    """The boundaries of a conversation, three ways."""

    app: App
    key: str
    conversation: Conversation  # as it was read
    moved: Mapping[int, MovedBoundary]  # by turn
    in_use: BoundaryRules
    tried: BoundaryRules
    shown: Boundaries  # by the rules that are tried and what a person moved
    bare: Boundaries  # by the rules that are tried alone
    used: Boundaries  # by the rules in use and what a person moved
    bare_used: Boundaries  # by the rules in use alone

    @cached_property
    def segments(self) -> list[Segment]:
        """All conversations, in order."""
        found, session = [], 0
        starts = self.shown.conversation_starts
        stops = (*starts[1:], self.shown.messages)
        for number, (record, stop) in enumerate(zip(self.shown.records, stops, strict=True), start=1):
            session += record.kind == "session"
            found.append(Segment(number, session, record.item, stop, record))
        return found

    def segment_of(self, turn: int) -> Segment:
        """The conversation that a turn is part of."""
        return next(one for one in reversed(self.segments) if one.start <= turn)


def find_boundaries(
    app: App, key: str, in_use: BoundaryRules, tried: BoundaryRules
) -> ConversationBoundaries:
    """What is found in a conversation of the library, kept between reruns."""
    read = services.conversation(app.settings.database, key)
    moved = MovedBoundaries(app.store).of(key)
    talk = with_moved(read, moved)
    alike, other = moves(read), moves(talk)
    return ConversationBoundaries(
        app, key, read, moved, in_use, tried,
        shown=_boundaries(key, other, tried, talk), bare=_boundaries(key, alike, tried, read),
        used=_boundaries(key, other, in_use, talk), bare_used=_boundaries(key, alike, in_use, read),
    )  # fmt: skip


def under(found: ConversationBoundaries, rules: BoundaryRules) -> Boundaries:
    """The same conversation under other rules, with what a person moved."""
    talk = with_moved(found.conversation, found.moved)
    return _boundaries(found.key, moves(talk), rules, talk)


def kind_at(boundaries: Boundaries, turn: int) -> Kind:
    """What begins with a turn."""
    record = record_at(boundaries, turn)
    return "none" if record is None else record.kind


def record_at(boundaries: Boundaries, turn: int) -> Boundary | None:
    """What begins with a turn, or why nothing does; None for a turn like most."""
    return next((one for one in (*boundaries.records, *boundaries.continued) if one.item == turn), None)


@st.cache_resource(max_entries=16, show_spinner=False)
def times_of(key: str, _conversation: Conversation) -> list[datetime] | None:
    """The time of each turn by the transcript's own clock, without a zone; None where most have none.

    A turn without a time has that of the one before.
    """
    zone = next((at.tzinfo for turn in _conversation.turns if (at := turn.timestamp) and at.tzinfo), None)
    known: list[datetime | None] = []
    for turn in _conversation.turns:
        at = turn.timestamp
        try:
            known.append(at.astimezone(zone).replace(tzinfo=None) if at and at.tzinfo else at)
        except OverflowError:  # the first and last of all days
            known.append(None)
    last = next((at for at in known if at is not None), None)
    told = sum(1 for at in known if at is not None)
    if last is None or 2 * told < len(known) or min(filter(None, known)) == max(filter(None, known)):
        return None
    times = []
    for at in known:
        last = at or last
        times.append(last)
    return times


@st.cache_resource(max_entries=16, show_spinner=False)
def states_of(key: str, _conversation: Conversation) -> dict[int, str]:
    """The workflow state that is reached, by turn."""
    named = ((index, workflow_state_of(turn)) for index, turn in enumerate(_conversation.turns))
    return {index: state for index, state in named if state is not None}


@st.cache_resource(max_entries=16, show_spinner=False, hash_funcs={BoundaryRules: repr})
def commands_of(key: str, rules: BoundaryRules, _conversation: Conversation) -> dict[int, tuple[str, str]]:
    """What users ask for in words, by turn: ("new" or "continue", the words)."""
    asked = ((index, rules.command_of(turn)) for index, turn in enumerate(_conversation.turns))
    return {index: (command.kind, command.words) for index, command in asked if command is not None}


@st.cache_resource(max_entries=64, show_spinner=False, hash_funcs={BoundaryRules: repr})
def _boundaries(key: str, moved: str, rules: BoundaryRules, _conversation: Conversation) -> Boundaries:
    return segment(_conversation.turns, rules)


PROBLEM = "sessions.problem"  # the message of what could not be stored

Changes = Mapping[int, MovedBoundary | None]


def moved_to(found: ConversationBoundaries, start: int, to: int) -> Changes:
    """What makes the boundary at turn `start` stand at turn `to`; it takes its note along."""
    note = found.moved[start].note if start in found.moved else ""
    changes = {start: said(found, start, "none"), to: said(found, to, kind_at(found.shown, start), note)}
    return {} if start == to else changes


def said(found: ConversationBoundaries, turn: int, kind: Kind, note: str = "") -> MovedBoundary | None:
    """What a person says of a turn; None where the rules say the same, those in use and those tried."""
    alike = kind_at(found.bare, turn) == kind_at(found.bare_used, turn) == kind
    return None if alike and not note.strip() else MovedBoundary(kind, note)


def put_back(found: ConversationBoundaries, turn: int) -> Changes:
    """What leaves a turn to the rules again: for a boundary that was moved, both ends of the move."""
    mine = found.moved.get(turn)
    if mine is None:
        return {}
    starts = found.shown.conversation_starts
    before = max((start for start in starts if start < turn), default=0)
    after = min((start for start in starts if start > turn), default=found.shown.messages)
    if mine.kind != "none":
        taken = (one for one, other in found.moved.items() if before < one < after and other.kind == "none")
        return dict.fromkeys((turn, *taken))
    kind = kind_at(found.bare, turn)
    added = [
        one
        for one in (before, after)
        if one in found.moved and found.moved[one].kind == kind and kind_at(found.bare, one) == "none"
    ]
    return dict.fromkeys((turn, *sorted(added, key=lambda one: abs(one - turn))[:1]))


def store(found: ConversationBoundaries, changes: Callable[[], Changes], turn: int) -> None:
    """Store what a person says, and look at the turn; for callbacks."""
    wanted = changes()
    held = MovedBoundaries(found.app.store)
    st.session_state.pop(PROBLEM, None)
    try:
        known = held.of(found.key)
        if any(_plain(known.get(one)) != _plain(moved) for one, moved in wanted.items()):
            held.change(found.key, wanted)
    except ConvgateError as error:
        st.session_state[PROBLEM] = str(error)
    state.select(turn)


def undo(app: App, key: str) -> None:
    """Take the last change of the conversation back, whenever it was made; for callbacks."""
    st.session_state.pop(PROBLEM, None)
    try:
        turns = MovedBoundaries(app.store).undo(key)
    except ConvgateError as error:
        st.session_state[PROBLEM], turns = str(error), []
    if turns:
        state.select(turns[-1])
    state.touched()


def _plain(moved: MovedBoundary | None) -> tuple[str, str] | None:
    return None if moved is None else (moved.kind, moved.note.strip())
