"""The log of requests: the state of each guard, alerts and charts."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from operator import itemgetter
from typing import Literal

import plotly.graph_objects as go
import streamlit as st

from convgate.core.settings import Settings
from convgate.core.text import format_age, format_share, format_time, join_words, pluralize, writable
from convgate.figures.over_time import AlertEpisode, Frame, Level, Point, describe_level, level_figure
from convgate.figures.requests import (
    describe_requests,
    fallbacks_figure,
    latency_figure,
    mode_shares_figure,
    tokens_figure,
)
from convgate.guardrails.report import GuardrailsReport, ModeErrors
from convgate.guardrails.rules import (
    DRIFT_RECOVERY,
    MAX_MISCLASSIFIED,
    MIN_OVERALL_OUTCOMES,
    MIN_REVIEWS,
    RECOVERY,
    REVIEW_WINDOW,
)
from convgate.modes.mode import MODES
from convgate.store.guard_states import Alert
from convgate.store.requests import Outcomes
from convgate.ui.shared.charts import draw_figure
from convgate.ui.shared.tables import markdown_table
from convgate.ui.shared.text import literal
from convgate.ui.shared.theme import current_palette

State = Literal["normal", "not enough data", "off", "alert"]

_BADGES: dict[State, tuple[str, str]] = {
    "normal": ("green", ":material/check_circle:"),
    "not enough data": ("gray", ":material/hourglass_empty:"),
    "off": ("gray", ":material/block:"),
    "alert": ("red", ":material/error:"),
}
_NAMES = {"drift": "Change of modes", "misclassified": "Corrected modes"}  # of alerts, by kind


def attention_sentence(report: GuardrailsReport) -> str:
    """Return what needs a person first."""
    if alerts := report.open_alerts:
        return f"Look first at {join_words(map(_subject, alerts))}: {pluralize(len(alerts), 'open alert')}"
    subjects, count = join_words(dict.fromkeys(map(_subject, report.alerts))), len(report.alerts)
    before = f"; {pluralize(count, 'alert')} of this period cleared, {subjects}" if count else ""
    return f"Nothing needs you now: no alert is open{before}"


def draw_open_alerts(alerts: Sequence[Alert], now: datetime) -> None:
    """Draw a message for each open alert."""
    for alert in alerts:
        message = (
            f"**{_subject(alert)}**, {format_age(alert.raised, now)}. {literal(_name_modes(alert.message))}"
        )
        st.error(message, icon=":material/error:")


def draw_statuses(report: GuardrailsReport, settings: Settings) -> None:
    """Draw a folded card for each guard: its name, its state, and what is measured with its limit."""
    statuses = _statuses(report, settings)
    counts = Counter(state for _, state, _ in statuses)
    label = f"What raises an alert: {join_words(f'{count} {state}' for state, count in counts.items())}"
    with st.expander(label, icon=":material/shield:"), st.grid(min_column_width=220):
        for name, state, figure in statuses:
            colour, icon = _BADGES[state]
            with st.container(border=True, height="stretch", gap="xsmall"):
                st.markdown(f"**{name}** :{colour}-badge[{icon} {state}]")
                st.markdown(figure)


def _statuses(report: GuardrailsReport, settings: Settings) -> list[tuple[str, State, str]]:
    latest, alerts = report.latest, {alert.kind: alert for alert in report.open_alerts}
    confidence = (
        f"**{format_share(latest.low_share or 0)}** of {latest.judged:,} requests in the last"
        f" {settings.guard.low_confidence_minutes:g} min; alert above"
        f" {format_share(settings.guard.low_confidence_share)}, of"
        f" {settings.guard.low_confidence_min_requests:,} or more"
    )
    has_judged = latest.judged >= settings.guard.low_confidence_min_requests
    rate, has_reviews = latest.misclassification_rate, latest.reviewed >= MIN_REVIEWS
    is_stopped = "misclassified" in alerts or (has_reviews and rate is not None and rate > MAX_MISCLASSIFIED)
    limit = f"alert above {format_share(MAX_MISCLASSIFIED)}, of {MIN_REVIEWS:,} or more"
    reviews = f"No message was reviewed in {REVIEW_WINDOW.days} days; {limit}"
    if rate is not None:
        reviews = (
            f"**{format_share(rate)}** of {pluralize(latest.reviewed, 'message')} reviewed in"
            f" {REVIEW_WINDOW.days} days; {limit}"
        )
    errors = f"**{latest.overall.count:,} of {MIN_OVERALL_OUTCOMES:,}** outcomes for an overall rate"
    if latest.overall_rate is not None:
        errors = "No mode has as many recent outcomes as an alert takes"
    nearest = [(mode.newest.failures / mode.alert_from, mode) for mode in report.errors if mode.alert_from]
    if nearest:
        _, mode = max(nearest, key=itemgetter(0))
        errors = (
            f"**{mode.newest.failures:,}** of the last {mode.newest.count:,} requests in"
            f" {mode.mode.capitalize()} failed; alert from {mode.alert_from:,} on. The mode nearest to one"
        )
    return [
        ("Change of modes", *_drift(report, settings, alerts.get("drift"))),
        ("Low confidence", _state(is_alert="low_confidence" in alerts, has_data=has_judged), confidence),
        ("Corrected modes", _state(is_alert=is_stopped, has_data=has_reviews), reviews),
        ("Errors", _state(is_alert="errors" in alerts, has_data=bool(nearest)), errors),
    ]


def _drift(report: GuardrailsReport, settings: Settings, alert: Alert | None) -> tuple[State, str]:
    nats, requests, min_requests = (
        report.latest.divergence,
        report.latest.requests,
        settings.guard.drift_min_requests,
    )
    if nats is None:
        return "off", "No baseline. Set one below, from a period without problems."
    if alert is None and requests < min_requests:
        return "not enough data", f"**{requests:,} of {min_requests:,}** requests in the last hour"
    limit = settings.guard.drift_limit if alert is None else float(alert.figures["limit"])
    figure = (
        f"The modes of the last hour, {requests:,} requests, differ from the baseline by **{nats:.3f}**;"
        f" alert above {limit:g}"
    )
    return _state(is_alert=alert is not None, has_data=True), figure


def _state(*, is_alert: bool, has_data: bool) -> State:
    return "alert" if is_alert else "normal" if has_data else "not enough data"


def draw_charts(report: GuardrailsReport, settings: Settings) -> None:
    """Draw all charts of a report."""
    bins, palette, baseline = report.bins, current_palette(), report.latest.baseline
    counts = None if baseline is None else baseline.counts
    words, frame = describe_requests(bins, counts), Frame(report.since, report.until)
    left, right = st.columns(2, gap="large")
    with left:
        drift = Frame(report.since, report.until, _episodes(report, "drift", "all as General"))
        st.markdown("**Modes**", help="Pale bars have fewer than 20 requests.")
        _draw("modes", mode_shares_figure(bins, counts, drift, palette=palette), words["modes"])
        st.markdown(
            "**Difference of the modes from the baseline (drift)**",
            help="KL divergence of an hour's modes from the baseline, in nats: 0 when shares are equal.",
        )
        if baseline is None:
            st.caption("No baseline.")
        else:
            points = [Point(part.end, part.divergence, f"{part.totals.requests:,} requests") for part in bins]
            limit = settings.guard.drift_limit
            _draw_level(Level("Divergence", points, limit, DRIFT_RECOVERY * limit), drift)
        st.markdown(
            "**Low confidence**", help="Share of requests without an intent whose confidence is below 0.70."
        )
        points = [
            Point(
                part.start + (part.end - part.start) / 2,
                part.totals.low_share,
                f"{part.totals.unsure:,} of {part.totals.judged:,} requests",
            )
            for part in bins
        ]
        limit = settings.guard.low_confidence_share
        level = Level("Low confidence", points, limit, RECOVERY * limit, is_share=True)
        _draw_level(level, Frame(report.since, report.until, _episodes(report, "low_confidence", "alert")))
        _draw_errors(report.errors)
    with right:
        st.markdown("**Tokens of the history**")
        _draw("tokens", tokens_figure(bins, frame, palette=palette), words["tokens"])
        st.markdown("**Fallbacks**", help="Requests that were answered as General, or whole, and why.")
        _draw("fallbacks", fallbacks_figure(bins, frame, palette=palette), words["fallbacks"])
        st.markdown("**Build time**", help="Half of the requests took p50 or less, 95 of 100 p95 or less.")
        _draw("latency", latency_figure(bins, frame, palette=palette), words["latency"])


def _draw_errors(errors: Sequence[ModeErrors]) -> None:
    st.markdown(
        "**Errors by mode**", help="Failed, of the newest outcomes, which are judged, with a 95% interval."
    )
    if not any(mode.newest.count or mode.period.count for mode in errors):
        st.caption("No outcomes. Record them: `convgate.record_outcome(context.request_id, ok=False)`")
        return
    rows = [
        (
            mode.mode.capitalize(),
            _failed(mode.newest),
            f"{mode.newest.count:,}",
            "–" if mode.period.rate is None else f"{format_share(mode.period.rate)} of {mode.period.count:,}",
            "–" if mode.alert_from is None else f"{mode.alert_from:,} failed",
        )
        for mode in errors
    ]
    st.markdown(markdown_table(("", "Failed", "Newest", "This period", "Alert from"), rows, numbers=True))


def _failed(outcomes: Outcomes) -> str:
    """Return an error rate with its 95% interval by Wilson's score."""
    from scipy.stats import binomtest

    if outcomes.rate is None:
        return "–"
    ends = binomtest(outcomes.failures, outcomes.count).proportion_ci(method="wilson")
    low, high = format_share(ends.low), format_share(ends.high)
    return f"{format_share(outcomes.rate)} :small[{low}\u2060–\u2060{high}]"


