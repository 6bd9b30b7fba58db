"""Cleaning up ended sessions: what would go, told before anybody says yes."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import streamlit as st

from convgate.sessions.manager import SessionManager
from convgate.store.sessions import OldSessions, Sessions
from convgate.ui import state as widgets
from convgate.ui.frame import App
from convgate.ui.sessions import state
from convgate.ui.wording import counted

DAYS, WITH, ASKED, DONE = "sessions.days", "sessions.with", "sessions.asked", "sessions.done"
_MOST = 36_500  # days


def draw_cleaning(app: App) -> None:
    """The days, what would go, and the question whether it shall."""
    if done := st.session_state.pop(DONE, None):
        st.success(done, icon=":material/check:")
    place = st.expander(
        "Clean up ended sessions", icon=":material/mop:", key="sessions.cleaning", on_change=state.touched
    )
    if not place.open:
        return
    with place:
        usual = round(min(_MOST, max(1, app.settings.session_retention_days)))
        days = st.number_input(
            "Days that an ended session is kept", 1, _MOST, usual,
            key=DAYS, on_change=_again, width=260,
            help="The setting session\\_retention\\_days. What is active stays, however old.",
        )  # fmt: skip
        old = Sessions(app.store).old(datetime.now(UTC) - timedelta(days=days))
        if not old.sessions:
            st.caption(f"Nothing to clean up: no session ended more than {counted(days, 'day')} ago.")
            return
        deletes = old.in_library > 0 and st.checkbox(
            "Also delete their conversations in the library", key=WITH, on_change=_again,
            help="They can come back there, from “Deleted”, until they are removed for good.",
        )  # fmt: skip
        for line in what_goes(old, deletes=deletes):
            st.markdown(f"- {line}")
        if st.session_state.get(ASKED):
            st.markdown(f"**Remove {counted(old.sessions, 'session')}?** This cannot be undone.")
            with st.container(horizontal=True):
                st.button(
                    f"Remove {counted(old.sessions, 'session')}", key="sessions.clean", type="primary",
                    icon=":material/delete:", on_click=_clean, args=(app, days), kwargs={"deletes": deletes},
                )  # fmt: skip
                st.button("Keep them", key="sessions.keep", on_click=_again)
        else:
            st.button("Clean up …", key="sessions.ask", icon=":material/delete:", on_click=_ask)


def what_goes(old: OldSessions, *, deletes: bool) -> list[str]:
    """What a clean-up takes and leaves, a sentence each."""
    told = [
        f"**{counted(old.sessions, 'session')}** of {counted(old.workspaces, 'workspace')} would go: their"
        " times and reasons."
    ]
    if old.only_here:
        told.append(
            f"{counted(old.only_here, 'conversation')} of theirs that the library does not have would go"
            " along: titles, tags, states; no text is stored of them."
        )
    if old.in_library:
        fate = "would be deleted there" if deletes else "would stay, without a session"
        told.append(f"{counted(old.in_library, 'conversation')} of the library {fate}.")
    return told


def _ask() -> None:
    st.session_state[ASKED] = True
    state.touched()


def _again() -> None:
    widgets.forget(ASKED)
    state.touched()


def _clean(app: App, days: int, *, deletes: bool) -> None:
    _again()
    gone = SessionManager(app.store).clean_up(retention_days=days, with_conversations=deletes)
    st.session_state[DONE] = f"Removed {counted(gone, 'session')}."
