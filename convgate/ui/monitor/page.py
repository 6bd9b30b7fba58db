"""Monitor from top to bottom: the log of requests, or a simulation of drift."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path

import streamlit as st

from convgate.context.guardrails import set_baseline
from convgate.context.guardrails.report import Report, Totals, report
from convgate.context.mode import MODES
from convgate.core.errors import ConvgateError
from convgate.core.settings import Settings
from convgate.core.text import format_share, pluralize
from convgate.figures.requests import CAUSES
from convgate.store.database import Store
from convgate.store.guard_states import Baseline, GuardStates
from convgate.store.requests import COLUMNS, Requests
from convgate.transcripts.characters import writable
from convgate.ui.frame import App
from convgate.ui.monitor.charts import draw_charts
from convgate.ui.monitor.simulation import draw_simulation
from convgate.ui.monitor.status import (
    clock_time,
    draw_alerts,
    draw_headline,
    draw_statuses,
    guard_statuses,
)
from convgate.ui.monitor.view import ADDRESS, PERIOD_NAMES, PERIODS, View
from convgate.ui.spreadsheet import plain_cell
from convgate.ui.state import put
from convgate.ui.tables import markdown_table
from convgate.ui.text import literal

REFRESH_SECONDS = 30
MAX_ROWS = 200  # of the table of fallbacks

_STYLE = Path(__file__).with_name("monitor.css")
_PLACES = {False: "Your requests", True: "Simulate drift"}
_ON, _PERIOD, _LIVE = "monitor.on", "monitor.period", "monitor.live"
_MESSAGE, _PREVIOUS = "monitor.message", "monitor.previous"  # what an action did; the baseline before
_EXAMPLE = """\
import convgate

