"""The view between reruns: from the address when a person comes by a link, else from the session.

What a person does goes through `change`, in callbacks, so that it is known before anything is drawn. The
address is written at the end of a run. It is read again only when it says something that was not written
here: a link, or the browser's way back.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import streamlit as st

from convgate.ui.explore.view import View

VIEW = "explore.view"
_WRITTEN = "explore.address"
_TOUCHED = "explore.touched"


def current_view() -> tuple[View, list[str]]:
    """The view of this run, and what is wrong with the address it came by."""
    known: View | None = st.session_state.get(VIEW)
    query = st.query_params.to_dict()
    # After an interaction the browser may not have seen yet what the last run wrote to the address.
    touched = st.session_state.pop(_TOUCHED, False)
    if known is not None and (touched or not query or query == st.session_state.get(_WRITTEN)):
        return known, []
    view, problems = View.from_query(query)
    if known is not None and set(query) == {"conversation"} and known.conversation != view.conversation:
        view = known.opened(
            query["conversation"]
        )  # the way of looking stays, from conversation to conversation
    st.session_state[VIEW] = view
    return view, problems


def change(**values: Any) -> None:
    """Change parts of the view; for callbacks."""
    st.session_state[VIEW] = replace(st.session_state[VIEW], **values)
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
