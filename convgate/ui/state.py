"""What a person did that has to outlive a rerun: one place, the same names on every page."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any, TypeVar

import streamlit as st

from convgate.figures.hover import clicked_turn

T = TypeVar("T")
_PAGE, _ARRIVED = "page.drawn", "page.arrived"
_ENDED, _HURRIED = "page.ended", "page.hurried"

SOON = 0.5
"""Seconds after a run in which the browser may ask for another without having seen what the first wrote."""


def remembered(key: str, start: T) -> T:
    """The session's value under `key`; `start` is put there when there is none yet."""
    if key not in st.session_state:
        st.session_state[key] = start
    value: T = st.session_state[key]
    return value


def arrive(page: str) -> None:
    """Note which page is drawn, before anything of it is."""
    if st.session_state.get(_PAGE) != page:
        st.session_state[_PAGE] = page
        st.session_state[_ARRIVED] = True
    ended: float | None = st.session_state.pop(_ENDED, None)
    st.session_state[_HURRIED] = ended is None or time.monotonic() - ended < SOON


def stay() -> None:
    """Note that the page was drawn to its end."""
    st.session_state[_ARRIVED] = False
    st.session_state[_ENDED] = time.monotonic()


def hurried() -> bool:
    """Whether this run follows so soon on another, or broke it off, that it was asked for before its end."""
    return bool(st.session_state.get(_HURRIED))


def put(key: str, value: Any) -> None:
    """Have the control `key`, which is drawn next, show the value; one that shows it is left alone.

    A control of another page with the same key is another control, though the session has its value still.
    """
    arrived = st.session_state.get(_ARRIVED, True)
    if arrived or key not in st.session_state or st.session_state[key] != value:
        st.session_state[key] = value


def forget(*keys: str) -> None:
    """Remove values from the session; those that are not there are no matter."""
    for key in keys:
        st.session_state.pop(key, None)


def forget_all_but(*keys: str) -> None:
    """Remove everything from the session but these: what was erased must not live on in it."""
    forget(*(str(key) for key in st.session_state if key not in keys))


def selected_points(key: str) -> list[Any]:
    """The `customdata` of the points that are selected in the chart `key`, in the order of selection.

    Charts put turn indices there, because positions within a trace change with its colours.
    """
    return [point["customdata"] for point in _selection(key).get("points", ()) if "customdata" in point]


def clicked(key: str) -> int | None:
    """The turn of the point that was clicked last in the chart `key`; None when none was.

    For callbacks, which copy it at once: a chart forgets its selection whenever it is drawn anew.
    """
    turns = (point[0] if isinstance(point, list) and point else point for point in selected_points(key))
    return clicked_turn([{"customdata": turn} for turn in turns])


def selected_rows(key: str) -> list[int]:
    """The positions of the rows that are selected in the table `key`."""
    return list(_selection(key).get("rows", ()))


def selected_cell(key: str) -> int | None:
    """The row of the cell that is selected in the table `key`."""
    cells = _selection(key).get("cells", ())
    return int(cells[-1][0]) if cells else None


def _selection(key: str) -> Mapping[str, Any]:
    # By key and not by attribute: a test puts a plain dict where Streamlit has its own type.
    event = st.session_state.get(key)
    return event["selection"] if event else {}
