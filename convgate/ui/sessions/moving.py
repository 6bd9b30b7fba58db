"""Boundaries moved by a person: each change is stored at once, and taken back by one undo."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import streamlit as st

from convgate.errors import ConvgateError
from convgate.sessions import Kind
from convgate.store.edits import MovedBoundaries, MovedBoundary
from convgate.ui.frame import App
from convgate.ui.sessions import state
from convgate.ui.sessions.found import Found, kind_at

PROBLEM = "sessions.problem"  # the message of what could not be stored

Changes = Mapping[int, MovedBoundary | None]


def moved_to(found: Found, start: int, to: int) -> Changes:
    """What makes the boundary at turn `start` stand at turn `to`; it takes its note along."""
    note = found.moved[start].note if start in found.moved else ""
    changes = {start: said(found, start, "none"), to: said(found, to, kind_at(found.shown, start), note)}
    return {} if start == to else changes


def said(found: Found, turn: int, kind: Kind, note: str = "") -> MovedBoundary | None:
    """What a person says of a turn; None where the rules say the same, those in use and those tried."""
    alike = kind_at(found.bare, turn) == kind_at(found.bare_used, turn) == kind
    return None if alike and not note.strip() else MovedBoundary(kind, note)


def put_back(found: Found, turn: int) -> Changes:
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


def store(found: Found, changes: Callable[[], Changes], turn: int) -> None:
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
