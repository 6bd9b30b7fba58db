"""How each guard stands: pure functions of a report, and how they are drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

import streamlit as st

from convgate.context.guardrails.report import Report
from convgate.context.guardrails.rules import DRIFT_RECOVERY, MIN_OVERALL_OUTCOMES, judge
from convgate.core.settings import Settings
from convgate.core.text import format_age, format_share
from convgate.store.guard_states import Alert
from convgate.transcripts.characters import writable
from convgate.ui.text import literal

State = Literal["normal", "not enough data", "off", "pending", "alert"]

_BADGES: dict[State, tuple[str, str]] = {
    "normal": ("green", ":material/check_circle:"),
    "not enough data": ("gray", ":material/hourglass_empty:"),
    "off": ("gray", ":material/block:"),
    "pending": ("orange", ":material/schedule:"),
    "alert": ("red", ":material/error:"),
}


@dataclass(frozen=True, slots=True)
class GuardStatus:
    """One guard. Both texts are Markdown."""

    name: str
    state: State
    figure: str  # what is measured, and its limit
    effect: str  # of the alert, or what an alert would do


def guard_statuses(report: Report, settings: Settings) -> list[GuardStatus]:
    """Return drift, low confidence and errors, as the log has them now."""
    latest, alerts = report.latest, report.open_alerts
    pending = {
        change.kind for change in judge(latest, alerts, settings) if change.open and change.number is None
    }
    open_kinds = {alert.kind for alert in alerts}

    def state(kind: Literal["low_confidence", "errors"], *, has_data: bool) -> State:
        if kind in open_kinds or kind in pending:
            return "alert" if kind in open_kinds else "pending"
        return "normal" if has_data else "not enough data"

    drift = drift_status(
        latest.divergence, latest.requests, settings, next((a for a in alerts if a.kind == "drift"), None)
    )
    if drift.state == "normal" and "drift" in pending:
        drift = GuardStatus(drift.name, "pending", drift.figure, drift.effect)
    low_min, minutes = settings.guard_low_confidence_min_requests, settings.guard_low_confidence_minutes
    confidence = GuardStatus(
        "Low confidence",
        state("low_confidence", has_data=latest.judged >= low_min),
        f"**{format_share(latest.low_share or 0)}** unsure, limit {format_share(settings.guard_low_confidence_share)};"
        f" {latest.judged:,} of at least {low_min:,} requests without an intent in the last {minutes:g} min",
        "An alert alone: unsure messages are GENERAL anyway.",
    )
    min_outcomes, overall = settings.guard_error_min_outcomes, latest.overall_rate
    has_outcomes = any(errors.newest.count >= min_outcomes for errors in report.errors)
    rates = [
        f"{errors.mode} {format_share(errors.newest.rate)} of {errors.newest.count:,}"
        for errors in report.errors
        if errors.newest.rate is not None
    ]
    limit = settings.guard_error_factor * overall if overall is not None else None
    figure = (
        f"**{latest.overall.count:,} of {MIN_OVERALL_OUTCOMES:,}** outcomes for an overall rate"
        if limit is None
        else f"{', '.join(rates) or 'No recent outcomes'}; limit {format_share(limit)}, at least {min_outcomes:,}"
    )
    held = [errors.mode for errors in report.errors if errors.is_held]
    effect = f"Built as GENERAL: {', '.join(held)}." if held else "A failing mode is built as GENERAL."
    has_data = overall is not None and has_outcomes
    return [drift, confidence, GuardStatus("Errors", state("errors", has_data=has_data), figure, effect)]


def drift_status(nats: float | None, requests: int, settings: Settings, alert: Alert | None) -> GuardStatus:
    """Return how drift stands. nats: of the last hour from the baseline; None without a baseline."""
    if nats is None:
        return GuardStatus("Drift", "off", "No baseline.", "Set one below, from a period without problems.")
    limit = settings.guard_drift_limit if alert is None else float(alert.figures["limit"])
    min_requests = settings.guard_drift_min_requests
    figure = f"**{nats:.3f}** nats from the baseline, limit {limit:g}; {requests:,} requests in the last hour"
    if alert is not None:
        effect = f"Every request is built as GENERAL until it is below {DRIFT_RECOVERY * limit:g}."
        return GuardStatus("Drift", "alert", figure, effect)
    if requests < min_requests:
        figure = f"**{requests:,} of {min_requests:,}** requests in the last hour"
    state: State = "normal" if requests >= min_requests else "not enough data"
    return GuardStatus("Drift", state, figure, "Above the limit, every request is built as GENERAL.")


def draw_headline(statuses: Sequence[GuardStatus], alerts: Sequence[Alert], now: datetime) -> None:
    """Draw each open alert, or a sentence that says whether anything is to be done."""
    for alert in alerts:
        name = _name(alert) + (f" in {alert.mode}" if alert.mode else "")
        st.error(
            f"**{name}**, {format_age(alert.raised, now)}. {literal(alert.message)}", icon=":material/error:"
        )
    if alerts:
        return
    states = {status.state for status in statuses}
    if "pending" in states:
        st.warning("A limit is passed. The next request raises an alert.", icon=":material/schedule:")
    elif states == {"normal"}:
        st.success("Everything is normal.", icon=":material/check_circle:")
    elif "normal" in states:
        st.success("No alerts. Some guards have not enough data yet.", icon=":material/check_circle:")
    else:
        st.info("Not enough data yet.", icon=":material/info:")


def draw_statuses(statuses: Sequence[GuardStatus]) -> None:
    """Draw a card for each guard."""
    with st.container(key="monitor-guards"), st.grid(min_column_width=300):
        for status in statuses:
            colour, icon = _BADGES[status.state]
            with st.container(border=True, height="stretch", gap="xsmall"):
                st.markdown(f"**{status.name}** :{colour}-badge[{icon} {status.state}]")
                st.markdown(status.figure)
                st.caption(status.effect)


def draw_alerts(alerts: Sequence[Alert], key: str) -> None:
    """Draw a table of alerts, the newest first."""
    st.subheader("Alerts", anchor=False)
    if not alerts:
        st.caption("No alerts.")
        return
    rows = [
        {
            "raised": clock_time(alert.raised),
            "cleared": "open" if alert.cleared is None else clock_time(alert.cleared),
            "alert": _name(alert),
            "severity": alert.severity,
            "mode": alert.mode,
            "message": writable(alert.message),
            "cleared because": writable(alert.because),
        }
        for alert in alerts
    ]
    st.dataframe(rows, hide_index=True, key=key, alt="Alerts, the newest first")


def _name(alert: Alert) -> str:
    return alert.kind.replace("_", " ").capitalize()


def clock_time(moment: datetime) -> str:
    """Return a time by this machine's clock.

    >>> clock_time(datetime(2026, 3, 5, 9, 5))
    '5 Mar 2026, 09:05'
    """
    local = moment.astimezone()
    return f"{local.day} {local:%b %Y, %H:%M}"
