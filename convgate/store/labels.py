"""Labels: which earlier turns matter to a message, as people and agents say.

    labels = Labels(store)
    labels.answer(SituationKey(key, 57), {12: "relevant", 13: None}, by="Ada", version="shipped")
    labels.undo("Ada")

Everything that anybody does is an action in a log that is only added to; undoing is an action too. What holds
now follows from the log.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, cast

from sqlite_utils import Database

from convgate.errors import StoreError
from convgate.store.database import Store
from convgate.store.label_log import (
    ADJUDICATED,
    WHOLE,
    AnnotatorKind,
    Answer,
    Entry,
    Kind,
    Saved,
    SituationKey,
    Status,
    moment,
    present,
)
from convgate.store.label_undo import turn_back, undo_stacks
from convgate.store.label_writing import People, Writer
from convgate.store.situations import OF_DELETED, find_situation


@dataclass(frozen=True, slots=True)
class Said:
    """An answer or a note that holds now."""

    value: str
    at: datetime
    version: str | None


@dataclass(frozen=True, slots=True)
class SituationLabels:
    """All that holds of one message."""

    answers: Mapping[int, Mapping[str, Said]] = field(default_factory=dict)  # by turn, then by annotator
    notes: Mapping[int, Mapping[str, Said]] = field(default_factory=dict)  # likewise

    def answer(self, turn: int, annotator: str) -> str | None:
        """What the annotator says of a turn, or of WHOLE; None when nothing."""
        said = self.answers.get(turn, {}).get(annotator)
        return said.value if said else None

    def of(self, annotator: str) -> dict[int, str]:
        """The annotator's answers by turn, in order; WHOLE is left out."""
        return {
            turn: said[annotator].value
            for turn, said in sorted(self.answers.items())
            if turn != WHOLE and annotator in said
        }


@dataclass(frozen=True, slots=True)
class Annotator:
    """Somebody who labels, and how much they did."""

    name: str
    kind: AnnotatorKind
    trains: bool  # whether their answers are trained on
    answers: int  # that hold now, whatever they say
    situations: int  # messages with at least one of them
    last: datetime | None  # when they last gave one of these


