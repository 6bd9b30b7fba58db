"""The sample day, on which every rule shows once."""

from __future__ import annotations

import streamlit as st

from convgate.app_files import app_root
from convgate.store import Conversations, NewConversation
from convgate.transcripts import read_conversations
from convgate.ui.frame import App
from convgate.ui.sessions import state

FILE = "purple_button_one_day.json"
DAY = "purple-button"
"""What the file calls it."""


def draw_day(app: App) -> None:
    """The way to the day; opening it adds it to the library, unless it is there."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="sessions-day"):
        st.caption(
            "The sample day has each kind of boundary once: a workflow that is complete, a long gap, and"
            " somebody who goes on after it.",
            width="content",
        )
        st.button(
            "Open the sample day", key="sessions.day", icon=":material/today:", on_click=_open, args=(app,)
        )


def _open(app: App) -> None:
    transcript = read_conversations(app_root() / "sample_conversations" / FILE)
    items = [NewConversation(one, FILE, title=one.title) for one in transcript]
    state.open_conversation(Conversations(app.store).add(items)[0].key)
