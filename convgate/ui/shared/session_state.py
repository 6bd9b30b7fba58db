"""The session state of pages: values of controls, selections in charts and tables, arrivals."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from convgate.figures.hover import clicked_turn

_PAGE, _ARRIVED = "page.drawn", "page.arrived"
_ENDED, _EARLY = "page.ended", "page.early"

SOON = 0.5
"""Seconds after a run in which the browser may request another before it saw the new address."""


def begin_page(page: str) -> None:
    """Note that the page is about to be drawn."""
    if st.session_state.get(_PAGE) != page:
        st.session_state[_PAGE] = page
        st.session_state[_ARRIVED] = True
    ended: float | None = st.session_state.pop(_ENDED, None)
    st.session_state[_EARLY] = ended is None or time.monotonic() - ended < SOON


def end_page() -> None:
    """Note that the page is complete."""
    st.session_state[_ARRIVED] = False
    st.session_state[_ENDED] = time.monotonic()


def is_early_rerun() -> bool:
    """Return whether this run was requested before the last one ended, or soon after, by no back button."""
    context = get_script_run_ctx()
    goes_back = context is not None and context.is_history_navigation
    return bool(st.session_state.get(_EARLY)) and not goes_back


def put(key: str, value: Any) -> None:
    """Set the value of the control `key` before it is drawn, unless it has that value already.

    After a change of pages it is set in any case, because the control is a new one.
    """
    arrived = st.session_state.get(_ARRIVED, True)
    if arrived or key not in st.session_state or st.session_state[key] != value:
        st.session_state[key] = value


def selected_points(key: str) -> list[Any]:
    """Return the `customdata` of the selected points of the chart `key`, in the order of selection.

    Charts put turn indices there, because positions within a trace depend on its colors.
    """
    return [point["customdata"] for point in _selection(key).get("points", ()) if "customdata" in point]


def clicked(key: str) -> int | None:
    """Return the turn of the point that was clicked last in the chart `key`, if any.

    For callbacks, because a chart loses its selection when it is drawn again.
    """
    turns = (point[0] if isinstance(point, list) and point else point for point in selected_points(key))
    return clicked_turn([{"customdata": turn} for turn in turns])


def selected_cell(key: str) -> int | None:
    """Return the row of the cell that is selected in the table `key`."""
    cells = _selection(key).get("cells", ())
    return int(cells[-1][0]) if cells else None


def _selection(key: str) -> Mapping[str, Any]:
    # By key and not by attribute: a test puts a plain dict where Streamlit has its own type.
    event = st.session_state.get(key)
    return event["selection"] if event else {}
