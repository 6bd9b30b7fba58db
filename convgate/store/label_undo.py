"""Undoing and redoing actions of the log: actions themselves, which change back what is still as it was."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal

from sqlite_utils import Database

from convgate.store.label_log import Saved, Turned, present
from convgate.store.label_writing import People, Writer

_Place = tuple[int, int, int, str]  # situation, turn, annotator, what

_UNDOABLE = 2_000  # of an annotator's newest actions


def turn_back(
    db: Database, by: str, kind: Literal["undo", "redo"], action: int | None = None
) -> Saved | None:
    """Undo or redo the newest action of `by` that can be, or that `action`; None when there is none.

    What others or later actions told since stays, be it the same answer. An answer in a conversation that
    was deleted is taken back as well, for the conversation may come back.
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
    # Turns that were put off say nothing.
    places = db.execute(
        "SELECT situation, turn, annotator, what, before IS NOT NULL OR after IS NOT NULL FROM label_log"
        " WHERE action = ? ORDER BY number DESC",
        [target],
    ).fetchall()
    past = _past(db, target)
    left = 0
    for situation, turn, whose, what, says in dict.fromkeys(places):
        if not says:
            continue
        here = past[situation, turn, whose, what]
        said = here.before(target) if kind == "undo" else here.again()
        if said is None:
            left += 1
        else:  # as old as it was, and of the version of then
            at = now if said.value is None else said.at
            writer.change(situation, turn, whose, what, said.value, at, said.version, again=True)
    if places:  # what changes no answer leads back as well
        writer.touch(*places[-1][:2])
    saved = writer.close(kind, annotator, undoes=target, always=True, left=left)
    return replace(saved, turned=_turned(db, target))


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


def _turned(db: Database, action: int) -> Turned:
    kind, origin = db.execute("SELECT kind, origin FROM label_actions WHERE number = ?", [action]).fetchone()
    whose = db.execute(
        "SELECT DISTINCT name FROM label_log JOIN annotators ON annotators.number = annotator"
        " WHERE action = ? ORDER BY name",
        [action],
    )
    return Turned(kind, origin, tuple(name for (name,) in whose))


@dataclass(frozen=True, slots=True)
class _Told:
    """What an action said in a place of the log: who says what of which turn."""

    action: int  # the one that said it first, when it was undone and redone since
    value: str | None
    at: str
    version: str | None


_NOTHING = _Told(0, None, "", None)


@dataclass(slots=True)
class _Past:
    """What was told in a place, without what was undone; the last holds."""

    told: list[_Told] = field(default_factory=lambda: [_NOTHING])
    undone: _Told | None = None  # what the action said
    without: _Told | None = None  # what held as it was undone

    def before(self, action: int) -> _Told | None:
        """What holds without the action; None when something was told since, be it the same."""
        return self.told[-2] if self.told[-1].action == action else None

    def again(self) -> _Told | None:
        """What the undone action said; None when something was told since."""
        return self.undone if self.told[-1] == self.without else None


def _past(db: Database, action: int) -> dict[_Place, _Past]:
    """What was told in each place that the action is about."""
    rows = db.execute(
        """
        SELECT situation, turn, log.annotator, what, log.action, kind, undoes, after, log.at, version
        FROM label_log AS log JOIN label_actions AS act ON act.number = log.action
        WHERE situation IN (SELECT situation FROM label_log WHERE action = ?) AND kind <> 'later'
            AND (situation, turn, log.annotator, what) IN (
                SELECT situation, turn, annotator, what FROM label_log WHERE action = ?)
        ORDER BY log.number
        """,
        [action, action],
    )
    found: dict[_Place, _Past] = {}
    for situation, turn, whose, what, number, kind, undoes, after, at, version in rows:
        here = found.setdefault((situation, turn, whose, what), _Past())
        actions = [told.action for told in here.told]
        if kind == "undo" and undoes in actions:
            since = actions.index(undoes)
            taken = here.told[since]
            del here.told[since:]
            if undoes == action:
                here.undone, here.without = taken, here.told[-1]
            continue
        said = _Told(undoes if kind == "redo" else number, after, at, version)
        if here.told[-1].action == said.action:  # an action that says two things: the second holds
            here.told.pop()
        here.told.append(said)
    return found
