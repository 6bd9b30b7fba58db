"""The stored sessions of running agents: a table, the conversations of one session, and deleting it."""

from __future__ import annotations

import streamlit as st

from convgate.core.errors import ConvgateError
from convgate.core.text import format_age, format_time, pluralize
from convgate.store.sessions import Session, Sessions
from convgate.transcripts.characters import writable
from convgate.ui.actions import ActionResult, draw_result, run_action
from convgate.ui.frame import App
from convgate.ui.sessions import state
from convgate.ui.state import selected_rows
from convgate.ui.text import literal

TABLE = "sessions.stored"
_LIMIT = 500  # sessions that are listed
_EXAMPLE = """\
sessions = convgate.SessionManager(workspace="shop")
detection = sessions.detect("Continue authentication")  # call it for every message, also for answers
detection.session.id, detection.conversation, detection.boundary
"""


def draw_stored(app: App) -> None:
    """Draw the table, and the selected session."""
    draw_result(state.page)
    sessions = Sessions(app.store)
    rows = sessions.recent(limit=_LIMIT)
    if not rows:
        st.info("No session is stored yet. A running agent adds them:", icon=":material/history:")
        st.code(_EXAMPLE, language="python")
        return
    total = sessions.count()
    st.dataframe(
        [session_row(session) for session in rows], hide_index=True, key=TABLE, on_select=state.page.touched,
        selection_mode="single-row", alt=f"{pluralize(total, 'session')}, newest activity first",
    )  # fmt: skip
    newest = f"Newest {_LIMIT:,} of {total:,} sessions" if total > _LIMIT else pluralize(total, "session")
    st.caption(f"{newest}. Select a row to see its conversations.")
    selected = selected_rows(TABLE)
    if selected and selected[0] < len(rows):
        _draw_session(app, rows[selected[0]])


def session_row(session: Session) -> dict[str, str | int]:
    """Return the row of a session in the table."""
    return {
        "workspace": writable(session.workspace),
        "state": "active" if session.is_active else "ended",
        "last activity": f"{format_time(session.last_activity)} ({format_age(session.last_activity)})",
        "started": format_time(session.started),
        "conversations": session.conversation_count,
        "reason": writable(session.reason),
        "session": session.id,
    }


def _draw_session(app: App, session: Session) -> None:
    try:
        conversations = Sessions(app.store).conversations(session.id)
    except ConvgateError as error:
        st.error(literal(str(error)), icon=":material/link_off:")
        return
    with st.container(border=True, key="sessions-one"):
        st.subheader(literal(session.id), anchor=False)
        for conversation in conversations:
            began = f"began {format_time(conversation.began)}"
            workflow = f" · {conversation.workflow_state}" if conversation.workflow_state else ""
            if conversation.key is None:
                st.markdown(f"Conversation {conversation.number:,} · {began}{workflow} · not in the library")
                continue
            st.button(
                f"{literal(conversation.title, limit=120)} · {began}{workflow}",
                key=f"sessions.open.{conversation.number}", icon=":material/horizontal_split:",
                type="tertiary", on_click=_open_conversation, args=(conversation.key,),
            )  # fmt: skip
        with st.popover("Delete session", icon=":material/delete:"):
            st.markdown("This cannot be undone. The library keeps the conversations.")
            st.button(
                "Delete", key="sessions.delete", type="primary", on_click=run_action,
                args=(state.page, lambda: _delete(app, session)),
            )  # fmt: skip


def _open_conversation(key: str) -> None:
    state.page.open(key)
    state.page.change(on="conversation")


def _delete(app: App, session: Session) -> ActionResult:
    Sessions(app.store).delete(session.id)
    st.session_state.pop(TABLE, None)
    return ActionResult(f"Deleted {literal(session.id)}.")
