"""Callbacks of a page, and the click after them."""

from __future__ import annotations

import pytest
from streamlit.runtime.scriptrunner_utils.exceptions import StopException
from streamlit.runtime.state import SessionState
from streamlit.runtime.state.safe_session_state import SafeSessionState

from convgate.ui.callbacks import finish_callbacks


class Run:
    """A run of the script while the following click waits."""

    _execing = True

    def interrupt(self) -> None:
        if self._execing:
            raise StopException


def test_a_click_interrupts_the_drawing_and_no_callback() -> None:
    finish_callbacks()
    done = []

    class State(SessionState):
        def on_script_will_rerun(self, *_: object, **__: object) -> None:
            """Run a callback."""
            state["draft"] = "labelled"
            done.append(state["draft"])

    state = SafeSessionState(State(), Run().interrupt)
    state.on_script_will_rerun(None)
    assert done == ["labelled"]
    with pytest.raises(StopException):
        state["draft"] = "drawn"
