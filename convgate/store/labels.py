"""Labels: which earlier turns matter to a message, as people and agents say.

    labels = Labels(store)
    labels.answer(CurrentKey(key, 57), {12: "relevant", 13: None}, by="Ada", version="shipped")
    labels.undo("Ada")

Every action is appended to a log, undo included; the current answers follow from it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from convgate.core.errors import StoreError
from convgate.core.text import writable
from convgate.store.database import Repository
from convgate.store.label_log import (
    ADJUDICATED,
    WHOLE,
    ActionKind,
    ActionRecord,
    AnnotatorKind,
    Answer,
    CurrentKey,
    Entry,
    Writer,
    annotator_number,
    find_annotator,
    find_current,
    revert,
    undo_stacks,
)


@dataclass(frozen=True, slots=True)
class CurrentLabels:
    """The current answers of one message."""

    answers: Mapping[int, Mapping[str, str]] = field(default_factory=dict)  # by turn, then by annotator

    def answer(self, turn: int, annotator: str) -> str | None:
        """Return the annotator's answer for a turn, or for WHOLE, or None."""
        return self.answers.get(turn, {}).get(annotator)

    def of(self, annotator: str) -> dict[int, str]:
        """Return the annotator's answers by turn, in order, without WHOLE."""
        return {
            turn: answers[annotator]
            for turn, answers in sorted(self.answers.items())
            if turn != WHOLE and annotator in answers
        }


