"""Sessions and their conversations a page at a time, and what a clean-up would take; for many of them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from convgate.store.database import Store
from convgate.store.session_records import Session, SessionConversation
from convgate.store.session_rows import CONVERSATION, SESSION, conversation_of, session_of


@dataclass(frozen=True, slots=True)
class SessionPage:
    """Some of the sessions that were asked for."""

    rows: tuple[Session, ...]
    total: int  # on all pages


@dataclass(frozen=True, slots=True)
class Old:
    """What a clean-up would take, and what it would leave."""

    sessions: int
    workspaces: int  # that they are of
    only_here: int  # conversations of theirs that the library does not have: they would go as well
    in_library: int  # conversations of theirs that the library has, and would keep


class SessionPages:
    """The sessions of a store as lists of any length."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def find(
        self, *, workspace: str | None = None, active: bool | None = None, page: int = 1, per_page: int = 20
    ) -> SessionPage:
        """One page (from 1) of the sessions of a workspace and state; None: of all.

        Active ones come first, then the one that was last at work.
        """
        asked = {"workspace = ?": workspace, "active = ?": active}
        held = {name: value for name, value in asked.items() if value is not None}
        where = f" WHERE {' AND '.join(held)}" if held else ""
        values: list[Any] = list(held.values())
        with self._store.read() as db:
            (total,) = db.execute(f"SELECT count(*) FROM sessions{where}", values).fetchone()
            rows = db.execute(
                f"{SESSION}{where} ORDER BY active DESC, last_activity DESC, number DESC LIMIT ? OFFSET ?",
                [*values, per_page, (page - 1) * per_page],
            ).fetchall()
        return SessionPage(tuple(session_of(row) for row in rows), total)

    def workspaces(self) -> dict[str, int]:
        """How many sessions each workspace has, by name."""
        with self._store.read() as db:
            rows = db.execute("SELECT workspace, count(*) FROM sessions GROUP BY workspace ORDER BY 1")
            return dict(rows.fetchall())

    def conversations(self, id: str, *, page: int = 1, per_page: int = 20) -> list[SessionConversation]:
        """One page (from 1) of the conversations of a session, in the order in which they began."""
        with self._store.read() as db:
            rows = db.execute(
                f"{CONVERSATION} WHERE sessions.id = ? ORDER BY began, held.number LIMIT ? OFFSET ?",
                [id, per_page, (page - 1) * per_page],
            )
            return [conversation_of(row) for row in rows.fetchall()]

    def old(self, before: datetime) -> Old:
        """What `Sessions.clean_up` would take and leave for the same moment."""
        moment = before.isoformat()
        with self._store.read() as db:
            sessions, workspaces = db.execute(
                "SELECT count(*), count(DISTINCT workspace) FROM sessions WHERE ended < ?", [moment]
            ).fetchone()
            held, in_library = db.execute(
                "SELECT count(*), count(conversation) FROM session_conversations"
                " WHERE session IN (SELECT number FROM sessions WHERE ended < ?)",
                [moment],
            ).fetchone()
        return Old(sessions, workspaces, held - in_library, in_library)
