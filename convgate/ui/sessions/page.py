"""Sessions from top to bottom: the boundaries of one conversation, or the sessions of running agents."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from convgate.ui.frame import App
from convgate.ui.sessions import state
from convgate.ui.sessions.stored import draw_stored
from convgate.ui.sessions.talk import draw_talk
from convgate.ui.text import literal

ON = "sessions.on"
_STYLE = Path(__file__).with_name("sessions.css")
_PLACES = {"conversation": "One conversation", "stored": "Stored sessions"}


def sessions_page(app: App) -> None:
    """Draw the page."""
    st.html(_STYLE)
    view, problems = state.current_view()
    state.keep(view)
    for problem in problems:
        st.warning(literal(problem), icon=":material/link_off:")
    state.put(ON, view.on)
    st.segmented_control(
        "Show", list(_PLACES), key=ON, format_func=lambda on: _PLACES[on], required=True, on_change=_changed,
        label_visibility="collapsed",
    )  # fmt: skip
    if view.on == "stored":
        draw_stored(app, view)
    else:
        draw_talk(app, view)


def _changed() -> None:
    state.change(on=st.session_state[ON])
