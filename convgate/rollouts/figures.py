"""Checks of a rollout: figures of candidate and control from the log of requests, against their limits."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
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

State = Literal["passed", "failed", "not enough data"]
_OUTCOMES, _LATENCIES = (
    "sessions with outcomes in the smaller arm",
    "sessions with latencies in the smaller arm",
)
_TICK = timedelta(microseconds=1)  # periods of the log exclude their end, here they include it


@dataclass(frozen=True, slots=True)
class Check:
    """A condition of a phase or a rollback rule, and what the log says about it."""

    name: str
    state: State
    sentence: str
    figures: Mapping[str, Any]  # plain JSON

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Comparison:
    """Both arms in a period, which includes its end."""

    candidate: ArmFigures
    control: ArmFigures

    @property
    def sessions_with_outcome(self) -> int:
        """Return the number in the arm that has fewer."""
        return min(self.candidate.sessions_with_outcome, self.control.sessions_with_outcome)

    @property
    def sessions_with_latency(self) -> int:
        """Return the number in the arm that has fewer."""
        return min(self.candidate.sessions_with_latency, self.control.sessions_with_latency)

    @property
    def latency_ratio(self) -> float | None:
        """Return the median latency of the candidate over that of the control; None without both."""
        if self.candidate.latency is None or not self.control.latency:
            return None
        return self.candidate.latency / self.control.latency


def compare_arms(store: Store, since: datetime, until: datetime) -> Comparison:
    """Return the figures of both arms from `since` to `until`, both included."""
    requests, end = Requests(store), until + _TICK
    return Comparison(
        requests.arm_figures("candidate", since, end), requests.arm_figures("control", since, end)
    )


def check_conditions(store: Store, rollout: StoredRollout, now: datetime) -> list[Check]:
    """Return the conditions of the present phase; they count its requests."""
    phase = compare_arms(store, rollout.phase_started, now)
    checks: dict[Condition, Callable[[], Check]] = {
        "errors": lambda: _check_no_errors(phase),
        "latency": lambda: _check_latency(phase),
        "mode agreement": lambda: _check_agreement(*ModeCorrections(store).count(rollout.phase_started)),
        "completion": lambda: _check_completion(phase),
        "breaches": lambda: _check_breaches(phase.candidate),
    }
    return [checks[condition]() for condition in phase_of(rollout.phase).conditions]


def check_rules(store: Store, rollout: StoredRollout, now: datetime) -> list[Check]:
    """Return the rollback rules; one that failed rolls the rollout back."""
    whole = compare_arms(store, rollout.started, now)
    windows = {
        length: _read_window(store, rollout, now, length, whole)
        for length in (ERROR_WINDOW, COMPLETION_WINDOW, LATENCY_WINDOW)
    }
    return [
        _watch_errors(windows[ERROR_WINDOW]),
        _watch_completion(windows[COMPLETION_WINDOW]),
        _watch_latency(windows[LATENCY_WINDOW]),
        _check_breaches(whole.candidate),
    ]


# Conditions


def _check_no_errors(phase: Comparison) -> Check:
    errors, sessions = phase.candidate.sessions_with_error, phase.candidate.sessions_with_outcome
    sentence = f"errors in {errors:,} of {pluralize(sessions, 'session')} of the candidate"
    figures = {"errors": errors, "sessions": sessions}
    return _to_check("errors", sentence, figures, sessions, "sessions with outcomes", has_passed=errors == 0)


def _check_latency(phase: Comparison) -> Check:
    ratio = phase.latency_ratio
    sentence = f"{_describe_latency(phase)}, limit {MAX_LATENCY:g} ×"
    has_passed = ratio is not None and ratio < MAX_LATENCY
    figures, count = _latency_figures(phase), phase.sessions_with_latency
    return _to_check("latency", sentence, figures, count, _LATENCIES, has_passed=has_passed)


def _check_agreement(reviewed: int, misclassified: int) -> Check:
    agreement = 1 - misclassified / reviewed if reviewed else 0.0
    sentence = (
        f"people confirmed the mode of {format_share(agreement)} of {pluralize(reviewed, 'message')}"
        f" reviewed, at least {format_share(MIN_AGREEMENT)}"
    )
    figures = {"reviewed": reviewed, "misclassified": misclassified}
    has_passed = agreement >= MIN_AGREEMENT
    return _to_check(
        "mode agreement",
        sentence,
        figures,
        reviewed,
        "messages",
        has_passed=has_passed,
        min_count=MIN_REVIEWS,
    )


def _check_completion(phase: Comparison) -> Check:
    """Pass at or above the control; below, fail unless by chance, and pass when surely above the limit."""
    candidate, control = phase.candidate, phase.control
    sentence, figures = _describe_completion(phase), _completion_figures(phase)
    has_passed = (candidate.completion or 0) >= (control.completion or 0)
    if not has_passed and phase.sessions_with_outcome >= MIN_SESSIONS:
        figures["chance"] = chance = _chance_of_fewer(candidate, control)
        if chance >= MAX_CHANCE:
            sentence += ", which may be by chance"
            figures["loss_chance"] = loss_chance = _chance_of_loss(candidate, control)
            has_passed = loss_chance < MAX_CHANCE
            if not has_passed:
                sentence += f"; {COMPLETION_FACTOR:g} × is not excluded"
                return Check("completion", "not enough data", sentence, figures)
    count = phase.sessions_with_outcome
    return _to_check("completion", sentence, figures, count, _OUTCOMES, has_passed=has_passed)


def _check_breaches(candidate: ArmFigures) -> Check:
    sentence = f"invariants missing in {candidate.breaches:,} of {pluralize(candidate.requests, 'request')}"
    figures = {"breaches": candidate.breaches, "requests": candidate.requests}
    return Check("breaches", "failed" if candidate.breaches else "passed", sentence, figures)


def _to_check(
    name: str,
    sentence: str,
    figures: Mapping[str, Any],
    count: int,
    noun: str,
    *,
    has_passed: bool,
    min_count: int = MIN_SESSIONS,
) -> Check:
    if count < min_count:
        return Check(name, "not enough data", f"{sentence}; {count:,} of {min_count:,} {noun}", figures)
    return Check(name, "passed" if has_passed else "failed", sentence, figures)


# Rollback rules


@dataclass(frozen=True, slots=True)
class _Window:
    """The last hours of a rollout."""

    length: timedelta
    whole: Comparison
    parts: tuple[ArmFigures, ...]  # of the candidate, in equal parts of the window
    is_full: bool  # whether the rollout is as old as the window

    @property
    def words(self) -> str:
        return f" in the last {format_duration(self.length.total_seconds())}"


def _read_window(
    store: Store, rollout: StoredRollout, now: datetime, length: timedelta, all: Comparison
) -> _Window:
    """Return a window; a control with too few sessions in it, as at 100%, is that of the whole rollout."""
    requests, start, step = Requests(store), max(rollout.started, now - length), length / PARTS
    window = compare_arms(store, start, now)
    if window.control.sessions_with_outcome < MIN_SESSIONS:
        window = Comparison(window.candidate, all.control)
    edges = [now - step * part + _TICK for part in range(PARTS, -1, -1)]
    parts = tuple(requests.arm_figures("candidate", since, until) for since, until in pairwise(edges))
    return _Window(length, window, parts, now - rollout.started >= length)


def _watch_errors(window: _Window) -> Check:
    candidate, control = window.whole.candidate, window.whole.control
    limit = ERROR_FACTOR * (control.error_rate or 0)
    has_failed = (
        candidate.sessions_with_error >= MIN_ERRORS
        and all((part.error_rate or 0) > limit for part in window.parts)
        and _chance_of_more(candidate, control) < WATCH_CHANCE
    )
    sentence = (
        f"error rate {_share(candidate.error_rate)} vs. {_share(control.error_rate)}{window.words},"
        f" limit {ERROR_FACTOR:g} ×"
    )
    figures = {
        "candidate": candidate.error_rate, "control": control.error_rate,
        "errors": candidate.sessions_with_error, "sessions": candidate.sessions_with_outcome,
    }  # fmt: skip
    return _watch("errors", sentence, figures, window, has_failed=has_failed)


def _watch_completion(window: _Window) -> Check:
    candidate, control = window.whole.candidate, window.whole.control
    limit = COMPLETION_FACTOR * (control.completion or 0)
    rates = [part.completion for part in window.parts]
    has_failed = (
        all(rate is not None and rate < limit for rate in rates)
        and _chance_of_fewer(candidate, control) < WATCH_CHANCE
    )
    sentence = f"{_describe_completion(window.whole)}{window.words}, limit {COMPLETION_FACTOR:g} ×"
    figures = _completion_figures(window.whole)
    return _watch("completion", sentence, figures, window, has_failed=has_failed)


def _watch_latency(window: _Window) -> Check:
    limit = LATENCY_FACTOR * (window.whole.control.latency or 0)
    has_failed = all(part.latency is not None and part.latency > limit for part in window.parts)
    sentence = f"{_describe_latency(window.whole)}{window.words}, limit {LATENCY_FACTOR:g} ×"
    figures = _latency_figures(window.whole)
    return _watch("latency", sentence, figures, window, has_failed=has_failed)


def _watch(
    name: str, sentence: str, figures: Mapping[str, Any], window: _Window, *, has_failed: bool
) -> Check:
    if not window.is_full:
        return Check(name, "not enough data", f"{sentence}; the rollout is younger", figures)
    if name == "latency":
        count, noun, min_count = window.whole.sessions_with_latency, _LATENCIES, MIN_SESSIONS
    else:
        count, noun, min_count = window.whole.sessions_with_outcome, _OUTCOMES, MIN_WATCHED
    return _to_check(name, sentence, figures, count, noun, has_passed=not has_failed, min_count=min_count)


# Figures


def _chance_of_fewer(candidate: ArmFigures, control: ArmFigures) -> float:
    """Return the probability of so few successes of the candidate, if its completion were the control's.

    The mean of a session's outcomes is taken for one outcome, which varies at least as much.
    """
    arms = (candidate, control)
    return _fisher([round((arm.completion or 0.0) * arm.sessions_with_outcome) for arm in arms], arms, "less")


def _chance_of_more(candidate: ArmFigures, control: ArmFigures) -> float:
    """Return the probability of so many sessions with errors, if they were as frequent as the control's."""
    arms = (candidate, control)
    return _fisher([arm.sessions_with_error for arm in arms], arms, "greater")