def _episodes(report: GuardrailsReport, kind: str, label: str) -> list[AlertEpisode]:
    return [
        AlertEpisode(alert.raised, min(alert.cleared or report.until, report.until), label)
        for alert in report.alerts
        if alert.kind == kind
    ]


def _draw_level(level: Level, frame: Frame) -> None:
    _draw(level.name, level_figure(level, frame, palette=current_palette()), describe_level(level))


def _draw(name: str, figure: go.Figure, words: str) -> None:
    draw_figure(figure, f"monitor.log.{name}", words, height=figure.layout.height)


def draw_alerts(alerts: Sequence[Alert]) -> None:
    """Draw a table of alerts, the newest first, if there is one."""
    if not alerts:
        return
    st.markdown("**Alerts of this period**")
    rows = [
        {
            "raised": format_time(alert.raised),
            "cleared": "open" if alert.cleared is None else format_time(alert.cleared),
            "alert": _name(alert),
            "severity": alert.severity,
            "mode": alert.mode.capitalize(),
            "message": writable(_name_modes(alert.message)),
            "cleared because": writable(_name_modes(alert.because)),
        }
        for alert in alerts
    ]
    st.dataframe(rows, hide_index=True, key="monitor.alerts", alt="Alerts, the newest first")


def _name(alert: Alert) -> str:
    return _NAMES.get(alert.kind) or alert.kind.replace("_", " ").capitalize()


def _subject(alert: Alert) -> str:
    return _name(alert) + (f" in {alert.mode.capitalize()}" if alert.mode else "")


def _name_modes(text: str) -> str:
    """Return a text with the names of modes as people read them."""
    return re.sub("|".join(MODES), lambda mode: mode[0].capitalize(), text)
