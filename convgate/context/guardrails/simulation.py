"""Hours of requests in a moment: the very same guardrails, on a clock and a database of their own.

normal = {"TASK": 0.4, "EXPLORATION": 0.15, "DEBUGGING": 0.2, "LEARNING": 0.1, "GENERAL": 0.15}
simulation = simulate(drift_and_back(normal), baseline=normal, settings=settings)
simulation.alerts                       # one of drift, raised and cleared
"""

from __future__ import annotations

import math
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from convgate.context.guardrails.baseline import set_baseline
from convgate.context.guardrails.drift import divergence
from convgate.context.guardrails.guardrails import Guardrails
from convgate.context.guardrails.limits import Limits
from convgate.context.guardrails.report import report
from convgate.context.guardrails.report_records import Report
from convgate.context.guardrails.seen import look
from convgate.context.mode import MODES, Mode
from convgate.context.request import RequestRecord
from convgate.errors import ContextError
from convgate.settings import Settings
from convgate.store.database import Store
from convgate.store.guard_states import Alert, GuardStates
from convgate.store.requests import Requests

PER_MINUTE = 10
STEP = timedelta(minutes=5)
START = datetime(2026, 3, 5, 9, tzinfo=UTC)
DRIFT = 0.15  # nats, of the worked example
BASELINE_REQUESTS = 10_000

_TOKENS = 4_000  # of a full history, and half of it as a context


@dataclass(frozen=True, slots=True)
class Phase:
    """Some time in which requests are alike."""

    minutes: float
    shares: Mapping[str, float]  # of each classified mode, in any unit
    unsure: float = 0.0  # 0…1: the share that the classifier is unsure of
    failures: Mapping[str, float] = field(default_factory=dict)  # by applied mode, the share that fails


@dataclass(frozen=True, slots=True)
class Moment:
    """What the guardrails saw and did after a step."""

    at: datetime  # UTC
    requests: int  # of the last hour
    divergence: float  # nats
    low_share: float  # 0…1
    overruled: tuple[Mode, ...]  # modes that GENERAL takes the place of


@dataclass(frozen=True)
class Simulation:
    """What became of the phases."""

    moments: tuple[Moment, ...]
    alerts: tuple[Alert, ...]  # in the order in which they were raised
    report: Report  # of all of it


def simulate(
    phases: Sequence[Phase],
    *,
    baseline: Mapping[str, float],
    settings: Settings,
    per_minute: float = PER_MINUTE,
    step: timedelta = STEP,
    start: datetime = START,
) -> Simulation:
    """Run requests through the guardrails with the limits of `settings`; nothing of it is kept.

    baseline: shares or counts by mode, for a baseline of 10,000 requests. Requests come evenly, each mode as
    often as its share says, so that a simulation gives the same result each time.
    """
    with tempfile.TemporaryDirectory(prefix="convgate-") as folder:
        scratch = settings.model_copy(update={"home": Path(folder), "guard_webhook": None})
        store = Store(scratch.database)
        counts: dict[str, int] = {
            mode: round(BASELINE_REQUESTS * share) for mode, share in _shares(baseline).items()
        }
        set_baseline(store, scratch.model_copy(update={"guard_drift_least": 1}), counts=counts, now=start)
        stream = _Stream(store, scratch, per_minute, start)
        moments = [moment for phase in phases for moment in stream.run(phase, step)]
        stream.guard.close()
        told = report(store, scratch, start, now=stream.now)
        store.close()
    return Simulation(tuple(moments), told.alerts[::-1], told)


def drift_and_back(
    normal: Mapping[str, float], *, by: float = DRIFT, toward: Mode = "DEBUGGING"
) -> list[Phase]:
    """The worked example: an hour as usual, an hour and a half that is `by` nats away, two as usual again."""
    return [Phase(60, normal), Phase(90, drifted(normal, by=by, toward=toward)), Phase(120, normal)]


