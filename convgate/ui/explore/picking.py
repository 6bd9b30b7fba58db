"""The conversation and the message that the views of Explore and Label are about."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from convgate.conversation import Conversation
from convgate.ui.explore import state
from convgate.ui.explore.view import View
from convgate.ui.frame import App
from convgate.ui.picking import Picker
from convgate.ui.scoring import Moment


def pick_conversation(app: App, view: View) -> tuple[View, Conversation] | None:
    """The conversation of the view, or the newest one; None when there is none to show, and why is said."""
    picked = _picker.pick_conversation(app, view.conversation)
    if picked is None:
        return None
    key, conversation = picked
    view = view.opened(key) if view.conversation is None else replace(view, conversation=key)
    return view, conversation


def pick_moment(view: View, conversation: Conversation) -> Moment:
    """The message to answer, by number, by key, or typed."""
    assert view.conversation is not None
    return _picker.pick_moment(view.conversation, conversation, view.turn, view.question)


def _open(key: str | None) -> None:
    if key is not None:
        view: View = st.session_state[state.VIEW]
        st.session_state[state.VIEW] = view.opened(key)
    state.touched()


_picker = Picker("explore", state.change, _open)
