"""Stored sessions: the list by workspace and state, active ones first, and the one that is opened."""

from __future__ import annotations

import streamlit as st

from convgate.store.session_pages import SessionPage, SessionPages
from convgate.store.session_records import Session
from convgate.transcripts.characters import isolate, writable
from convgate.ui.frame import App
from convgate.ui.sessions import state
from convgate.ui.sessions.cleaning import draw_cleaning
from convgate.ui.sessions.one_session import draw_session, local
from convgate.ui.sessions.state import STATES, View
from convgate.ui.state import selected_cell
from convgate.ui.wording import ago, counted

PER_PAGE = 20
TABLE, WORKSPACE, ONLY, PAGE = "sessions.table", "sessions.workspace", "sessions.only", "sessions.stored_page"
_SHOWN = "sessions.shown"  # ids in the order of the table
_ALL = "\N{EM DASH} all workspaces \N{EM DASH}"
_EXAMPLE = """\
sessions = convgate.SessionManager(workspace="shop")
found = sessions.detect("Continue authentication")   # or a whole message; call it for answers, too
found.session.id, found.conversation, found.boundary  # where it belongs, and what begins with it
"""


def draw_stored(app: App, view: View) -> None:
    """The filter, the page of the list, and what is opened of it."""
    pages = SessionPages(app.store)
    known = pages.workspaces()
    if not known:
        st.info(
            "No session is stored yet. A running agent makes them, with three lines of Python:",
            icon=":material/history:",
        )
        st.code(_EXAMPLE, language="python")
        return
    _draw_filter(view, known)
    only = {"all": None, "active": True, "ended": False}[view.only]
    number = max(1, view.page)
    found = pages.find(workspace=view.workspace, active=only, page=number, per_page=PER_PAGE)
    last = max(1, -(-found.total // PER_PAGE))
    if number > last:  # what was on it was cleaned up, or an address says so
        number = last
        found = pages.find(workspace=view.workspace, active=only, page=number, per_page=PER_PAGE)
    if not found.rows:
        st.caption("There is no such session.")
    else:
        _draw_list(found, number, last)
    if view.session is not None:
        draw_session(app, view.session)
    elif found.rows:
        st.caption("Click a session to see its conversations.")
    draw_cleaning(app)


def rows_of(sessions: tuple[Session, ...]) -> list[dict[str, str | int]]:
    """The rows of the table."""
    return [
        {
            "workspace": writable(one.workspace),
            "state": "● active" if one.is_active else "○ ended",
            "last activity": f"{local(one.last_activity)} ({ago(one.last_activity)})",
            "started": local(one.started),
            "ended": local(one.ended) if one.ended else "–",
            "conversations": one.conversation_count,
            "why it ended": writable(one.reason),
            "session": one.id,
        }
        for one in sessions
    ]


def _draw_filter(view: View, known: dict[str, int]) -> None:
    names = [_ALL, *known]
    if view.workspace is not None and view.workspace not in known:
        names.append(view.workspace)
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        state.put(WORKSPACE, view.workspace or _ALL)
        st.selectbox(
            "Workspace", names, key=WORKSPACE, on_change=_filtered, width=300,
            format_func=lambda name: (
                name if name == _ALL else f"{isolate(writable(name))}: {known.get(name, 0):,}"
            ),
        )  # fmt: skip
        state.put(ONLY, view.only)
        st.segmented_control(
            "State",
            list(STATES),
            key=ONLY,
            format_func=STATES.__getitem__,
            required=True,
            on_change=_filtered,
        )


def _draw_list(found: SessionPage, page: int, pages: int) -> None:
    st.session_state[_SHOWN] = [one.id for one in found.rows]
    st.dataframe(
        rows_of(found.rows), hide_index=True, key=TABLE, on_select=_clicked, selection_mode="single-cell",
        height=38 + 35 * len(found.rows), alt=f"{counted(len(found.rows), 'session')}, active ones first",
    )  # fmt: skip
    start = (page - 1) * PER_PAGE
    extent = f", {start + 1:,} to {start + len(found.rows):,} here" if pages > 1 else ""
    st.caption(f"{counted(found.total, 'session')}{extent}. Active ones first, then by their last activity.")
    if pages > 1:
        key = f"{PAGE}.{page}.{pages}"
        with st.container(horizontal_alignment="center"):
            st.pagination(pages, default=page, key=key, on_change=_turned, args=(key,))


def _clicked() -> None:
    state.touched()
    cell = selected_cell(TABLE)
    ids: list[str] = st.session_state.get(_SHOWN, [])
    if cell is not None and cell < len(ids):
        state.change(session=ids[cell])


def _filtered() -> None:
    chosen = st.session_state[WORKSPACE]
    state.change(
        workspace=None if chosen == _ALL else chosen, only=st.session_state[ONLY], page=0, session=None
    )


def _turned(key: str) -> None:
    state.change(page=int(st.session_state[key]))
