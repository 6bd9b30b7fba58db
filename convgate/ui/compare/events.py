"""What happens in a conversation, whatever is kept: where sessions begin, which states are reached."""

from __future__ import annotations

import streamlit as st

from convgate.conversation import Conversation
from convgate.figures.hover import on_screen
from convgate.figures.timeline import Event
from convgate.sessions import BoundaryRules, segment
from convgate.sessions.workflow import workflow_state_of
from convgate.ui.frame import App
from convgate.ui.scoring import Moment
from convgate.ui.turn_labels import moves

_BEGUN = {"session": "A session begins", "conversation": "A conversation begins"}


def events_of(app: App, moment: Moment) -> list[Event]:
    """The events up to the current message, in order. The first message begins everything and is none.

    Raises SessionError for settings that cannot be.
    """
    end = len(moment.conversation) if moment.situation.index is None else moment.situation.index + 1
    found = _events(
        moment.key + moves(moment.conversation), BoundaryRules.of(app.settings), moment.conversation
    )
    return [event for event in found if event.turn < end]


@st.cache_resource(max_entries=16, show_spinner=False, hash_funcs={BoundaryRules: repr})
def _events(key: str, rules: BoundaryRules, _conversation: Conversation) -> list[Event]:
    begun = [
        Event(boundary.item, kind, f"{_BEGUN[kind]}: {on_screen(boundary.reason)}")
        for boundary in segment(_conversation.turns, rules).records
        if boundary.item and (kind := boundary.kind) != "none"
    ]
    states = [
        Event(index, "state", f"The workflow is {reached.lower()}.")
        for index, turn in enumerate(_conversation.turns)
        if (reached := workflow_state_of(turn)) is not None
    ]
    return sorted([*begun, *states], key=lambda event: event.turn)
