"""Monitor from top to bottom: the log of requests, or the rollout."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import streamlit as st

from convgate.core.settings import Settings
from convgate.core.text import format_share, format_time, pluralize
from convgate.guardrails.report import Report, Totals, report
from convgate.guardrails.rules import set_baseline
from convgate.store.database import Store
from convgate.store.guard_states import Baseline, GuardStates
from convgate.store.requests import Requests
from convgate.ui.monitor.log import draw_alerts, draw_charts, draw_open_alerts, draw_statuses
from convgate.ui.monitor.rollout import draw_rollout
from convgate.ui.monitor.state import PERIODS, MonitorState, page
from convgate.ui.shared.actions import ActionResult, draw_result, run_action
from convgate.ui.shared.frame import App
from convgate.ui.shared.page_state import draw_problems
from convgate.ui.shared.tables import draw_numbers

REFRESH_SECONDS = 30

_STYLE = Path(__file__).with_name("monitor.css")
_PLACES = {"log": "Your requests", "rollout": "Rollout"}
_EXAMPLE = """\
import convgate

selector = convgate.load()
selection = selector.select(messages)                # selection.messages is what to send; logged without text
convgate.record_outcome(selection.request_id, ok=True)  # whether the answer was good
"""


def monitor(app: App) -> None:
    """Draw the page."""
    st.html(_STYLE)
    state, problems = page.current()
    page.keep(state)
    draw_problems(problems)
    st.segmented_control(
        "Show", list(_PLACES), format_func=_PLACES.__getitem__, required=True, label_visibility="collapsed",
        **page.control("on", state.on),
    )  # fmt: skip
    if state.on == "rollout":
        draw_rollout(app)
    else:
        _draw_log(app, state)


def _draw_log(app: App, state: MonitorState) -> None:
    if not app.settings.guard_log:
        st.warning("Requests are not logged: `guard_log` is off.", icon=":material/visibility_off:")
    draw_result(page)
    newest = Requests(app.store).newest()
    if newest is None:
        st.info("No requests yet. Log them with:", icon=":material/monitor_heart:")
        st.code(_EXAMPLE, language="python")
        return
    st.segmented_control(
        "Period", list(PERIODS), required=True, label_visibility="collapsed",
        **page.control("period", state.period),
    )  # fmt: skip
    st.fragment(_draw_report, run_every=REFRESH_SECONDS)(app, state, newest)


def _draw_report(app: App, state: MonitorState, newest: datetime) -> None:
    page.rerun_after_action()
    shown = _report(app.settings, app.store, state.period, str(app.store.path))
    draw_open_alerts(shown.open_alerts, shown.latest.now)
    draw_statuses(shown, app.settings)
    _draw_totals(shown.totals, shown.lost)
    if shown.totals.requests:
        draw_charts(shown, app.settings)
    else:
        st.caption(f"No requests in this period. The last one: {format_time(newest)}.")
    draw_alerts(shown.alerts)
    _draw_baseline(app, shown)


def _draw_totals(totals: Totals, lost: int) -> None:
    p50, p95, p99 = totals.latency or (None, None, None)
    saved = totals.tokens_saved / totals.tokens_total if totals.tokens_total else None
    times = "" if p95 is None or p99 is None else f"p95 {1000 * p95:,.1f} · p99 {1000 * p99:,.1f}"
    numbers = [
        ("Requests", f"{totals.requests:,}", "in this period"),
        ("Tokens saved", _share(saved), f"{totals.tokens_saved:,} of {totals.tokens_total:,} of history"),
        ("Low confidence", _share(totals.low_share), f"{totals.unsure:,} of {totals.judged:,} requests"),
        ("Fallbacks", f"{totals.fallbacks:,}", f"{totals.over_budget:,} over budget"),
        ("Lost invariants", f"{totals.breaches:,}", "sent after all"),
        ("Build time", "–" if p50 is None else f"{1000 * p50:,.1f} ms", times),
    ]
    draw_numbers([(*number, "") for number in numbers], key="monitor-strip")
    if lost:
        st.warning(f"{pluralize(lost, 'request')} could not be logged.", icon=":material/warning:")


def _draw_baseline(app: App, shown: Report) -> None:
    st.subheader("Baseline", anchor=False)
    baseline, totals = shown.latest.baseline, shown.totals
    if baseline is None:
        st.caption("No baseline: drift is not detected.")
    else:
        st.caption(f"{pluralize(baseline.requests, 'request')}, set {format_time(baseline.at)}.")
    if shown.period_divergence is not None and totals.requests:
        st.caption(f"This period is {shown.period_divergence:.3f} nats from the baseline.")
    min_requests = app.settings.guard_drift_min_requests
    with st.container(horizontal=True):
        st.button(
            "Set from this period", key="monitor.set", icon=":material/flag:", on_click=run_action,
            args=(page, partial(_set_baseline, app, shown.since, shown.until)),
            disabled=totals.requests < min_requests, help=f"Needs {min_requests:,} requests.",
        )  # fmt: skip
        if baseline is not None:
            st.button(
                "Clear", key="monitor.clear", on_click=run_action,
                args=(page, partial(_put_baseline, app, None, "Baseline cleared.")),
            )  # fmt: skip


@st.cache_resource(ttl=5, max_entries=16, show_spinner=False)
def _report(_settings: Settings, _store: Store, period: str, path: str) -> Report:
    # 100,000 requests take half a second, and each click draws the page anew.
    now = datetime.now(UTC)
    until = now + timedelta(microseconds=1)
    return report(_store, _settings, until - PERIODS[period], until, now)


def _share(share: float | None) -> str:
    return "–" if share is None else format_share(share)


def _set_baseline(app: App, since: datetime, until: datetime) -> ActionResult:
    former = GuardStates(app.store).baseline()
    baseline = set_baseline(app.store, app.settings, since, until, datetime.now(UTC))
    _report.clear()
    undo = partial(_put_baseline, app, former, "Undone.")
    return ActionResult(f"Baseline set: {pluralize(baseline.requests, 'request')}.", undo)


def _put_baseline(app: App, baseline: Baseline | None, sentence: str) -> ActionResult:
    former = GuardStates(app.store).put_baseline(baseline)
    _report.clear()
    return ActionResult(sentence, partial(_put_baseline, app, former, "Undone."))
