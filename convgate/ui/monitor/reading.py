"""The report of a period, kept for a moment: 100,000 requests take half a second to add up."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import streamlit as st

from convgate.context.guardrails.report import report
from convgate.context.guardrails.report_records import Report
from convgate.ui.frame import App
from convgate.ui.monitor.view import View

FRESH = 2.0  # seconds for which a report is shown again, at least
FRESH_FACTOR = 20.0  # times as long as it took to make

_Key = tuple[str, datetime | None]


@dataclass
class _Held:
    """Reports of one database, by period."""

    reports: dict[_Key, tuple[Report, float]] = field(default_factory=dict)  # until when it is fresh
    lock: threading.Lock = field(default_factory=threading.Lock)


def report_of(app: App, view: View) -> Report:
    """The report of the view's period; StoreError when the database cannot be read."""
    held, key = _held(app.settings.database), (view.period, view.until)
    with held.lock:
        known = held.reports.get(key)
        if known is not None and time.monotonic() < known[1]:
            return known[0]
        began = time.monotonic()
        now = datetime.now(UTC)
        until = view.until
        since = (until or now) - view.length
        made = report(app.store, app.settings, since, until, now)
        took = time.monotonic() - began
        if len(held.reports) > 16:
            held.reports.clear()
        held.reports[key] = made, time.monotonic() + max(FRESH, FRESH_FACTOR * took)
        return made


def forget_reports(app: App) -> None:
    """Have the next report made anew; for callbacks of what changes it."""
    held = _held(app.settings.database)
    with held.lock:
        held.reports.clear()


@st.cache_resource(max_entries=4, show_spinner=False)
def _held(path: Path) -> _Held:
    return _Held()
