"""Which run is shown, in the address."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from convgate.ui.actions import reporting_problems

RUN = "run"


def chosen_run() -> str | None:
    """Return the id of the run that the address names."""
    return st.query_params.get(RUN) or None


def show_run(id: str | None) -> None:
    """Show another run, or the list of all; for callbacks."""
    if id is None:
        st.query_params.pop(RUN, None)
    else:
        st.query_params[RUN] = id


def attempt(action: Callable[..., Any], *args: Any) -> None:
    """Run an action of a button; the page shows its ConvgateError."""
    with reporting_problems():
        action(*args)
