"""Whether there is enough labelled data to act on what it says."""

from __future__ import annotations

import streamlit as st

MIN_CONVERSATIONS = 25
"""Labelled conversations; intervals from fewer are too wide to choose between two settings."""


def draw_too_few(conversations: int) -> bool:
    """Warn when there are too few conversations; return whether there are enough."""
    if conversations >= MIN_CONVERSATIONS:
        return True
    st.warning(
        f"{conversations} of {MIN_CONVERSATIONS} conversations: too few to trust.", icon=":material/warning:"
    )
    return False