context = convgate.load_context()
bundle = context.build(messages)                     # bundle.messages is what to send; logged without text
convgate.record_outcome(bundle.request_id, ok=True)  # when you know whether the answer was of use
"""


def monitor(app: App) -> None:
    """Draw the page."""
    st.html(_STYLE)
    view, problems = ADDRESS.current()
    ADDRESS.keep(view)
    for problem in problems:
        st.warning(literal(problem), icon=":material/link_off:")
    put(_ON, view.simulates)
    st.segmented_control(
        "Show", list(_PLACES), key=_ON, format_func=_PLACES.__getitem__, required=True,
        on_change=_change_place, label_visibility="collapsed",
    )  # fmt: skip
    if view.simulates:
        draw_simulation(app, view)
    else:
        _draw_log(app, view)


def _draw_log(app: App, view: View) -> None:
    if not app.settings.guard_log:
        st.warning("Requests are not logged: `guard_log` is off.", icon=":material/visibility_off:")
    if st.session_state.get(_MESSAGE):
        st.info(st.session_state.pop(_MESSAGE))
    newest = Requests(app.store).newest()
    if newest is None:
        st.info("No requests yet. Log them with:", icon=":material/monitor_heart:")
        st.code(_EXAMPLE, language="python")
        return
    _draw_period(view)
    st.fragment(_draw_report, run_every=REFRESH_SECONDS if view.is_live else None)(app, view, newest)
    shown = _read_report(app, view)
    _draw_baseline(app, shown)
    _draw_files(app, shown)


def _draw_report(app: App, view: View, newest: datetime) -> None:
    shown = _read_report(app, view)
    st.caption(f"{clock_time(shown.since)} – {clock_time(shown.until)}, this machine's time.")
    statuses = guard_statuses(shown, app.settings)
    draw_headline(statuses, shown.open_alerts, shown.latest.now)
    draw_statuses(statuses)
    _draw_totals(shown.totals, shown.lost)
    if shown.totals.requests:
        draw_charts(shown, app.settings)
    else:
        st.caption(f"No requests in this period. The last one: {clock_time(newest)}.")
    draw_alerts(shown.alerts, "monitor.alerts")
    _draw_fallbacks(app, shown)


def _draw_period(view: View) -> None:
    length, until = PERIODS[view.period], view.until or datetime.now(UTC)
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="monitor-period"):
        put(_PERIOD, view.period)
        st.segmented_control(
            "Period", list(PERIOD_NAMES), key=_PERIOD, format_func=PERIOD_NAMES.__getitem__, required=True,
            on_change=_change_period, label_visibility="collapsed",
        )  # fmt: skip
        for label, moment, is_disabled in (
            ("Earlier", until - length, False),
            ("Later", until + length, view.until is None),
            ("Now", None, view.until is None),
        ):
            st.button(
                label, key=f"monitor.{label.lower()}", disabled=is_disabled, on_click=_show_until,
                args=(moment,),
            )  # fmt: skip
        st.button("Refresh", key="monitor.refresh", icon=":material/refresh:", on_click=_refresh)
        put(_LIVE, view.is_live)
        st.toggle(f"Every {REFRESH_SECONDS} s", key=_LIVE, on_change=_change_live)


def _draw_totals(totals: Totals, lost: int) -> None:
    p50, p95, p99 = totals.latency or (None, None, None)
    saved = totals.tokens_saved / totals.tokens_total if totals.tokens_total else None
    numbers = (
        ("Requests", f"{totals.requests:,}", "in this period"),
        ("Tokens saved", _share(saved), f"{totals.tokens_saved:,} of {totals.tokens_total:,} of history"),
        ("Unsure", _share(totals.low_share), f"{totals.unsure:,} of {totals.judged:,} without an intent"),
        ("Fallbacks", f"{totals.fallbacks:,}", f"{totals.over_budget:,} over budget"),
        ("Lost invariants", f"{totals.breaches:,}", "sent after all"),
        (
            "Build time",
            "–" if p50 is None else f"{1000 * p50:,.1f} ms",
            "" if p95 is None or p99 is None else f"p95 {1000 * p95:,.1f} · p99 {1000 * p99:,.1f}",
        ),
    )
    with st.container(horizontal=True, key="monitor-strip", gap="medium"):
        for label, value, detail in numbers:
            st.metric(label, value, detail, delta_color="off", delta_arrow="off", width="content")
    if lost:
        st.warning(f"{pluralize(lost, 'request')} could not be logged.", icon=":material/warning:")


def _draw_fallbacks(app: App, shown: Report) -> None:
    st.subheader("Requests with a fallback", anchor=False)
    if not shown.totals.fallbacks:
        st.caption("None in this period.")
        return
    fallen = Requests(app.store).fallen(shown.since, shown.until, limit=MAX_ROWS)
    causes: Mapping[str, str] = {str(cause): name for cause, name in CAUSES.items()}
    rows = [
        {
            "time": clock_time(request.at),
            "cause": ", ".join(causes.get(cause, cause) for cause in request.causes),
            "classified": request.classified,
            "applied": request.mode,
            "lost invariants": request.breaches,
            "tokens": request.tokens,
            "request": writable(request.id),
        }
        for request in fallen
    ]
    st.dataframe(rows, hide_index=True, key="monitor.fallbacks", alt="Requests with a fallback, newest first")
    st.caption(f"The newest {len(rows):,} of {shown.totals.fallbacks:,}.")


def _draw_baseline(app: App, shown: Report) -> None:
    st.subheader("Baseline", anchor=False)
    baseline, totals = shown.latest.baseline, shown.totals
    if baseline is None:
        st.caption("No baseline: drift is not watched. Set one from a period without problems.")
    else:
        st.caption(f"{pluralize(baseline.requests, 'request')}, set {clock_time(baseline.at)}.")
    columns = (None if baseline is None else baseline.counts, totals.classified)
    rows = [[mode, *(_mode_share(counts, mode) for counts in columns)] for mode in MODES]
    with st.container(key="monitor-baseline"):
        st.markdown(markdown_table(["Mode", "Baseline", "This period"], rows, numbers=True))
    if shown.period_divergence is not None and totals.requests:
        st.caption(f"This period is {shown.period_divergence:.3f} nats from the baseline.")
    min_requests = app.settings.guard_drift_min_requests
    with st.container(horizontal=True):
        st.button(
            "Set from this period", key="monitor.set", icon=":material/flag:", on_click=_set_baseline,
            args=(app, shown.since, shown.until), disabled=totals.requests < min_requests,
            help=f"Needs {min_requests:,} requests.",
        )  # fmt: skip
        if baseline is not None:
            st.button("Clear", key="monitor.clear", on_click=_clear_baseline, args=(app,))
        if _PREVIOUS in st.session_state:
            st.button("Undo", key="monitor.undo", icon=":material/undo:", on_click=_undo, args=(app,))


def _draw_files(app: App, shown: Report) -> None:
    with st.container(horizontal=True):
        st.download_button(
            "Download requests (CSV)", lambda: requests_csv(app.store, shown.since, shown.until),
            "requests.csv", "text/csv", key="monitor.csv", icon=":material/download:", on_click="ignore",
        )  # fmt: skip
        with st.popover("Delete the log …", icon=":material/delete:"):
            st.markdown("Delete all logged requests and cleared alerts? The baseline is kept.")
            st.button("Delete", key="monitor.delete", type="primary", on_click=_delete_log, args=(app,))


def requests_csv(store: Store, since: datetime, until: datetime) -> str:
    """Return a row a request of the period; ids are whatever a caller made them."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    for id, at, *rest in Requests(store).everything(since, until):
        time = datetime.fromtimestamp(at, UTC).isoformat(timespec="milliseconds")
        writer.writerow([plain_cell(id), time, *("" if value is None else value for value in rest)])
    return out.getvalue()


