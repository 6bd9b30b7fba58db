"""Sessions of running agents: at most one is active in a workspace."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sqlite_utils import Database

from convgate.core.errors import StoreError
from convgate.core.text import writable
from convgate.store.conversations import number_of
from convgate.store.database import Repository
from convgate.store.documents import read_row

_SESSION = """
    SELECT sessions.*, (
        SELECT count(*) FROM session_conversations AS held WHERE held.session = sessions.number
    ) AS conversation_count
    FROM sessions"""
_CONVERSATION = """
    SELECT held.number, sessions.id AS session, key, coalesce(title, '') AS title, began, held.last_activity,
        workflow_state
    FROM session_conversations AS held JOIN sessions ON sessions.number = held.session
    LEFT JOIN conversations ON conversations.number = held.conversation"""


@dataclass(frozen=True, slots=True)
class Session:
    """A period of work in one workspace, from its first message until it ends."""

    id: str  # with the date and time of its start, such as session_20251113_140000_1234
    workspace: str
    started: datetime  # UTC
    last_activity: datetime  # UTC
    conversation_count: int
    ended: datetime | None = None  # UTC; None while it is active
    reason: str = ""  # why it ended

    @property
    def is_active(self) -> bool:
        """Return whether the next message may belong to it."""
        return self.ended is None


@dataclass(frozen=True, slots=True)
class SessionConversation:
    """A conversation of a session."""

    number: int  # in the store
    session: str  # id
    key: str | None  # of the conversation in the library, where that has it
    title: str  # of the library; empty when that does not have it
    began: datetime  # UTC
    last_activity: datetime  # UTC
    workflow_state: str | None


@dataclass(frozen=True, slots=True)
class LiveSession:
    """The active session of a workspace, and its state."""

    session: Session
    conversation: int | None  # number of the open one; None when it was removed or is elsewhere now
    state: str  # of the rules, as it was stored


class Sessions(Repository):
    """The sessions of a store; several calls that belong together need a `Store.write` of the caller."""

    def get(self, id: str) -> Session:
        """Return the session; StoreError when it is missing."""
        with self._store.read() as db:
            return read_row(Session, _find_session(db, id))

    def live(self, workspace: str) -> LiveSession | None:
        """Return the active session of a workspace, or None."""
        with self._store.read() as db:
            for row in db.query(f"{_SESSION} WHERE workspace = ? AND ended IS NULL", [writable(workspace)]):
                return LiveSession(read_row(Session, row), row["present"], row["state"])
        return None

    def recent(self, workspace: str | None = None, *, limit: int = 20) -> list[Session]:
        """Return the sessions of a workspace, or of all, by their last activity, newest first."""
        where, values = ("", []) if workspace is None else ("WHERE workspace = ?", [writable(workspace)])
        order = "ORDER BY last_activity DESC, number DESC LIMIT ?"
        return self._records(Session, f"{_SESSION} {where} {order}", [*values, limit])

    def count(self) -> int:
        """Return the number of sessions."""
        return int(self._row("SELECT count(*) FROM sessions")[0])

    def begin(self, workspace: str, at: datetime) -> Session:
        """Add an active session without conversations; StoreError when the workspace has an active one."""
        with self._store.write() as db:
            if (live := self.live(workspace)) is not None:
                raise StoreError(f"The session {live.session.id} is active in {workspace!r}; end it first.")
            id, time = _new_id(db, at), at.isoformat()
            row = {"id": id, "workspace": writable(workspace), "started": time, "last_activity": time}
            db.table("sessions").insert(row)
        return self.get(id)

    def end(self, id: str, at: datetime, reason: str) -> Session:
        """End a session, not before its last activity; one that ended stays as it is."""
        with self._store.write() as db:
            session = _find_session(db, id)
            if session["ended"] is None:
                ended = max(at.isoformat(), session["last_activity"])
                db.table("sessions").update(session["number"], {"ended": ended, "reason": writable(reason)})
        return self.get(id)

    def open_conversation(self, id: str, at: datetime) -> int:
        """Open a conversation in a session in place of the open one, and return its number."""
        with self._store.write() as db:
            session = _find_session(db, id)["number"]
            number = _insert_conversation(db, session, at)
            db.table("sessions").update(session, {"present": number})
        return number

    def note_message(self, id: str, at: datetime, state: str, workflow_state: str | None = None) -> None:
        """Note that a message came to the open conversation of a session."""
        with self._store.write() as db:
            session = _find_session(db, id)
            db.table("sessions").update(session["number"], {"state": state})
            if workflow_state is not None and session["present"] is not None:
                changes = {"workflow_state": workflow_state}
                db.table("session_conversations").update(session["present"], changes)
            _note_activity(db, session["number"], session["present"], at)

    def add_conversation(self, id: str, key: str, at: datetime) -> SessionConversation:
        """Move a conversation of the library into a session: as the open one, if that is not in the library.

        Its workspace is that of the session from then on.

        Raises StoreError when either is missing.
        """
        with self._store.write() as db:
            session, conversation = _find_session(db, id), number_of(db, key)
            table = db.table("session_conversations")
            existing = next(table.rows_where("conversation = ?", [conversation]), None)
            if existing and existing["session"] == session["number"]:
                number: int = existing["number"]
            else:
                if existing:
                    table.delete(existing["number"])
                is_free = table.count_where("number = ? AND conversation IS NULL", [session["present"]])
                number = session["present"] if is_free else _insert_conversation(db, session["number"], at)
                table.update(number, {"conversation": conversation})
            db.table("conversations").update(conversation, {"workspace": session["workspace"]})
            _note_activity(db, session["number"], number, at)
        return self._conversations("held.number = ?", [number])[0]

    def conversations(self, id: str) -> list[SessionConversation]:
        """Return the conversations of a session in order of their start; StoreError when it is missing."""
        self.get(id)
        return self._conversations("sessions.id = ?", [id])

    def open_one(self, id: str) -> SessionConversation | None:
        """Return the open conversation of a session, in the end its last one; None when it was removed."""
        rows = self._conversations("sessions.id = ? AND held.number = sessions.present", [id])
        return next(iter(rows), None)

    def delete(self, id: str) -> None:
        """Remove a session; the library keeps its conversations. StoreError when it is missing."""
        with self._store.write() as db:
            db.table("sessions").delete(_find_session(db, id)["number"])

    def ended_before(self, before: datetime) -> list[Session]:
        """Return the sessions that ended before a time, oldest first."""
        return self._records(Session, f"{_SESSION} WHERE ended < ? ORDER BY ended", [before.isoformat()])

    def clean_up(self, before: datetime) -> int:
        """Remove the sessions that ended before a time, and return how many; see `delete`."""
        with self._store.write() as db:
            return db.execute("DELETE FROM sessions WHERE ended < ?", [before.isoformat()]).rowcount

    def _conversations(self, condition: str, values: list[Any]) -> list[SessionConversation]:
        sql = f"{_CONVERSATION} WHERE {condition} ORDER BY began, held.number"
        return self._records(SessionConversation, sql, values)


def _find_session(db: Database, id: str) -> dict[str, Any]:
    """Return the row of a session with its count of conversations; StoreError when it is missing."""
    for row in db.query(f"{_SESSION} WHERE id = ?", [id]):
        return row
    raise StoreError(f"There is no session {id!r}; it was deleted, or is in another library.")


def _new_id(db: Database, at: datetime) -> str:
    """Return an id that no session has."""
    while True:
        id = f"session_{at.astimezone(UTC):%Y%m%d_%H%M%S}_{secrets.randbelow(10_000):04d}"
        if not db.table("sessions").count_where("id = ?", [id]):
            return id


def _insert_conversation(db: Database, session: int, at: datetime) -> int:
    time = at.isoformat()
    row = {"session": session, "began": time, "last_activity": time}
    number = db.table("session_conversations").insert(row).last_pk
    assert isinstance(number, int)
    return number


def _note_activity(db: Database, session: int, conversation: int | None, at: datetime) -> None:
    for table, number in (("sessions", session), ("session_conversations", conversation)):
        db.execute(
            f"UPDATE {table} SET last_activity = max(last_activity, ?) WHERE number = ?",
            [at.isoformat(), number],
        )
