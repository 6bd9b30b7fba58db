"""Sessions: at most one is active in a workspace. Removing sessions leaves the library as it is."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sqlite_utils import Database

from convgate.core.errors import StoreError
from convgate.store.conversations import NUMBER, number_of
from convgate.store.database import Repository
from convgate.store.documents import read_row
from convgate.transcripts.characters import writable

_SESSION = """
    SELECT sessions.*, (
        SELECT count(*) FROM session_conversations AS held WHERE held.session = sessions.number
    ) AS conversation_count
    FROM sessions"""
_CONVERSATION = """
    SELECT held.number, sessions.id AS session, key, coalesce(conversations.title, held.title) AS title, tags,
        began, held.last_activity, workflow_state
    FROM session_conversations AS held LEFT JOIN sessions ON sessions.number = held.session
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
    session: str | None  # id; None when that was cleaned up
    key: str | None  # of the conversation in the library, where that has it
    title: str  # of the library, where that has it
    tags: tuple[str, ...]
    began: datetime  # UTC
    last_activity: datetime  # UTC
    workflow_state: str | None


@dataclass(frozen=True, slots=True)
class LiveSession:
    """The active session of a workspace, and its state."""

    session: Session
    conversation: int | None  # number of the open one; None when it was removed or is elsewhere now
    state: str  # of the rules, as it was stored


@dataclass(frozen=True, slots=True)
class SessionPage:
    """A page of sessions."""

    rows: tuple[Session, ...]
    total: int  # on all pages


