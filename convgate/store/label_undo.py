"""Undoing and redoing actions of the log: actions themselves, which change back what is still as it was."""

from __future__ import annotations

from typing import Literal

from sqlite_utils import Database

from convgate.store.label_log import Saved, present
from convgate.store.label_writing import People, Writer

_UNDOABLE = 2_000  # of an annotator's newest actions


def turn_back(
    db: Database, by: str, kind: Literal["undo", "redo"], action: int | None = None
) -> Saved | None:
    """Undo or redo the newest action of `by` that can be, or that `action`; None when there is none.

    What others or later actions changed since stays. An answer in a conversation that was deleted is taken
    back as well, for the conversation may come back.
    """
    people = People(db)
    annotator = people.find(by)
    undoable, redoable = undo_stacks(db, annotator) if annotator else ([], [])
    stack = undoable if kind == "undo" else redoable
    target = stack[-1] if action is None and stack else action
    if annotator is None or target is None:
        return None
    now = present()
    writer = Writer(db, people, now)
    changes = db.execute(
        "SELECT number, situation, turn, annotator, what, before, after, at, version FROM label_log"
        " WHERE action = ? ORDER BY number DESC",
        [target],
    ).fetchall()
    for number, situation, turn, whose, what, before, after, at, version in changes:
        was, becomes = (after, before) if kind == "undo" else (before, after)
        if becomes is None:
            at = now
        elif kind == "undo":  # what was said before is as old as it was, and of the version of then
            at, version = _said_before(db, number, situation, turn, whose, what)
        writer.change(situation, turn, whose, what, becomes, at, version, expected=was)
    if changes:  # what changes no answer leads back as well
        writer.touch(*changes[-1][1:3])
    return writer.close(kind, annotator, undoes=target, always=True)


def undo_stacks(db: Database, annotator: int) -> tuple[list[int], list[int]]:
    """The numbers of the actions that can be undone, and of those that can be redone, oldest first.

    What went with conversations that were removed for good is not among them.
    """
    rows = db.execute(
        "SELECT number, kind, undoes FROM label_actions WHERE annotator = ?"
        " AND EXISTS (SELECT 1 FROM label_log WHERE action = coalesce(undoes, label_actions.number))"
        " ORDER BY number DESC LIMIT ?",
        [annotator, _UNDOABLE],
    ).fetchall()
    undoable: list[int] = []
    redoable: list[int] = []
    for number, kind, undoes in reversed(rows):
        if kind == "undo":
            if undoes in undoable[-1:]:
                undoable.pop()
            elif undoes in undoable:  # an import that was named
                undoable.remove(undoes)
            redoable.append(undoes)
        elif kind == "redo":
            if redoable and redoable[-1] == undoes:
                redoable.pop()
            undoable.append(undoes)
        else:
            undoable.append(number)
            redoable.clear()
    return undoable, redoable


def _said_before(
    db: Database, number: int, situation: int, turn: int, annotator: int, what: str
) -> tuple[str, str | None]:
    """When what held before a row of the log was said, and the version that was shown."""
    at, version = db.execute(
        "SELECT at, version FROM label_log WHERE situation = ? AND turn = ? AND annotator = ? AND what = ?"
        " AND number < ? ORDER BY number DESC LIMIT 1",
        [situation, turn, annotator, what, number],
    ).fetchone()
    return at, version
