"""Compare from top to bottom: on one conversation or on labelled ones, the columns, how they differ."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from convgate.ui.choosers import chooser_labels
from convgate.ui.compare import state
from convgate.ui.compare.conversation import draw_talk
from convgate.ui.compare.sets import draw_sets
from convgate.ui.compare.state import View
from convgate.ui.frame import App
from convgate.ui.label_sources import sources
from convgate.ui.page_state import draw_problems

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
    draw_problems([*problems, *missing])
    _draw_places(view)
    if view.on == "sets":
        draw_sets(app, view, choosers, known)
    else:
        draw_talk(app, view, choosers)


def _draw_places(view: View) -> None:
    st.segmented_control(
        "Compared on", list(_PLACES), format_func=_PLACES.__getitem__, required=True,
        label_visibility="collapsed", **state.page.control("on", view.on),
    )  # fmt: skip
