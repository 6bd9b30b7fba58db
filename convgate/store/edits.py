"""What is changed of conversations, stored beside the transcripts: boundaries, invariants, modes, pruning.

An edit belongs to one turn. Edits made together are one step. Steps are kept in the order in which they were
made; to undo one is to remove it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, ClassVar, Generic, Literal, TypeVar

from sqlite_utils import Database

from convgate.core.errors import StoreError
from convgate.core.invariant_edit import InvariantEdit
from convgate.store.conversations import NUMBER, find_conversation
from convgate.store.database import Repository, Store
from convgate.store.documents import read_row, translate_decoding_errors, write_row

MovedKind = Literal["session", "conversation", "none"]

V = TypeVar("V")

_LAST_STEP = f"""step = (SELECT max(step) FROM turn_edits WHERE kind = ? AND conversation = {NUMBER})"""


class TurnEdits(Repository, Generic[V]):
    """Values that people give to turns of conversations; at most one for each turn."""

    kind: ClassVar[str]
    value: ClassVar[type[Any]]  # a dataclass with the time of the edit, `at`
    what: ClassVar[str]  # an edit and its turn, for messages
    first = 0  # the first turn that may have one

    def of(self, key: str) -> dict[int, V]:
        """Return the values of a conversation by 0-based turn, in order."""
        with self._store.read() as db, translate_decoding_errors(f"edit ({self.kind})"):
            values = self._values(db, key)
            return {turn: self._decode(json.loads(value)) for turn, value in values.items()}

    def change(self, key: str, changes: Mapping[int, V | None]) -> None:
        """Set the values of turns, None or an empty one removing it, as one step of the undo.

        Changes without effect are no step. Raises StoreError, and stores nothing, when the library does not
        have the conversation or the turn, or a value is not valid.
        """
        with self._store.write() as db:
            conversation, before = find_conversation(db, key), self._values(db, key)
            (last,) = db.execute("SELECT coalesce(max(step), 0) FROM turn_edits").fetchone()
            row = {"conversation": conversation["number"], "kind": self.kind, "step": last + 1}
            for turn, value in changes.items():
                self._check(turn, value, conversation["turns"])
                text = json.dumps(self._encode(value)) if value else None
                if _without_time(text) != _without_time(before.get(turn)):
                    db.table("turn_edits").insert({**row, "turn": turn, "value": text})

    def changed_last(self, key: str) -> list[int]:
        """Return the turns that the last step changed, which `undo` would restore."""
        rows = self._rows(f"SELECT turn FROM turn_edits WHERE {_LAST_STEP} ORDER BY turn", [self.kind, key])
        return [turn for (turn,) in rows]

    def undo(self, key: str) -> list[int]:
        """Undo the last step, and return the turns that it had changed."""
        with self._store.write() as db:
            turns = self.changed_last(key)
            db.table("turn_edits").delete_where(_LAST_STEP, [self.kind, key])
        return turns

    def _values(self, db: Database, key: str) -> dict[int, str]:
        """Return the current values as JSON, by turn: those of the last step that changed the turn."""
        rows = db.execute(
            "SELECT turn, value, max(step) FROM turn_edits"
            f" WHERE kind = ? AND conversation = {NUMBER} GROUP BY turn ORDER BY turn",
            [self.kind, key],
        )
        return {turn: value for turn, value, _ in rows if value is not None}

    def _check(self, turn: int, value: V | None, turns: int) -> None:
        """Raise StoreError unless a turn of a conversation of so many turns can have the value."""
        if not self.first <= turn < turns:
            raise StoreError(f"{self.what} messages {self.first} to {turns - 1}; got {turn}")

    def _encode(self, value: V) -> object:
        """Return the value as plain JSON, with the time."""
        edit: Any = value
        return write_row(replace(edit, at=edit.at or datetime.now(UTC)))

    def _decode(self, data: Any) -> V:
        """Return the value that `_encode` made JSON."""
        edit: V = read_row(self.value, data)
        return edit


def edits_digest(store: Store, key: str | None = None) -> str:
    """Return a text that changes whenever an edit is made or undone, to cache what depends on them.

    key: the conversation whose edits count; None: those of all.
    """
    own = f"SELECT * FROM turn_edits WHERE conversation = {NUMBER}" if key else "SELECT * FROM turn_edits"
    # Older steps are only ever removed, so their number is enough.
    last = "SELECT *, (SELECT count(*) FROM own) FROM own WHERE step = (SELECT max(step) FROM own)"
    with store.read() as db:
        rows = db.execute(f"WITH own AS ({own}) {last}", [key] if key else []).fetchall()
    return hashlib.sha256(repr(rows).encode()).hexdigest()[:16]


def _without_time(value: str | None) -> object:
    """Return a stored value without the time at which it was set."""
    data = json.loads(value) if value else None
    return {name: data[name] for name in data if name != "at"} if isinstance(data, dict) else data


@dataclass(frozen=True, slots=True)
class MovedBoundary:
    """What begins with a turn, as a person says; the rules may say otherwise."""

    kind: MovedKind
    at: datetime | None = None  # UTC; when it was edited


class MovedBoundaries(TurnEdits[MovedBoundary]):
    """Boundaries that people edited.

    To move one is to set "none" at its turn, and "conversation" or "session" at another.
    """

    kind = "boundary"
    value = MovedBoundary
    what = "a boundary can be set at"
    first = 1


class InvariantEdits(TurnEdits[Sequence[InvariantEdit]]):
    """Edits of invariants, at the turns that state them."""

    kind = "invariants"
    what = "an invariant stands at one of the"

    def put(self, key: str, turn: int, edit: InvariantEdit) -> None:
        """Add an edit, in place of the one of the same invariant; errors as in `change`."""
        others = [other for other in self.of(key).get(turn, ()) if other.about != edit.about]
        self.change(key, {turn: (*others, edit)})

    def _check(self, turn: int, value: Sequence[InvariantEdit] | None, turns: int) -> None:
        super()._check(turn, value, turns)
        edits = value or ()
        if len({edit.about for edit in edits}) < len(edits):
            raise StoreError(f"message {turn} has two edits of the same invariant; keep one of them")
        for edit in edits:
            if edit.of is None and (edit.type is None or not (edit.text or "").strip()):
                raise StoreError(f"an invariant that is added to message {turn} needs a text and a type")

    def _encode(self, value: Sequence[InvariantEdit]) -> object:
        return [write_row(edit) for edit in value]

    def _decode(self, data: Any) -> tuple[InvariantEdit, ...]:
        return tuple(InvariantEdit(**edit) for edit in data)


@dataclass(frozen=True, slots=True)
class ModeCorrection:
    """The mode of a user's message, as a person says; equal modes confirm the classifier."""

    decided: str  # mode that was classified
    corrected: str
    at: datetime | None = None  # UTC; when it was reviewed


class ModeCorrections(TurnEdits[ModeCorrection]):
    """Messages whose mode people reviewed."""

    kind = "mode"
    value = ModeCorrection
    what = "a mode belongs to one of the"

    def count(self, since: datetime) -> tuple[int, int]:
        """Return how many messages were reviewed since then, and how many of them were misclassified."""
        reviewed, misclassified = self._row(
            "SELECT count(*), total(json_extract(value, '$.corrected') <> json_extract(value, '$.decided'))"
            " FROM (SELECT value, max(step) FROM turn_edits WHERE kind = ? GROUP BY conversation, turn)"
            " WHERE datetime(json_extract(value, '$.at')) >= datetime(?)",
            [self.kind, since.isoformat()],
        )
        return reviewed, int(misclassified)


@dataclass(frozen=True, slots=True)
class PrunedTurn:
    """A turn that is no longer sent to a model; the transcript keeps it."""

    reason: str  # a sentence without its beginning
    at: datetime | None = None  # UTC; when it was pruned


class PrunedTurns(TurnEdits[PrunedTurn]):
    """Turns that were pruned."""

    kind = "pruned"
    value = PrunedTurn
    what = "a turn to prune is one of the"
