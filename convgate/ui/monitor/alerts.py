"""Alerts of the period and those that last: when, why, and what ended them."""

from __future__ import annotations

from datetime import datetime

import streamlit as st

from convgate.context.guardrails.report_records import Report
from convgate.store.guard_states import Alert
from convgate.ui.monitor import state
from convgate.ui.monitor.times import clock
from convgate.ui.text import literal
from convgate.ui.wording import ago, counted

PER_PAGE = 5
NAMES = {"drift": "Drift", "low_confidence": "Low confidence", "errors": "Errors"}


def draw_alerts(report: Report) -> None:
    """The list, in pages."""
    st.subheader("Alerts", anchor=False)
    if not report.alerts:
        st.caption("None in this period.")
        return
    pages = -(-len(report.alerts) // PER_PAGE)
    key = f"monitor.alerts.{pages}"
    page = min(int(st.session_state.get(key) or 1), pages)
    start = (page - 1) * PER_PAGE
    for place, alert in enumerate(report.alerts[start : start + PER_PAGE], start):
        with st.container(border=True, key=f"monitor-alert-{place}", gap="xsmall"):
            draw_alert(alert, report.now)
            if not report.since <= alert.raised < report.until:
                st.button(
                    "Look at that time", key=f"monitor.there.{alert.number}", icon=":material/schedule:",
                    type="tertiary", on_click=state.look_at, args=(alert.cleared or report.now,),
                )  # fmt: skip
    if pages > 1:
        with st.container(horizontal_alignment="center"):
            st.pagination(pages, key=key)
        st.caption(f"{counted(len(report.alerts), 'alert')} in all.")


def draw_alert(alert: Alert, now: datetime) -> None:
    """One of them; the figures in it are those of when it was raised."""
    name = NAMES[alert.kind] + (f" in {alert.mode}" if alert.mode else "")
    icon, fate = (":material/error:", "lasts") if alert.open else (":material/check_circle:", "over")
    colour = "red" if alert.open else "gray"
    when = f"raised {clock(alert.raised, now)} ({ago(alert.raised, now)})"
    if alert.cleared is not None:
        when += f", cleared {clock(alert.cleared, now)}"
    st.markdown(f"**{name}** :{colour}-badge[{icon} {fate}] {when}")
    st.markdown(literal(alert.message))
    if alert.because:
        st.caption(f"Ended: {literal(alert.because)}")
