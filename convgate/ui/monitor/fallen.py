"""The last requests that fell back, with why, and the ids by which a program's own log knows them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import streamlit as st

from convgate.context.guardrails.report_records import Report
from convgate.figures.request_counts import CAUSES
from convgate.store.requests import Fallback, Requests
from convgate.transcripts.characters import writable
from convgate.ui.frame import App
from convgate.ui.monitor.times import clock
from convgate.ui.wording import counted

PER_PAGE = 10


def draw_fallen(app: App, report: Report) -> None:
    """A page of them, the newest first."""
    st.subheader("Requests that fell back", anchor=False)
    total = report.totals.fallbacks
    if not total:
        st.caption("None in this period.")
        return
    pages = -(-total // PER_PAGE)
    key = f"monitor.fallen.{pages}"
    page = min(int(st.session_state.get(key) or 1), pages)
    skip = (page - 1) * PER_PAGE
    found = Requests(app.store).fallen(report.since, report.until, skip=skip, limit=PER_PAGE)
    st.dataframe(
        rows_of(found, report.now), hide_index=True, key="monitor.fallen", height=38 + 35 * len(found),
        alt=f"{counted(len(found), 'request')} that fell back, the newest first",
    )  # fmt: skip
    if pages > 1:
        with st.container(horizontal_alignment="center"):
            st.pagination(pages, key=key)
    st.caption(
        f"{counted(total, 'request')} in all. The log has no text and no conversation: your program knows the"
        " rest of a request by its id, which is `request_id` of the context."
    )


def rows_of(found: Sequence[Fallback], now: datetime) -> list[dict[str, str | int]]:
    """The rows of the table."""
    known = {str(cause): words for cause, words in CAUSES.items()}
    return [
        {
            "time": clock(one.at, now),
            "because of": ", ".join(known.get(cause, cause) for cause in one.causes),
            "found": one.classified,
            "applied": one.mode,
            "invariants missing": one.breaches,
            "tokens": one.tokens,
            "request": writable(one.id),
        }
        for one in found
    ]
