"""The figures and the log as files, and the end of the log."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from datetime import UTC, datetime
from functools import partial
from typing import Any

import streamlit as st

from convgate.context.guardrails.report_records import Bin, Report
from convgate.context.mode import MODES
from convgate.context.section import SECTIONS
from convgate.errors import ConvgateError
from convgate.figures.request_counts import CAUSES
from convgate.store.requests import COLUMNS, Requests
from convgate.ui.frame import App
from convgate.ui.monitor import state
from convgate.ui.monitor.reading import forget_reports
from convgate.ui.spreadsheet import plain_cell
from convgate.ui.state import forget
from convgate.ui.text import literal
from convgate.ui.wording import counted

ASKED = "monitor.delete_asked"


def draw_files(app: App, report: Report) -> None:
    """Downloads, and deleting."""
    with st.expander("Files, and deleting the log", icon=":material/database:", key="monitor.files"):
        day = f"{report.since:%Y-%m-%d}-{report.until:%Y-%m-%d}"
        with st.container(horizontal=True):
            st.download_button(
                "Figures over time (CSV)", partial(figures_csv, report.bins), f"monitor-{day}.csv",
                "text/csv", key="monitor.figures", icon=":material/download:", on_click="ignore",
                help="A row for each bar of the charts",
            )  # fmt: skip
            st.download_button(
                "Requests (CSV)", partial(_requests, app, report), f"requests-{day}.csv", "text/csv",
                key="monitor.requests", icon=":material/download:", on_click="ignore",
                help="A row for each request of this period",
            )  # fmt: skip
        st.caption(
            f"Times in them are UTC. {counted(app.settings.guard_log_most, 'request')} of"
            f" {app.settings.guard_log_days:g} days are kept at most (guard\\_log\\_most,"
            " guard\\_log\\_days), and never any text."
        )
        if st.session_state.get(ASKED):
            st.markdown(
                "**Delete every logged request, of all periods?** Alerts that are over go along; the baseline"
                " stays, and so do alerts that last, until the guardrails look again. This cannot be undone."
            )
            with st.container(horizontal=True):
                st.button(
                    "Delete the log", key="monitor.delete_now", type="primary", icon=":material/delete:",
                    on_click=_delete, args=(app,),
                )  # fmt: skip
                st.button("Keep it", key="monitor.keep", on_click=_keep)
        else:
            st.button("Delete the log …", key="monitor.delete", icon=":material/delete:", on_click=_ask)


def figures_csv(bins: Iterable[Bin]) -> str:
    """A row a bin; times in UTC, shares left to the reader."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(
        ["start", "end", "requests", *(f"found_{mode}" for mode in MODES),
         *(f"applied_{mode}" for mode in MODES), "divergence", "judged", "unsure", "fallbacks",
         *(f"fallbacks_{cause}" for cause in CAUSES), "breaches", "over_budget",
         *(f"tokens_{name}" for name in SECTIONS), "tokens_total", "outcomes", "failures", "seconds_p50",
         "seconds_p95", "seconds_p99"]
    )  # fmt: skip
    for one in bins:
        total, slow = one.totals, one.totals.latency
        writer.writerow(
            [one.start.isoformat(), one.end.isoformat(), total.requests,
             *(total.classified[mode] for mode in MODES), *(total.applied[mode] for mode in MODES),
             _number(one.divergence), total.judged, total.unsure, total.fallbacks,
             *(total.by_cause[cause] for cause in CAUSES), total.breaches, total.over_budget,
             *(total.sections[name] for name in SECTIONS), total.tokens_total, total.outcomes.count,
             total.outcomes.failures,
             *(_number(value) for value in ((slow.p50, slow.p95, slow.p99) if slow else (None, None, None)))]
        )  # fmt: skip
    return out.getvalue()


def requests_csv(rows: Iterable[tuple[Any, ...]]) -> str:
    """A row a request as `Requests.everything` gives them; ids are whatever a caller made them."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    for id, at, *rest in rows:
        when = datetime.fromtimestamp(at, UTC).isoformat(timespec="milliseconds")
        writer.writerow([plain_cell(id), when, *("" if value is None else value for value in rest)])
    return out.getvalue()


def _requests(app: App, report: Report) -> str:
    return requests_csv(Requests(app.store).everything(report.since, report.until))


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.6g}"


def _ask() -> None:
    st.session_state[ASKED] = True
    state.touched()


def _keep() -> None:
    forget(ASKED)
    state.touched()


def _delete(app: App) -> None:
    _keep()
    try:
        gone = Requests(app.store).delete_all()
    except ConvgateError as error:
        state.tell(failed=literal(str(error)))
    else:
        state.tell(f"Deleted {counted(gone, 'request')}.")
    forget_reports(app)