class Labels:
    """The labels of a store. Every method that writes stores all of its entries or none."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def answer(
        self,
        situation: SituationKey,
        answers: Mapping[int, Answer | None],
        *,
        by: str,
        version: str | None = None,
        kind: Kind = "answer",
        again: bool = False,
    ) -> Saved:
        """Store what `by` says of earlier turns, by turn; None takes an answer back.

        again: whether an answer that holds already is stored anew, for it was given once more.
        """
        entries = [
            Entry(situation, turn, by, value, version=version) for turn, value in sorted(answers.items())
        ]
        return self.record(entries, by=by, kind=kind, again=again)

    def adjudicate(self, situation: SituationKey, answers: Mapping[int, Answer | None], *, by: str) -> Saved:
        """Settle turns on which annotators disagree; their own answers stay as they are."""
        entries = [
            Entry(situation, turn, ADJUDICATED, value, kind="adjudication")
            for turn, value in sorted(answers.items())
        ]
        return self.record(entries, by=by, kind="adjudicate")

    def set_status(self, situation: SituationKey, status: Status | None, *, by: str) -> Saved:
        """Note that `by` is done with a message, or skips it for now."""
        return self.record([Entry(situation, WHOLE, by, status)], by=by, kind="status")

    def note(self, situation: SituationKey, turn: int, text: str, *, by: str) -> Saved:
        """Keep a note on a turn, or on WHOLE; an empty one takes it away."""
        return self.record([Entry(situation, turn, by, text.strip() or None, "note")], by=by, kind="note")

    def record(
        self,
        entries: Iterable[Entry],
        *,
        by: str,
        kind: Kind,
        origin: str = "",
        by_kind: AnnotatorKind = "person",
        again: bool = False,
    ) -> Saved:
        """Store the entries as one action of `by`, who is of `by_kind`.

        What says nothing new is left out, unless `again`.

        origin: a file's name, or whatever else tells where they come from. Raises StoreError for a
        conversation that the library does not have, a turn that is not before the message, a name or an
        answer that cannot be.
        """
        now = present()
        with self._store.write() as db:
            people = People(db)
            writer = Writer(db, people, now)
            for entry in entries:
                writer.add(entry, again=again)
            return writer.close(kind, people.number(by, by_kind), origin=origin)

    def undo(self, by: str, *, action: int | None = None) -> Saved | None:
        """Take back the newest action of `by` that holds, or that `action`; None when there is none.

        action: one of `by` that holds, however long ago.
        """
        with self._store.write() as db:
            return turn_back(db, by, "undo", action)

    def redo(self, by: str) -> Saved | None:
        """Do again what `by` took back last; None when there is nothing, or something was done since."""
        with self._store.write() as db:
            return turn_back(db, by, "redo")

    def can_undo(self, by: str) -> tuple[bool, bool]:
        """Whether there is something to undo, and something to redo."""
        with self._store.read() as db:
            number = People(db).find(by)
            undoable, redoable = undo_stacks(db, number) if number else ([], [])
        return bool(undoable), bool(redoable)

    def of(self, situation: SituationKey) -> SituationLabels:
        """What holds of a message."""
        with self._store.read() as db:
            found = find_situation(db, situation)
            if found is None:
                return SituationLabels()
            return SituationLabels(
                _said(db, "labels", "answer", found), _said(db, "label_notes", "note", found)
            )

    def annotators(self) -> list[Annotator]:
        """Everybody of whom an answer holds, people first, by name; not who only imported those of others."""
        with self._store.read() as db:
            rows = db.execute(f"""
                SELECT name, kind, trains, coalesce(answers, 0), coalesce(situations, 0), last
                FROM annotators LEFT JOIN (
                    SELECT annotator, count(*) AS answers, count(DISTINCT situation) AS situations,
                        max(at) AS last
                    FROM labels WHERE turn >= 0 AND situation NOT IN ({OF_DELETED}) GROUP BY annotator
                ) ON annotator = number
                WHERE EXISTS (SELECT 1 FROM labels AS any WHERE any.annotator = annotators.number)
                ORDER BY kind = 'person' DESC, kind = 'agent' DESC, name COLLATE NOCASE
            """).fetchall()
        return [
            Annotator(name, kind, bool(trains), answers, situations, moment(last) if last else None)
            for name, kind, trains, answers, situations, last in rows
        ]

    def people(self) -> list[str]:
        """The names of the people of whom an answer holds, without counting what they did."""
        with self._store.read() as db:
            rows = db.execute(
                "SELECT name FROM annotators WHERE kind = 'person'"
                " AND EXISTS (SELECT 1 FROM labels WHERE labels.annotator = annotators.number)"
                " ORDER BY name COLLATE NOCASE"
            ).fetchall()
        return [name for (name,) in rows]

    def set_trains(self, name: str, *, trains: bool) -> None:
        """Whether the annotator's answers are trained on; StoreError when there is no such annotator."""
        with self._store.write() as db:
            if People(db).find(name) is None:
                raise StoreError(f"nobody called {name!r} has labelled anything")
            db.execute("UPDATE annotators SET trains = ? WHERE name = ?", [int(trains), name])

    def last_situation(self, by: str) -> SituationKey | None:
        """The message that `by` worked on last."""
        with self._store.read() as db:
            row = db.execute(
                """
                SELECT key, situations.turn, question FROM label_actions
                JOIN label_log ON label_log.action = label_actions.number
                JOIN situations ON situations.number = label_log.situation
                JOIN conversations ON conversations.number = situations.conversation
                WHERE label_actions.annotator = (SELECT number FROM annotators WHERE name = ?)
                    AND label_actions.kind <> 'import' AND deleted_at IS NULL
                ORDER BY label_actions.number DESC, label_log.number DESC LIMIT 1
                """,
                [by],
            ).fetchone()
        return SituationKey(*row) if row else None

    def entries(self, conversation: str | None = None) -> Iterator[Entry]:
        """Everything that holds, answers and notes, in order; of one conversation when it is named.

        Conversations that were deleted are left out.
        """
        condition = "deleted_at IS NULL" + (" AND key = ?" if conversation else "")
        with self._store.read() as db:
            for table, value in (("labels", "answer"), ("label_notes", "note")):
                rows = db.execute(
                    f"""
                    SELECT key, situations.turn, question, said.turn, name, said.{value}, said.at, version,
                        kind
                    FROM {table} AS said JOIN situations ON situations.number = said.situation
                    JOIN conversations ON conversations.number = situations.conversation
                    JOIN annotators ON annotators.number = said.annotator
                    WHERE {condition} ORDER BY situations.number, said.turn, name
                    """,
                    [conversation] if conversation else [],
                ).fetchall()
                for key, current, question, turn, name, said, at, version, kind in rows:
                    what = cast(Literal["answer", "note"], value)
                    yield Entry(
                        SituationKey(key, current, question), turn, name, said, what, at, version, kind
                    )


def _said(db: Database, table: str, value: str, situation: int) -> dict[int, dict[str, Said]]:
    found: dict[int, dict[str, Said]] = {}
    rows = db.execute(
        f"SELECT turn, name, {value}, at, version FROM {table} JOIN annotators"
        " ON annotators.number = annotator WHERE situation = ? ORDER BY turn, name",
        [situation],
    )
    for turn, name, said, at, version in rows:
        found.setdefault(turn, {})[name] = Said(said, moment(at), version)
    return found
