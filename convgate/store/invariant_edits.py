"""What people make of invariants: added, changed, ended, pinned; kept beside the transcript, with an undo.

An edit stands at the message that states what it is about. What nobody edited is as it is found.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from sqlite_utils import Database

from convgate.errors import StoreError
from convgate.store.conversation_keys import NUMBER, number_of
from convgate.store.database import Store
from convgate.store.faults import translate_decoding_errors
from convgate.transcripts.characters import writable

EditedType = Literal["safety_requirement", "user_correction", "hard_constraint", "blocking_error"]
EditedState = Literal["active", "ended"]

MOST_EDITS = 200
"""Edits of one message."""

LONGEST_TEXT = 10_000
"""Characters of a text or a scope."""


@dataclass(frozen=True, slots=True)
class InvariantEdit:
    """What a person made of one invariant, or one that a person added. What is None is as it is found."""

    of: str | None = None  # the text of the found one, verbatim; None when nothing was found
    text: str | None = None  # in place of it; of an added one always there
    type: EditedType | None = None  # of an added one always there
    scope: str | None = None  # "" for everything
    state: EditedState | None = None  # "active": holds, whatever is found later; "ended": no longer
    pinned: bool = False  # stands in every context, whatever its type, and nothing that is found ends it

    @property
    def about(self) -> tuple[str | None, str | None]:
        """Names it among the edits of its message."""
        return self.of, self.text if self.of is None else None


Edits = Mapping[int, Sequence[InvariantEdit]]
"""Edits by the 0-based index of their message."""


class InvariantEdits:
    """What people made of the invariants of a store's conversations."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def of(self, key: str) -> dict[int, tuple[InvariantEdit, ...]]:
        """The edits of a conversation, by the message's 0-based index; empty when there is none."""
        with self._store.read() as db:
            rows = db.execute(
                f"SELECT turn, edits FROM invariant_edits WHERE conversation = {NUMBER} ORDER BY turn", [key]
            ).fetchall()
        return {turn: _read(edits) for turn, edits in rows}

    def put(self, key: str, turn: int, edit: InvariantEdit) -> None:
        """Add an edit, in place of the one of the same invariant; errors as in `change`."""
        held = self.of(key).get(turn, ())
        others = [one for one in held if one.about != edit.about]
        self.change(key, {turn: (*others, edit)})

    def remove(self, key: str, turn: int, edit: InvariantEdit) -> None:
        """Leave an invariant as it is found again; an added one is gone. Nothing where there is no edit."""
        held = self.of(key).get(turn, ())
        others = tuple(one for one in held if one.about != edit.about)
        if others != held:
            self.change(key, {turn: others})

    def change(self, key: str, changes: Edits) -> None:
        """Say what holds of some messages, each with all its edits, as one step of the undo.

        Raises StoreError, and stores nothing, when the library has no such conversation or message, or an
        edit cannot be one.
        """
        with self._store.write() as db:
            number = number_of(db, key)
            (turns,) = db.execute("SELECT turns FROM conversations WHERE number = ?", [number]).fetchone()
            for turn, edits in changes.items():
                if not 0 <= turn < turns:
                    raise StoreError(
                        f"an invariant stands at one of the messages 0 to {turns - 1}; got {turn}"
                    )
                _check(turn, edits)
            (step,) = db.execute(
                "SELECT coalesce(max(step), 0) + 1 FROM invariant_changes WHERE conversation = ?", [number]
            ).fetchone()
            for turn, edits in changes.items():
                db.execute(
                    "INSERT INTO invariant_changes (conversation, step, turn, edits) SELECT ?, ?, ?,"
                    " (SELECT edits FROM invariant_edits WHERE conversation = ? AND turn = ?)",
                    [number, step, turn, number, turn],
                )
                _set(db, number, turn, json.dumps([_plain(one) for one in edits]) if edits else None)

    def changed_last(self, key: str) -> list[int]:
        """The messages that the last step changed, which `undo` takes back; none when there is no step."""
        with self._store.read() as db:
            return [turn for (turn,) in db.execute(_LAST_STEP.format(columns="turn"), [key]).fetchall()]

    def undo(self, key: str) -> list[int]:
        """Take the last step back; the messages that it had changed."""
        with self._store.write() as db:
            rows = db.execute(_LAST_STEP.format(columns="conversation, step, turn, edits"), [key]).fetchall()
            for number, step, turn, edits in rows:
                db.execute(
                    "DELETE FROM invariant_changes WHERE conversation = ? AND step = ? AND turn = ?",
                    [number, step, turn],
                )
                _set(db, number, turn, edits)
        return [turn for _, _, turn, _ in rows]


_LAST_STEP = f"""
    SELECT {{columns}} FROM invariant_changes AS changes WHERE conversation = {NUMBER}
    AND step = (SELECT max(step) FROM invariant_changes WHERE conversation = changes.conversation)
    ORDER BY turn"""


def _set(db: Database, number: int, turn: int, edits: str | None) -> None:
    db.execute("DELETE FROM invariant_edits WHERE conversation = ? AND turn = ?", [number, turn])
    if edits is not None:
        db.execute(
            "INSERT INTO invariant_edits (conversation, turn, edits) VALUES (?, ?, ?)", [number, turn, edits]
        )


def _check(turn: int, edits: Sequence[InvariantEdit]) -> None:
    if len(edits) > MOST_EDITS:
        raise StoreError(f"message {turn} may have {MOST_EDITS} edits of invariants; got {len(edits):,}")
    if len({one.about for one in edits}) < len(edits):
        raise StoreError(f"message {turn} has two edits of the same invariant; keep one of them")
    for one in edits:
        longest = max(len(text or "") for text in (one.of, one.text, one.scope))
        if longest > LONGEST_TEXT:
            raise StoreError(
                f"a text of an invariant of message {turn} has {longest:,} characters; {LONGEST_TEXT:,} are"
                " the most"
            )
        if one.of is None and (one.type is None or not (one.text or "").strip()):
            raise StoreError(f"an invariant that is added to message {turn} needs a text and a type")


def _plain(edit: InvariantEdit) -> dict[str, Any]:
    return {
        name: writable(value) if isinstance(value, str) else value for name, value in asdict(edit).items()
    }


@translate_decoding_errors("an edit of an invariant")
def _read(edits: str) -> tuple[InvariantEdit, ...]:
    return tuple(InvariantEdit(**one) for one in json.loads(edits))
