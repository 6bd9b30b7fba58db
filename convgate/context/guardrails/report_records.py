"""What a report tells: plain figures, for the terminal, JSON and the Monitor page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from convgate.context.guardrails.seen import Seen
from convgate.context.mode import Mode
from convgate.context.request import Cause
from convgate.context.section import SectionName
from convgate.store.guard_states import Alert
from convgate.store.requests import Outcomes


@dataclass(frozen=True, slots=True)
class Latency:
    """Percentiles of the seconds that building a context took."""

    p50: float
    p95: float
    p99: float


@dataclass(frozen=True, slots=True)
class Totals:
    """Of the requests of a period, or of one bin of it."""

    requests: int
    classified: Mapping[str, int]  # by the mode that was found; all modes
    applied: Mapping[str, int]  # by the mode that was applied; all modes
    judged: int  # requests without an intent
    unsure: int  # of them, with a confidence below 0.70
    fallbacks: int  # requests that were answered with any
    by_cause: Mapping[Cause, int]  # requests; one may have several causes
    breaches: int  # invariants that were missing before the baseline context took over
    over_budget: int  # requests in which what has to stay exceeds the budget
    sections: Mapping[SectionName, int]  # tokens sent
    tokens_total: int  # had the whole conversations been sent
    outcomes: Outcomes
    latency: Latency | None  # None without requests

    @property
    def low_share(self) -> float | None:
        """The share that the classifier was unsure of, 0…1; None without any request to judge."""
        return self.unsure / self.judged if self.judged else None

    @property
    def tokens(self) -> int:
        """That were sent."""
        return sum(self.sections.values())

    @property
    def tokens_saved(self) -> int:
        """Not sent; below 0 where capsules are longer than what was left out."""
        return self.tokens_total - self.tokens


@dataclass(frozen=True, slots=True)
class Bin:
    """A part of the period."""

    start: datetime  # UTC, inclusive
    end: datetime  # exclusive
    totals: Totals
    divergence: float | None  # nats: the highest of the hours that end in it; None with too few requests


@dataclass(frozen=True, slots=True)
class ModeErrors:
    """How requests in a mode ended."""

    mode: Mode
    period: Outcomes  # of the whole period
    newest: Outcomes  # that the guardrails judge by
    limit: float | None  # 0…1, above which it is overruled; None while the overall rate is not known
    held: bool  # GENERAL stands in for it now, for its errors
    probation: bool  # it is tried again now


@dataclass(frozen=True)
class Report:
    """The log from `since` to `until`, and what the guardrails see at `now`."""

    since: datetime  # UTC
    until: datetime
    now: datetime
    totals: Totals
    bins: tuple[Bin, ...]
    seen: Seen  # at `now`: the last hour, the baseline, confidences and outcomes
    divergence: float | None  # nats, of the last hour and the baseline; None without a baseline
    period_divergence: float | None  # the same of the whole period
    errors: tuple[ModeErrors, ...]  # all modes
    alerts: tuple[Alert, ...]  # of the period and open ones, the newest first
    lost: int  # requests of the period that could not be logged
    least: int  # requests that the last hour needs for drift to be told

    @property
    def open_alerts(self) -> tuple[Alert, ...]:
        """Those that last."""
        return tuple(alert for alert in self.alerts if alert.open)

    @property
    def enough(self) -> bool:
        """Whether the last hour has enough requests for drift to be told."""
        return self.divergence is not None and self.requests_missing == 0

    @property
    def requests_missing(self) -> int:
        """How many more the last hour needs."""
        return max(0, self.least - self.seen.requests)
