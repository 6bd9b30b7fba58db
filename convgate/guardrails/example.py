"""A simulated day of requests, with hours of drift and an hour of errors, as an example."""

from __future__ import annotations

import random
from collections.abc import Mapping
from datetime import datetime, timedelta

from convgate.core.settings import Settings
from convgate.guardrails.guardrails import fallbacks_of, to_row, update_alerts
from convgate.guardrails.request import Fallback, RequestRecord
from convgate.guardrails.rules import set_baseline
from convgate.modes.mode import Mode
from convgate.store.database import Store
from convgate.store.requests import Requests

_USUAL: Mapping[Mode, float] = {
    "TASK": 0.38, "EXPLORATION": 0.14, "DEBUGGING": 0.2, "LEARNING": 0.11, "GENERAL": 0.17,
}  # fmt: skip
_DRIFTED: Mapping[Mode, float] = {
    "TASK": 0.2, "EXPLORATION": 0.07, "DEBUGGING": 0.58, "LEARNING": 0.06, "GENERAL": 0.09,
}  # fmt: skip
_STEP, _STEPS = timedelta(minutes=10), 24 * 6
_PER_STEP = 40  # requests; 240 an hour, more than drift needs
_BASELINE, _DRIFT, _ERRORS = 6.0, (14.0, 16.5), (19.0, 20.0)  # hours since the first request


def log_example(store: Store, settings: Settings, until: datetime) -> None:
    """Log the day that ends at `until`; the rules of `settings` judge it step by step, as they would have."""
    draw, log, start = random.Random(6), Requests(store), until - _STEPS * _STEP
    fallbacks: Mapping[Mode, Fallback] = {}
    for step in range(_STEPS):
        begin, end, hour = start + step * _STEP, start + (step + 1) * _STEP, step * _STEP / timedelta(hours=1)
        times = sorted(begin + _STEP * draw.random() for _ in range(_PER_STEP))
        shares = _DRIFTED if _DRIFT[0] <= hour < _DRIFT[1] else _USUAL
        requests = [_simulate(draw, at, shares, fallbacks) for at in times]
        log.add(map(to_row, requests))
        fails = 0.35 if _ERRORS[0] <= hour < _ERRORS[1] else 0.01  # of the requests in DEBUGGING
        log.record_outcomes(
            [
                (request.id, draw.random() > (fails if request.mode == "DEBUGGING" else 0.01))
                for request in requests
                if draw.random() < 0.3  # of the others nobody says how they ended
            ],
            end,
        )
        if hour == _BASELINE:
            set_baseline(store, settings, start, end, end)
        fallbacks = fallbacks_of(update_alerts(store, settings, end)[0])


def _simulate(
    draw: random.Random, at: datetime, shares: Mapping[Mode, float], fallbacks: Mapping[Mode, Fallback]
) -> RequestRecord:
    (classified,) = draw.choices(list(shares), list(shares.values()))
    confidence = draw.uniform(0.4, 0.69) if classified == "GENERAL" else 0.7 + 0.3 * draw.betavariate(9, 2)
    causes = [fallbacks[classified]] if classified in fallbacks else []
    is_breach = draw.random() < 0.001
    if is_breach:
        causes.append(Fallback("breach", "A rule was missing."))
    total = round(draw.lognormvariate(9.6, 0.6))
    sent = min(total, round(draw.lognormvariate(8.4, 0.4)))
    return RequestRecord(
        id=f"req_{draw.randrange(16**12):012x}",
        at=at,
        mode="GENERAL" if classified in fallbacks else classified,
        classified=classified,
        confidence=confidence,
        source="low confidence" if confidence < 0.7 else "classifier",
        tokens={"rules": sent // 10, "recent": sent // 3, "evidence": sent // 2},
        tokens_total=total,
        budget=32_000,
        invariants=2,
        breaches=int(is_breach),
        over_budget=0,
        fallbacks=tuple(causes),
        seconds=draw.lognormvariate(-4.6, 0.5),
    )
