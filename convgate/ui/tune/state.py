"""The view between reruns, as on Explore: from the address of a link, else from the session."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import streamlit as st

from convgate.ui.tune.view import View

VIEW = "tune.view"
_WRITTEN = "tune.address"
_TOUCHED = "tune.touched"


def current_view() -> tuple[View, list[str]]:
    """The view of this run, and what is wrong with the address it came by."""
    known: View | None = st.session_state.get(VIEW)
    query = st.query_params.to_dict()
    # After an interaction the browser may not have seen yet what the last run wrote to the address.
    touched = st.session_state.pop(_TOUCHED, False)
    if known is not None and (touched or not query or query == st.session_state.get(_WRITTEN)):
        return known, []
    view, problems = View.from_query(query)
    st.session_state[VIEW] = view
    return view, problems


def change(**values: Any) -> None:
    """Change parts of the view; for callbacks. Lists begin on their first page again."""
    st.session_state[VIEW] = replace(st.session_state[VIEW], **({"page": 1} | values))
    touched()


def touched() -> None:
    """Note that this run comes from something a person did on the page; for callbacks of every control."""
    st.session_state[_TOUCHED] = True


def keep(view: View) -> None:
    """Keep the view for the next run, and in the address."""
    st.session_state[VIEW] = view
    query = view.to_query()
    if st.query_params.to_dict() != query:
        st.query_params.from_dict(query)
    st.session_state[_WRITTEN] = query


def put(key: str, value: Any) -> None:
    """Have the control `key`, which is drawn next, show the value; one that shows it is left alone."""
    if key not in st.session_state or st.session_state[key] != value:
        st.session_state[key] = value
