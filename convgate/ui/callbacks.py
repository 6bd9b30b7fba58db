"""What a click does is done to its end.

Streamlit ends a callback at its next use of the session state once the following click has arrived, and the
rest of it never happens (streamlit/streamlit#10578): who presses keys quickly loses labels. Runs of a page
may still be cut short, since they only draw. With `runner.fastReruns` a click whose run had not begun would
be lost as well, so .streamlit/config.toml turns it off.
"""

from __future__ import annotations

from typing import Any

from streamlit.runtime.state.safe_session_state import SafeSessionState

_run_callbacks = SafeSessionState.on_script_will_rerun


def _finish_callbacks(state: SafeSessionState, *args: Any, **kwargs: Any) -> None:
    runner = state._yield_callback.__self__  # type: ignore[attr-defined]
    runner._execing = False  # nothing is interrupted while it is
    try:
        _run_callbacks(state, *args, **kwargs)
    finally:
        runner._execing = True


def finish_callbacks() -> None:
    """Let every callback of this process run to its end."""
    SafeSessionState.on_script_will_rerun = _finish_callbacks  # type: ignore[method-assign, assignment]
