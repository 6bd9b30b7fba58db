"""The conversation and the message that the views of Explore and Label are about."""

from __future__ import annotations

from convgate.core.conversation import Conversation
from convgate.ui.explore import state
from convgate.ui.explore.state import View
from convgate.ui.frame import App
from convgate.ui.picker import Picker
from convgate.ui.scoring import Moment

_picker = Picker("explore", state.change, state.page.open)


def pick_conversation(app: App, view: View) -> tuple[View, Conversation] | None:
    """The conversation of the view, or the newest one; None when there is none to show, and why is said."""
    picked = _picker.pick_conversation(app, view.conversation)
    return None if picked is None else (view.showing(picked[0]), picked[1])


def pick_moment(view: View, conversation: Conversation) -> Moment:
    """The message to answer, by number, by key, or typed."""
    assert view.conversation is not None
    return _picker.pick_moment(view.conversation, conversation, view.turn, view.question)
