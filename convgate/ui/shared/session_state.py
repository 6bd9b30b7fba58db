"""The session state of pages: values of controls, selections in charts and tables, arrivals."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from convgate.figures.hover import clicked_turn

_PAGE, _ARRIVED, _BACK = "page.drawn", "page.arrived", "page.back"
UNTIL_LEFT = "until_left."
"""How the keys of what ends when another page opens begin."""


def begin_page(page: str) -> bool:
    """Note that the page is about to be drawn, and return whether it was opened or gone back to."""
    context = get_script_run_ctx()
    goes_back = context is not None and context.is_history_navigation
    is_same = st.session_state.get(_PAGE) == page
    arrives = goes_back or not is_same
    if arrives:
        st.session_state[_PAGE], st.session_state[_ARRIVED] = page, True
        st.session_state[_BACK] = is_same
        for key in [key for key in st.session_state if str(key).startswith(UNTIL_LEFT)]:
            del st.session_state[key]
    return arrives


def end_page() -> None:
    """Note that the page is complete."""
    st.session_state[_ARRIVED] = False


def drawn_page() -> str | None:
    """Return the title of the page that is being drawn."""
    title: str | None = st.session_state.get(_PAGE)
    return title


def has_arrived() -> bool:
    """Return whether this run draws a page that was opened or gone back to, so that its controls are new."""
    arrived: bool = st.session_state.get(_ARRIVED, True)
    return arrived


def went_back() -> bool:
    """Return whether the page was gone back to from an entry of its own when it was arrived at last."""
    back: bool = st.session_state.get(_BACK, False)
    return back


def put(key: str, value: Any) -> None:
    """Set the value of the control `key` before it is drawn, unless it has that value already.

    After a change of pages it is set in any case, because the control is a new one.
    """
    if has_arrived() or key not in st.session_state or st.session_state[key] != value:
        st.session_state[key] = value


def pressed(label: str, *, key: str, **also: Any) -> bool:
    """Draw a button, and return whether it was pressed, be it in a run that ended before it got here.

    `st.button` tells it to one run alone, and another event may end that run early.
    """
    name = f"{key}.pressed"
    st.button(label, key=key, on_click=_keep_press, args=(name,), **also)
    return bool(st.session_state.pop(name, False))


def _keep_press(name: str) -> None:
    st.session_state[name] = True


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
