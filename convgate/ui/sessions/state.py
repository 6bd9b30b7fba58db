"""The view of Sessions between reruns."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from convgate.ui.address import Address
from convgate.ui.sessions.view import View
from convgate.ui.state import put as put


def _read(query: Mapping[str, str], known: View | None) -> tuple[View, list[str]]:
    view, problems = View.from_query(query)
    if known is not None and set(query) == {"conversation"} and known.conversation != view.conversation:
        # The settings that are tried stay, from conversation to conversation.
        view = known.opened(query["conversation"])
    return view, problems


_address = Address("sessions", _read)
VIEW = _address.key
current_view, change, touched, keep = _address.current, _address.change, _address.touched, _address.keep


def select(turn: int) -> None:
    """Look at another turn (0-based), and at the part of the list that it is in; for callbacks."""
    change(selected=turn, page=0)


def open_conversation(key: str | None) -> None:
    """Look at another conversation under the same settings; for callbacks."""
    if key is not None:
        view: View = st.session_state[VIEW]
        st.session_state[VIEW] = view.opened(key)
    touched()
