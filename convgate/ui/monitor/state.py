"""The view of Monitor between reruns, and what is told once."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

import streamlit as st

from convgate.ui.address import Address
from convgate.ui.monitor.view import View
from convgate.ui.state import forget
from convgate.ui.state import put as put

DONE, FAILED = "monitor.done", "monitor.failed"


def _read(query: Mapping[str, str], known: View | None) -> tuple[View, list[str]]:
    return View.from_query(query)


_address = Address("monitor", _read)
VIEW = _address.key
current_view, change, touched, keep = _address.current, _address.change, _address.touched, _address.keep


def look_at(until: datetime | None) -> None:
    """A period of the same length that ends then; None, or a time to come: now. For callbacks."""
    if until is not None and until >= datetime.now(UTC):
        until = None
    change(until=None if until is None else _whole_minute(until), simulate=False)


def tell(done: str = "", *, failed: str = "") -> None:
    """Have the next run say what an action did, or why it could not. Both are Markdown of ours."""
    forget(DONE, FAILED)
    if done:
        st.session_state[DONE] = done
    if failed:
        st.session_state[FAILED] = failed


def _whole_minute(moment: datetime) -> datetime:
    """The next one."""
    start = moment.astimezone(UTC).replace(second=0, microsecond=0)
    return start if start == moment else start + timedelta(minutes=1)
