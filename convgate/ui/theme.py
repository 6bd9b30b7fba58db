"""Whether the page is light or dark, and the colours that follow from it."""

from __future__ import annotations

from typing import Literal

import streamlit as st

from convgate.figures.palette import DARK, LIGHT, Palette


def current_theme() -> Literal["light", "dark"]:
    """The theme that the person's browser shows; light until it has told.

    Streamlit learns it with the first message of a session, so that figures may be drawn twice at the start.
    """
    return "dark" if st.context.theme.type == "dark" else "light"


def current_palette() -> Palette:
    """The colours of figures for the theme that the person sees."""
    return DARK if current_theme() == "dark" else LIGHT
