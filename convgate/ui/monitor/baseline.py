"""The baseline that drift is measured against: what it is, another one, none, and the way back."""

from __future__ import annotations

from datetime import datetime

import streamlit as st

from convgate.context.guardrails import clear_baseline, divergence, set_baseline
from convgate.context.guardrails.report_records import Report
from convgate.context.mode import MODES
from convgate.errors import ConvgateError
from convgate.figures.hover import percent
from convgate.store.guard_states import Baseline, GuardStates
from convgate.ui.frame import App
from convgate.ui.monitor import state
from convgate.ui.monitor.reading import forget_reports
from convgate.ui.monitor.times import clock, span
from convgate.ui.state import forget
from convgate.ui.tables import markdown_table
from convgate.ui.text import literal
from convgate.ui.wording import ago, counted

ASKED, BEFORE = "monitor.asked", "monitor.before"


def draw_baseline(app: App, report: Report) -> None:
    """What it is beside the period, and what can be done with it."""
    st.subheader("Baseline", anchor=False)
    baseline = report.seen.baseline
    st.markdown(_told(baseline, report.now))
    if report.totals.requests or baseline is not None:
        with st.container(key="monitor-baseline"):
            st.markdown(_table(baseline, report))
    if baseline is not None and report.period_divergence is not None and report.totals.requests:
        st.caption(f"This period is {report.period_divergence:.3f} nats from the baseline.")
    missing = report.least - report.totals.requests
    if st.session_state.get(ASKED) and missing <= 0:
        _draw_question(app, report, baseline)
    else:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.button(
                "Set it from this period …", key="monitor.set", icon=":material/flag:", disabled=missing > 0,
                on_click=_ask, help="Drift is measured against it from then on.",
            )  # fmt: skip
            if baseline is not None:
                st.button(
                    "Clear it", key="monitor.clear", icon=":material/close:", on_click=_clear, args=(app,)
                )
            if BEFORE in st.session_state:
                st.button("Undo", key="monitor.undo", icon=":material/undo:", on_click=_undo, args=(app,))
        if missing > 0:
            st.caption(
                f"This period has {counted(report.totals.requests, 'request')}; a baseline needs"
                f" {report.least:,} (the setting guard\\_drift\\_least). Choose a longer one."
            )


def _draw_question(app: App, report: Report, baseline: Baseline | None) -> None:
    instead = "in place of the one above" if baseline is not None else "to measure drift against"
    st.markdown(
        f"**Take the {counted(report.totals.requests, 'request')} of {span(report.since, report.until)} for"
        f" the baseline,** {instead}?"
    )
    if report.open_alerts:
        st.warning(
            "An alert lasts. Requests that are not as usual make a baseline that calls them usual.",
            icon=":material/warning:",
        )
    with st.container(horizontal=True):
        st.button(
            "Set the baseline", key="monitor.set_now", type="primary", icon=":material/flag:", on_click=_set,
            args=(app, report.since, report.until),
        )  # fmt: skip
        st.button("Leave it", key="monitor.leave", on_click=_leave)


def _told(baseline: Baseline | None, now: datetime) -> str:
    if baseline is None:
        return (
            "There is none, so drift is not watched. Take a period in which all was well: it says how often"
            " each mode is usual."
        )
    of = (
        ""
        if baseline.since is None or baseline.until is None
        else f" of {span(baseline.since, baseline.until)}"
    )
    if baseline.since is not None and baseline.since.year < 1990:
        of = " of all that was logged"
    when = f"set {ago(baseline.at, now)} ({clock(baseline.at, now)})"
    return f"{counted(baseline.requests, 'request')}{of}, {when}."


def _table(baseline: Baseline | None, report: Report) -> str:
    rows = []
    for mode in MODES:
        cells: list[str] = [mode]
        for counts in (None if baseline is None else baseline.counts, report.totals.classified):
            total = sum(counts.values()) if counts else 0
            cells.append(percent(counts.get(mode, 0) / total) if counts and total else "–")
        rows.append(cells)
    return markdown_table(["Mode", "Baseline", "This period"], rows, numbers=True)


def _ask() -> None:
    st.session_state[ASKED] = True
    state.touched()


def _leave() -> None:
    forget(ASKED)
    state.touched()


def _set(app: App, since: datetime, until: datetime) -> None:
    _leave()
    try:
        before = GuardStates(app.store).baseline()
        made = set_baseline(app.store, app.settings, since=since, until=until)
    except ConvgateError as error:
        state.tell(failed=literal(str(error)))
        return
    _keep(app, before)
    far = (
        ""
        if before is None
        else f" It is {divergence(made.counts, before.counts):.3f} nats from the one before."
    )
    state.tell(f"{counted(made.requests, 'request')} are the baseline now.{far}")


def _clear(app: App) -> None:
    _leave()
    try:
        before = clear_baseline(app.store)
    except ConvgateError as error:
        state.tell(failed=literal(str(error)))
        return
    _keep(app, before)
    state.tell("There is no baseline any more, so drift is not watched. “Undo” brings it back.")


def _undo(app: App) -> None:
    _leave()
    try:
        now = GuardStates(app.store).put_baseline(st.session_state[BEFORE])
    except ConvgateError as error:
        state.tell(failed=literal(str(error)))
        return
    _keep(app, now)
    state.tell("The baseline is the one from before." if st.session_state[BEFORE] != now else "")


def _keep(app: App, before: Baseline | None) -> None:
    """What undoing brings back; doing so twice comes back to where it began."""
    st.session_state[BEFORE] = before
    forget_reports(app)
