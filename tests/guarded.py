"""Guardrails to try: requests, and a clock and a database of a test's own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

from convgate.context.guardrails.guardrails import Guardrails
from convgate.context.mode import Mode
from convgate.context.request import RequestRecord
from convgate.settings import Settings
from convgate.store import Store
from tests.session_agents import NINE, Watch

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


@contextmanager
def guarded(place: Store | Path, watch: Watch, **chosen: Any) -> Iterator[Guardrails]:
    """Guardrails without a thread; what `Guardrails` takes, and settings without their `guard_`."""
    own = {name: chosen.pop(name) for name in ("alert", "monotonic", "threaded") if name in chosen}
    settings = Settings(**{f"guard_{name}": value for name, value in chosen.items()})
    passed = {"monotonic": lambda: watch.now.timestamp(), "threaded": False}
    guard = Guardrails(place, settings, clock=watch, **(passed | own))
    try:
        yield guard
    finally:
        guard.close()