@dataclass(frozen=True, slots=True)
class Annotator:
    """An annotator, and how much they labelled."""

    name: str
    kind: AnnotatorKind
    trains: bool  # whether their answers are used in training
    answers: int  # current ones, whatever they say
    messages: int  # messages with at least one of them
    last: datetime | None  # when they gave the last one


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A turn that one person calls relevant and another not."""

    current: CurrentKey
    title: str  # of the conversation
    turn: int
    answers: dict[str, str]  # by annotator, those who are unsure included


class Labels(Repository):
    """The labels of a store. Every method that writes stores all of its entries or none."""

    def answer(
        self,
        current: CurrentKey,
        answers: Mapping[int, Answer | None],
        *,
        by: str,
        version: str | None = None,
        again: bool = False,
    ) -> ActionRecord:
        """Store answers of `by` by turn; None removes one. again: store the same answer with a new time."""
        entries = [
            Entry(current, turn, by, value, version=version) for turn, value in sorted(answers.items())
        ]
        return self.record(entries, by=by, kind="answer", again=again)

    def adjudicate(
        self, current: CurrentKey, answers: Mapping[int, Answer | None], *, by: str
    ) -> ActionRecord:
        """Decide turns on which annotators disagree; their own answers stay."""
        entries = [
            Entry(current, turn, ADJUDICATED, value, kind="adjudication")
            for turn, value in sorted(answers.items())
        ]
        return self.record(entries, by=by, kind="adjudicate")

    def skip(self, current: CurrentKey, *, by: str) -> ActionRecord:
        """Note that `by` skips a message for now."""
        return self.record([Entry(current, WHOLE, by, "skipped")], by=by, kind="skip")

    def record(
        self,
        entries: Iterable[Entry],
        *,
        by: str,
        kind: ActionKind,
        origin: str = "",
        by_kind: AnnotatorKind = "person",
        again: bool = False,
    ) -> ActionRecord:
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

    def undo(self, by: str) -> ActionRecord | None:
        """Undo the newest action of `by`; return None when there is none."""
        with self._store.write() as db:
            return revert(db, by, "undo")

    def redo(self, by: str) -> ActionRecord | None:
        """Redo the last undone action of `by`; return None when there is none, or something came since."""
        with self._store.write() as db:
            return revert(db, by, "redo")

    def can_undo(self, by: str) -> tuple[bool, bool]:
        """Return whether there is something to undo, and something to redo."""
        with self._store.read() as db:
            number = find_annotator(db, by)
            undoable, redoable = undo_stacks(db, number) if number else ([], [])
        return bool(undoable), bool(redoable)

    def of(self, current: CurrentKey) -> CurrentLabels:
        """Return the current answers of a message."""
        answers: dict[int, dict[str, str]] = {}
        with self._store.read() as db:
            rows = db.execute(
                "SELECT turn, name, answer FROM labels JOIN annotators ON annotators.number = annotator"
                " WHERE message = ? ORDER BY turn, name",
                [find_current(db, current)],
            )
            for turn, name, answer in rows:
                answers.setdefault(turn, {})[name] = answer
        return CurrentLabels(answers)

    def annotators(self) -> list[Annotator]:
        """Return everybody with a current answer, people first, by name."""
        return self._records(
            Annotator,
            """
            SELECT name, kind, trains, count(*) AS answers, count(DISTINCT message) AS messages,
                max(at) AS last
            FROM labels JOIN annotators ON annotators.number = annotator
            JOIN messages ON messages.number = message
            JOIN conversations ON conversations.number = conversation
            WHERE labels.turn >= 0 AND deleted_at IS NULL GROUP BY annotator
            ORDER BY kind = 'person' DESC, kind = 'agent' DESC, name COLLATE NOCASE
            """,
        )

    def set_trains(self, name: str, *, trains: bool) -> None:
        """Set whether an annotator's answers are used in training; StoreError for an unknown one."""
        with self._store.write() as db:
            number = find_annotator(db, name)
            if number is None:
                raise StoreError(f"no annotator is called {name!r}")
            db.table("annotators").update(number, {"trains": int(trains)})

    def last_current(self, by: str) -> CurrentKey | None:
        """Return the message that `by` worked on last."""
        row = self._row(
            """
            SELECT key, messages.turn, question FROM label_actions
            JOIN label_log ON label_log.action = label_actions.number
            JOIN messages ON messages.number = label_log.message
            JOIN conversations ON conversations.number = messages.conversation
            WHERE label_actions.annotator = (SELECT number FROM annotators WHERE name = ?)
                AND label_actions.kind <> 'import' AND deleted_at IS NULL
            ORDER BY label_actions.number DESC, label_log.number DESC LIMIT 1
            """,
            [by],
        )
        return CurrentKey(*row) if row else None

    def entries(
        self, conversation: str | None = None, *, training: bool = False, queues: str = ""
    ) -> list[Entry]:
        """Return the current answers for turns, ordered by conversation, message, turn and annotator.

        conversation: only of this one. training: only of annotators whose answers are used in training.
        queues: only for turns of queues whose names begin with it. Deleted conversations are left out.
        """
        queued = """AND (message, labels.turn) IN (SELECT message, turn FROM queue_items
            JOIN queues ON queues.number = queue WHERE instr(queues.name, ?) = 1)"""
        rows = self._rows(
            f"""
            SELECT key, messages.turn, question, labels.turn, name, answer, at, version, kind
            FROM labels JOIN messages ON messages.number = message
            JOIN conversations ON conversations.number = conversation
            JOIN annotators ON annotators.number = annotator
            WHERE labels.turn >= 0 AND deleted_at IS NULL {"AND key = ?" if conversation else ""}
                {"AND trains" if training else ""}
                {queued if queues else ""}
            ORDER BY conversation, messages.turn IS NULL, messages.turn, question, labels.turn, name
            """,
            [value for value in (conversation, queues) if value],
        )
        return [Entry(CurrentKey(*row[:3]), *row[3:]) for row in rows]

    def settled(self) -> list[str]:
        """Return when a person settled each turn with two answers or more: adjudicated it, or made them one.

        Times are UTC in ISO 8601. An answer "unsure" settles nothing.
        """
        rows = self._rows(
            """
            SELECT coalesce(max(at) FILTER (WHERE kind <> 'agent'), '')
            FROM labels JOIN annotators ON annotators.number = annotator
            JOIN messages ON messages.number = message
            JOIN conversations ON conversations.number = conversation
            WHERE labels.turn >= 0 AND deleted_at IS NULL
            GROUP BY message, labels.turn
            HAVING sum(kind <> 'adjudication') > 1 AND (
                sum(kind = 'adjudication') OR (count(DISTINCT answer) = 1 AND max(answer) <> 'unsure')
            )
            """
        )
        return [at for (at,) in rows]

    def disagreements(
        self, current: CurrentKey | None = None, *, training: bool = False, adjudicated: bool = False
    ) -> list[Disagreement]:
        """Return the turns that one person calls relevant and another not, newest answers first.

        current: only turns before this message. training: only disagreements of people whose answers are
        used in training. adjudicated: also adjudicated turns.
        """
        values: list[Any] = []
        if current is not None:
            values = [current.conversation, current.turn, writable(current.question)]
        person = f"kind = 'person' {'AND trains' if training else ''}"
        rows = self._rows(
            f"""
            SELECT key, messages.turn, question, title, labels.turn,
                json_group_object(name, answer) FILTER (WHERE kind = 'person')
            FROM labels JOIN annotators ON annotators.number = annotator
            JOIN messages ON messages.number = message
            JOIN conversations ON conversations.number = conversation
            WHERE labels.turn >= 0 AND deleted_at IS NULL
                {"AND key = ? AND messages.turn IS ? AND question = ?" if values else ""}
            GROUP BY message, labels.turn
            HAVING sum({person} AND answer = 'relevant') AND sum({person} AND answer = 'not_relevant')
                {"" if adjudicated else "AND NOT sum(kind = 'adjudication')"}
            ORDER BY max(at) FILTER (WHERE kind = 'person') DESC, message, labels.turn
            """,
            values,
        )
        return [
            Disagreement(CurrentKey(*place), title, turn, dict(sorted(json.loads(answers).items())))
            for *place, title, turn, answers in rows
        ]
