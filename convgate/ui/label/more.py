"""What belongs to labelling besides answering, behind a click; made only when it is open."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from convgate.ui.explore import state
from convgate.ui.explore.state import View
from convgate.ui.frame import App
from convgate.ui.label.files import draw_files
from convgate.ui.label.people import draw_agreement, draw_people

SHOW = "label.show"
VIEWS: dict[str, tuple[str, Callable[[App], None]]] = {
    "agreement": ("Agreement", draw_agreement),
    "people": ("Annotators", draw_people),
    "files": ("Import and export", draw_files),
}
"""The further views as addresses and as people call them."""


def draw_more(app: App, view: View) -> None:
    """The menu of further views, and the one that is chosen."""
    shown = view.show if view.show in VIEWS else None
    state.put(SHOW, shown)
    st.segmented_control(
        "More", list(VIEWS), key=SHOW, format_func=lambda name: VIEWS[name][0], on_change=_changed,
        label_visibility="collapsed",
    )  # fmt: skip
    if shown is not None:
        with st.container(key="label-further"):
            VIEWS[shown][1](app)


def _changed() -> None:
    state.change(show=st.session_state[SHOW])
