"""The rules: figures of the log at a time, the alerts that they raise or clear, and the baseline.

An alert is raised above a limit and cleared below a lower one (hysteresis), by the limit it was raised at.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime, timedelta

from convgate.core.errors import RequestError
from convgate.core.settings import Settings
from convgate.modes.mode import MODES, Mode
from convgate.store.database import Store
from convgate.store.edits import ModeCorrections
from convgate.store.guard_states import Alert, Baseline, GuardStates
from convgate.store.requests import NO_OUTCOMES, Outcomes, Requests

RECOVERY = 0.8  # an alert is cleared below this share of its limit
DRIFT_RECOVERY = 0.5  # the same for drift, of which an hour's figure varies by a fifth of the limit by chance
OPEN_MIN_SHARE = 0.5  # while an alert is open, this share of the minimum count is enough
DRIFT_WINDOW = timedelta(hours=1)
LOW_CONFIDENCE_PARTS = 3  # parts of the minutes; the share has to be too high in each
MAX_OUTCOMES = 50  # newest outcomes of a mode that count
MIN_FAILURES = 5  # of a mode
MAX_CHANCE = 0.005  # probability of so many failures in a mode that fails no more often than all others
MIN_OVERALL_OUTCOMES = 100  # that an overall error rate needs
MAX_MISCLASSIFIED = 0.10  # share of the reviewed messages; the stop rule
MIN_REVIEWS = 20  # messages whose mode a person corrected or confirmed
REVIEW_WINDOW = timedelta(days=30)
_TICK = timedelta(microseconds=1)  # periods of the log exclude their end, here they include it
COOL_DOWN = timedelta(hours=1)  # before a failing mode is tried again


def smooth_shares(counts: Mapping[str, float]) -> dict[Mode, float]:
    """Return the share of each mode with add-one smoothing, so that none is 0: (n_m + 1) / (n + 5).

    >>> smooth_shares({"TASK": 3})["TASK"], smooth_shares({})["GENERAL"]
    (0.5, 0.2)
    """
    total = sum(counts.get(mode, 0) for mode in MODES) + len(MODES)
    return {mode: (counts.get(mode, 0) + 1) / total for mode in MODES}


def divergence(counts: Mapping[str, float], baseline: Mapping[str, float]) -> float:
    """Return the Kullback–Leibler divergence of the smoothed shares, in nats: Σ_m p_m · ln(p_m / q_m).

    p is of `counts`, q of `baseline`. 0 or more; 0 when the shares are the same.

    >>> divergence({"TASK": 5}, {"TASK": 5})
    0.0
    """
    p, q = smooth_shares(counts), smooth_shares(baseline)
    return max(0.0, float(sum(p[mode] * math.log(p[mode] / q[mode]) for mode in MODES)))


@dataclass(frozen=True)
class Observation:
    """Figures of the log up to `now`."""

    now: datetime  # UTC
    baseline: Baseline | None
    classified: Mapping[str, int] = field(default_factory=dict)  # requests of the last hour, by mode
    unsure: Sequence[tuple[int, int]] = ()  # (classified, unsure of them) in each part, oldest first
    outcomes: Mapping[str, Outcomes] = field(default_factory=dict)  # newest of each mode
    overall: Outcomes = NO_OUTCOMES  # of all modes
    reviewed: int = 0  # messages of REVIEW_WINDOW whose mode a person corrected or confirmed
    misclassified: int = 0  # of these, corrected

    @property
    def requests(self) -> int:
        """Requests of the last hour."""
        return sum(self.classified.values())

    @property
    def divergence(self) -> float | None:
        """Nats between the last hour and the baseline; None without a baseline."""
        return None if self.baseline is None else divergence(self.classified, self.baseline.counts)

    @property
    def judged(self) -> int:
        """Requests without an intent, of the minutes that count."""
        return sum(count for count, _ in self.unsure)

    @property
    def low_share(self) -> float | None:
        """The share of them that the classifier was unsure of, 0…1; None without any."""
        return sum(low for _, low in self.unsure) / self.judged if self.judged else None

    @property
    def misclassification_rate(self) -> float | None:
        """The share of reviewed messages whose mode was corrected, 0…1; None without any."""
        return self.misclassified / self.reviewed if self.reviewed else None

    @property
    def overall_rate(self) -> float | None:
        """The overall error rate with one failure and one success added; None with too few outcomes."""
        if self.overall.count < MIN_OVERALL_OUTCOMES:
            return None
        return (self.overall.failures + 1) / (self.overall.count + 2)


def observe(store: Store, settings: Settings, now: datetime) -> Observation:
    """Return the figures at `now`. Raises StoreError."""
    requests, states = Requests(store), GuardStates(store)
    end = now + _TICK
    baseline = states.baseline()
    part = timedelta(minutes=settings.guard.low_confidence_minutes) / LOW_CONFIDENCE_PARTS
    starts = {mode: start + _TICK for mode, start in states.trusted_since().items()}
    oldest = end - timedelta(hours=settings.guard.error_hours)
    overall = baseline.outcomes if baseline is not None else NO_OUTCOMES
    if overall.count < MIN_OVERALL_OUTCOMES:
        overall = _sum(requests.outcomes(None, end, MODES).values())
    return Observation(
        now,
        baseline,
        requests.classified(end - DRIFT_WINDOW, end),
        requests.unsure([end - part * step for step in range(LOW_CONFIDENCE_PARTS, -1, -1)]),
        {
            mode: requests.last_outcomes(mode, max(oldest, starts.get(mode, oldest)), end, limit=MAX_OUTCOMES)
            for mode in MODES
        },
        overall,
        *ModeCorrections(store).count(now - REVIEW_WINDOW),
    )


def _sum(parts: Collection[Outcomes]) -> Outcomes:
    return Outcomes(sum(part.count for part in parts), sum(part.failures for part in parts))


def judge(latest: Observation, alerts: Sequence[Alert], settings: Settings) -> list[Alert]:
    """Return the alerts that change: new ones have no number, others are cleared."""
    opened = {(alert.kind, alert.mode): alert for alert in alerts}
    changes = [
        _judge_drift(latest, opened.get(("drift", "")), settings),
        _judge_confidence(latest, opened.get(("low_confidence", "")), settings),
        _judge_reviews(latest, opened.get(("misclassified", ""))),
        *(_judge_errors(latest, mode, opened.get(("errors", mode)), settings) for mode in MODES),
    ]
    return [change for change in changes if change is not None]


def _judge_drift(latest: Observation, opened: Alert | None, settings: Settings) -> Alert | None:
    min_requests, limit = settings.guard.drift_min_requests, settings.guard.drift_limit
    nats = latest.divergence
    if nats is None:
        return _clear(opened, latest, "There is no baseline.")
    if opened is None:
        if latest.requests < min_requests or nats <= limit:
            return None
        message = (
            f"The modes of the last hour differ from the baseline by {nats:.3f}, more than {limit:g}"
            f" ({latest.requests:,} requests). Every request is answered as GENERAL until it is below"
            f" {DRIFT_RECOVERY * limit:g}."
        )
        figures = {"divergence": nats, "limit": limit, "requests": latest.requests}
        return Alert("drift", "", latest.now, message, figures)
    if latest.requests < OPEN_MIN_SHARE * min_requests:
        return _clear(opened, latest, f"Not enough data: {latest.requests:,} requests in the last hour.")
    if nats < DRIFT_RECOVERY * opened.figures["limit"]:
        return _clear(opened, latest, f"The modes of the last hour are {nats:.3f} nats from the baseline.")
    return None


def _judge_confidence(latest: Observation, opened: Alert | None, settings: Settings) -> Alert | None:
    share, limit = latest.low_share, settings.guard.low_confidence_share
    min_requests, minutes = settings.guard.low_confidence_min_requests, settings.guard.low_confidence_minutes
    if opened is None:
        if share is None or latest.judged < min_requests:
            return None
        if not all(count and low / count > limit for count, low in latest.unsure):
            return None
        message = (
            f"For {minutes:g} minutes, the classifier has been unsure of {share:.0%} of the messages, more"
            f" than {limit:.0%} ({latest.judged:,} requests without an intent). They are answered as GENERAL."
        )
        figures = {"share": share, "limit": limit, "requests": latest.judged, "minutes": minutes}
        return Alert("low_confidence", "", latest.now, message, figures)
    if share is None or latest.judged < OPEN_MIN_SHARE * min_requests:
        return _clear(opened, latest, f"Not enough data: {latest.judged:,} requests without an intent.")
    if share < RECOVERY * opened.figures["limit"]:
        return _clear(opened, latest, f"The classifier is unsure of {share:.0%} of the messages.")
    return None


def _judge_reviews(latest: Observation, opened: Alert | None) -> Alert | None:
    rate, reviewed = latest.misclassification_rate, latest.reviewed
    if opened is None:
        if rate is None or reviewed < MIN_REVIEWS or rate <= MAX_MISCLASSIFIED:
            return None
        message = (
            f"People corrected the mode of {rate:.0%} of {reviewed:,} reviewed messages, more than"
            f" {MAX_MISCLASSIFIED:.0%}. Every request is answered as GENERAL until it is below"
            f" {RECOVERY * MAX_MISCLASSIFIED:.0%}."
        )
        figures = {"rate": rate, "limit": MAX_MISCLASSIFIED, "reviewed": reviewed}
        return Alert("misclassified", "", latest.now, message, figures)
    if rate is None or reviewed < OPEN_MIN_SHARE * MIN_REVIEWS:
        return _clear(opened, latest, f"Not enough data: {reviewed:,} reviewed messages.")
    if rate < RECOVERY * opened.figures["limit"]:
        return _clear(opened, latest, f"People corrected {rate:.0%} of {reviewed:,} reviewed messages.")
    return None


def _judge_errors(latest: Observation, mode: Mode, opened: Alert | None, settings: Settings) -> Alert | None:
    """Hold a failing mode for COOL_DOWN, then try it again: only outcomes since then count."""
    if opened is not None:
        if latest.now - opened.raised < COOL_DOWN:
            return None
        return _clear(opened, latest, f"{mode} is tried again.")
    outcomes, overall = latest.outcomes.get(mode, NO_OUTCOMES), latest.overall_rate
    if outcomes.rate is None or outcomes.count < settings.guard.error_min_outcomes or overall is None:
        return None
    limit = settings.guard.error_factor * overall
    alert_from = failures_for_alert(outcomes.count, overall, settings)
    if alert_from is None or outcomes.failures < alert_from:
        return None
    effect = "nothing takes its place" if mode == "GENERAL" else "its requests are answered as GENERAL"
    message = (
        f"{outcomes.rate:.0%} of the last {outcomes.count} requests in {mode} failed, more than {limit:.1%},"
        f" which is {settings.guard.error_factor:g} times the overall rate. For an hour, {effect}."
    )
    figures = {"rate": outcomes.rate, "limit": limit, "overall": overall, **asdict(outcomes)}
    return Alert("errors", mode, latest.now, message, figures)


def failures_for_alert(count: int, overall: float, settings: Settings) -> int | None:
    """Return how many of a mode's `count` newest outcomes must fail for an alert; None: all are too few.

    overall: the error rate of all modes, 0…1.

    >>> failures_for_alert(50, 0.007, Settings()), failures_for_alert(50, 0.1, Settings())
    (5, 12)
    """
    limit = settings.guard.error_factor * overall
    is_too_often = (
        failures
        for failures in range(MIN_FAILURES, count + 1)
        if failures / count > limit and _chance_of_failures(failures, count, overall) < MAX_CHANCE
    )
    return next(is_too_often, None)


def _chance_of_failures(failures: int, count: int, rate: float) -> float:
    """Return P(X ≥ failures), X ~ B(count, rate); count is at most 50."""
    return sum(math.comb(count, k) * rate**k * (1 - rate) ** (count - k) for k in range(failures, count + 1))


def _clear(opened: Alert | None, latest: Observation, because: str) -> Alert | None:
    return None if opened is None else replace(opened, cleared=latest.now, because=because)


def set_baseline(
    store: Store, settings: Settings, since: datetime, until: datetime, now: datetime
) -> Baseline:
    """Take the logged requests from `since` to `until` as the baseline.

    Raises RequestError, and keeps the previous baseline, when there are fewer than drift needs.
    """
    requests = Requests(store)
    period = since + _TICK, until + _TICK
    outcomes = _sum(requests.outcomes(*period, MODES).values())
    baseline = Baseline(now, requests.classified(*period), outcomes, since, until)
    count, min_count = baseline.requests, settings.guard.drift_min_requests
    if count < min_count:
        raise RequestError(f"{count:,} requests; a baseline needs {min_count:,} (guard.drift_min_requests)")
    GuardStates(store).put_baseline(baseline)
    return baseline
