"""The page Monitor over a log of requests: what its tests share."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from convgate.core.settings import load_settings
from convgate.store import Store
from convgate.store.guard_states import Alert, Baseline, GuardStates
from convgate.store.requests import RequestRow, Requests
from tests.page_app import open_page

USUAL = {"TASK": 150, "EXPLORATION": 30, "DEBUGGING": 60, "LEARNING": 30, "GENERAL": 30}


@pytest.fixture
def store(convgate_home: object) -> Store:
    return Store(load_settings().database)


def now() -> datetime:
    return datetime.now(UTC)


def ago(**time: float) -> datetime:
    return now() - timedelta(**time)


def logged(number: int, at: datetime, mode: str, **other: Any) -> RequestRow:
    values: dict[str, Any] = {
        "id": f"r{number}", "at": at, "mode": mode, "classified": mode, "confidence": 0.9,
        "source": "classifier", "low": False, "tokens": (100, 0, 300, 100, 0, 0), "tokens_total": 2_000,
        "budget": 4_000, "invariants": 1, "breaches": 0, "over_budget": 0, "fallbacks": (), "seconds": 0.01,
    }  # fmt: skip
    return RequestRow(**(values | other))


def log(store: Store, counts: Mapping[str, int], *, end: datetime, minutes: float = 50, **other: Any) -> None:
    """Requests of these modes, one after the other over the minutes before `end`."""
    modes = [mode for mode, count in counts.items() for _ in range(count)]
    step = timedelta(minutes=minutes) / len(modes)
    start = Requests(store).count()
    Requests(store).add(
        logged(start + place, end - step * (len(modes) - place), mode, **other)
        for place, mode in enumerate(modes)
    )


def put_baseline(store: Store, counts: Mapping[str, int] = USUAL) -> None:
    GuardStates(store).put_baseline(Baseline(ago(days=3), dict(counts)))


def put_drift(store: Store, *, raised: datetime, cleared: datetime | None = None) -> None:
    GuardStates(store).put_alerts(
        [
            Alert(
                "drift", "", raised, "The modes <b>differ</b> by 0.200 nats.", {"limit": 0.1},
                cleared, "All as usual." if cleared else "",
            )
        ]
    )  # fmt: skip


def opened(**query: str) -> AppTest:
    """The page at an address."""
    return open_page("pages/10_Monitor.py", **query)