def drifted(normal: Mapping[str, float], *, by: float, toward: Mode) -> dict[str, float]:
    """Shares with more of one mode, and less of all others alike, as many nats away from `normal`.

    It is the divergence that the guardrails find of an hour of simulated requests. Raises ContextError when
    even requests of that mode alone are less far away.
    """
    from scipy.optimize import brentq

    base = _shares(normal)
    many: dict[str, float] = {mode: BASELINE_REQUESTS * share for mode, share in base.items()}

    def moved(part: float) -> dict[str, float]:
        return {mode: (1 - part) * share + part * (mode == toward) for mode, share in base.items()}

    def excess(part: float) -> float:
        return divergence({mode: 60 * PER_MINUTE * share for mode, share in moved(part).items()}, many) - by

    if not by > 0 or excess(1.0) < 0:
        raise ContextError(
            f"modes that drift toward {toward} get at most {excess(1.0) + by:.2f} nats away, more than 0;"
            f" got {by:g}"
        )
    return moved(float(brentq(excess, 0.0, 1.0)))


class _Evenly:
    """Says yes as often as a share says, with as even gaps as can be."""

    def __init__(self) -> None:
        self._owed = 0.0

    def due(self, share: float) -> bool:
        self._owed += share
        due = self._owed >= 1 - 1e-9
        self._owed -= due
        return due


class _Stream:
    """Requests one after another, on a clock that they move."""

    def __init__(self, store: Store, settings: Settings, per_minute: float, start: datetime) -> None:
        self.now = start
        self.guard = Guardrails(
            store.path, settings, clock=lambda: self.now, threaded=False, quiet=True,
            monotonic=lambda: (self.now - start).total_seconds(),
        )  # fmt: skip
        self._store, self._limits = store, Limits.of(settings)
        self._pause = timedelta(minutes=1) / per_minute
        self._unsure, self._failing = _Evenly(), {mode: _Evenly() for mode in MODES}
        self._number = 0

    def run(self, phase: Phase, step: timedelta) -> Iterator[Moment]:
        """The requests of a phase, and what was seen after each step."""
        owed, shares = dict.fromkeys(MODES, 0.0), _shares(phase.shares)
        end = self.now + timedelta(minutes=phase.minutes)
        while self.now < end:
            stop, outcomes = min(self.now + step, end), []
            while self.now + self._pause <= stop:
                self.now += self._pause
                for mode in MODES:
                    owed[mode] += shares[mode]
                found = max(MODES, key=lambda mode: owed[mode])
                owed[found] -= 1
                request = self._request(found, unsure=self._unsure.due(phase.unsure))
                self.guard.record(request)
                if request.mode in phase.failures:
                    failing = self._failing[request.mode].due(phase.failures[request.mode])
                    outcomes.append((request.id, not failing))
            self.now = stop
            self.guard.flush()
            if outcomes:
                Requests(self._store).tell_outcomes(outcomes, self.now)
                self.guard.flush()
            yield self._moment()

    def _request(self, found: Mode, *, unsure: bool) -> RequestRecord:
        self._number += 1
        classified: Mode = "GENERAL" if unsure else found
        fallback = self.guard.overruled(classified)
        return RequestRecord(
            id=f"simulated-{self._number}",
            at=self.now,
            mode="GENERAL" if fallback else classified,
            classified=classified,
            confidence=0.5 if unsure else 0.9,
            source="low confidence" if unsure else "classifier",
            tokens={"evidence": _TOKENS // 2},
            tokens_total=_TOKENS,
            budget=_TOKENS,
            invariants=0,
            breaches=0,
            over_budget=0,
            fallbacks=() if fallback is None else (fallback,),
            seconds=0.01,
        )

    def _moment(self) -> Moment:
        seen = look(self._store, self._limits, self.now, GuardStates(self._store).open_alerts())
        assert seen.baseline is not None
        return Moment(
            self.now,
            seen.requests,
            divergence(seen.classified, seen.baseline.counts),
            seen.low_share or 0.0,
            tuple(mode for mode in MODES if self.guard.overruled(mode)),
        )


def _shares(weights: Mapping[str, float]) -> dict[Mode, float]:
    """Of each mode, with the sum 1; ContextError for an unknown mode, a number below 0, or nothing at all."""
    for mode, weight in weights.items():
        if mode not in MODES:
            raise ContextError(f"there is no mode {mode!r}; there are {', '.join(MODES)}")
        if not 0 <= weight < math.inf:
            raise ContextError(f"the share of {mode} is a number, 0 or more; got {weight}")
    total = sum(weights.values())
    if not total:
        raise ContextError("at least one mode has a share above 0")
    return {mode: weights.get(mode, 0) / total for mode in MODES}
