"""Checks of a rollout: figures of candidate and control from the log of requests, against their limits."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any, Literal

from convgate.core.extras import needs_extra
from convgate.core.text import format_duration, format_share, pluralize
from convgate.rollouts.phases import Condition, phase_of
from convgate.store import Store
from convgate.store.edits import ModeCorrections
from convgate.store.requests import ArmFigures, Requests
from convgate.store.rollouts import StoredRollout

MIN_SESSIONS = 50  # of each arm, with an outcome or a latency, that a condition needs
MIN_WATCHED = 20  # sessions of each arm with an outcome, that a rollback rule needs
MIN_ERRORS = 5  # sessions of the candidate with an error, for a rollback
MIN_REVIEWS = 20  # messages whose mode a person corrected or confirmed
MIN_AGREEMENT = 0.95  # share of the reviewed messages whose mode was confirmed
MAX_LATENCY = 1.5  # median of the candidate / median of the control, of a condition
MAX_CHANCE = 0.05  # probability by chance, below which a difference of completion counts
PARTS = 3  # equal parts of a window; a rollback rule fails in each of them
WATCH_CHANCE = 1e-5  # the same for the rollback rules, which are watched all the time
ERROR_FACTOR, ERROR_WINDOW = 2.0, timedelta(hours=1)
COMPLETION_FACTOR, COMPLETION_WINDOW = 0.9, timedelta(hours=24)
LATENCY_FACTOR, LATENCY_WINDOW = 2.0, timedelta(hours=6)

CheckState = Literal["passed", "failed", "not enough data"]
Rate = Literal["completion", "error_rate", "latency"]
_TICK = timedelta(microseconds=1)  # periods of the log exclude their end, here they include it


@dataclass(frozen=True, slots=True)
class Check:
    """A condition of a phase or a rollback rule, and what the log says about it."""

    name: str
    state: CheckState
    sentence: str
    figures: Mapping[str, Any]  # plain JSON


@dataclass(frozen=True, slots=True)
class PeriodComparison:
    """Both arms in a period, which includes its end."""

    candidate: ArmFigures
    control: ArmFigures

    def sessions(self, rate: Rate) -> int:
        """Return the sessions of which the rate is known, in the arm that has fewer."""
        name = "sessions_with_latency" if rate == "latency" else "sessions_with_outcome"
        return int(min(getattr(self.candidate, name), getattr(self.control, name)))

    def figures(self, rate: Rate) -> dict[str, Any]:
        """Return the rate of both arms."""
        arms = {arm: getattr(getattr(self, arm), rate) for arm in ("candidate", "control")}
        return {**arms, "sessions": self.sessions(rate)}

    def describe(self, rate: Rate) -> str:
        """Return the rate of both arms in words."""
        values = getattr(self.candidate, rate), getattr(self.control, rate)
        if rate != "latency":
            first, second = ("–" if value is None else format_share(value) for value in values)
            return f"{rate.replace('_', ' ')} {first} vs. {second}"
        if self.latency_ratio is None:
            return "no latency of both arms"
        return f"median latency {values[0]:.3g} s vs. {values[1]:.3g} s, {self.latency_ratio:.2f} ×"

    @property
    def latency_ratio(self) -> float | None:
        """Return the median latency of the candidate over that of the control; None without both."""
        if self.candidate.latency is None or not self.control.latency:
            return None
        return self.candidate.latency / self.control.latency


def compare_arms(store: Store, since: datetime, until: datetime) -> PeriodComparison:
    """Return the figures of both arms from `since` to `until`, both included."""
    requests, end = Requests(store), until + _TICK
    return PeriodComparison(
        requests.arm_figures("candidate", since, end), requests.arm_figures("control", since, end)
    )


def check_conditions(store: Store, rollout: StoredRollout, now: datetime) -> list[Check]:
    """Return the conditions of the present phase; they count its requests."""
    phase = compare_arms(store, rollout.phase_started, now)
    checks: dict[Condition, Callable[[], Check]] = {
        "errors": lambda: _check_no_errors(phase.candidate),
        "latency": lambda: _check_latency(phase),
        "mode agreement": lambda: _check_agreement(*ModeCorrections(store).count(rollout.phase_started)),
        "completion": lambda: _check_completion(phase),
        "breaches": lambda: _check_breaches(phase.candidate),
    }
    return [checks[condition]() for condition in phase_of(rollout.phase).conditions]


def check_rules(store: Store, rollout: StoredRollout, now: datetime) -> list[Check]:
    """Return the rollback rules; one that failed rolls the rollout back.

    A rule fails in each of the equal parts of its window.
    """
    whole = compare_arms(store, rollout.started, now)

    def watch(name: str, rate: Rate, factor: float, window: timedelta) -> Check:
        both = compare_arms(store, max(rollout.started, now - window), now)
        if both.control.sessions_with_outcome < MIN_SESSIONS:  # as at 100%
            both = PeriodComparison(both.candidate, whole.control)
        edges = [now - window / PARTS * part + _TICK for part in range(PARTS, -1, -1)]
        parts = [Requests(store).arm_figures("candidate", *ends) for ends in pairwise(edges)]
        limit = factor * (getattr(both.control, rate) or 0)
        values = [getattr(part, rate) for part in parts]
        has_failed = all(
            value is not None and (value < limit if rate == "completion" else value > limit)
            for value in values
        )
        if rate == "completion":
            has_failed = has_failed and _chance_of_fewer(both) < WATCH_CHANCE
        elif rate == "error_rate":
            has_many = both.candidate.sessions_with_error >= MIN_ERRORS
            has_failed = has_failed and has_many and _chance_of_more(both) < WATCH_CHANCE
        length = format_duration(window.total_seconds())
        sentence = f"{both.describe(rate)} in the last {length}, limit {factor:g} ×"
        if now - rollout.started < window:
            return Check(name, "not enough data", f"{sentence}; the rollout is younger", both.figures(rate))
        min_sessions = MIN_SESSIONS if rate == "latency" else MIN_WATCHED
        return _to_check(
            name, sentence, both.figures(rate), both.sessions(rate), min_sessions, has_passed=not has_failed
        )

    return [
        watch("errors", "error_rate", ERROR_FACTOR, ERROR_WINDOW),
        watch("completion", "completion", COMPLETION_FACTOR, COMPLETION_WINDOW),
        watch("latency", "latency", LATENCY_FACTOR, LATENCY_WINDOW),
        _check_breaches(whole.candidate),
    ]


def _check_no_errors(candidate: ArmFigures) -> Check:
    errors, sessions = candidate.sessions_with_error, candidate.sessions_with_outcome
    sentence = f"errors in {errors:,} of {pluralize(sessions, 'session')} of the candidate"
    figures = {"errors": errors, "sessions": sessions}
    return _to_check("errors", sentence, figures, sessions, MIN_SESSIONS, "sessions", has_passed=errors == 0)


def _check_latency(phase: PeriodComparison) -> Check:
    ratio, count = phase.latency_ratio, phase.sessions("latency")
    sentence = f"{phase.describe('latency')}, limit {MAX_LATENCY:g} ×"
    figures, has_passed = phase.figures("latency"), ratio is not None and ratio < MAX_LATENCY
    return _to_check("latency", sentence, figures, count, MIN_SESSIONS, has_passed=has_passed)


def _check_agreement(reviewed: int, misclassified: int) -> Check:
    agreement = 1 - misclassified / reviewed if reviewed else 0.0
    sentence = (
        f"people confirmed the mode of {format_share(agreement)} of {pluralize(reviewed, 'message')}"
        f" reviewed, at least {format_share(MIN_AGREEMENT)}"
    )
    figures, has_passed = {"reviewed": reviewed, "misclassified": misclassified}, agreement >= MIN_AGREEMENT
    return _to_check(
        "mode agreement", sentence, figures, reviewed, MIN_REVIEWS, "messages", has_passed=has_passed
    )


def _check_completion(phase: PeriodComparison) -> Check:
    """Pass at or above the control; below, fail unless by chance, and pass when surely above the limit."""
    sentence, figures = phase.describe("completion"), phase.figures("completion")
    count = phase.sessions("completion")
    has_passed = (phase.candidate.completion or 0) >= (phase.control.completion or 0)
    if not has_passed and count >= MIN_SESSIONS:
        figures["chance"] = chance = _chance_of_fewer(phase)
        if chance >= MAX_CHANCE:
            sentence += ", which may be by chance"
            figures["loss_chance"] = loss_chance = _chance_of_loss(phase)
            has_passed = loss_chance < MAX_CHANCE
            if not has_passed:
                sentence += f"; {COMPLETION_FACTOR:g} × is not excluded"
                return Check("completion", "not enough data", sentence, figures)
    return _to_check("completion", sentence, figures, count, MIN_SESSIONS, has_passed=has_passed)


def _check_breaches(candidate: ArmFigures) -> Check:
    sentence = f"invariants missing in {candidate.breaches:,} of {pluralize(candidate.requests, 'request')}"
    figures = {"breaches": candidate.breaches, "requests": candidate.requests}
    return Check("breaches", "failed" if candidate.breaches else "passed", sentence, figures)


def _to_check(
    name: str,
    sentence: str,
    figures: Mapping[str, Any],
    count: int,
    min_count: int,
    noun: str = "sessions of the smaller arm",
    *,
    has_passed: bool,
) -> Check:
    if count < min_count:
        return Check(name, "not enough data", f"{sentence}; {count:,} of {min_count:,} {noun}", figures)
    return Check(name, "passed" if has_passed else "failed", sentence, figures)


def _chance_of_fewer(both: PeriodComparison) -> float:
    """Return the probability of so few successes of the candidate, if its completion were the control's.

    The mean of a session's outcomes is taken for one outcome, which varies at least as much.
    """
    arms = both.candidate, both.control
    return _fisher(both, [round((arm.completion or 0.0) * arm.sessions_with_outcome) for arm in arms], "less")


def _chance_of_more(both: PeriodComparison) -> float:
    """Return the probability of so many sessions with errors, if they were as frequent as the control's."""
    return _fisher(both, [arm.sessions_with_error for arm in (both.candidate, both.control)], "greater")


def _fisher(both: PeriodComparison, counts: Sequence[int], alternative: str) -> float:
    """Return the p-value of Fisher's exact test of counts among the sessions with outcomes of both arms."""
    with needs_extra("serve", "a rollout"):
        from scipy.stats import fisher_exact

    totals = both.candidate.sessions_with_outcome, both.control.sessions_with_outcome
    table = [[count, total - count] for count, total in zip(counts, totals, strict=True)]
    return float(fisher_exact(table, alternative=alternative).pvalue)


def _chance_of_loss(both: PeriodComparison) -> float:
    """Return the probability of so high a completion, if it were COMPLETION_FACTOR times the control's.

    By the normal approximation of the difference of both.
    """
    with needs_extra("serve", "a rollout"):
        from scipy.special import ndtr

    candidate, control = both.candidate, both.control
    p, q = candidate.completion or 0.0, control.completion or 0.0
    limit = COMPLETION_FACTOR * q
    variance = p * (1 - p) / candidate.sessions_with_outcome
    variance += COMPLETION_FACTOR**2 * q * (1 - q) / control.sessions_with_outcome
    return float(ndtr((limit - p) / variance**0.5)) if variance else float(p <= limit)
