"""The state of each guard, and the alerts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

import streamlit as st

from convgate.core.settings import Settings
from convgate.core.text import format_age, format_share, format_time, pluralize, writable
from convgate.guardrails.report import Report
from convgate.guardrails.rules import (
    MAX_MISCLASSIFIED,
    MIN_OVERALL_OUTCOMES,
    MIN_REVIEWS,
    REVIEW_WINDOW,
)
from convgate.store.guard_states import Alert
from convgate.ui.text import literal

State = Literal["normal", "not enough data", "off", "alert"]

_BADGES: dict[State, tuple[str, str]] = {
    "normal": ("green", ":material/check_circle:"),
    "not enough data": ("gray", ":material/hourglass_empty:"),
    "off": ("gray", ":material/block:"),
    "alert": ("red", ":material/error:"),
}


@dataclass(frozen=True, slots=True)
class GuardStatus:
    """One guard."""

    name: str
    state: State
    figure: str  # Markdown: what is measured, and its limit


def guard_statuses(report: Report, settings: Settings) -> list[GuardStatus]:
    """Return the status of drift, low confidence, misclassification and errors now."""
    latest = report.latest
    alerts = {alert.kind: alert for alert in report.open_alerts}
    drift = drift_status(latest.divergence, latest.requests, settings, alerts.get("drift"))
    has_data = latest.judged >= settings.guard_low_confidence_min_requests
    confidence = GuardStatus(
        "Low confidence",
        _state(is_alert="low_confidence" in alerts, has_data=has_data),
        f"**{format_share(latest.low_share or 0)}** of {latest.judged:,} requests in the last"
        f" {settings.guard_low_confidence_minutes:g} min, limit"
        f" {format_share(settings.guard_low_confidence_share)}, at least"
        f" {settings.guard_low_confidence_min_requests:,} requests",
    )
    rate, has_data = latest.misclassification_rate, latest.reviewed >= MIN_REVIEWS
    is_stopped = "misclassified" in alerts or (has_data and rate is not None and rate > MAX_MISCLASSIFIED)
    reviews = GuardStatus(
        "Misclassification",
        _state(is_alert=is_stopped, has_data=has_data),
        f"**{format_share(rate or 0)}** of {pluralize(latest.reviewed, 'message')} reviewed in"
        f" {REVIEW_WINDOW.days} days, limit {format_share(MAX_MISCLASSIFIED)}, at least {MIN_REVIEWS:,}",
    )
    min_outcomes, overall = settings.guard_error_min_outcomes, latest.overall_rate
    rates = [
        f"{mode.mode} {format_share(mode.newest.rate)} of {mode.newest.count:,}"
        for mode in report.errors
        if mode.newest.rate is not None
    ]
    if overall is None:
        figure = f"**{latest.overall.count:,} of {MIN_OVERALL_OUTCOMES:,}** outcomes for an overall rate"
    else:
        limit = format_share(settings.guard_error_factor * overall)
        figure = f"{', '.join(rates) or 'No recent outcomes'}; limit {limit}, at least {min_outcomes:,}"
    has_data = overall is not None and any(mode.newest.count >= min_outcomes for mode in report.errors)
    errors = GuardStatus("Errors", _state(is_alert="errors" in alerts, has_data=has_data), figure)
    return [drift, confidence, reviews, errors]


def drift_status(nats: float | None, requests: int, settings: Settings, alert: Alert | None) -> GuardStatus:
    """Return the status of drift. nats: of the last hour from the baseline; None without a baseline."""
    if nats is None:
        return GuardStatus("Drift", "off", "No baseline. Set one below, from a period without problems.")
    limit = settings.guard_drift_limit if alert is None else float(alert.figures["limit"])
    figure = f"**{nats:.3f}** nats from the baseline, limit {limit:g}; {requests:,} requests in the last hour"
    min_requests = settings.guard_drift_min_requests
    if alert is None and requests < min_requests:
        figure = f"**{requests:,} of {min_requests:,}** requests in the last hour"
        return GuardStatus("Drift", "not enough data", figure)
    return GuardStatus("Drift", "normal" if alert is None else "alert", figure)


def draw_open_alerts(alerts: Sequence[Alert], now: datetime) -> None:
    """Draw a message for each open alert."""
    for alert in alerts:
        name = _name(alert) + (f" in {alert.mode}" if alert.mode else "")
        message = f"**{name}**, {format_age(alert.raised, now)}. {literal(alert.message)}"
        st.error(message, icon=":material/error:")


def draw_statuses(statuses: Sequence[GuardStatus]) -> None:
    """Draw a card for each guard."""
    with st.grid(min_column_width=220):
        for status in statuses:
            colour, icon = _BADGES[status.state]
            with st.container(border=True, height="stretch", gap="xsmall"):
                st.markdown(f"**{status.name}** :{colour}-badge[{icon} {status.state}]")
                st.markdown(status.figure)


def draw_alerts(alerts: Sequence[Alert], key: str) -> None:
    """Draw a table of alerts, the newest first."""
    st.subheader("Alerts", anchor=False)
    if not alerts:
        st.caption("No alerts.")
        return
    rows = [
        {
            "raised": format_time(alert.raised),
            "cleared": "open" if alert.cleared is None else format_time(alert.cleared),
            "alert": _name(alert),
            "severity": alert.severity,
            "mode": alert.mode,
            "message": writable(alert.message),
            "cleared because": writable(alert.because),
        }
        for alert in alerts
    ]
    st.dataframe(rows, hide_index=True, key=key, alt="Alerts, the newest first")


def _state(*, is_alert: bool, has_data: bool) -> State:
    return "alert" if is_alert else "normal" if has_data else "not enough data"


def _name(alert: Alert) -> str:
    return alert.kind.replace("_", " ").capitalize()
