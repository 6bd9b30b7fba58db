"""Simulated drift: the very same guardrails on a clock and a database of their own, step by step."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta

import streamlit as st

from convgate.context.guardrails.limits import Limits
from convgate.context.guardrails.report import bin_width
from convgate.context.guardrails.simulation import START, Moment, Phase, Simulation, drifted, simulate
from convgate.context.mode import MODES
from convgate.errors import ContextError
from convgate.figures.hover import percent
from convgate.figures.levels import Point
from convgate.settings import Settings
from convgate.store.guard_states import Alert, GuardStates
from convgate.ui.frame import App, show_problem
from convgate.ui.monitor import charts, state
from convgate.ui.monitor.alerts import draw_alert
from convgate.ui.monitor.answer import draw_card
from convgate.ui.monitor.guards import drift_state
from convgate.ui.monitor.sampled import sampled_modes
from convgate.ui.monitor.tried import draw_tried
from convgate.ui.monitor.view import View
from convgate.ui.state import forget
from convgate.ui.wording import counted

BEFORE, AFTER = 60, 120  # minutes as usual, before the drift and after it
STEP, PLAYING = "monitor.step", "monitor.playing"
TICK = 1.0  # seconds a step, while it plays


def draw_simulation(app: App, view: View) -> None:
    """What is simulated, and what becomes of it."""
    st.info(
        "**A simulation.** Invented requests run through the same guardrails as yours, with your limits, in a"
        " database that is thrown away. Nothing of it reaches your log, your baseline or your webhook.",
        icon=":material/science:",
    )
    baseline = GuardStates(app.store).baseline()
    draw_tried(view, has_baseline=baseline is not None)
    usual: Mapping[str, int]
    if view.origin == "samples":
        usual = sampled_modes(app)
    elif view.origin == "baseline" and baseline is not None:
        usual = baseline.counts
    else:
        usual = dict(zip(MODES, view.shares, strict=True))
    try:
        shifted = drifted(usual, by=view.far, toward=view.toward)
    except ContextError as error:
        show_problem(error)
        return
    st.caption(_shift(usual, shifted))
    simulation = _simulated(
        tuple(usual.get(mode, 0) for mode in MODES), view.toward, view.far, view.minutes, view.rate,
        repr(Limits.of(app.settings)), app.settings, shifted,
    )  # fmt: skip
    with st.container(key="monitor-simulation"):
        playing = bool(st.session_state.get(PLAYING))
        run = st.fragment(_draw_step, run_every=TICK if playing else None)
        run(app, simulation, playing=playing)


def _draw_step(app: App, simulation: Simulation, *, playing: bool) -> None:
    """The charts up to one moment; while it plays, one further each time.

    playing: whether this is run by itself; the whole page is drawn anew when that changes.
    """
    if playing != bool(st.session_state.get(PLAYING)):
        st.rerun()
    view, _ = state.current_view()
    moments = simulation.moments
    last = len(moments)
    step = last if view.step is None else min(view.step, last)
    if playing:
        step = min(step + 1, last)
        st.session_state[state.VIEW] = view = replace(view, step=None if step == last else step)
        if step == last:
            forget(PLAYING)
            st.rerun()
    else:
        state.keep(view)  # the slider runs this part alone
    _draw_controls(moments, step, playing=playing)
    moment = moments[step - 1]
    limits = Limits.of(app.settings)
    raised = [one for one in simulation.alerts if one.raised <= moment.at]
    alerts = [one if one.cleared and one.cleared <= moment.at else _lasting(one) for one in raised]
    open_drift = next((one for one in alerts if one.kind == "drift" and one.open), None)
    bins = [one for one in simulation.report.bins if one.end <= moment.at + timedelta(seconds=1)]
    _draw_answer(view, moment, alerts)
    left, right = st.columns([1.6, 1], gap="large")
    charted = charts.Charted(
        "simulation", bins, simulation.report.since, simulation.report.until, moment.at,
        [_point(one, limits) for one in moments[:step]],
        None if simulation.report.seen.baseline is None else simulation.report.seen.baseline.counts,
        alerts, limits, _marks(view),
    )  # fmt: skip
    with left:
        charts.draw_modes(charted)
    with right:
        draw_card(drift_state(moment.divergence, moment.requests, limits, open_drift), moment.at)
        charts.draw_fallbacks(charted)
        st.markdown("**Alerts**")
        for alert in reversed(alerts):
            draw_alert(alert, moment.at)
        if not alerts:
            st.caption("None so far.")


def _draw_controls(moments: tuple[Moment, ...], step: int, *, playing: bool) -> None:
    start = moments[0].at - (moments[1].at - moments[0].at if len(moments) > 1 else timedelta())
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        if playing:
            st.button("Pause", key="monitor.pause", icon=":material/pause:", on_click=_pause)
        else:
            st.button(
                "Watch it", key="monitor.play", icon=":material/play_arrow:", type="primary", on_click=_play,
                args=(1 if step == len(moments) else None,), help="Step by step; a second for each",
            )  # fmt: skip
        state.put(STEP, step)
        st.select_slider(
            "Minutes since it began", list(range(1, len(moments) + 1)), key=STEP, on_change=_moved,
            args=(len(moments),),
            format_func=lambda one: f"{(moments[one - 1].at - start).total_seconds() / 60:.0f} min",
        )  # fmt: skip


def _draw_answer(view: View, moment: Moment, alerts: list[Alert]) -> None:
    minute = round((moment.at - START).total_seconds() / 60)
    phase = (
        "as usual"
        if minute <= BEFORE
        else "drifting"
        if minute <= BEFORE + view.minutes
        else "as usual again"
    )
    told = f"Minute {minute:,}: requests are {phase}."
    if moment.overruled:
        st.error(
            f"{told} **Drift has tripped: every request is built as GENERAL**"
            f" ({moment.divergence:.3f} nats).",
            icon=":material/error:",
        )
    elif any(not one.open for one in alerts):
        st.success(
            f"{told} **All is well again:** each request has its own mode.", icon=":material/check_circle:"
        )
    else:
        st.success(
            f"{told} **Nothing has tripped:** each request has its own mode.", icon=":material/check_circle:"
        )


def _lasting(alert: Alert) -> Alert:
    """The alert as it was before it was cleared."""
    return replace(alert, cleared=None, because="")


def _point(moment: Moment, limits: Limits) -> Point:
    enough = moment.requests >= limits.drift_least
    return Point(moment.at, moment.divergence if enough else None, counted(moment.requests, "request"))


def _marks(view: View) -> tuple[tuple[datetime, str], ...]:
    begins = START + timedelta(minutes=BEFORE)
    return ((begins, "drift begins"), (begins + timedelta(minutes=view.minutes), "as usual again"))


def _shift(usual: Mapping[str, int], shifted: Mapping[str, float]) -> str:
    total = sum(usual.values())
    parts = [f"{mode} {percent(usual.get(mode, 0) / total)} → {percent(shifted[mode])}" for mode in MODES]
    return f"Shares of modes, as usual → when they have drifted: {', '.join(parts)}."


@st.cache_resource(max_entries=8, show_spinner="Running the requests through the guardrails …")
def _simulated(
    usual: tuple[int, ...], toward: str, far: float, minutes: int, rate: int, limits: str,
    _settings: Settings, _shifted: Mapping[str, float],
) -> Simulation:  # fmt: skip
    normal: dict[str, float] = dict(zip(MODES, usual, strict=True))
    phases = [Phase(BEFORE, normal), Phase(minutes, _shifted), Phase(AFTER, normal)]
    total = timedelta(minutes=BEFORE + minutes + AFTER)
    step = timedelta(seconds=bin_width(START, START + total))
    return simulate(phases, baseline=normal, settings=_settings, per_minute=rate / 60, step=step)


def _play(step: int | None) -> None:
    if step is not None:
        state.change(step=step)
    state.touched()
    st.session_state[PLAYING] = True


def _pause() -> None:
    forget(PLAYING)
    state.touched()


def _moved(last: int) -> None:
    forget(PLAYING)
    step = int(st.session_state[STEP])
    state.change(step=None if step == last else step)
