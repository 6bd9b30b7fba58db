"""Sessions from top to bottom: the boundaries of one conversation, or the sessions of running agents."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from convgate.ui.frame import App
from convgate.ui.page_state import draw_problems
from convgate.ui.sessions import state
from convgate.ui.sessions.conversation import draw_talk
from convgate.ui.sessions.stored import draw_stored

_STYLE = Path(__file__).with_name("sessions.css")
_PLACES = {"conversation": "One conversation", "stored": "Stored sessions"}


def sessions_page(app: App) -> None:
    """Draw the page."""
    st.html(_STYLE)
    view, problems = state.current_view()
    state.keep(view)
    draw_problems(problems)
    st.segmented_control(
        "Show", list(_PLACES), format_func=_PLACES.__getitem__, required=True, label_visibility="collapsed",
        **state.page.control("on", view.on),
    )  # fmt: skip
    if view.on == "stored":
        draw_stored(app, view)
    else:
        draw_talk(app, view)
