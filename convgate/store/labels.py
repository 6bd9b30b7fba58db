"""Labels: which earlier turns matter to a message, as people and agents say.

    labels = Labels(store)
    labels.answer(SituationKey(key, 57), {12: "relevant", 13: None}, by="Ada", version="shipped")
    labels.undo("Ada")

Every action is appended to a log, undo included; the current answers follow from it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, cast

from sqlite_utils import Database

from convgate.core.errors import StoreError
from convgate.store.damage import translate_decoding_errors
from convgate.store.database import Repository
from convgate.store.documents import read_row
from convgate.store.label_log import (
    ADJUDICATED,
    OF_DELETED,
    WHOLE,
    AnnotatorKind,
    Answer,
    Entry,
    Kind,
    Saved,
    SituationKey,
    Status,
    Writer,
    annotator_number,
    find_annotator,
    find_situation,
    revert,
    undo_stacks,
)


@dataclass(frozen=True, slots=True)
class Said:
    """A current answer or note."""

    value: str
    at: datetime
    version: str | None


@dataclass(frozen=True, slots=True)
class SituationLabels:
    """The current answers and notes of one message."""

    answers: Mapping[int, Mapping[str, Said]] = field(default_factory=dict)  # by turn, then by annotator
    notes: Mapping[int, Mapping[str, Said]] = field(default_factory=dict)  # likewise

    def answer(self, turn: int, annotator: str) -> str | None:
        """Return the annotator's answer for a turn, or for WHOLE, or None."""
        said = self.answers.get(turn, {}).get(annotator)
        return said.value if said else None

    def of(self, annotator: str) -> dict[int, str]:
        """Return the annotator's answers by turn, in order, without WHOLE."""
        return {
            turn: said[annotator].value
            for turn, said in sorted(self.answers.items())
            if turn != WHOLE and annotator in said
        }


@dataclass(frozen=True, slots=True)
class Annotator:
    """An annotator, and how much they labelled."""

    name: str
    kind: AnnotatorKind
    trains: bool  # whether their answers are used in training
    answers: int  # current ones, whatever they say
    situations: int  # messages with at least one of them
    last: datetime | None  # when they gave the last one


@dataclass(frozen=True, slots=True)
class LabelImport:
    """An imported file of labels."""

    number: int  # of the action in the log, from 1
    file: str
    by: str  # who imported it, whosever answers they are
    at: datetime
    labels: int  # answers and notes that it changed
    undone: bool


