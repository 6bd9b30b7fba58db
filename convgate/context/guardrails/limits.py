"""What the guardrails look at, and from where on they act."""

from __future__ import annotations

from dataclasses import dataclass

from convgate.settings import Settings

RECOVERY = 0.8
"""An alert is cleared below this part of its limit: a figure near the limit does not switch all day."""

DRIFT_RECOVERY = 0.5
"""The same for drift. By chance alone an hour's figure varies by a fifth of the limit (standard deviation at
600 requests), more with fewer: between 0.8 and 1.0, traffic that stays as it is switches all day."""

HELD_LEAST = 0.5
"""While an alert lasts, this part of the minimum count is enough to judge by; below it, it is cleared."""

DRIFT_WINDOW = 3_600.0
"""Seconds of requests that are compared with the baseline."""

LAST_OUTCOMES = 50
"""Of a mode, the error rate is that of so many of its newest requests with an outcome."""

LEAST_FAILURES = 5
"""Fewer failed requests of a mode are taken for chance."""

CHANCE = 0.005
"""How likely so many failures may be at most of a mode that fails no more often than all others: the newest
are looked at all the time, and now and then they are twice as bad as usual by chance alone."""

LEAST_OVERALL = 100
"""Outcomes that an overall error rate needs."""

COOL_DOWN = 3_600.0
"""Seconds for which a mode that failed is held before it is tried again; doubled by each relapse."""

LONGEST_COOL_DOWN = 24 * 3_600.0
"""Seconds that it is held at most, and that a probation lasts at most."""


@dataclass(frozen=True, slots=True)
class Limits:
    """The settings of the guardrails, by themselves."""

    drift: float = 0.1  # nats; more is drift
    drift_least: int = 200  # requests of the last hour, and of a baseline
    low_share: float = 0.3  # 0…1; more is too much
    low_seconds: float = 1_800.0  # that it has to last
    low_least: int = 50  # classified requests of this time
    error_factor: float = 2.0  # times the overall error rate; more is too much
    error_least: int = 20  # outcomes of the mode
    error_seconds: float = 86_400.0  # that outcomes may be old

    @classmethod
    def of(cls, settings: Settings) -> Limits:
        """Those that a person chose."""
        return cls(
            drift=settings.guard_drift_limit,
            drift_least=settings.guard_drift_min_requests,
            low_share=settings.guard_low_confidence_share,
            low_seconds=60 * settings.guard_low_confidence_minutes,
            low_least=settings.guard_low_confidence_min_requests,
            error_factor=settings.guard_error_factor,
            error_least=settings.guard_error_min_outcomes,
            error_seconds=3_600 * settings.guard_error_hours,
        )
