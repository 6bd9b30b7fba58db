"""One stored session: what it was, its conversations with titles and tags, and how to end it."""

from __future__ import annotations

from datetime import UTC, datetime

import streamlit as st

from convgate.errors import ConvgateError, StoreError
from convgate.sessions.manager import ENDED, SessionManager
from convgate.store.sessions import Session, SessionConversation, Sessions
from convgate.ui import state as widgets
from convgate.ui.frame import App
from convgate.ui.navigation import EXPLORE
from convgate.ui.sessions import state
from convgate.ui.text import literal
from convgate.ui.wording import ago, counted

PER_PAGE = 10
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
        f"last activity {local(session.last_activity)} ({ago(session.last_activity)})",
        counted(session.conversation_count, "conversation"),
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
    pages = -(-session.conversation_count // PER_PAGE)
    key = f"sessions.of.{session.id}.{pages}"
    page = min(int(st.session_state.get(key) or 1), pages)
    for one in Sessions(app.store).conversations(session.id, page=page, per_page=PER_PAGE):
        _draw_conversation(app, one)
    if pages > 1:
        with st.container(horizontal_alignment="center"):
            st.pagination(pages, key=key, on_change=state.touched)


def _draw_conversation(app: App, one: SessionConversation) -> None:
    parts = [f"began {local(one.began)}", f"last activity {ago(one.last_activity)}"]
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
