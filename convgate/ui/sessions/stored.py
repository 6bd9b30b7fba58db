"""The newest stored sessions of running agents, and deleting one."""

from __future__ import annotations

import streamlit as st

from convgate.core.text import format_time, writable
from convgate.store.sessions import Sessions
from convgate.ui.shared.actions import draw_problem, reporting_problems
from convgate.ui.shared.frame import App
from convgate.ui.shared.session_state import selected_cell

STORED = "sessions.stored"
_MAX_ROWS = 50


def draw_stored(app: App) -> None:
    """Draw the table of sessions, and the button that deletes the selected one."""
    with st.expander("Stored sessions of running agents", icon=":material/history:"):
        draw_problem()
        sessions = Sessions(app.store).recent(limit=_MAX_ROWS)
        if not sessions:
            st.caption("No sessions yet. Agents add them with `convgate.SessionManager`.")
            return
        rows = [
            {
                "workspace": writable(session.workspace),
                "begin": format_time(session.started),
                "end": format_time(session.ended) if session.ended else "active",
                "conversations": session.conversation_count,
            }
            for session in sessions
        ]
        st.dataframe(
            rows, hide_index=True, key=STORED, on_select="rerun", selection_mode="single-cell",
            alt=f"The newest {len(rows):,} sessions",
        )  # fmt: skip
        st.caption(f"The newest sessions, at most {_MAX_ROWS}. Click a row to delete its session.")
        row = selected_cell(STORED)
        if row is not None and row < len(sessions):
            with st.popover(f"Delete {sessions[row].id}", icon=":material/delete:"):
                st.caption("This cannot be undone. The library keeps the conversations.")
                st.button(
                    "Delete session", key="sessions.delete", on_click=_delete, args=(app, sessions[row].id)
                )


def _delete(app: App, id: str) -> None:
    with reporting_problems():
        Sessions(app.store).delete(id)
    st.session_state.pop(STORED, None)
