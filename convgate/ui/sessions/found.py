"""What begins where in a conversation: as it is, by the rules alone, and by the settings in use."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

import streamlit as st

from convgate.conversation import Conversation
from convgate.sessions import Boundaries, Boundary, BoundaryRules, Kind, segment, with_moved
from convgate.sessions.workflow import workflow_state_of
from convgate.store.edits import MovedBoundaries, MovedBoundary
from convgate.ui import services
from convgate.ui.frame import App
from convgate.ui.turn_labels import moves


@dataclass(frozen=True, slots=True)
class Segment:
    """A conversation of the transcript."""

    number: int  # from 1
    session: int  # number of the session that it is in, from 1
    start: int  # 0-based turns: from `start` to before `stop`
    stop: int
    boundary: Boundary


@dataclass(frozen=True, eq=False)
class Found:
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

    @property
    def others_moved(self) -> dict[int, MovedBoundary]:
        """What a person moved but what the rules would have alike."""
        return {turn: one for turn, one in self.moved.items() if kind_at(self.bare, turn) != one.kind}


def found_in(app: App, key: str, in_use: BoundaryRules, tried: BoundaryRules) -> Found:
    """What is found in a conversation of the library, kept between reruns."""
    read = services.conversation(app.settings.database, key)
    moved = MovedBoundaries(app.store).of(key)
    talk = with_moved(read, moved)
    alike, other = moves(read), moves(talk)
    return Found(
        app, key, read, moved, in_use, tried,
        shown=_boundaries(key, other, tried, talk), bare=_boundaries(key, alike, tried, read),
        used=_boundaries(key, other, in_use, talk), bare_used=_boundaries(key, alike, in_use, read),
    )  # fmt: skip


def under(found: Found, rules: BoundaryRules) -> Boundaries:
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
