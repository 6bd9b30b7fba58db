"""A day of requests in a data folder, with hours of drift and an hour of errors; for the pictures."""

from __future__ import annotations

import random
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path

from convgate.core.settings import load_settings
from convgate.guardrails.guardrails import Guardrails
from convgate.guardrails.request import Fallback, RequestRecord
from convgate.guardrails.rules import set_baseline
from convgate.modes.mode import MODES, Mode
from convgate.store import Store
from convgate.store.requests import Requests
from tools.drift import drift_shares

USUAL: Mapping[str, float] = {
    "TASK": 0.38, "EXPLORATION": 0.14, "DEBUGGING": 0.2, "LEARNING": 0.11, "GENERAL": 0.17,
}  # fmt: skip
_HOURS = 30
_STEP = timedelta(minutes=10)
_DRIFT = (20.0, 22.5)  # hours since the first request
_ERRORS = (25.0, 26.0)


def log_requests(home: Path, *, until: datetime | None = None) -> dict[str, str]:
    """Log them, the last one now; addresses of what can be seen of it, by name."""
    now = until or datetime.now(UTC)
    _Day(home, now - timedelta(hours=_HOURS)).pass_until(now)
    return {"monitor-week": "Monitor?period=7d"}


class _Day:
    """Requests on a clock that they move, through the guardrails as they are."""

    def __init__(self, home: Path, start: datetime) -> None:
        self._settings = load_settings().updated(home=home)
        self._store = Store(self._settings.database)
        self._start = self._now = start
        self._random = random.Random(6)
        self._guard = Guardrails(self._settings.database, self._settings, clock=lambda: self._now)
        self._away = drift_shares(USUAL, nats=0.3, toward="DEBUGGING")
        self._number = 0

    def pass_until(self, end: datetime) -> None:
        while self._now + _STEP <= end:
            outcomes = [self._request() for _ in range(self._random.randint(40, 60))]
            self._guard.flush()
            Requests(self._store).record_outcomes(
                [outcome for outcome in outcomes if outcome is not None], self._now
            )
            if self._hour < 12 <= self._hour + _STEP / timedelta(hours=1):
                set_baseline(self._store, self._settings, self._start, self._now, self._now)
        self._guard.close()
        self._store.close()

    @property
    def _hour(self) -> float:
        return (self._now - self._start) / timedelta(hours=1)

    def _request(self) -> tuple[str, bool] | None:
        """One more; its id and whether it ended well, where somebody tells."""
        self._now += _STEP / 50 * self._random.uniform(0.4, 1.2)
        self._number += 1
        draw, shares = self._random, self._away if _DRIFT[0] <= self._hour < _DRIFT[1] else USUAL
        (classified,) = draw.choices(MODES, [shares[mode] for mode in MODES])
        confidence = (
            draw.uniform(0.4, 0.69) if classified == "GENERAL" else draw.betavariate(9, 2) * 0.3 + 0.7
        )
        fallback = self._guard.overruled(classified)
        mode: Mode = "GENERAL" if fallback else classified
        broken = draw.random() < 0.001
        total = round(draw.lognormvariate(9.6, 0.6))
        sent = min(total, round(draw.lognormvariate(8.4, 0.4)))
        causes = [fallback] if fallback else []
        causes += [Fallback("breach", "A rule was missing.")] if broken else []
        id = f"req_{draw.randrange(16**12):012x}"
        self._guard.record(
            RequestRecord(
                id, self._now, mode, classified, confidence,
                "low confidence" if confidence < 0.7 else "classifier",
                {"rules": sent // 10, "recent": sent // 3, "evidence": sent // 2}, total, 32_000, 2,
                int(broken), 0, tuple(causes), draw.lognormvariate(-4.6, 0.5),
            )
        )  # fmt: skip
        if draw.random() > 0.3:
            return None
        bad = 0.35 if mode == "DEBUGGING" and _ERRORS[0] <= self._hour < _ERRORS[1] else 0.01
        return id, draw.random() > bad
