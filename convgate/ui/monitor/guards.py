"""How each guard stands, in words: pure functions of a report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from convgate.context.guardrails.judging import judge
from convgate.context.guardrails.limits import (
    COOL_DOWN,
    DRIFT_RECOVERY,
    LEAST_FAILURES,
    LEAST_OVERALL,
    Limits,
)
from convgate.context.guardrails.report_records import ModeErrors, Report
from convgate.figures.hover import percent
from convgate.store.guard_states import Alert
from convgate.ui.wording import counted

State = Literal["normal", "too few", "off", "tripped", "probation"]

SIGNS: dict[State, tuple[str, str]] = {
    "normal": (":material/check_circle:", "normal"),
    "too few": (":material/hourglass_empty:", "not enough requests"),
    "off": (":material/block:", "not watched"),
    "tripped": (":material/error:", "tripped"),
    "probation": (":material/science:", "tried again"),
}
"""An icon and a word for each state."""


@dataclass(frozen=True, slots=True)
class GuardState:
    """One guard, or one mode of the guard of errors. All texts are Markdown of ours."""

    name: str
    state: State
    figure: str  # what is measured, beside its limit
    does: str  # what it does now, or would do
    alert: Alert | None = None  # the one that lasts
    soon: str = ""  # what the next look at the log will change


@dataclass(frozen=True, slots=True)
class Standing:
    """All guards at one moment."""

    drift: GuardState
    low_confidence: GuardState
    errors: tuple[GuardState, ...]  # each mode

    @property
    def all(self) -> tuple[GuardState, ...]:
        """In the order of the page."""
        return (self.drift, self.low_confidence, *self.errors)

    @property
    def tripped(self) -> tuple[GuardState, ...]:
        """Those with an alert that lasts."""
        return tuple(one for one in self.all if one.alert is not None)


def standing(report: Report, limits: Limits) -> Standing:
    """How the guards stand, as the database and the figures of now have it."""
    alerts = {(one.kind, one.mode): one for one in report.open_alerts}
    coming = _coming(report, limits)
    return Standing(
        drift_state(
            report.divergence, report.seen.requests, limits, alerts.get(("drift", "")),
            coming.get(("drift", ""), ""),
        ),
        _low_confidence(
            report, limits, alerts.get(("low_confidence", "")), coming.get(("low_confidence", ""), "")
        ),
        tuple(
            _errors(
                one, report, limits, alerts.get(("errors", one.mode)), coming.get(("errors", one.mode), "")
            )
            for one in report.errors
        ),
    )  # fmt: skip


def _coming(report: Report, limits: Limits) -> dict[tuple[str, str], str]:
    """What a program's next look at the log will change; none may be running to look."""
    told: dict[tuple[str, str], str] = {}
    for change in judge(report.seen, report.open_alerts, limits):
        key = (change.kind, change.mode)
        if change.number is None:
            told[key] = "It trips with the next request of a running program."
        elif not change.open:
            told[key] = f"It ends with the next request of a running program. {change.because}"
        elif change.phase == "probation":
            told[key] = "The mode is tried again with the next request of a running program."
    return told


def drift_state(
    far: float | None, requests: int, limits: Limits, alert: Alert | None, soon: str = ""
) -> GuardState:
    """How drift stands. far: nats of the last hour from the baseline; None without a baseline."""
    name = "Drift of modes"
    if far is None:
        return GuardState(
            name, "off", "There is no baseline to measure against.",
            "Set one below, from a time when all was well.", alert, soon,
        )  # fmt: skip
    limit = limits.drift if alert is None else float(alert.figures["limit"])
    hour = f"{counted(requests, 'request')} in the last hour"
    figure = f"**{far:.3f}** nats from the baseline, limit {limit:g}; {hour}"
    if alert is not None:
        does = f"Every request is built as GENERAL, until it is below {DRIFT_RECOVERY * limit:g}."
        return GuardState(name, "tripped", figure, does, alert, soon)
    if requests < limits.drift_least:
        return GuardState(
            name, "too few", f"**{requests:,} of {limits.drift_least:,}** requests in the last hour",
            "It cannot trip before there are enough.",
        )  # fmt: skip
    does = "Above the limit, every request would be built as GENERAL."
    return GuardState(name, "normal", figure, does, soon=soon)


def _low_confidence(report: Report, limits: Limits, alert: Alert | None, soon: str) -> GuardState:
    name, seen, share = "Low confidence", report.seen, report.seen.low_share
    limit = limits.low_share if alert is None else float(alert.figures["limit"])
    minutes = limits.low_seconds / 60
    told = f"of {counted(seen.judged, 'request')} of the last {minutes:g} minutes"
    figure = f"**{percent(share or 0)}** {told} were unsure, limit {percent(limit)}"
    if alert is not None:
        does = "It alerts, and changes nothing: what the classifier is unsure of is GENERAL anyway."
        return GuardState(name, "tripped", figure, does, alert, soon)
    if share is None or seen.judged < limits.low_least:
        return GuardState(
            name, "too few",
            f"**{seen.judged:,} of {limits.low_least:,}** requests without an intent in the last"
            f" {minutes:g} minutes",
            "It cannot trip before there are enough.",
        )  # fmt: skip
    return GuardState(
        name, "normal", figure, "Above the limit all that time, it alerts; nothing else changes.", soon=soon
    )


def _errors(one: ModeErrors, report: Report, limits: Limits, alert: Alert | None, soon: str) -> GuardState:
    name, newest, rate = one.mode, one.newest, one.newest.rate
    limit = one.limit if alert is None else float(alert.figures["limit"])
    beside = "" if limit is None else f", limit {percent(limit)}"
    figure = f"**{percent(rate or 0)}** of {newest.count:,} failed{beside}"
    if alert is not None and one.probation:
        return GuardState(
            name,
            "probation",
            figure,
            "It is answered as itself again, to see whether it still fails.",
            alert,
            soon,
        )
    if alert is not None:
        does = (
            "It is what others fall back to, so nothing takes its place."
            if name == "GENERAL"
            else "Its requests are built as GENERAL until it is tried again."
        )
        return GuardState(name, "tripped", figure, does, alert, soon)
    overall = report.seen.overall.count
    if overall < LEAST_OVERALL:
        return GuardState(
            name, "too few", f"**{overall:,} of {LEAST_OVERALL:,}** outcomes for an overall rate",
            "`record_outcome` tells how requests ended.",
        )  # fmt: skip
    if newest.count < limits.error_least:
        return GuardState(
            name, "too few", f"**{newest.count:,} of {limits.error_least:,}** outcomes",
            "It cannot trip before there are enough.",
        )  # fmt: skip
    if limit is not None and (rate or 0) > limit and not soon:
        figure += "; so few may be chance"
    does = (
        f"Above the limit by more than chance, with {LEAST_FAILURES} failures or more, its requests would be"
        f" built as GENERAL for {COOL_DOWN / 60:g} minutes."
    )
    return GuardState(name, "normal", figure, "" if name == "GENERAL" else does, soon=soon)


def worst(states: Sequence[GuardState]) -> State:
    """The state that a group of guards is told by: what is tripped first, then what works at all."""
    order: tuple[State, ...] = ("tripped", "probation", "normal", "too few", "off")
    return min((one.state for one in states), key=order.index)