class Labels(Repository):
    """The labels of a store. Every method that writes stores all of its entries or none."""

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
        """Store answers of `by` by turn; None removes one. again: store the same answer with a new time."""
        entries = [
            Entry(situation, turn, by, value, version=version) for turn, value in sorted(answers.items())
        ]
        return self.record(entries, by=by, kind=kind, again=again)

    def adjudicate(self, situation: SituationKey, answers: Mapping[int, Answer | None], *, by: str) -> Saved:
        """Decide turns on which annotators disagree; their own answers stay."""
        entries = [
            Entry(situation, turn, ADJUDICATED, value, kind="adjudication")
            for turn, value in sorted(answers.items())
        ]
        return self.record(entries, by=by, kind="adjudicate")

    def set_status(self, situation: SituationKey, status: Status | None, *, by: str) -> Saved:
        """Note that `by` is done with a message, or skips it for now."""
        return self.record([Entry(situation, WHOLE, by, status)], by=by, kind="status")

    def note(self, situation: SituationKey, turn: int, text: str, *, by: str) -> Saved:
        """Store a note on a turn, or on WHOLE; an empty one removes it."""
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

        Entries that change nothing are left out, unless `again`. origin: the name of a file, or another
        source. Raises StoreError for a conversation that the library does not have, a turn that is not before
        the message, or a name or answer that is not valid.
        """
        with self._store.write() as db:
            writer = Writer(db)
            for entry in entries:
                writer.add(entry, again=again)
            return writer.close(kind, annotator_number(db, by, by_kind), origin=origin)

    def undo(self, by: str, *, action: int | None = None) -> Saved | None:
        """Undo the newest action of `by`, or that `action` of theirs; return None when there is none."""
        with self._store.write() as db:
            return revert(db, by, "undo", action)

    def redo(self, by: str) -> Saved | None:
        """Redo the last undone action of `by`; return None when there is none, or something came since."""
        with self._store.write() as db:
            return revert(db, by, "redo")

    def can_undo(self, by: str) -> tuple[bool, bool]:
        """Return whether there is something to undo, and something to redo."""
        with self._store.read() as db:
            number = find_annotator(db, by)
            undoable, redoable = undo_stacks(db, number) if number else ([], [])
        return bool(undoable), bool(redoable)

    def imports(self, limit: int | None = None) -> list[LabelImport]:
        """Return the imports that changed something, newest first."""
        return self._imports("", [], limit)

    def undo_import(self, number: int) -> Saved:
        """Undo an import; later answers are kept.

        Raises StoreError when there is no such import, or it is undone.
        """
        with self._store.write() as db:
            if not (imports := self._imports("AND imports.number = ?", [number])):
                raise StoreError(f"there is no import {number}; `convgate labels imports` lists them")
            if imports[0].undone:
                raise StoreError(f"import {number} of {imports[0].file} was undone already")
            saved = revert(db, imports[0].by, "undo", number)
            assert saved is not None
            return saved

    def of(self, situation: SituationKey) -> SituationLabels:
        """Return the current answers and notes of a message."""
        with self._store.read() as db:
            number = find_situation(db, situation)
            if number is None:
                return SituationLabels()
            return SituationLabels(
                _said(db, "labels", "answer", number), _said(db, "label_notes", "note", number)
            )

    def annotators(self) -> list[Annotator]:
        """Return everybody with a current answer, people first, by name."""
        return self._records(
            Annotator,
            f"""
            SELECT name, kind, trains, coalesce(answers, 0) AS answers,
                    coalesce(situations, 0) AS situations, last
                FROM annotators LEFT JOIN (
                SELECT annotator, count(*) AS answers, count(DISTINCT situation) AS situations,
                        max(at) AS last
                    FROM labels WHERE turn >= 0 AND situation NOT IN ({OF_DELETED}) GROUP BY annotator
                ) ON annotator = number
                WHERE EXISTS (SELECT 1 FROM labels AS any WHERE any.annotator = annotators.number)
                ORDER BY kind = 'person' DESC, kind = 'agent' DESC, name COLLATE NOCASE
            """,
        )

    def people(self) -> list[str]:
        """Return the names of the people with a current answer, without counting answers."""
        rows = self._rows(
            "SELECT name FROM annotators WHERE kind = 'person' AND number IN (SELECT annotator FROM labels)"
            " ORDER BY name COLLATE NOCASE"
        )
        return [name for (name,) in rows]

    def set_trains(self, name: str, *, trains: bool) -> None:
        """Set whether an annotator's answers are used in training; StoreError for an unknown one."""
        with self._store.write() as db:
            number = find_annotator(db, name)
            if number is None:
                raise StoreError(f"nobody called {name!r} has labelled anything")
            db.table("annotators").update(number, {"trains": int(trains)})

    def last_situation(self, by: str) -> SituationKey | None:
        """Return the message that `by` worked on last."""
        row = self._row(
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
        )
        return SituationKey(*row) if row else None

    def entries(self, conversation: str | None = None) -> Iterator[Entry]:
        """Yield all current answers, then all notes, in order; of one conversation when it is named.

        Deleted conversations are left out.
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
                what = cast(Literal["answer", "note"], value)
                for key, current, question, turn, name, said, *rest in rows:
                    with translate_decoding_errors("label"):
                        current = None if current is None else int(current)
                        situation = SituationKey(str(key), current, str(question))
                        entry = Entry(situation, int(turn), str(name), said, what, *rest)
                    yield entry

    def _imports(self, condition: str, values: list[Any], limit: int | None = None) -> list[LabelImport]:
        return self._records(
            LabelImport,
            f"""
            SELECT imports.number, origin AS file, name AS "by", imports.at,
                (SELECT count(*) FROM label_log WHERE action = imports.number) AS labels,
                (SELECT kind FROM label_actions AS later WHERE later.undoes = imports.number
                    ORDER BY later.number DESC LIMIT 1) IS 'undo' AS undone
            FROM label_actions AS imports JOIN annotators ON annotators.number = imports.annotator
            WHERE imports.kind = 'import' {condition} ORDER BY imports.number DESC LIMIT ?
            """,
            [*values, -1 if limit is None else limit],
        )


def _said(db: Database, table: str, value: str, situation: int) -> dict[int, dict[str, Said]]:
    """Return the current values of a message by turn, then by annotator."""
    by_turn: dict[int, dict[str, Said]] = {}
    rows = db.query(
        f"SELECT turn, name, {value} AS value, at, version FROM {table} JOIN annotators"
        " ON annotators.number = annotator WHERE situation = ? ORDER BY turn, name",
        [situation],
    )
    for row in rows:
        by_turn.setdefault(row["turn"], {})[row["name"]] = read_row(Said, row)
    return by_turn
