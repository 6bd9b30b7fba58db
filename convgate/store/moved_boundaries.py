"""Boundaries that people moved: what begins with a message of a conversation, against the rules.

To move a boundary is to say "none" at the one message, and "conversation" or "session" at the other.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime

from sqlite_utils import Database

from convgate.errors import StoreError
from convgate.store.conversation_keys import NUMBER
from convgate.store.database import Store
from convgate.store.label_log import moment
from convgate.store.session_records import MovedBoundary
from convgate.transcripts.characters import writable


class MovedBoundaries:
    """What people said of the boundaries of a store's conversations; at most one thing of a message."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def of(self, key: str) -> dict[int, MovedBoundary]:
        """What was said of a conversation, by the message's 0-based index; empty when nothing was."""
        with self._store.read() as db:
            rows = db.execute(
                f"SELECT turn, kind, note, at FROM moved_boundaries WHERE conversation = {NUMBER}"
                " ORDER BY turn",
                [key],
            ).fetchall()
        return {turn: MovedBoundary(kind, note, moment(at)) for turn, kind, note, at in rows}

    def put(self, key: str, turn: int, moved: MovedBoundary) -> None:
        """Say what begins with a message, in place of what was said before; errors as in `change`."""
        self.change(key, {turn: moved})

    def remove(self, key: str, turn: int | None = None) -> None:
        """Leave a message, or all of the conversation, to the rules again."""
        held = self.of(key)
        turns = held if turn is None else held.keys() & {turn}
        if turns:
            self.change(key, dict.fromkeys(turns))

    def change(self, key: str, changes: Mapping[int, MovedBoundary | None]) -> None:
        """Say what begins with some messages, None leaving one to the rules, as one step of the undo.

        Raises StoreError, and stores nothing, when the library has no such conversation or message, or it is
        the first one, which begins both.
        """
        with self._store.write() as db:
            row = db.execute(
                f"SELECT number, turns FROM conversations WHERE deleted_at IS NULL AND number = {NUMBER}",
                [key],
            ).fetchone()
            if row is None:
                raise StoreError(
                    f"The library has no conversation {key!r}, so no boundary of it can be moved."
                )
            number, turns = row
            for turn in changes:
                if not 0 < turn < turns:
                    raise StoreError(
                        f"a boundary can be set at messages 1 to {turns - 1}, as the first begins the"
                        f" session; got {turn}"
                    )
            held = self.of(key)
            (step,) = db.execute(
                "SELECT coalesce(max(step), 0) + 1 FROM boundary_changes WHERE conversation = ?", [number]
            ).fetchone()
            for turn in changes:
                before = held.get(turn)
                values = [None] * 3 if before is None else [before.kind, before.note, _time(before)]
                db.execute(
                    "INSERT INTO boundary_changes (conversation, step, turn, kind, note, at)"
                    " VALUES (?, ?, ?, ?, ?, ?)",
                    [number, step, turn, *values],
                )
            _set(db, number, changes)

    def changed_last(self, key: str) -> list[int]:
        """The messages that the last step changed, which `undo` takes back; none when there is no step."""
        with self._store.read() as db:
            rows = db.execute(_LAST_STEP.format(columns="turn"), [key])
            return [turn for (turn,) in rows.fetchall()]

    def undo(self, key: str) -> list[int]:
        """Take the last step back; the messages that it had changed."""
        with self._store.write() as db:
            rows = db.execute(
                _LAST_STEP.format(columns="conversation, step, turn, kind, note, at"), [key]
            ).fetchall()
            before: dict[int, MovedBoundary | None] = {}
            for number, step, turn, kind, note, at in rows:
                told = None if kind is None else MovedBoundary(kind, note, moment(at))
                before[turn] = told
                db.execute(
                    "DELETE FROM boundary_changes WHERE conversation = ? AND step = ? AND turn = ?",
                    [number, step, turn],
                )
                _set(db, number, {turn: told})
        return list(before)


_LAST_STEP = f"""
    SELECT {{columns}} FROM boundary_changes AS changes WHERE conversation = {NUMBER}
    AND step = (SELECT max(step) FROM boundary_changes WHERE conversation = changes.conversation)
    ORDER BY turn"""


def _set(db: Database, number: int, changes: Mapping[int, MovedBoundary | None]) -> None:
    for turn, moved in changes.items():
        db.execute("DELETE FROM moved_boundaries WHERE conversation = ? AND turn = ?", [number, turn])
        if moved is not None:
            db.execute(
                "INSERT INTO moved_boundaries (conversation, turn, kind, note, at) VALUES (?, ?, ?, ?, ?)",
                [number, turn, moved.kind, writable(moved.note).strip(), _time(moved)],
            )


def _time(moved: MovedBoundary) -> str:
    return (moved.at or datetime.now(UTC)).isoformat()
