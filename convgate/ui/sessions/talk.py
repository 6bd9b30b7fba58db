"""The boundaries of one conversation: the numbers, the picture, the list, and one message."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import streamlit as st

from convgate.errors import SessionError
from convgate.sessions import BoundaryRules
from convgate.sessions.clock import duration
from convgate.store.sessions import Sessions
from convgate.ui.frame import App
from convgate.ui.picking import Picker
from convgate.ui.sessions import state
from convgate.ui.sessions.chart import draw_chart
from convgate.ui.sessions.day import DAY, draw_day
from convgate.ui.sessions.found import Found, found_in, times_of
from convgate.ui.sessions.message import draw_message
from convgate.ui.sessions.moving import PROBLEM
from convgate.ui.sessions.segments import draw_segments
from convgate.ui.sessions.state import View
from convgate.ui.sessions.tried import draw_others, draw_trial, draw_trying
from convgate.ui.text import literal
from convgate.ui.wording import ago

_PICKER = Picker("sessions", state.change, state.open_conversation)
_PROBLEMS = 5  # told at most


def draw_talk(app: App, view: View) -> None:
    """The choice of the conversation and the settings to try, then what begins where."""
    picked = _PICKER.pick_conversation(app, view.conversation)
    if picked is None:
        draw_day(app)
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
    found = found_in(app, key, in_use, tried)
    view, missing = view.within(found.conversation)
    state.keep(view)
    draw_trying(view, in_use, tried)
    if problem := st.session_state.pop(PROBLEM, None):
        st.error(f"Nothing was moved: {literal(problem)}", icon=":material/error:")
    for told in missing:
        st.warning(literal(told), icon=":material/link_off:")
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
    draw_others(found)
    if found.conversation.id != DAY:
        draw_day(app)


def _usual(found: Found) -> int:
    """The turn that is looked at first: where the last conversation begins."""
    return found.shown.conversation_starts[-1]


def _draw_strip(found: Found) -> None:
    times = times_of(found.key, found.conversation)
    longest = max(((later - at).total_seconds() for at, later in pairwise(times or ())), default=0.0)
    gap = "no gap" if found.tried.idle_gap == float("inf") else duration(found.tried.idle_gap)
    with st.container(horizontal=True, key="sessions-strip", gap="medium"):
        for label, value, told in (
            (
                "Sessions",
                f"{len(found.shown.session_starts):,}",
                f"{len(found.bare.session_starts):,} by rules",
            ),
            (
                "Conversations",
                f"{len(found.shown.conversation_starts):,}",
                f"{len(found.bare.conversation_starts):,} by rules",
            ),
            ("Messages", f"{len(found.conversation):,}", "in this transcript"),
            ("Longest gap", duration(round(longest)) if longest > 0 else "–", f"{gap} ends a session"),
            ("Moved", f"{len(found.moved):,}", "turns, by a person"),
        ):
            st.metric(label, value, told, delta_color="off", delta_arrow="off", width="content")
    if times is None:
        st.info(
            "Most messages here have no time, so no gap can end a session. Commands and workflow states still"
            " begin conversations, and you can say yourself where one begins.",
            icon=":material/timer_off:",
        )


def _draw_session(found: Found) -> None:
    """The stored session that the conversation is in, where it is in one."""
    held = Sessions(found.app.store).of(found.key)
    if held is None or held.session is None:
        return
    parts = [f"In the stored session {literal(held.session)}", f"last activity {ago(held.last_activity)}"]
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


def _draw_problems(found: Found) -> None:
    if problems := found.shown.problems:
        more = f" … and {len(problems) - _PROBLEMS:,} more" if len(problems) > _PROBLEMS else ""
        st.warning(
            f"{literal('; '.join(problems[:_PROBLEMS]))}{more} (messages count from 0 here)",
            icon=":material/warning:",
        )
