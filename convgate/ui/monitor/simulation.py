"""Simulated drift: the same rules on a clock and a database of their own, opened at the peak."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta

import streamlit as st

from convgate.context.guardrails.report import bin_width
from convgate.context.guardrails.simulation import AFTER, BEFORE, START, Moment, Simulation, drifted, simulate
from convgate.context.mode import MODES, Mode
from convgate.core.errors import ContextError
from convgate.core.settings import Settings
from convgate.core.text import format_share
from convgate.figures.levels import Point
from convgate.store.guard_states import GuardStates
from convgate.ui.frame import App, show_problem
from convgate.ui.monitor.charts import Charts
from convgate.ui.monitor.status import draw_alerts, draw_statuses, drift_status
from convgate.ui.monitor.view import (
    ADDRESS,
    MAX_MINUTES,
    MAX_NATS,
    MAX_RATE,
    MIN_MINUTES,
    MIN_NATS,
    MIN_RATE,
    ORIGINS,
    View,
)
from convgate.ui.state import put

_STEP, _SHARE = "monitor.step", "monitor.share"
_CONTROLS = {name: f"monitor.{name}" for name in ("origin", "toward", "nats", "minutes", "rate")}


def draw_simulation(app: App, view: View) -> None:
    """Draw what is simulated, and what the guardrails do at one moment of it."""
    st.info(
        "Invented requests with your limits, in a temporary database. Your log, baseline and webhook are not"
        " touched.",
        icon=":material/science:",
    )
    baseline = GuardStates(app.store).baseline()
    origins = [origin for origin in ORIGINS if origin == "own" or baseline is not None]
    view = replace(view, origin=view.origin if view.origin in origins else "own")
    _draw_controls(view, origins)
    normal: Mapping[str, int] = dict(zip(MODES, view.shares, strict=True))
    if view.origin == "baseline" and baseline is not None:
        normal = baseline.counts
    try:
        shifted = drifted(normal, nats=view.nats, toward=view.toward)
    except ContextError as error:
        show_problem(error)
        return
    total = sum(normal.values())
    shares = [
        f"{mode} {format_share(normal.get(mode, 0) / total)} → {format_share(shifted[mode])}"
        for mode in MODES
    ]
    st.caption(f"Usual → drifted: {', '.join(shares)}.")
    simulation = _simulate(
        tuple(normal.get(mode, 0) for mode in MODES), view.toward, view.nats, view.minutes, view.rate,
        repr(app.settings), app.settings,
    )  # fmt: skip
    with st.container(key="monitor-simulation"):
        _draw_moment(app.settings, view, simulation)


def _draw_controls(view: View, origins: list[str]) -> None:
    for name, key in _CONTROLS.items():
        put(key, getattr(view, name))
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        st.segmented_control(
            "Usual modes", origins, key=_CONTROLS["origin"], format_func=ORIGINS.__getitem__, required=True,
            on_change=_change,
        )  # fmt: skip
        st.selectbox("Drifts toward", MODES, key=_CONTROLS["toward"], on_change=_change, width=190)
        st.number_input(
            "Requests an hour", MIN_RATE, MAX_RATE, step=100, key=_CONTROLS["rate"], on_change=_change,
            width=160,
        )  # fmt: skip
    if view.origin == "own":
        with st.container(horizontal=True, gap="small"):
            for place, mode in enumerate(MODES):
                put(f"{_SHARE}.{mode}", view.shares[place])
                st.number_input(
                    mode.capitalize(), 0, 100, key=f"{_SHARE}.{mode}", on_change=_change_shares, width=130
                )
    left, right = st.columns(2, gap="large")
    left.slider("Drift (nats)", MIN_NATS, MAX_NATS, step=0.01, key=_CONTROLS["nats"], on_change=_change)
    right.slider(
        "Duration (minutes)", MIN_MINUTES, MAX_MINUTES, step=5, key=_CONTROLS["minutes"], on_change=_change
    )


def _draw_moment(settings: Settings, view: View, simulation: Simulation) -> None:
    moments, report = simulation.moments, simulation.report
    step = simulation.peak + 1 if view.step is None else min(view.step, len(moments))
    minutes = [round((moment.at - START).total_seconds() / 60) for moment in moments]
    put(_STEP, step)
    st.select_slider(
        "Minutes since the start", list(range(1, len(moments) + 1)), key=_STEP, on_change=_change_step,
        format_func=lambda place: f"{minutes[place - 1]} min",
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
        cleared = " again" if alerts else ""
        st.success(f"Minute {minutes[step - 1]}: each request has its own mode{cleared}.")
    begins = START + timedelta(minutes=BEFORE)
    charts = Charts(
        "simulation",
        [part for part in report.bins if part.end <= moment.at + timedelta(seconds=1)],
        report.since,
        report.until,
        moment.at,
        [_point(one, settings) for one in moments[:step]],
        None if report.latest.baseline is None else report.latest.baseline.counts,
        alerts,
        settings,
        ((begins, "drift begins"), (begins + timedelta(minutes=view.minutes), "as usual again")),
    )
    left, right = st.columns([1.6, 1], gap="large")
    with left:
        charts.draw_modes()
    with right:
        draw_statuses([drift_status(moment.divergence, moment.requests, settings, open_alert)])
        charts.draw_fallbacks()
        draw_alerts(alerts[::-1], "monitor.simulation.alerts")


def _point(moment: Moment, settings: Settings) -> Point:
    nats = moment.divergence if moment.requests >= settings.guard_drift_min_requests else None
    return Point(moment.at, nats, f"{moment.requests:,} requests")


@st.cache_resource(max_entries=8, show_spinner="Simulating …")
def _simulate(
    normal: tuple[int, ...], toward: Mode, nats: float, minutes: int, rate: int, limits: str,
    _settings: Settings,
) -> Simulation:  # fmt: skip
    step = timedelta(seconds=bin_width(START, START + timedelta(minutes=BEFORE + minutes + AFTER)))
    shares: dict[str, float] = dict(zip(MODES, normal, strict=True))
    return simulate(shares, _settings, nats=nats, toward=toward, minutes=minutes, per_hour=rate, step=step)


def _change() -> None:
    values = {name: st.session_state[key] for name, key in _CONTROLS.items()}
    ADDRESS.change(**values | {"nats": round(float(values["nats"]), 2)}, step=None)


def _change_shares() -> None:
    shares = tuple(int(st.session_state[f"{_SHARE}.{mode}"]) for mode in MODES)
    if any(shares):
        ADDRESS.change(shares=shares, origin="own", step=None)
    else:  # the controls go back to the last shares
        ADDRESS.touched()


def _change_step() -> None:
    ADDRESS.change(step=int(st.session_state[_STEP]))
