"""The log of requests: which period, the answer, the charts, what fell back, and what can be done."""

from __future__ import annotations

from datetime import UTC, datetime

import streamlit as st

from convgate.context.guardrails.limits import Limits
from convgate.context.guardrails.report_records import Report
from convgate.store.requests import Requests
from convgate.ui.frame import App
from convgate.ui.monitor import charts, state
from convgate.ui.monitor.alerts import draw_alerts
from convgate.ui.monitor.answer import draw_guards, draw_headline, draw_strip
from convgate.ui.monitor.baseline import draw_baseline
from convgate.ui.monitor.fallen import draw_fallen
from convgate.ui.monitor.files import draw_files
from convgate.ui.monitor.guards import standing
from convgate.ui.monitor.reading import forget_reports, report_of
from convgate.ui.monitor.times import clock, span
from convgate.ui.monitor.view import PERIOD_NAMES, View
from convgate.ui.wording import ago

PERIOD, LIVE = "monitor.period", "monitor.live"
EVERY = 30  # seconds
_EXAMPLE = """\
import convgate

context = convgate.load_context()
bundle = context.build(messages)                     # bundle.messages is what to send; logged without text
convgate.record_outcome(bundle.request_id, ok=True)  # when you know whether the answer was of use
"""


def draw_log(app: App, view: View) -> None:
    """Draw it, or what to do where there is nothing yet."""
    if not app.settings.guard_log:
        st.warning(
            "**Requests are not logged, and no guard is at work:** the setting guard\\_log is off"
            " (`CONVGATE_GUARD_LOG` in the environment, or `guard_log` in convgate.toml).",
            icon=":material/visibility_off:",
        )
    newest = Requests(app.store).newest()
    if newest is None:
        _draw_told()
        _draw_nothing(app)
        return
    _draw_period(app, view)
    st.fragment(_draw_live, run_every=EVERY if view.live else None)(app, view, newest)
    report = report_of(app, view)
    draw_baseline(app, report)
    _draw_told()  # where the buttons are
    draw_files(app, report)


def _draw_told() -> None:
    if done := st.session_state.pop(state.DONE, None):
        st.success(done, icon=":material/check:")
    if failed := st.session_state.pop(state.FAILED, None):
        st.error(failed, icon=":material/error:")


def _draw_live(app: App, view: View, newest: datetime) -> None:
    """What is drawn anew by itself; the whole page is when somebody chose another period in it."""
    if state.current_view()[0] != view:
        st.rerun()
    report = report_of(app, view)
    past = "" if view.until is None else " How the guards stand is told of now all the same."
    st.caption(
        f"{span(report.since, report.until)}, read at {report.now.astimezone():%H:%M:%S}; times are this"
        f" machine's.{past}"
    )
    stands = standing(report, Limits.of(app.settings))
    draw_headline(stands, report.now)
    draw_guards(stands, report.now)
    draw_strip(report.totals, report.lost, told=PERIOD_NAMES[view.period])
    if report.totals.requests:
        _draw_charts(app, report)
    else:
        _draw_gap(report, newest)
    draw_alerts(report)
    draw_fallen(app, report)


def _draw_period(app: App, view: View) -> None:
    until = view.until or datetime.now(UTC)
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="monitor-period"):
        state.put(PERIOD, view.period)
        st.segmented_control(
            "Period", list(PERIOD_NAMES), key=PERIOD, format_func=PERIOD_NAMES.__getitem__, required=True,
            on_change=_chose_period, label_visibility="collapsed",
        )  # fmt: skip
        st.button(
            "Earlier", key="monitor.earlier", icon=":material/chevron_left:", on_click=state.look_at,
            args=(until - view.length,), help="The period before",
        )  # fmt: skip
        st.button(
            "Later", key="monitor.later", icon=":material/chevron_right:", disabled=view.until is None,
            on_click=state.look_at, args=(until + view.length,), help="The period after",
        )  # fmt: skip
        if view.until is not None:
            st.button("Now", key="monitor.now", on_click=state.look_at, args=(None,))
        st.button(
            "Refresh", key="monitor.refresh", icon=":material/refresh:", on_click=_refresh, args=(app,),
        )  # fmt: skip
        state.put(LIVE, view.live)
        st.toggle(f"Every {EVERY} s", key=LIVE, on_change=_switched, help="Draw this anew by itself")


def _draw_charts(app: App, report: Report) -> None:
    baseline = report.seen.baseline
    charted = charts.Charted(
        "log", report.bins, report.since, report.until, report.until, charts.bin_points(report.bins),
        None if baseline is None else baseline.counts, report.alerts, Limits.of(app.settings),
    )  # fmt: skip
    left, right = st.columns(2, gap="large")
    with left:
        charts.draw_modes(charted)
        charts.draw_confidence(charted)
        charts.draw_errors("log", report.errors)
    with right:
        charts.draw_fallbacks(charted)
        charts.draw_costs(charted)


def _draw_gap(report: Report, newest: datetime) -> None:
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.caption(
            f"No request was logged in this period; the last one of all {ago(newest, report.now)}, at"
            f" {clock(newest, report.now)}.",
            width="content",
        )
        st.button("Go there", key="monitor.newest", on_click=state.look_at, args=(newest,))


def _draw_nothing(app: App) -> None:
    if app.settings.guard_log:
        st.info(
            "**No request is logged yet.** A program that builds contexts logs each of them here, without its"
            " text, with three lines of Python:",
            icon=":material/monitor_heart:",
        )
    st.code(_EXAMPLE, language="python")
    st.markdown("Until then, see what the guardrails do when modes drift, on a database of its own:")
    st.button(
        "Simulate drift", key="monitor.simulate", type="primary", icon=":material/play_circle:",
        on_click=state.change, kwargs={"simulate": True},
    )  # fmt: skip


def _chose_period() -> None:
    state.change(period=st.session_state[PERIOD])


def _switched() -> None:
    state.change(live=bool(st.session_state[LIVE]))


def _refresh(app: App) -> None:
    state.touched()
    forget_reports(app)
