"""The picture: messages along the clock, what begins where, and what the rules alone would have."""

from __future__ import annotations

import streamlit as st

from convgate.figures.hover import on_screen
from convgate.figures.layout import CONFIG
from convgate.figures.sessions import Along, along_figure, along_height, describe_along
from convgate.figures.timeline import Event
from convgate.sessions import Boundaries
from convgate.transcripts.characters import writable
from convgate.ui.sessions import state
from convgate.ui.sessions.found import Found, commands_of, states_of, times_of
from convgate.ui.sessions.state import AXES, View
from convgate.ui.state import clicked
from convgate.ui.theme import current_palette
from convgate.ui.turn_labels import turn_labels

CHART, AXIS = "sessions.chart", "sessions.axis"
_BEGUN = {"session": "A session begins", "conversation": "A conversation begins", "none": "It goes on"}
_ASKS = {"new": "asks for a new conversation", "continue": "asks to go on"}


def draw_chart(view: View, found: Found, selected: int) -> None:
    """One mark a message; a click on one, or on what begins, selects its turn."""
    times = times_of(found.key, found.conversation)
    if times is not None:
        state.put(AXIS, view.axis)
        st.segmented_control(
            "Along", list(AXES), key=AXIS, format_func=AXES.__getitem__, required=True, on_change=_chose_axis,
            label_visibility="collapsed",
        )  # fmt: skip
    along = along_of(found, by_clock=view.axis == "time")
    st.plotly_chart(
        along_figure(along, palette=current_palette(), selected=selected),
        theme=None, key=CHART, on_select=_clicked, selection_mode="points", config=CONFIG,
        height=along_height(along), alt=writable(describe_along(along, selected)),
    )  # fmt: skip


def along_of(found: Found, *, by_clock: bool) -> Along:
    """What is drawn; by the clock only where messages have times."""
    talk = found.conversation
    states = states_of(found.key, talk).items()
    reached = [Event(turn, "state", f"The workflow is {told.lower()}.") for turn, told in states]
    commands = commands_of(found.key, found.tried, talk).items()
    return Along(
        labels=turn_labels(found.key, talk),
        asks=[turn.role == "user" for turn in talk.turns],
        events=sorted([*_begun(found.shown), *reached], key=lambda event: event.turn),
        sessions=found.shown.session_starts,
        times=times_of(found.key, talk) if by_clock else None,
        commands=[Event(turn, "state", f"“{words}” {_ASKS[kind]}.") for turn, (kind, words) in commands],
        moved=[
            Event(
                turn, "state", f"A person: {_BEGUN[one.kind].lower()}{f': {one.note}' if one.note else '.'}"
            )
            for turn, one in found.moved.items()
            if turn < len(talk)
        ],
        rules=_begun(found.bare) if found.moved else (),
    )


def _begun(boundaries: Boundaries) -> list[Event]:
    """What begins where; the first message begins everything and is no event."""
    return [
        Event(one.item, kind, f"{_BEGUN[kind]}: {on_screen(one.reason)}")
        for one in boundaries.records
        if one.item and (kind := one.kind) != "none"
    ]


def _chose_axis() -> None:
    state.change(axis=st.session_state[AXIS])


def _clicked() -> None:
    state.touched()
    if (turn := clicked(CHART)) is not None:
        state.select(turn)
