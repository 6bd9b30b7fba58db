"""Which run is shown, in the address; the last action's error, in the session."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from convgate.core.errors import ConvgateError
from convgate.ui.frame import show_problem

RUN = "run"
_FAILED = "train.failed"


def chosen_run() -> str | None:
    """Return the id of the run that the address names."""
    return st.query_params.get(RUN) or None


def show_run(id: str | None) -> None:
    """Show another run, or the list of all; for callbacks."""
    if id is None:
        st.query_params.pop(RUN, None)
    else:
        st.query_params[RUN] = id


def attempt(action: Callable[..., Any], *args: Any) -> Any:
    """Return the action's result; None, and a message on the page, when it raises a ConvgateError."""
    try:
        return action(*args)
    except ConvgateError as error:
        st.session_state[_FAILED] = error
        return None


def draw_failure() -> None:
    """Show the last action's error once."""
    error = st.session_state.pop(_FAILED, None)
    if error is not None:
        show_problem(error)
