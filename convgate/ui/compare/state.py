"""The view of Compare between reruns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import streamlit as st

from convgate.ui.address import Address
from convgate.ui.compare.view import View
from convgate.ui.state import put as put


def _read(query: Mapping[str, str], known: View | None) -> tuple[View, list[str]]:
    view, problems = View.from_query(query)
    if known is not None and set(query) == {"conversation"} and known.conversation != view.conversation:
        # The way of looking stays, from conversation to conversation.
        view = _opened(known, view.conversation)
    return view, problems


_address = Address("compare", _read)
VIEW = _address.key
current_view, touched, keep = _address.current, _address.touched, _address.keep


def change(**values: Any) -> None:
    """Change parts of the view; for callbacks. The table begins on its first page again."""
    _address.change(**({"page": 1} | values))


def select(turn: int) -> None:
    """Explain another turn (0-based); the table stays where it is. For callbacks."""
    _address.change(selected=turn)


def open_conversation(key: str | None) -> None:
    """Look at another conversation in the same way; for callbacks."""
    if key is not None:
        st.session_state[VIEW] = _opened(st.session_state[VIEW], key)
    touched()


def on_conversation(view: View, key: str) -> View:
    """The view on that conversation: the one that it names, whose key may have changed, or a first one."""
    return replace(view, conversation=key) if view.conversation else _opened(view, key)


def _opened(view: View, key: str | None) -> View:
    return replace(view, conversation=key, turn=None, question="", selected=None, page=1)
