"""Monitor from top to bottom: the log of requests, or a simulation of drift."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from convgate.ui.frame import App
from convgate.ui.monitor import state
from convgate.ui.monitor.logged import draw_log
from convgate.ui.monitor.simulated import draw_simulation
from convgate.ui.text import literal

ON = "monitor.on"
_STYLE = Path(__file__).with_name("monitor.css")
_PLACES = {False: "Your requests", True: "Simulate drift"}


def monitor(app: App) -> None:
    """Draw the page."""
    st.html(_STYLE)
    view, problems = state.current_view()
    state.keep(view)
    for problem in problems:
        st.warning(literal(problem), icon=":material/link_off:")
    state.put(ON, view.simulate)
    st.segmented_control(
        "Show", list(_PLACES), key=ON, format_func=lambda on: _PLACES[on], required=True, on_change=_changed,
        label_visibility="collapsed",
    )  # fmt: skip
    if view.simulate:
        draw_simulation(app, view)
    else:
        draw_log(app, view)


def _changed() -> None:
    state.change(simulate=bool(st.session_state[ON]))