def _chance_of_loss(candidate: ArmFigures, control: ArmFigures) -> float:
    """Return the probability of so high a completion, if it were COMPLETION_FACTOR times the control's.

    By the normal approximation of the difference of both.
    """
    with needs_extra("serve", "a rollout"):
        from scipy.special import ndtr

    p, q = candidate.completion or 0.0, control.completion or 0.0
    n, n_control = candidate.sessions_with_outcome, control.sessions_with_outcome
    limit = COMPLETION_FACTOR * q
    variance = p * (1 - p) / n + COMPLETION_FACTOR**2 * q * (1 - q) / n_control
    return float(ndtr((limit - p) / variance**0.5)) if variance else float(p <= limit)


def _fisher(counts: Sequence[int], arms: Sequence[ArmFigures], alternative: str) -> float:
    """Return the p-value of Fisher's exact test of counts among the sessions with outcomes of both arms."""
    with needs_extra("serve", "a rollout"):
        from scipy.stats import fisher_exact

    table = [[count, arm.sessions_with_outcome - count] for count, arm in zip(counts, arms, strict=True)]
    return float(fisher_exact(table, alternative=alternative).pvalue)


def _describe_completion(both: Comparison) -> str:
    return f"completion {_share(both.candidate.completion)} vs. {_share(both.control.completion)}"


def _completion_figures(both: Comparison) -> dict[str, Any]:
    return {
        "candidate": both.candidate.completion, "control": both.control.completion,
        "candidate_sessions": both.candidate.sessions_with_outcome,
        "control_sessions": both.control.sessions_with_outcome,
    }  # fmt: skip


def _describe_latency(both: Comparison) -> str:
    candidate, control, ratio = both.candidate.latency, both.control.latency, both.latency_ratio
    if candidate is None or control is None or ratio is None:
        return "no latency of both arms"
    return f"median latency {candidate:.3g} s vs. {control:.3g} s, {ratio:.2f} ×"


def _latency_figures(both: Comparison) -> dict[str, Any]:
    return {
        "candidate": both.candidate.latency, "control": both.control.latency, "ratio": both.latency_ratio,
        "candidate_sessions": both.candidate.sessions_with_latency,
        "control_sessions": both.control.sessions_with_latency,
    }  # fmt: skip


def _share(rate: float | None) -> str:
    return "–" if rate is None else format_share(rate)
