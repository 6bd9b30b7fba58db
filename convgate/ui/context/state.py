"""The view of Context between reruns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from convgate.ui.address import Address
from convgate.ui.context.view import View
from convgate.ui.picking import Picker
from convgate.ui.state import put as put


def _read(query: Mapping[str, str], known: View | None) -> tuple[View, list[str]]:
    view, problems = View.from_query(query)
    if known is not None and set(query) == {"conversation"} and known.conversation != view.conversation:
        # What is tried stays, from conversation to conversation.
        view = known.opened(query["conversation"])
    return view, problems


_address = Address("context", _read)
VIEW = _address.key
current_view, touched, keep = _address.current, _address.touched, _address.keep


def change(**values: Any) -> None:
    """Change parts of the view; for callbacks. Lists begin where the selected turn is."""
    _address.change(**({"page": 0} | values))


def select(turn: int) -> None:
    """Look at another turn (0-based); lists stay where they are. For callbacks."""
    view: View = st.session_state[VIEW]
    change(selected=turn, page=view.page)


def answer(turn: int) -> None:
    """Build the context for another message (0-based); for callbacks."""
    change(turn=turn, question="", selected=None, intent=None)


def open_conversation(key: str | None) -> None:
    """Look at another conversation in the same way; for callbacks."""
    if key is not None:
        view: View = st.session_state[VIEW]
        st.session_state[VIEW] = view.opened(key)
    touched()


def _picked(**values: Any) -> None:
    # An intent is said of one message.
    change(**({"intent": None} | values))


PICKER = Picker("context", _picked, open_conversation)
