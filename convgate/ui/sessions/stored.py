"""Stored sessions: the list, one session, clean-up."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import streamlit as st

from convgate.core.errors import ConvgateError, StoreError
from convgate.core.text import format_age, pluralize
from convgate.policies.sessions.manager import ENDED, SessionManager
from convgate.store.sessions import OldSessions, Session, SessionConversation, SessionPage, Sessions
from convgate.transcripts.characters import isolate, writable
from convgate.ui import state as widgets
from convgate.ui.frame import App
from convgate.ui.navigation import EXPLORE
from convgate.ui.sessions import state
from convgate.ui.sessions.state import STATES, View
from convgate.ui.state import selected_cell
from convgate.ui.text import literal

HELD_PER_PAGE = 10
TOLD, REASON = "sessions.told", "sessions.reason"
_LONGEST = 200  # characters of a reason, a title, tags


def draw_session(app: App, id: str) -> None:
    """The session of that id; that it is gone, where it is."""
    try:
        session = Sessions(app.store).get(id)
    except StoreError as error:
        st.warning(literal(str(error)), icon=":material/link_off:")
        return
    with st.container(border=True, key="sessions-one"):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.subheader(literal(session.id), anchor=False, width="stretch")
            st.button(
                "Close", key="sessions.close_one", icon=":material/close:", type="tertiary",
                on_click=state.change, kwargs={"session": None},
            )  # fmt: skip
        st.caption(" · ".join(_facts(session)))
        if told := st.session_state.pop(TOLD, None):
            st.error(literal(told), icon=":material/error:")
        if session.is_active:
            _draw_end(app, session)
        elif session.workspace == "legacy":
            st.caption(
                "It holds the conversations that were in the library before there were sessions. Cleaning up"
                " takes the session; the conversations stay."
            )
        _draw_conversations(app, session)


def local(moment: datetime) -> str:
    """A time by this machine's clock."""
    here = moment.astimezone()
    return f"{here.day} {here:%b %Y, %H:%M}"


def _facts(session: Session) -> list[str]:
    facts = [
        f"workspace {literal(session.workspace, limit=80)}",
        f"started {local(session.started)}",
        f"last activity {local(session.last_activity)} ({format_age(session.last_activity)})",
        pluralize(session.conversation_count, "conversation"),
    ]
    if session.ended is None:
        return [*facts, "**active**"]
    return [*facts, f"ended {local(session.ended)}: {literal(session.reason, limit=300)}"]


def _draw_end(app: App, session: Session) -> None:
    with st.popover("End this session", icon=":material/stop_circle:"):
        st.markdown("The next message of this workspace begins another session. Nothing is removed.")
        key = f"{REASON}.{session.id}"
        st.text_input("Why", ENDED, key=key, max_chars=_LONGEST, on_change=state.touched)
        st.button("End it", key="sessions.end", type="primary", on_click=_end, args=(app, session.id, key))