def _read_report(app: App, view: View) -> Report:
    return _report(app.settings, app.store, view.period, view.until, str(app.store.path))


@st.cache_resource(ttl=5, max_entries=16, show_spinner=False)
def _report(_settings: Settings, _store: Store, period: str, until: datetime | None, path: str) -> Report:
    """100,000 requests take half a second to add up, and each click draws the page anew."""
    now = datetime.now(UTC)
    end = until or now + timedelta(microseconds=1)
    return report(_store, _settings, end - PERIODS[period], end, now)


def _share(share: float | None) -> str:
    return "–" if share is None else format_share(share)


def _mode_share(counts: Mapping[str, int] | None, mode: str) -> str:
    total = sum(counts.values()) if counts else 0
    return format_share(counts.get(mode, 0) / total) if counts and total else "–"


def _change_place() -> None:
    ADDRESS.change(simulates=bool(st.session_state[_ON]))


def _change_period() -> None:
    ADDRESS.change(period=st.session_state[_PERIOD])


def _change_live() -> None:
    ADDRESS.change(is_live=bool(st.session_state[_LIVE]))


def _show_until(until: datetime | None) -> None:
    if until is not None:
        until = (until + timedelta(seconds=59)).replace(second=0, microsecond=0)
    ADDRESS.change(until=None if until is None or until >= datetime.now(UTC) else until)


def _refresh() -> None:
    ADDRESS.touched()
    _report.clear()


def _set_baseline(app: App, since: datetime, until: datetime) -> None:
    previous = GuardStates(app.store).baseline()
    try:
        baseline = set_baseline(app.store, app.settings, since, until, datetime.now(UTC))
    except ConvgateError as error:
        _finish(literal(str(error)))
    else:
        st.session_state[_PREVIOUS] = previous
        _finish(f"Baseline set: {pluralize(baseline.requests, 'request')}.")


def _clear_baseline(app: App) -> None:
    _put_baseline(app, None, "Baseline cleared.")


def _undo(app: App) -> None:
    _put_baseline(app, st.session_state[_PREVIOUS], "Undone.")


def _put_baseline(app: App, baseline: Baseline | None, message: str) -> None:
    """Undoing twice comes back to where it began."""
    try:
        st.session_state[_PREVIOUS] = GuardStates(app.store).put_baseline(baseline)
    except ConvgateError as error:
        message = literal(str(error))
    _finish(message)


def _delete_log(app: App) -> None:
    try:
        message = f"Deleted {pluralize(Requests(app.store).delete_all(), 'request')}."
    except ConvgateError as error:
        message = literal(str(error))
    _finish(message)


def _finish(message: str) -> None:
    st.session_state[_MESSAGE] = message
    _refresh()
