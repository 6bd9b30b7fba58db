"""The boundaries of one conversation: numbers, chart, list, one message."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import streamlit as st

from convgate.core.errors import SessionError
from convgate.core.text import format_age
from convgate.core.text import format_duration as duration
from convgate.figures.hover import on_screen
from convgate.figures.layout import CONFIG
from convgate.figures.sessions import Along, along_figure, along_height, describe_along
from convgate.figures.timeline import Event
from convgate.policies.sessions import Boundaries, BoundaryRules
from convgate.store.sessions import Sessions
from convgate.transcripts.characters import writable
from convgate.ui.frame import App
from convgate.ui.page_state import draw_problems
from convgate.ui.picker import Picker
from convgate.ui.sessions import state
from convgate.ui.sessions.boundaries import (
    PROBLEM,
    ConversationBoundaries,
    commands_of,
    find_boundaries,
    states_of,
    times_of,
)
from convgate.ui.sessions.segments import draw_message, draw_segments
from convgate.ui.sessions.state import AXES, View
from convgate.ui.sessions.tried import draw_trial, draw_trying
from convgate.ui.state import clicked
from convgate.ui.tables import draw_numbers
from convgate.ui.text import literal
from convgate.ui.theme import current_palette
from convgate.ui.turn import turn_labels

CHART = "sessions.chart"
_BEGUN = {"session": "A session begins", "conversation": "A conversation begins", "none": "It goes on"}
_ASKS = {"new": "asks for a new conversation", "continue": "asks to go on"}


def draw_chart(view: View, found: ConversationBoundaries, selected: int) -> None:
    """One mark a message; a click on one, or on what begins, selects its turn."""
    times = times_of(found.key, found.conversation)
    if times is not None:
        st.segmented_control(
            "Along", list(AXES), format_func=AXES.__getitem__, required=True, label_visibility="collapsed",
            **state.page.control("axis", view.axis),
        )  # fmt: skip
    along = along_of(found, by_clock=view.axis == "time")
    st.plotly_chart(
        along_figure(along, palette=current_palette(), selected=selected),
        theme=None, key=CHART, on_select=_clicked, selection_mode="points", config=CONFIG,
        height=along_height(along), alt=writable(describe_along(along, selected)),
    )  # fmt: skip


def along_of(found: ConversationBoundaries, *, by_clock: bool) -> Along:
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


def _clicked() -> None:
    state.touched()
    if (turn := clicked(CHART)) is not None:
        state.select(turn)


_PICKER = Picker("sessions", state.change, state.open_conversation)
_PROBLEMS = 5  # told at most


def draw_talk(app: App, view: View) -> None:
    """The choice of the conversation and the settings to try, then what begins where."""
    picked = _PICKER.pick_conversation(app, view.conversation)
    if picked is None:
        return
    key, _ = picked
    view = view.showing(key)
    in_use = BoundaryRules.of(app.settings)
    try:
        tried = view.rules(in_use)
    except SessionError as error:
        st.error(f"These settings cannot be tried: {literal(str(error))}.", icon=":material/error:")
        view = replace(view, new=None, onward=None)
        tried = view.rules(in_use)
    found = find_boundaries(app, key, in_use, tried)
    view, missing = view.within(found.conversation)
    state.keep(view)
    draw_trying(view, in_use, tried)
    if problem := st.session_state.pop(PROBLEM, None):
        st.error(f"Nothing was moved: {literal(problem)}", icon=":material/error:")
    draw_problems(missing)
    selected = _usual(found) if view.selected is None else view.selected
    _draw_strip(found)
    _draw_session(found)
    _draw_problems(found)
    draw_trial(app, view, found)
    draw_chart(view, found, selected)
    with st.container(key="sessions-body"):
        left, right = st.columns([1.45, 1], gap="medium")
        with left:
            draw_segments(view, found, selected)
        with right, st.container(key="sessions-message"):
            draw_message(found, selected)


def _usual(found: ConversationBoundaries) -> int:
    """The turn that is looked at first: where the last conversation begins."""
    return found.shown.conversation_starts[-1]


def _draw_strip(found: ConversationBoundaries) -> None:
    times = times_of(found.key, found.conversation)
    longest = max(((later - at).total_seconds() for at, later in pairwise(times or ())), default=0.0)
    gap = "no gap" if found.tried.idle_gap == float("inf") else duration(found.tried.idle_gap)
    shown, bare = found.shown, found.bare
    sessions, conversations = len(shown.session_starts), len(shown.conversation_starts)
    draw_numbers(
        [
            ("Sessions", f"{sessions:,}", f"{len(bare.session_starts):,} by rules", ""),
            ("Conversations", f"{conversations:,}", f"{len(bare.conversation_starts):,} by rules", ""),
            ("Messages", f"{len(found.conversation):,}", "in this transcript", ""),
            ("Longest gap", duration(round(longest)) if longest > 0 else "–", f"{gap} ends a session", ""),
            ("Moved", f"{len(found.moved):,}", "turns, by a person", ""),
        ],
        key="sessions-strip",
    )
    if times is None:
        st.info(
            "Most messages here have no time, so no gap can end a session. Commands and workflow states still"
            " begin conversations, and you can say yourself where one begins.",
            icon=":material/timer_off:",
        )


def _draw_session(found: ConversationBoundaries) -> None:
    """The stored session that the conversation is in, where it is in one."""
    held = Sessions(found.app.store).of(found.key)
    if held is None or held.session is None:
        return
    parts = [
        f"In the stored session {literal(held.session)}",
        f"last activity {format_age(held.last_activity)}",
    ]
    if held.workflow_state:
        parts.insert(1, f"workflow state {held.workflow_state}")
    if held.tags:
        parts.append("tags: " + ", ".join(literal(tag, limit=40) for tag in held.tags))
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.caption(" · ".join(parts), width="content")
        st.button(
            "Open the session", key="sessions.to_stored", type="tertiary", icon=":material/folder_open:",
            on_click=state.change, kwargs={"on": "stored", "session": held.session},
        )  # fmt: skip


def _draw_problems(found: ConversationBoundaries) -> None:
    if problems := found.shown.problems:
        more = f" … and {len(problems) - _PROBLEMS:,} more" if len(problems) > _PROBLEMS else ""
        st.warning(
            f"{literal('; '.join(problems[:_PROBLEMS]))}{more} (messages count from 0 here)",
            icon=":material/warning:",
        )
