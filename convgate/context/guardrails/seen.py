"""What the log of requests says at one moment: all that the guardrails judge by."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from convgate.context.guardrails.limits import (
    DRIFT_WINDOW,
    LAST_OUTCOMES,
    LEAST_OVERALL,
    Limits,
)
from convgate.context.guardrails.times import earlier
from convgate.context.mode import MODES
from convgate.store.database import Store
from convgate.store.guard_states import Alert, Baseline, GuardStates
from convgate.store.requests import NO_OUTCOMES, Outcomes, RequestCounts

LOW_PARTS = 3
"""Parts of the minutes in each of which the low-confidence share has to be too high."""


@dataclass(frozen=True)
class Seen:
    """Figures up to `now`."""

    now: datetime  # UTC
    baseline: Baseline | None
    classified: Mapping[str, int] = field(default_factory=dict)  # requests of the last hour, by mode
    unsure: Sequence[tuple[int, int]] = ()  # (classified, unsure of them) in each part, oldest first
    outcomes: Mapping[str, Outcomes] = field(default_factory=dict)  # newest of each mode
    overall: Outcomes = NO_OUTCOMES  # of all modes, in the baseline or before the newest

    @property
    def requests(self) -> int:
        """Of the last hour."""
        return sum(self.classified.values())

    @property
    def judged(self) -> int:
        """Requests without an intent, of the minutes that count."""
        return sum(count for count, _ in self.unsure)

    @property
    def low_share(self) -> float | None:
        """Of them, those that the classifier was unsure of, 0…1; None without any."""
        return sum(low for _, low in self.unsure) / self.judged if self.judged else None

    @property
    def overall_rate(self) -> float | None:
        """The overall error rate with one failure and one success added; None while too few are known."""
        if self.overall.count < LEAST_OVERALL:
            return None
        return (self.overall.failures + 1) / (self.overall.count + 2)


def look(store: Store, limits: Limits, now: datetime, alerts: Sequence[Alert]) -> Seen:
    """The figures at a moment; `alerts` are the open ones. Raises StoreError."""
    counts, states = RequestCounts(store), GuardStates(store)
    baseline = states.baseline()
    part = limits.low_seconds / LOW_PARTS
    edges = [earlier(now, seconds=part * step) for step in range(LOW_PARTS, -1, -1)]
    return Seen(
        now,
        baseline,
        counts.classified(earlier(now, seconds=DRIFT_WINDOW), now, MODES),
        counts.unsure(edges),
        _outcomes(counts, states, limits, now, alerts),
        _overall(counts, limits, now, baseline),
    )


def _outcomes(
    counts: RequestCounts, states: GuardStates, limits: Limits, now: datetime, alerts: Sequence[Alert]
) -> dict[str, Outcomes]:
    """Of each mode the newest; what failed before a probation is not held against the mode again."""
    starts = states.trusted_since()
    starts |= {one.mode: one.since for one in alerts if one.phase == "probation" and one.since}
    oldest = earlier(now, seconds=limits.error_seconds)
    found: dict[str, Outcomes] = {}
    for mode in MODES:
        start = starts.get(mode, oldest)
        since = oldest if start > now else max(oldest, start)  # later than now: the clock was set back
        found[mode] = counts.last_outcomes(mode, since, now, most=LAST_OUTCOMES)
    return found


def _overall(counts: RequestCounts, limits: Limits, now: datetime, baseline: Baseline | None) -> Outcomes:
    """Of the baseline, or where that has too few outcomes, of what the log has from before the newest."""
    if baseline is not None and baseline.outcomes.count >= LEAST_OVERALL:
        return baseline.outcomes
    before = counts.outcomes(None, earlier(now, seconds=limits.error_seconds), MODES).values()
    return Outcomes(sum(one.count for one in before), sum(one.failures for one in before))
