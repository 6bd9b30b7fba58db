"""Figures on a page."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import plotly.graph_objects as go
import streamlit as st

from convgate.core.text import writable
from convgate.figures.layout import CONFIG


def draw_figure(
    figure: go.Figure, key: str, alt: str, *, on_click: Callable[[], None] | None = None, **more: Any
) -> None:
    """Draw a figure in its own colors; alt: what it shows, in words; on_click: called for a clicked point."""
    st.plotly_chart(
        figure, theme=None, config=CONFIG, key=key, alt=writable(alt), on_select=on_click or "ignore",
        selection_mode="points", **more,
    )  # fmt: skip
