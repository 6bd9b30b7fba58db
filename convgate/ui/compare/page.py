"""Compare from top to bottom: on one conversation or on labelled ones, the columns, how they differ."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from convgate.ui.choosers import chooser_labels
from convgate.ui.compare import state
from convgate.ui.compare.sets import draw_sets
from convgate.ui.compare.state import View
from convgate.ui.compare.talk import draw_talk
from convgate.ui.frame import App
from convgate.ui.sources import sources
from convgate.ui.text import literal

ON = "compare.on"
_STYLE = Path(__file__).with_name("compare.css")
_PLACES = {"conversation": "One conversation", "sets": "Labelled conversations"}


def compare(app: App) -> None:
    """Draw the page."""
    st.html(_STYLE)
    view, problems = state.current_view()
    choosers = chooser_labels(app.settings.home)
    known = sources(app) if view.on == "sets" else {}
    view, missing = view.with_known(choosers, known if view.on == "sets" else view.data or ())
    state.keep(view)
    for problem in [*problems, *missing]:
        st.warning(literal(problem), icon=":material/link_off:")
    _draw_places(view)
    if view.on == "sets":
        draw_sets(app, view, choosers, known)
    else:
        draw_talk(app, view, choosers)


def _draw_places(view: View) -> None:
    state.put(ON, view.on)
    st.segmented_control(
        "Compared on", list(_PLACES), key=ON, format_func=lambda on: _PLACES[on], required=True,
        on_change=_changed, label_visibility="collapsed",
    )  # fmt: skip


def _changed() -> None:
    state.change(on=st.session_state[ON])
