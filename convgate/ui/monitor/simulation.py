"""Simulated drift: the guard's rules on invented requests, opened at the peak."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta

import streamlit as st

from convgate.core.errors import ContextError
from convgate.core.settings import Settings
from convgate.figures.levels import Point
from convgate.guardrails.report import bin_edges
from convgate.guardrails.simulation import AFTER, BEFORE, START, Simulation, simulate
from convgate.modes.mode import MODES, Mode
from convgate.store.guard_states import GuardStates
from convgate.ui.frame import App, show_problem
from convgate.ui.monitor.charts import Charts
from convgate.ui.monitor.state import MAX_MINUTES, MAX_NATS, MIN_MINUTES, MIN_NATS, View, page
from convgate.ui.monitor.status import draw_alerts, draw_statuses, drift_status

_USUAL = (40, 15, 20, 10, 15)  # shares of the modes when there is no baseline


def draw_simulation(app: App, view: View) -> None:
    """Draw what is simulated, and what the guardrails do at one time of it."""
    st.info(
        "Invented requests with your limits. Your log, baseline and webhook are not used.",
        icon=":material/science:",
    )
    baseline = GuardStates(app.store).baseline()
    usual: Mapping[str, int] = dict(zip(MODES, _USUAL, strict=True)) if baseline is None else baseline.counts
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        st.selectbox("Drift toward", MODES, **page.control("toward", view.toward, step=None), width=190)
        st.slider(
            "Drift (nats)", MIN_NATS, MAX_NATS, step=0.01, width=300,
            **page.control("nats", view.nats, step=None),
        )  # fmt: skip
        st.slider(
            "Duration (minutes)", MIN_MINUTES, MAX_MINUTES, step=5, width=300,
            **page.control("minutes", view.minutes, step=None),
        )  # fmt: skip
    counts = tuple(usual.get(mode, 0) for mode in MODES)
    try:
        simulation = _simulate(counts, view.toward, view.nats, view.minutes, repr(app.settings), app.settings)
    except ContextError as error:
        show_problem(error)
        return
    with st.container(key="monitor-simulation"):
        _draw_moment(app.settings, view, simulation)


def _draw_moment(settings: Settings, view: View, simulation: Simulation) -> None:
    moments, report = simulation.moments, simulation.report
    step = simulation.peak + 1 if view.step is None else min(view.step, len(moments))
    minutes = [round((moment.at - START).total_seconds() / 60) for moment in moments]
    st.select_slider(
        "Minutes since the start", list(range(1, len(moments) + 1)), **page.control("step", step),
        format_func=lambda number: f"{minutes[number - 1]} min",
    )  # fmt: skip
    moment = moments[step - 1]
    alerts = [
        alert if alert.cleared and alert.cleared <= moment.at else replace(alert, cleared=None, because="")
        for alert in simulation.alerts
        if alert.raised <= moment.at
    ]
    open_alert = next((alert for alert in alerts if alert.open), None)
    if open_alert is not None:
        st.error(f"Minute {minutes[step - 1]}: every request is built as GENERAL.", icon=":material/error:")
    else:
        st.success(f"Minute {minutes[step - 1]}: each request is built in its own mode.")
    begins = START + timedelta(minutes=BEFORE)
    min_requests = settings.guard_drift_min_requests
    points = [
        Point(
            past.at, past.divergence if past.requests >= min_requests else None, f"{past.requests:,} requests"
        )
        for past in moments[:step]
    ]
    bins = tuple(part for part in report.bins if part.end <= moment.at + timedelta(seconds=1))
    marks = ((begins, "drift begins"), (begins + timedelta(minutes=view.minutes), "drift ends"))
    until_now = replace(report, bins=bins, alerts=tuple(alerts[::-1]))
    charts = Charts("simulation", until_now, settings, moment.at, points, marks)
    left, right = st.columns([1.6, 1], gap="large")
    with left:
        charts.draw_modes()
    with right:
        draw_statuses([drift_status(moment.divergence, moment.requests, settings, open_alert)])
        charts.draw_fallbacks()
        draw_alerts(until_now.alerts, "monitor.simulation.alerts")


@st.cache_resource(max_entries=8, show_spinner="Simulating …")
def _simulate(
    usual: tuple[int, ...], toward: Mode, nats: float, minutes: int, limits: str, _settings: Settings
) -> Simulation:
    edges = bin_edges(START, START + timedelta(minutes=BEFORE + minutes + AFTER))
    step = edges[2] - edges[1]
    shares: dict[str, float] = dict(zip(MODES, usual, strict=True))
    return simulate(shares, _settings, nats=nats, toward=toward, minutes=minutes, step=step)
