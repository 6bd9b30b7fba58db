"""The Library from top to bottom: the ways to add conversations, and the conversations."""

from __future__ import annotations

import streamlit as st

from convgate.core.errors import ConvgateError
from convgate.ui.library import listing
from convgate.ui.library.add import draw_outcome, draw_paste, draw_path, draw_upload
from convgate.ui.library.data import draw_data
from convgate.ui.library.samples import draw_samples
from convgate.ui.shared.frame import App
from convgate.ui.shared.page_state import draw_problems


def library(app: App) -> None:
    """Draw the page."""
    try:
        _draw_library(app)
    except ConvgateError:  # a restore or its undo may help
        draw_data(app)
        raise
    draw_data(app)


def _draw_library(app: App) -> None:
    """Draw the conversations and the ways to add some."""
    state, problems = listing.page.current()
    listing.page.keep(state)
    draw_problems(problems)
    draw_outcome()
    if app.conversations.keys():
        with st.expander("Add conversations", icon=":material/add:", key="library.add"):
            files, path, text, samples = st.tabs(["Files", "Path", "Pasted text", "Samples"])
            with files:
                draw_upload(app)
            with path:
                draw_path(app)
            with text:
                draw_paste(app)
            with samples:
                draw_samples(app)
        listing.draw_conversations(app, state)
    else:
        st.subheader("Start with a sample", anchor=False)
        draw_samples(app)
        st.subheader("Or bring a conversation of your own", anchor=False)
        files, path, text = st.tabs(["Files", "Path", "Pasted text"])
        with files:
            draw_upload(app)
        with path:
            draw_path(app)
        with text:
            draw_paste(app)
