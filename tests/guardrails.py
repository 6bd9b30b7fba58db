"""Guardrails for tests: requests, logged requests and baselines."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from convgate.core.settings import Settings
from convgate.guardrails.guardrails import Guardrails, to_row
from convgate.guardrails.request import RequestRecord
from convgate.modes.mode import Mode
from convgate.store import Store
from convgate.store.guard_states import Baseline, GuardStates
from convgate.store.requests import Requests
from tests.session_agents import NINE, Clock

USUAL = {"TASK": 150, "EXPLORATION": 30, "DEBUGGING": 60, "LEARNING": 30, "GENERAL": 30}
EVENLY = {"TASK": 1_000, "EXPLORATION": 1_000, "DEBUGGING": 1_000, "LEARNING": 1_000, "GENERAL": 1_000}


def request(
    number: int = 0, mode: Mode = "TASK", *, at: datetime = NINE, classified: Mode | None = None, **other: Any
) -> RequestRecord:
    values: dict[str, Any] = {
        "id": f"r{number}",
        "at": at,
        "mode": mode,
        "classified": classified or mode,
        "confidence": 0.9,
        "source": "classifier",
        "tokens": {"rules": 100, "evidence": 400},
        "tokens_total": 2_000,
        "budget": 1_000,
        "invariants": 2,
        "breaches": 0,
        "over_budget": 0,
        "fallbacks": (),
        "seconds": 0.01,
    }
    return RequestRecord(**(values | other))


def open_guardrails(store: Store, clock: Clock, alert: Any = None, **chosen: Any) -> Guardrails:
    """Return guardrails on this clock; `chosen` are settings without their `guard_`."""
    settings = Settings(guard=chosen)
    return Guardrails(store.path, settings, clock=clock, alert=alert)


def record(guard: Guardrails, clock: Clock, count: int = 250, *modes: Mode) -> None:
    """Log so many requests at the current time, cycling through the modes, and flush."""
    for number in range(count):
        guard.record(request(number, (modes or ("TASK",))[number % max(1, len(modes))], at=clock.now))
    assert guard.flush()


def put_baseline(store: Store, counts: Mapping[str, int] | None = EVENLY) -> None:
    GuardStates(store).put_baseline(None if counts is None else Baseline(NINE, counts))


def logged_request(number: int, at: datetime, mode: Any, **other: Any) -> dict[str, Any]:
    """Return the columns of a logged request."""
    tokens = {"rules": 100, "recent": 300, "evidence": 100}
    return to_row(
        request(number, mode, at=at, **({"tokens": tokens, "budget": 4_000, "invariants": 1} | other))
    )


def add_requests(
    store: Store, counts: Mapping[str, int], *, end: datetime, minutes: float = 50, **other: Any
) -> None:
    """Log requests of these modes, one after the other over the minutes before `end`."""
    modes = [mode for mode, count in counts.items() for _ in range(count)]
    step = timedelta(minutes=minutes) / len(modes)
    start = Requests(store).count()
    Requests(store).add(
        logged_request(start + place, end - step * (len(modes) - place), mode, **other)
        for place, mode in enumerate(modes)
    )
