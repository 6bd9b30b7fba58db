"""Which alerts begin, end, or enter another phase, by what was seen: a pure function of both.

Each rule has a limit to raise at, a lower one to clear at (RECOVERY, DRIFT_RECOVERY), and a minimum of
requests. An alert that lasts is measured by the limit that it was raised at: programs with different settings
do not undo each other's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from convgate.context.guardrails.drift import divergence
from convgate.context.guardrails.limits import (
    CHANCE,
    COOL_DOWN,
    DRIFT_RECOVERY,
    HELD_LEAST,
    LEAST_FAILURES,
    LONGEST_COOL_DOWN,
    RECOVERY,
    Limits,
)
from convgate.context.guardrails.seen import Seen
from convgate.context.guardrails.times import seconds_since
from convgate.context.mode import MODES, Mode
from convgate.store.guard_states import Alert
from convgate.store.requests import Outcomes


def judge(seen: Seen, alerts: Sequence[Alert], limits: Limits) -> list[Alert]:
    """The alerts that change: new ones have no number, others are open ones as they are from now on."""
    held = {(one.kind, one.mode): one for one in alerts}
    changes = [
        _drift(seen, held.get(("drift", "")), limits),
        _low_confidence(seen, held.get(("low_confidence", "")), limits),
        *(_errors(seen, mode, held.get(("errors", mode)), limits) for mode in MODES),
    ]
    return [change for change in changes if change is not None]


def _drift(seen: Seen, held: Alert | None, limits: Limits) -> Alert | None:
    if seen.baseline is None:
        return _cleared(held, seen, "There is no baseline any more.")
    far = divergence(seen.classified, seen.baseline.counts)
    if held is None:
        if seen.requests < limits.drift_least or far <= limits.drift:
            return None
        return Alert(
            "drift",
            "",
            seen.now,
            f"The modes of the last hour differ from the baseline by {far:.3f} nats, more than"
            f" {limits.drift:g} ({seen.requests:,} requests). Every request is answered as GENERAL until"
            f" it is below {DRIFT_RECOVERY * limits.drift:g}.",
            {
                "divergence": far,
                "limit": limits.drift,
                "requests": seen.requests,
                "classified": dict(seen.classified),
                "baseline": dict(seen.baseline.counts),
            },
        )
    if seen.requests < HELD_LEAST * limits.drift_least:
        return _cleared(held, seen, f"The last hour has {seen.requests:,} requests, too few to tell.")
    if far < DRIFT_RECOVERY * held.figures["limit"]:
        return _cleared(held, seen, f"The modes of the last hour are {far:.3f} nats from the baseline.")
    return None


def _low_confidence(seen: Seen, held: Alert | None, limits: Limits) -> Alert | None:
    share = seen.low_share
    if held is None:
        if share is None or seen.judged < limits.low_least:
            return None
        if not all(count and low / count > limits.low_share for count, low in seen.unsure):
            return None
        minutes = limits.low_seconds / 60
        return Alert(
            "low_confidence",
            "",
            seen.now,
            f"For {minutes:g} minutes, the classifier has been unsure of {share:.0%} of the messages, more"
            f" than {limits.low_share:.0%} ({seen.judged:,} requests without an intent). They are answered as"
            " GENERAL.",
            {"share": share, "limit": limits.low_share, "requests": seen.judged, "minutes": minutes},
        )
    if share is None or seen.judged < HELD_LEAST * limits.low_least:
        return _cleared(held, seen, f"There were {seen.judged:,} requests to judge by, too few to tell.")
    if share < RECOVERY * held.figures["limit"]:
        return _cleared(held, seen, f"The classifier is unsure of {share:.0%} of the messages.")
    return None


def _errors(seen: Seen, mode: Mode, held: Alert | None, limits: Limits) -> Alert | None:
    newest, overall = seen.outcomes.get(mode), seen.overall_rate
    rate = newest.rate if newest is not None and newest.count >= limits.error_least else None
    if held is not None:
        return _held_errors(seen, held, newest if rate is not None else None)
    if newest is None or rate is None or overall is None:
        return None
    limit = limits.error_factor * overall
    if not _fails(newest, limit, overall):
        return None
    told = (
        "It is what others fall back to, so nothing takes its place."
        if mode == "GENERAL"
        else f"Requests for {mode} are answered as GENERAL for {COOL_DOWN / 60:g} minutes, then it is tried"
        " again."
    )
    return Alert(
        "errors",
        mode,
        seen.now,
        f"{rate:.0%} of the last {newest.count} requests in {mode} failed, more than {limit:.1%}, which is"
        f" {limits.error_factor:g} times the overall rate. {told}",
        {
            "rate": rate,
            "limit": limit,
            "outcomes": newest.count,
            "failures": newest.failures,
            "overall": overall,
        },
        since=seen.now,
    )


def _fails(newest: Outcomes, limit: float, overall: float) -> bool:
    """Whether a mode fails too often, and more than one that fails as often as all do well could.

    The chance of the latter is P(X ≥ k) for X ~ B(n, p).
    """
    from scipy.special import bdtrc

    if newest.failures < LEAST_FAILURES or newest.failures <= limit * newest.count:
        return False
    return float(bdtrc(newest.failures - 1, newest.count, overall)) < CHANCE


def _held_errors(seen: Seen, held: Alert, newest: Outcomes | None) -> Alert | None:
    """A mode that failed is held, then on probation, then trusted; GENERAL is watched all the time.

    newest: its outcomes; None while there are too few.
    """
    passed = seconds_since(held.since or held.raised, seen.now)
    if passed is None:  # the clock was set back
        return replace(held, since=seen.now)
    if held.mode != "GENERAL" and held.phase == "held":
        cool_down = min(LONGEST_COOL_DOWN, COOL_DOWN * 2.0 ** (held.rounds - 1))
        return replace(held, phase="probation", since=seen.now) if passed >= cool_down else None
    limit, rate = held.figures["limit"], newest and newest.rate
    if rate is not None and rate < RECOVERY * limit:
        return _cleared(held, seen, f"{rate:.0%} of the last requests in {held.mode} failed.")
    if newest is not None and held.mode != "GENERAL" and _fails(newest, limit, held.figures["overall"]):
        return replace(held, phase="held", since=seen.now, rounds=held.rounds + 1)
    if passed >= LONGEST_COOL_DOWN and (held.mode != "GENERAL" or newest is None):
        return _cleared(held, seen, f"Too few outcomes tell that {held.mode} still fails.")
    return None


def _cleared(held: Alert | None, seen: Seen, because: str) -> Alert | None:
    return None if held is None else replace(held, cleared=seen.now, because=because)
