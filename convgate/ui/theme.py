"""Whether the page is light or dark, and the colours that follow from it."""

from __future__ import annotations

from typing import Literal

import streamlit as st

from convgate.figures.palette import DARK, LIGHT, Palette

# Streamlit does not run the page again when the theme changes. A transition of a colour that the theme sets
# begins at just that moment, whether the menu or the system changed it.
_watch = st.components.v2.component(
    "convgate.theme",
    html="<i></i>",
    css="i { position: absolute; color: var(--st-text-color); transition: color 1ms; }",
    js="""export default function ({ parentElement, setTriggerValue }) {
      const mark = parentElement.querySelector("i")
      mark.ontransitionrun = () => setTriggerValue("theme", getComputedStyle(mark).color)
    }""",
)


def current_theme() -> Literal["light", "dark"]:
    """The theme that the person's browser shows; light until it has told.

    Streamlit learns it with the first message of a session, so that figures may be drawn twice at the start.
    """
    return "dark" if st.context.theme.type == "dark" else "light"


def current_palette() -> Palette:
    """The colours of figures for the theme that the person sees."""
    return DARK if current_theme() == "dark" else LIGHT


def follow_theme() -> None:
    """Have the page drawn again, in the other colours, when the person or the system changes the theme."""
    st.html("<style>*:has(> .st-key-follow-theme) { position: absolute; width: 0; }</style>")  # no room
    with st.container(key="follow-theme"):
        _watch(key="theme", on_theme_change=_changed)


def _changed() -> None:
    """Nothing: that the page runs again is all."""