def _draw_conversations(app: App, session: Session) -> None:
    if not session.conversation_count:
        st.caption("It has no conversations; those of the library may have been removed.")
        return
    pages = -(-session.conversation_count // HELD_PER_PAGE)
    key = f"sessions.of.{session.id}.{pages}"
    page = min(int(st.session_state.get(key) or 1), pages)
    for one in Sessions(app.store).conversations(session.id, page=page, per_page=HELD_PER_PAGE):
        _draw_conversation(app, one)
    if pages > 1:
        with st.container(horizontal_alignment="center"):
            st.pagination(pages, key=key, on_change=state.touched)


def _draw_conversation(app: App, one: SessionConversation) -> None:
    parts = [f"began {local(one.began)}", f"last activity {format_age(one.last_activity)}"]
    if one.workflow_state:
        parts.insert(0, one.workflow_state)
    tags = " ".join(f":gray-badge[{literal(tag, limit=40)}]" for tag in one.tags)
    with st.container(
        border=True, horizontal=True, vertical_alignment="center", key=f"sessions-held-{one.number}"
    ):
        with st.container(gap=None):
            title = literal(one.title, limit=120) if one.title else f"Conversation number {one.number:,}"
            st.markdown(f"**{title}** {tags}")
            st.caption(" · ".join(parts) + ("" if one.key else " · not in the library"))
        if one.key is not None:
            st.page_link(
                EXPLORE,
                label="Explore",
                icon=":material/query_stats:",
                query_params={"conversation": one.key},
            )
            st.button(
                "Boundaries", key=f"sessions.bounds.{one.number}", icon=":material/horizontal_split:",
                on_click=state.open_conversation, args=(one.key,),
            )  # fmt: skip
        with st.popover("Edit", icon=":material/edit:", type="tertiary"):
            _draw_edit(app, one)


def _draw_edit(app: App, one: SessionConversation) -> None:
    title, tags = f"sessions.title.{one.number}", f"sessions.tags.{one.number}"
    with st.form(f"sessions.edit.{one.number}", border=False):
        st.text_input("Title", one.title, key=title, max_chars=_LONGEST)
        st.text_input("Tags, with commas between", ", ".join(one.tags), key=tags, max_chars=_LONGEST)
        st.form_submit_button(
            "Save", icon=":material/save:", on_click=_describe, args=(app, one, title, tags), width="stretch"
        )


def _describe(app: App, one: SessionConversation, title: str, tags: str) -> None:
    state.touched()
    wanted = str(st.session_state[title]).strip()
    try:
        SessionManager(app.store).describe(
            one.number,
            title=wanted if wanted and wanted != one.title else None,
            tags=str(st.session_state[tags]).split(","),
        )
    except ConvgateError as error:
        st.session_state[TOLD] = str(error)


def _end(app: App, id: str, key: str) -> None:
    state.touched()
    widgets.forget(TOLD)
    try:
        Sessions(app.store).end(id, datetime.now(UTC), str(st.session_state[key]).strip() or ENDED)
    except ConvgateError as error:
        st.session_state[TOLD] = str(error)


DAYS, WITH, ASKED, DONE = "sessions.days", "sessions.with", "sessions.asked", "sessions.done"
_MOST = 36_500  # days


def draw_cleaning(app: App) -> None:
    """The days, what would go, and the question whether it shall."""
    if done := st.session_state.pop(DONE, None):
        st.success(done, icon=":material/check:")
    place = st.expander(
        "Clean up ended sessions", icon=":material/mop:", key="sessions.cleaning", on_change=state.touched
    )
    if not place.open:
        return
    with place:
        usual = round(min(_MOST, max(1, app.settings.session_retention_days)))
        days = st.number_input(
            "Days that an ended session is kept", 1, _MOST, usual,
            key=DAYS, on_change=_again, width=260,
            help="The setting session\\_retention\\_days. What is active stays, however old.",
        )  # fmt: skip
        old = Sessions(app.store).old(datetime.now(UTC) - timedelta(days=days))
        if not old.sessions:
            st.caption(f"Nothing to clean up: no session ended more than {pluralize(days, 'day')} ago.")
            return
        deletes = old.in_library > 0 and st.checkbox(
            "Also delete their conversations in the library", key=WITH, on_change=_again,
            help="They can come back there, from “Deleted”, until they are removed for good.",
        )  # fmt: skip
        for line in what_goes(old, deletes=deletes):
            st.markdown(f"- {line}")
        if st.session_state.get(ASKED):
            st.markdown(f"**Remove {pluralize(old.sessions, 'session')}?** This cannot be undone.")
            with st.container(horizontal=True):
                st.button(
                    f"Remove {pluralize(old.sessions, 'session')}", key="sessions.clean", type="primary",
                    icon=":material/delete:", on_click=_clean, args=(app, days), kwargs={"deletes": deletes},
                )  # fmt: skip
                st.button("Keep them", key="sessions.keep", on_click=_again)
        else:
            st.button("Clean up …", key="sessions.ask", icon=":material/delete:", on_click=_ask)


def what_goes(old: OldSessions, *, deletes: bool) -> list[str]:
    """What a clean-up takes and leaves, a sentence each."""
    told = [
        f"**{pluralize(old.sessions, 'session')}** of {pluralize(old.workspaces, 'workspace')} would go: their"
        " times and reasons."
    ]
    if old.only_here:
        told.append(
            f"{pluralize(old.only_here, 'conversation')} of theirs that the library does not have would go"
            " along: titles, tags, states; no text is stored of them."
        )
    if old.in_library:
        fate = "would be deleted there" if deletes else "would stay, without a session"
        told.append(f"{pluralize(old.in_library, 'conversation')} of the library {fate}.")
    return told


def _ask() -> None:
    st.session_state[ASKED] = True
    state.touched()


def _again() -> None:
    widgets.forget(ASKED)
    state.touched()


def _clean(app: App, days: int, *, deletes: bool) -> None:
    _again()
    gone = SessionManager(app.store).clean_up(retention_days=days, with_conversations=deletes)
    st.session_state[DONE] = f"Removed {pluralize(gone, 'session')}."


PER_PAGE = 20
TABLE = "sessions.table"
_SHOWN = "sessions.shown"  # ids in the order of the table
_ALL = "\N{EM DASH} all workspaces \N{EM DASH}"
_EXAMPLE = """\
sessions = convgate.SessionManager(workspace="shop")
found = sessions.detect("Continue authentication")   # or a whole message; call it for answers, too
found.session.id, found.conversation, found.boundary  # where it belongs, and what begins with it
"""


def draw_stored(app: App, view: View) -> None:
    """The filter, the page of the list, and what is opened of it."""
    pages = Sessions(app.store)
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
            "last activity": f"{local(one.last_activity)} ({format_age(one.last_activity)})",
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
        st.selectbox(
            "Workspace", names, width=300,
            **state.page.control("workspace", view.workspace, none=_ALL, session=None),
            format_func=lambda name: (
                name if name == _ALL else f"{isolate(writable(name))}: {known.get(name, 0):,}"
            ),
        )  # fmt: skip
        st.segmented_control(
            "State", list(STATES), format_func=STATES.__getitem__, required=True,
            **state.page.control("only", view.only, session=None),
        )  # fmt: skip


def _draw_list(found: SessionPage, page: int, pages: int) -> None:
    st.session_state[_SHOWN] = [one.id for one in found.rows]
    st.dataframe(
        rows_of(found.rows), hide_index=True, key=TABLE, on_select=_clicked, selection_mode="single-cell",
        height=38 + 35 * len(found.rows), alt=f"{pluralize(len(found.rows), 'session')}, active ones first",
    )  # fmt: skip
    start = (page - 1) * PER_PAGE
    extent = f", {start + 1:,} to {start + len(found.rows):,} here" if pages > 1 else ""
    st.caption(
        f"{pluralize(found.total, 'session')}{extent}. Active ones first, then by their last activity."
    )
    state.page.draw_pages(found.total, PER_PAGE, page)


def _clicked() -> None:
    state.touched()
    cell = selected_cell(TABLE)
    ids: list[str] = st.session_state.get(_SHOWN, [])
    if cell is not None and cell < len(ids):
        state.change(session=ids[cell])
