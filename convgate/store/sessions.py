"""Sessions of a store: at most one is active in a workspace, and none holds on to a conversation.

Cleaning up sessions leaves the library's conversations as they are.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from sqlite_utils import Database

from convgate.errors import StoreError
from convgate.store.conversation_keys import number_of
from convgate.store.database import Store
from convgate.store.session_records import Session, SessionConversation
from convgate.store.session_rows import CONVERSATION, SESSION, conversation_of, session_of
from convgate.transcripts.characters import writable

# The open conversation of a session, unless it was removed for good or put into another session since.
_PRESENT = """
    SELECT held.number FROM session_conversations AS held WHERE held.number = sessions.present"""

CLEANED_AT_ONCE = 1_000


@dataclass(frozen=True, slots=True)
class LiveSession:
    """The active session of a workspace, and where it stands."""

    session: Session
    conversation: int | None  # number of the one that is open; None when it was removed or is elsewhere now
    state: str  # what the next message has to know, as it was put


class Sessions:
    """The sessions of a store; what takes several steps belongs in one `Store.write` of the caller."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def get(self, id: str) -> Session:
        """The session of that id; StoreError when there is none."""
        with self._store.read() as db:
            row = db.execute(f"{SESSION} WHERE id = ?", [id]).fetchone()
        if row is None:
            raise StoreError(f"There is no session {id!r}; it was cleaned up, or is in another library.")
        return session_of(row)

    def live(self, workspace: str) -> LiveSession | None:
        """The active session of a workspace; None when it has none."""
        with self._store.read() as db:
            row = db.execute(
                f"{SESSION.replace(' FROM', f', ({_PRESENT}), state FROM')} WHERE workspace = ? AND active",
                [writable(workspace)],
            ).fetchone()
        return None if row is None else LiveSession(session_of(row[:-2]), row[-2], row[-1])

    def recent(self, workspace: str | None = None, *, limit: int = 20) -> list[Session]:
        """The sessions of a workspace, or of all, the one that was last at work first."""
        where, values = ("", []) if workspace is None else (" WHERE workspace = ?", [writable(workspace)])
        with self._store.read() as db:
            rows = db.execute(
                f"{SESSION}{where} ORDER BY last_activity DESC, number DESC LIMIT ?", [*values, limit]
            )
            return [session_of(row) for row in rows.fetchall()]

    def begin(self, workspace: str, at: datetime) -> Session:
        """A new active session without conversations; StoreError when the workspace has one already."""
        with self._store.write() as db:
            if (live := self.live(workspace)) is not None:
                raise StoreError(f"The session {live.session.id} is active in {workspace!r}; end it first.")
            id, moment = _new_id(db, at), at.isoformat()
            db.execute(
                "INSERT INTO sessions (id, workspace, started, last_activity, active) VALUES (?, ?, ?, ?, 1)",
                [id, writable(workspace), moment, moment],
            )
        return self.get(id)

    def end(self, id: str, at: datetime, reason: str) -> Session:
        """End a session, not before its last activity; one that ended stays as it is."""
        with self._store.write() as db:
            self.get(id)
            db.execute(
                "UPDATE sessions SET active = 0, ended = max(?, last_activity), reason = ?"
                " WHERE id = ? AND active",
                [at.isoformat(), writable(reason), id],
            )
        return self.get(id)

    def open_conversation(self, id: str, at: datetime) -> int:
        """Open a conversation in a session; its number. The one before is closed by that."""
        with self._store.write() as db:
            number = _insert_conversation(db, id, at)
            db.execute("UPDATE sessions SET present = ? WHERE id = ?", [number, id])
        return number

    def note_message(self, id: str, at: datetime, state: str, workflow_state: str | None = None) -> None:
        """Note that a message came to the open conversation of a session."""
        with self._store.write() as db:
            db.execute(
                "UPDATE sessions SET last_activity = max(last_activity, ?), state = ? WHERE id = ?",
                [at.isoformat(), state, id],
            )
            db.execute(
                "UPDATE session_conversations SET last_activity = max(last_activity, ?),"
                " workflow_state = coalesce(?, workflow_state)"
                f" WHERE number = (SELECT ({_PRESENT}) FROM sessions WHERE id = ?)",
                [at.isoformat(), workflow_state, id],
            )

    def add_conversation(self, id: str, key: str, at: datetime) -> SessionConversation:
        """Put a conversation of the library into a session: as the open one, unless that has one already.

        It leaves the session that it was in before. Raises StoreError when either is not there.
        """
        with self._store.write() as db:
            self.get(id)
            known = number_of(db, key)
            session, present = db.execute(
                f"SELECT number, ({_PRESENT}) FROM sessions WHERE id = ?", [id]
            ).fetchone()
            held = db.execute(
                "SELECT number, session, tags, workflow_state FROM session_conversations"
                " WHERE conversation = ?",
                [known],
            ).fetchone()
            if held and held[1] == session:
                number: int = held[0]
            else:
                _, _, tags, state = held or (None, None, "[]", None)
                if held:
                    db.execute("DELETE FROM session_conversations WHERE number = ?", [held[0]])
                free = db.execute(
                    "SELECT number, tags FROM session_conversations"
                    " WHERE number = ? AND conversation IS NULL",
                    [present],
                ).fetchone()
                number, own = free or (_insert_conversation(db, id, at), "[]")
                db.execute(
                    "UPDATE session_conversations SET conversation = ?, tags = ?,"
                    " workflow_state = coalesce(workflow_state, ?) WHERE number = ?",
                    [known, _tags([*json.loads(own), *json.loads(tags)]), state, number],
                )
            moment = at.isoformat()
            for table, which in (("session_conversations", number), ("sessions", session)):
                db.execute(
                    f"UPDATE {table} SET last_activity = max(last_activity, ?) WHERE number = ?",
                    [moment, which],
                )
        return self.conversation(number)

    def conversation(self, number: int) -> SessionConversation:
        """The conversation of that number; StoreError when there is none."""
        with self._store.read() as db:
            row = db.execute(f"{CONVERSATION} WHERE held.number = ?", [number]).fetchone()
        if row is None:
            raise StoreError(f"There is no conversation number {number} in any session.")
        return conversation_of(row)

    def conversations(self, id: str) -> list[SessionConversation]:
        """The conversations of a session, in the order in which they began; StoreError without it."""
        with self._store.read() as db:
            self.get(id)
            rows = db.execute(f"{CONVERSATION} WHERE sessions.id = ? ORDER BY began, held.number", [id])
            return [conversation_of(row) for row in rows.fetchall()]

    def of(self, key: str) -> SessionConversation | None:
        """What is known of a conversation of the library beside it; None when it never was in a session."""
        with self._store.read() as db:
            row = db.execute(
                f"{CONVERSATION} WHERE held.conversation ="
                " (SELECT number FROM conversation_keys WHERE key = ?)",
                [key],
            ).fetchone()
        return None if row is None else conversation_of(row)

    def describe(self, number: int, *, title: str | None = None, tags: Sequence[str] | None = None) -> None:
        """Give a conversation a title, or tags in place of those that it had; None leaves what is there.

        The title of a conversation of the library is the library's. Raises StoreError when it is not there.
        """
        with self._store.write() as db:
            held = self.conversation(number)
            if title is not None and held.key is not None:
                raise StoreError("the library has this conversation, and its title: rename it there")
            if title is not None:
                db.execute(
                    "UPDATE session_conversations SET title = ? WHERE number = ?",
                    [writable(title).strip(), number],
                )
            if tags is not None:
                db.execute(
                    "UPDATE session_conversations SET tags = ? WHERE number = ?", [_tags(tags), number]
                )

    def keys_of_old(self, before: datetime) -> list[str]:
        """The keys of the library's conversations whose session ended before a moment."""
        with self._store.read() as db:
            rows = db.execute(
                "SELECT key FROM conversations JOIN session_conversations AS held"
                " ON held.conversation = conversations.number"
                " JOIN sessions ON sessions.number = held.session"
                " WHERE ended < ? AND deleted_at IS NULL",
                [before.isoformat()],
            )
            return [key for (key,) in rows.fetchall()]

    def clean_up(self, before: datetime) -> int:
        """Remove the sessions that ended before a moment; how many. The library keeps its conversations."""
        removed, last = 0, CLEANED_AT_ONCE
        while last == CLEANED_AT_ONCE:
            with self._store.write() as db:  # so many at once that no message waits long
                old = "SELECT number FROM sessions WHERE ended < ? ORDER BY ended LIMIT ?"
                values = [before.isoformat(), CLEANED_AT_ONCE]
                # + keeps SQLite from the index of conversations, which has most of them under NULL.
                db.execute(
                    f"DELETE FROM session_conversations WHERE +conversation IS NULL AND session IN ({old})",
                    values,
                )
                last = db.execute(f"DELETE FROM sessions WHERE number IN ({old})", values).rowcount
            removed += last
        return removed


def _new_id(db: Database, at: datetime) -> str:
    """An id that no session has; longer by a digit after each one that was taken."""
    digits = 4
    while True:
        id = f"session_{at.astimezone(UTC):%Y%m%d_%H%M%S}_{secrets.randbelow(10**digits):0{digits}d}"
        if db.execute("SELECT 1 FROM sessions WHERE id = ?", [id]).fetchone() is None:
            return id
        digits += 1


def _tags(tags: Iterable[str]) -> str:
    """As they are kept: each once, none empty."""
    return json.dumps(list(dict.fromkeys(tag for tag in (writable(tag).strip() for tag in tags) if tag)))


def _insert_conversation(db: Database, id: str, at: datetime) -> int:
    number = db.execute(
        "INSERT INTO session_conversations (session, began, last_activity)"
        " SELECT number, ?, ? FROM sessions WHERE id = ?",
        [at.isoformat(), at.isoformat(), id],
    ).lastrowid
    assert number is not None
    return number
