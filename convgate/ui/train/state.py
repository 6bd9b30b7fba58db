"""Which run is looked at, in the address; what went wrong last, in the session."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from convgate.core.errors import ConvgateError
from convgate.ui import state
from convgate.ui.frame import show_problem

RUN = "run"
_FAILED = "train.failed"
TURN_PAGE, ONLY = "train.turns.page", "train.turns.only"


def chosen_run() -> str | None:
    """The id of the run that the address names."""
    return st.query_params.get(RUN) or None


def look_at(id: str | None) -> None:
    """Look at another run, or at none; for callbacks."""
    state.forget(TURN_PAGE, ONLY)
    if id is None:
        st.query_params.pop(RUN, None)
    else:
        st.query_params[RUN] = id


def attempt(action: Callable[..., Any], *words: Any) -> Any:
    """What the action gives; None, and a message on the page, when it raises a ConvgateError."""
    try:
        return action(*words)
    except ConvgateError as error:
        st.session_state[_FAILED] = error
        return None


def draw_failure() -> None:
    """What the last action complained about, once."""
    error = st.session_state.pop(_FAILED, None)
    if error is not None:
        show_problem(error)
