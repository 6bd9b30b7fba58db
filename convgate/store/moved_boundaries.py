"""Boundaries that people moved: what begins with a message of a conversation, against the rules.

To move a boundary is to say "none" at the one message, and "conversation" or "session" at the other.
"""

from __future__ import annotations

from datetime import UTC, datetime

from convgate.errors import StoreError
from convgate.store.database import Store
from convgate.store.session_records import MovedBoundary
from convgate.transcripts.characters import writable

_NUMBER = "(SELECT number FROM conversation_keys WHERE key = ?)"


class MovedBoundaries:
    """What people said of the boundaries of a store's conversations; at most one thing of a message."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def of(self, key: str) -> dict[int, MovedBoundary]:
        """What was said of a conversation, by the message's 0-based index; empty when nothing was."""
        with self._store.read() as db:
            rows = db.execute(
                f"SELECT turn, kind, note, at FROM moved_boundaries WHERE conversation = {_NUMBER}"
                " ORDER BY turn",
                [key],
            ).fetchall()
        return {turn: MovedBoundary(kind, note, datetime.fromisoformat(at)) for turn, kind, note, at in rows}

    def put(self, key: str, turn: int, moved: MovedBoundary) -> None:
        """Say what begins with a message, in place of what was said before.

        Raises StoreError, and stores nothing, when the library has no such message, or it is the first one,
        which begins both.
        """
        with self._store.write() as db:
            row = db.execute(
                f"SELECT number, turns FROM conversations WHERE deleted_at IS NULL AND number = {_NUMBER}",
                [key],
            ).fetchone()
            if row is None:
                raise StoreError(
                    f"The library has no conversation {key!r}, so no boundary of it can be moved."
                )
            number, turns = row
            if not 0 < turn < turns:
                raise StoreError(
                    f"a boundary can be set at messages 1 to {turns - 1}, as the first begins the session;"
                    f" got {turn}"
                )
            at = moved.at or datetime.now(UTC)
            db.execute(
                "INSERT OR REPLACE INTO moved_boundaries (conversation, turn, kind, note, at)"
                " VALUES (?, ?, ?, ?, ?)",
                [number, turn, moved.kind, writable(moved.note).strip(), at.isoformat()],
            )

    def remove(self, key: str, turn: int | None = None) -> None:
        """Leave a message, or all of the conversation, to the rules again."""
        one, values = ("", []) if turn is None else (" AND turn = ?", [turn])
        with self._store.write() as db:
            db.execute(f"DELETE FROM moved_boundaries WHERE conversation = {_NUMBER}{one}", [key, *values])
