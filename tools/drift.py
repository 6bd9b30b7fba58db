"""A simulation of drift: the guardrails' rules with a simulated clock and a temporary database.

    python -m tools.drift

Requests are as usual for an hour, drift toward one mode, and are as usual again for two hours.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from scipy.optimize import brentq

from convgate.core.settings import Settings
from convgate.guardrails.guardrails import fallbacks_of, to_row, update_alerts
from convgate.guardrails.request import Fallback, RequestRecord
from convgate.guardrails.rules import divergence, observe
from convgate.modes.mode import MODES, Mode
from convgate.store.database import Store
from convgate.store.guard_states import Alert, Baseline, GuardStates
from convgate.store.requests import Requests

USUAL: Mapping[str, float] = {
    "TASK": 0.4, "EXPLORATION": 0.15, "DEBUGGING": 0.2, "LEARNING": 0.1, "GENERAL": 0.15,
}  # fmt: skip
PER_HOUR = 600  # requests
START = datetime(2026, 3, 5, 9, tzinfo=UTC)
BEFORE, AFTER, STEP = timedelta(minutes=60), timedelta(minutes=120), timedelta(minutes=5)
BASELINE_REQUESTS = 10_000
NATS, TOWARD, DRIFTING = 0.15, "DEBUGGING", timedelta(minutes=90)


@dataclass(frozen=True, slots=True)
class Moment:
    """The state of the guardrails after a step."""

    minute: int  # since the start
    divergence: float  # nats, of the last hour
    overruled: tuple[Mode, ...]  # modes that GENERAL takes the place of


def simulate() -> tuple[list[Moment], list[Alert]]:
    """Return the moments and the alerts of requests that drift for a while."""
    shifted = drift_shares()
    starts, ends = START + BEFORE, START + BEFORE + DRIFTING
    now = at = START
    interval, deficits = timedelta(hours=1) / PER_HOUR, dict.fromkeys(MODES, 0.0)
    moments: list[Moment] = []
    fallbacks: Mapping[Mode, Fallback] = {}
    with tempfile.TemporaryDirectory() as folder, closing(Store(Path(folder, "simulation.db"))) as store:
        counts: dict[str, int] = {mode: round(BASELINE_REQUESTS * USUAL[mode]) for mode in MODES}
        GuardStates(store).put_baseline(Baseline(START, counts))
        while now < ends + AFTER:
            now, requests = now + STEP, []
            while at + interval <= now:
                at += interval
                shares = shifted if starts < at <= ends else USUAL
                deficits = {mode: deficits[mode] + shares[mode] for mode in MODES}
                mode = max(MODES, key=deficits.__getitem__)
                deficits[mode] -= 1
                requests.append(_request(at, mode, fallbacks.get(mode)))
            Requests(store).add(map(to_row, requests))
            alerts, _ = update_alerts(store, Settings(), now)
            fallbacks = fallbacks_of(alerts)
            latest = observe(store, Settings(), now).divergence or 0.0
            moments.append(Moment(round((now - START).total_seconds() / 60), latest, tuple(fallbacks)))
        return moments, GuardStates(store).alerts(START, now + STEP)


def drift_shares() -> dict[str, float]:
    """Return shares with more of `TOWARD`, so many that an hour of requests is `NATS` away from the usual."""
    baseline: dict[str, float] = {mode: BASELINE_REQUESTS * USUAL[mode] for mode in MODES}

    def shifted(part: float) -> dict[str, float]:
        return {mode: (1 - part) * USUAL[mode] + part * (mode == TOWARD) for mode in MODES}

    def excess(part: float) -> float:
        counts = {mode: PER_HOUR * share for mode, share in shifted(part).items()}
        return divergence(counts, baseline) - NATS

    return shifted(float(brentq(excess, 0.0, 1.0)))


def _request(at: datetime, mode: Mode, fallback: Fallback | None) -> RequestRecord:
    return RequestRecord(
        id=at.isoformat(), at=at, mode="GENERAL" if fallback else mode, classified=mode, confidence=0.9,
        source="classifier", tokens={"evidence": 2_000}, tokens_total=4_000, budget=4_000,
        invariants=0, breaches=0, over_budget=0, seconds=0.01,
        fallbacks=(fallback,) if fallback else (),
    )  # fmt: skip


def main() -> None:
    """Print one line for each step."""
    moments, _ = simulate()
    for moment in moments:
        mode = "GENERAL" if moment.overruled else "its own mode"
        print(f"minute {moment.minute:3}: {moment.divergence:.3f} nats, each request is built in {mode}")


if __name__ == "__main__":
    main()
