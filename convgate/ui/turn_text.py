"""What a turn says, as the pages show it that tell of one turn."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from convgate.conversation import Turn
from convgate.ui.text import show_text

_STYLE = Path(__file__).with_suffix(".css")
_LONGEST = 4_000  # characters; the transcript in Explore has all of it


def draw_turn_text(turn: Turn) -> None:
    """Its text and tool calls in a box that scrolls; says so when there is none."""
    text = turn.scored_text.strip()
    st.html(_STYLE)
    with st.container(key="turn-text"):
        if text:
            show_text(text, limit=_LONGEST)
        else:
            st.caption("This turn has no text.")
