"""A simulation of drift: the same rules with a simulated clock and a temporary database."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from convgate.core.errors import ContextError
from convgate.core.extras import needs_extra
from convgate.core.settings import Settings
from convgate.guardrails.guardrails import fallbacks_of, update_alerts
from convgate.guardrails.report import Report, report
from convgate.guardrails.request import Fallback
from convgate.guardrails.rules import divergence, observe
from convgate.modes.mode import MODES, Mode
from convgate.store.database import Store
from convgate.store.guard_states import Alert, Baseline, GuardStates
from convgate.store.requests import RequestRow, Requests

PER_HOUR = 600  # requests
START = datetime(2026, 3, 5, 9, tzinfo=UTC)
BEFORE, AFTER = 60, 120  # minutes as usual before and after the drift
BASELINE_REQUESTS = 10_000


@dataclass(frozen=True, slots=True)
class Moment:
    """The state of the guardrails after a step."""

    at: datetime  # UTC
    requests: int  # of the last hour
    divergence: float  # nats
    overruled: tuple[Mode, ...]  # modes that GENERAL takes the place of


@dataclass(frozen=True)
class Simulation:
    """An hour as usual, drift, two hours as usual again."""

    moments: tuple[Moment, ...]
    alerts: tuple[Alert, ...]  # in the order in which they were raised
    report: Report  # of all of it

    @property
    def peak(self) -> int:
        """The position of the moment with the highest divergence, with a fallback if there is one."""
        moments = self.moments
        return max(range(len(moments)), key=lambda i: (bool(moments[i].overruled), moments[i].divergence))


def simulate(
    normal: Mapping[str, float],
    settings: Settings,
    *,
    nats: float = 0.15,
    toward: Mode = "DEBUGGING",
    minutes: int = 90,
    per_hour: float = PER_HOUR,
    step: timedelta = timedelta(minutes=5),
) -> Simulation:
    """Run requests that drift for some minutes through the rules, with the limits of `settings`.

    normal: shares or counts by mode. The result is the same each time; nothing is kept. Raises ContextError
    as `drift_shares` does.
    """
    usual, shifted = _shares(normal), drift_shares(normal, nats=nats, toward=toward)
    counts = {mode: round(BASELINE_REQUESTS * share) for mode, share in usual.items()}
    now = at = START
    starts = START + timedelta(minutes=BEFORE)
    ends = starts + timedelta(minutes=minutes)
    end = ends + timedelta(minutes=AFTER)
    interval, deficits = timedelta(hours=1) / per_hour, dict.fromkeys(MODES, 0.0)
    moments: list[Moment] = []
    fallbacks: Mapping[Mode, Fallback] = {}
    with tempfile.TemporaryDirectory() as folder, closing(Store(Path(folder, "simulation.db"))) as store:
        GuardStates(store).put_baseline(Baseline(START, counts))
        while now < end:
            now, requests = min(now + step, end), []
            while at + interval <= now:
                at += interval
                shares = shifted if starts < at <= ends else usual
                deficits = {mode: deficits[mode] + shares[mode] for mode in MODES}
                mode = max(MODES, key=deficits.__getitem__)
                deficits[mode] -= 1
                requests.append(_request(at, mode, fallbacks.get(mode)))
            Requests(store).add(requests)
            alerts, _ = update_alerts(store, settings, now)
            fallbacks = fallbacks_of(alerts)
            latest = observe(store, settings, now)
            moments.append(Moment(now, latest.requests, latest.divergence or 0.0, tuple(fallbacks)))
        result = report(store, settings, START, now + timedelta(microseconds=1), now)
    return Simulation(tuple(moments), result.alerts[::-1], result)


def drift_shares(normal: Mapping[str, float], *, nats: float, toward: Mode) -> dict[str, float]:
    """Return shares with more of one mode, so many that an hour of requests is `nats` away from `normal`.

    Raises ContextError when even requests of that mode alone are less far away, or `normal` is empty.
    """
    with needs_extra("app", "a simulation"):
        from scipy.optimize import brentq

    usual = _shares(normal)
    baseline = {mode: BASELINE_REQUESTS * share for mode, share in usual.items()}

    def shifted(part: float) -> dict[str, float]:
        return {mode: (1 - part) * share + part * (mode == toward) for mode, share in usual.items()}

    def excess(part: float) -> float:
        return divergence({mode: PER_HOUR * share for mode, share in shifted(part).items()}, baseline) - nats

    if not nats > 0 or excess(1.0) < 0:
        raise ContextError(
            f"drift toward {toward} is more than 0 and at most {excess(1.0) + nats:.2f} nats; got {nats:g}"
        )
    return shifted(float(brentq(excess, 0.0, 1.0)))


def _request(at: datetime, mode: Mode, fallback: Fallback | None) -> RequestRow:
    return RequestRow(
        id=at.isoformat(), at=at, mode="GENERAL" if fallback else mode, classified=mode, confidence=0.9,
        source="classifier", low=False, tokens=(0, 0, 0, 2_000, 0, 0), tokens_total=4_000, budget=4_000,
        invariants=0, breaches=0, over_budget=0, seconds=0.01,
        fallbacks=(fallback.cause,) if fallback else (),
    )  # fmt: skip


def _shares(weights: Mapping[str, float]) -> dict[str, float]:
    total = sum(weights.get(mode, 0) for mode in MODES)
    if not total > 0:
        raise ContextError("at least one mode needs a share above 0")
    return {mode: weights.get(mode, 0) / total for mode in MODES}
