"""Callbacks that are not interrupted.

When a click arrives during a run of the page, Streamlit ends the run at its next use of the session state or
of an element, even within a callback, whose rest never happens: who pressed keys quickly on a slow machine
lost labels. Runs may be interrupted, since they only draw; callbacks may not. Clicks that arrive while a
callback runs are joined to one run: the same button counts once then, and buttons act in any order. With
Streamlit's `runner.fastReruns` they would be lost, so .streamlit/config.toml turns it off.
"""

from __future__ import annotations

from typing import Any

from streamlit.runtime.scriptrunner.script_runner import ScriptRunner
from streamlit.runtime.state.safe_session_state import SafeSessionState

_run_callbacks = SafeSessionState.on_script_will_rerun


def finish_callbacks() -> None:
    """Let every callback of this process run to its end."""
    SafeSessionState.on_script_will_rerun = _run_callbacks_to_their_end  # type: ignore[method-assign, assignment]


def _run_callbacks_to_their_end(state: SafeSessionState, *args: Any, **kwargs: Any) -> None:
    runner = getattr(state._yield_callback, "__self__", None)
    if not isinstance(runner, ScriptRunner):
        _run_callbacks(state, *args, **kwargs)
        return
    before, runner._execing = runner._execing, False  # it is interrupted while this is True alone
    try:
        _run_callbacks(state, *args, **kwargs)
    finally:
        runner._execing = before