@dataclass(frozen=True, slots=True)
class OldSessions:
    """What `Sessions.clean_up` would remove and keep."""

    sessions: int
    workspaces: int
    only_here: int  # their conversations that the library does not have: removed
    in_library: int  # their conversations that the library has: kept


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
        where, values = ("", []) if workspace is None else (" WHERE workspace = ?", [writable(workspace)])
        order = "ORDER BY last_activity DESC, number DESC LIMIT ?"
        return self._records(Session, f"{_SESSION}{where} {order}", [*values, limit])

    def find(
        self, *, workspace: str | None = None, active: bool | None = None, page: int = 1, per_page: int = 20
    ) -> SessionPage:
        """Return a page, from 1, of the sessions of a workspace and state; None for all.

        Active ones come first, then by last activity.
        """
        conditions, values = ["true"], []
        if workspace is not None:
            conditions.append("workspace = ?")
            values.append(writable(workspace))
        if active is not None:
            conditions.append(f"ended IS {'' if active else 'NOT '}NULL")
        where = " AND ".join(conditions)
        (total,) = self._row(f"SELECT count(*) FROM sessions WHERE {where}", values)
        order = "ORDER BY ended IS NULL DESC, last_activity DESC, number DESC LIMIT ? OFFSET ?"
        limits = [per_page, (page - 1) * per_page]
        rows = self._records(Session, f"{_SESSION} WHERE {where} {order}", [*values, *limits])
        return SessionPage(tuple(rows), total)

    def workspaces(self) -> dict[str, int]:
        """Return the number of sessions of each workspace."""
        rows: list[Any] = self._rows("SELECT workspace, count(*) FROM sessions GROUP BY 1 ORDER BY 1")
        return dict(rows)

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
            changes = {} if workflow_state is None else {"workflow_state": workflow_state}
            if changes and session["present"] is not None:
                db.table("session_conversations").update(session["present"], changes)
            _note_activity(db, session["number"], session["present"], at)

    def add_conversation(self, id: str, key: str, at: datetime) -> SessionConversation:
        """Move a conversation of the library into a session: as the open one, if that is not in the library.

        Raises StoreError when either is missing.
        """
        with self._store.write() as db:
            session, conversation = _find_session(db, id), number_of(db, key)
            table = db.table("session_conversations")
            held = next(table.rows_where("conversation = ?", [conversation]), None)
            if held and held["session"] == session["number"]:
                number: int = held["number"]
            else:
                free = next(
                    table.rows_where("number = ? AND conversation IS NULL", [session["present"]]), None
                )
                number = free["number"] if free else _insert_conversation(db, session["number"], at)
                changes: dict[str, Any] = {"conversation": conversation}
                if held:
                    table.delete(held["number"])
                    tags = [*json.loads(free["tags"] if free else "[]"), *json.loads(held["tags"])]
                    state = free and free["workflow_state"]
                    changes |= {"tags": _tags(tags), "workflow_state": state or held["workflow_state"]}
                table.update(number, changes)
            _note_activity(db, session["number"], number, at)
        return self.conversation(number)

    def conversation(self, number: int) -> SessionConversation:
        """Return the conversation of that number; StoreError when it is missing."""
        for conversation in self._conversations("held.number = ?", [number]):
            return conversation
        raise StoreError(f"There is no conversation number {number} in any session.")

    def conversations(self, id: str, *, page: int = 1, per_page: int = -1) -> list[SessionConversation]:
        """Return a page, from 1, of the conversations of a session in order of their start; -1: all.

        Raises StoreError when the session is missing.
        """
        self.get(id)
        return self._conversations("sessions.id = ?", [id], per_page, (page - 1) * per_page)

    def of(self, key: str) -> SessionConversation | None:
        """Return the session's entry of a conversation of the library; None when it is in no session."""
        return next(iter(self._conversations(f"held.conversation = {NUMBER}", [key])), None)

    def describe(self, number: int, *, title: str | None = None, tags: Sequence[str] | None = None) -> None:
        """Set the title or tags of a conversation; None keeps them.

        Raises StoreError when it is missing, or for the title of one that the library has.
        """
        with self._store.write() as db:
            conversation = self.conversation(number)
            if title is not None and conversation.key is not None:
                raise StoreError("The title of a conversation of the library is set there.")
            changes = {} if title is None else {"title": writable(title).strip()}
            if tags is not None:
                changes["tags"] = _tags(tags)
            if changes:
                db.table("session_conversations").update(number, changes)

    def keys_of_old(self, before: datetime) -> list[str]:
        """Return the keys of the library's conversations whose session ended before a time."""
        rows = self._rows(
            "SELECT key FROM conversations JOIN session_conversations AS held"
            " ON held.conversation = conversations.number"
            " JOIN sessions ON sessions.number = held.session WHERE ended < ? AND deleted_at IS NULL",
            [before.isoformat()],
        )
        return [key for (key,) in rows]

    def old(self, before: datetime) -> OldSessions:
        """Return what `clean_up` would remove and keep for the same time."""
        values = [before.isoformat()]
        sessions, workspaces = self._row(
            "SELECT count(*), count(DISTINCT workspace) FROM sessions WHERE ended < ?", values
        )
        total, in_library = self._row(
            "SELECT count(*), count(conversation) FROM session_conversations"
            " WHERE session IN (SELECT number FROM sessions WHERE ended < ?)",
            values,
        )
        return OldSessions(sessions, workspaces, total - in_library, in_library)

    def clean_up(self, before: datetime) -> int:
        """Remove the sessions that ended before a time, and return how many.

        The library keeps its conversations.
        """
        values = [before.isoformat()]
        with self._store.write() as db:
            db.table("session_conversations").delete_where(
                "conversation IS NULL AND session IN (SELECT number FROM sessions WHERE ended < ?)", values
            )
            return db.execute("DELETE FROM sessions WHERE ended < ?", values).rowcount

    def _conversations(
        self, condition: str, values: list[Any], limit: int = -1, offset: int = 0
    ) -> list[SessionConversation]:
        order = "ORDER BY began, held.number LIMIT ? OFFSET ?"
        sql = f"{_CONVERSATION} WHERE {condition} {order}"
        return self._records(SessionConversation, sql, [*values, limit, offset])


def _find_session(db: Database, id: str) -> dict[str, Any]:
    """Return the row of a session with its count of conversations; StoreError when it is missing."""
    for row in db.query(f"{_SESSION} WHERE id = ?", [id]):
        return row
    raise StoreError(f"There is no session {id!r}; it was cleaned up, or is in another library.")


def _new_id(db: Database, at: datetime) -> str:
    """Return an id that no session has, with one more digit after each that is taken."""
    digits = 4
    while True:
        id = f"session_{at.astimezone(UTC):%Y%m%d_%H%M%S}_{secrets.randbelow(10**digits):0{digits}d}"
        if not db.table("sessions").count_where("id = ?", [id]):
            return id
        digits += 1


def _tags(tags: Iterable[str]) -> str:
    """Return tags as they are stored: each once, none empty."""
    return json.dumps(list(dict.fromkeys(tag for tag in (writable(tag).strip() for tag in tags) if tag)))


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
