"""The log of labels: what is written for an action, and what it was before, so that it can be undone."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal, get_args

from sqlite_utils import Database
from sqlite_utils.db import Table

from convgate.errors import StoreError
from convgate.transcripts.characters import writable

Answer = Literal["relevant", "not_relevant", "unsure"]
Status = Literal["done", "skipped"]  # of a message as a whole, for one annotator
Kind = Literal["answer", "bulk", "status", "note", "adjudicate", "import", "feedback", "undo", "redo"]
AnnotatorKind = Literal["person", "agent", "adjudication"]

ANSWERS: tuple[Answer, ...] = get_args(Answer)
WHOLE = -1
"""In the place of an earlier turn: the message as a whole."""

ADJUDICATED = "adjudicated"
"""The annotator whose answers settle those of others; theirs are kept beside."""

_KINDS: dict[AnnotatorKind, str] = {
    "person": "a person who labels",
    "agent": "an agent that sends feedback",
    "adjudication": "what was adjudicated",
}
LONGEST_NAME = 60  # characters
_UNDOABLE = 2_000  # of an annotator's newest actions


@dataclass(frozen=True, slots=True)
class SituationKey:
    """A message that was or is to be answered, in a conversation of the library."""

    conversation: str  # its key in the library
    turn: int | None  # 0-based; None when `question` is put after the last turn
    question: str = ""


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing that somebody says; a value of None takes back what they said before."""

    situation: SituationKey
    turn: int  # 0-based earlier turn, or WHOLE
    annotator: str  # whose answer it is
    value: str | None  # an Answer; a Status for WHOLE; any text for a note
    what: Literal["answer", "note"] = "answer"
    at: str | None = None  # when it was said, UTC in ISO 8601; None is now
    version: str | None = None  # of the gate that was shown
    kind: AnnotatorKind = "person"  # of the annotator


@dataclass(frozen=True, slots=True)
class Saved:
    """What became of an action."""

    action: int | None  # its number; None when nothing changed, so nothing was stored
    at: datetime
    changed: int  # answers and notes that are different now
    situation: SituationKey | None = None  # the first that was touched
    turn: int = WHOLE  # there, the first turn that was touched
    kind: str = ""
    left: int = 0  # of an undo or redo: what others or later actions changed since, and so stays


class People:
    """Annotators by name, made when they are new."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._known: dict[str, tuple[int, AnnotatorKind]] = {}

    def find(self, name: str) -> int | None:
        """The number of an annotator; None when there is none of that name."""
        found = self._find(name)
        return found[0] if found else None

    def number(self, name: str, kind: AnnotatorKind = "person") -> int:
        """The number of an annotator, who is made when new.

        Raises StoreError when the name cannot be one, or is that of an annotator of another kind.
        """
        if (found := self._find(name)) is None:
            if kind != "adjudication":
                check_annotator(name)
            number = _inserted(self._db.table("annotators"), {"name": name, "kind": kind})
            self._known[name] = found = (number, kind)
        if found[1] != kind:
            raise StoreError(f"{name!r} is {_KINDS[found[1]]}, not {_KINDS[kind]}; choose another name")
        return found[0]

    def _find(self, name: str) -> tuple[int, AnnotatorKind] | None:
        if name not in self._known:
            row = self._db.execute("SELECT number, kind FROM annotators WHERE name = ?", [name]).fetchone()
            if row is None:
                return None
            self._known[name] = row
        return self._known[name]


class Writer:
    """Collects what an action changes, and writes it at the end. now: as the log keeps it."""

    def __init__(self, db: Database, people: People, now: str) -> None:
        self._db, self._people, self._now = db, people, now
        self._situations: dict[SituationKey, tuple[int, int]] = {}  # number, and turns before the message
        self._held: dict[tuple[int, int, str], dict[int, str]] = {}
        self._rows: list[tuple[Any, ...]] = []
        self._first: tuple[int, int] | None = None
        self._left = 0

    def add(self, entry: Entry, *, again: bool = False) -> None:
        """What an entry says; StoreError when that cannot be. again: also when it was said before."""
        if entry.situation not in self._situations:
            self._situations[entry.situation] = situation_number(self._db, entry.situation)
        number, stop = self._situations[entry.situation]
        if entry.turn != WHOLE and not 0 <= entry.turn < stop:
            raise StoreError(
                f"turn {entry.turn} is not before the message that is answered; turns before it:"
                f" {f'0 to {stop - 1}' if stop else 'none'}"
            )
        value = entry.value if entry.value is None else writable(entry.value)
        allowed = get_args(Status) if entry.turn == WHOLE else ANSWERS
        if entry.what == "answer" and value is not None and value not in allowed:
            raise StoreError(f"an answer is one of {', '.join(allowed)}; got {value!r}")
        annotator = self._people.number(entry.annotator, entry.kind)
        at = self._now if entry.at is None else checked_time(entry.at)
        self.change(number, entry.turn, annotator, entry.what, value, at, entry.version, again=again)

    def change(
        self,
        situation: int,
        turn: int,
        annotator: int,
        what: str,
        value: str | None,
        at: str,
        version: str | None,
        *,
        expected: str | None = "",
        again: bool = False,
    ) -> None:
        """One value, by numbers.

        expected: what has to hold now, or the change is left out; "" is anything. again: whether what is
        said a second time counts, with its new time.
        """
        held = self._holding(situation, annotator, what)
        before = held.get(turn)
        if expected != "" and before != expected:
            self._left += 1
            return
        if before == value and (not again or value is None):
            return
        if value is None:
            del held[turn]
        else:
            held[turn] = value
        self._first = self._first or (situation, turn)
        self._rows.append((situation, turn, annotator, what, before, value, at, version))

    def close(
        self, kind: str, by: int, *, origin: str = "", undoes: int | None = None, always: bool = False
    ) -> Saved:
        """Write the action. always: store the action even when it changes nothing."""
        at = moment(self._now)
        if not self._rows and not always:
            return Saved(None, at, 0, kind=kind)
        row = {"annotator": by, "kind": kind, "at": self._now, "origin": writable(origin), "undoes": undoes}
        action = _inserted(self._db.table("label_actions"), row)
        self._db.conn.executemany(
            "INSERT INTO label_log (action, situation, turn, annotator, what, before, after, at, version)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [(action, *row) for row in self._rows],
        )
        situation, turn = (_key(self._db, self._first[0]), self._first[1]) if self._first else (None, WHOLE)
        return Saved(action, at, len(self._rows), situation, turn, kind, self._left)

    def _holding(self, situation: int, annotator: int, what: str) -> dict[int, str]:
        name = (situation, annotator, what)
        if name not in self._held:
            table = "labels" if what == "answer" else "label_notes"
            self._held[name] = dict(
                self._db.execute(
                    # The + keeps SQLite from walking through all that the annotator ever said.
                    f"SELECT turn, {what} FROM {table} WHERE situation = ? AND +annotator = ?",
                    [situation, annotator],
                ).fetchall()
            )
        return self._held[name]


def check_annotator(name: str) -> str:
    """The name of a person or an agent who labels; StoreError when it cannot be one."""
    if not name.strip() or name != name.strip() or len(name) > LONGEST_NAME or not name.isprintable():
        raise StoreError(
            f"an annotator's name has 1 to {LONGEST_NAME} characters on one line, without spaces around it;"
            f" got {name[:80]!r}"
        )
    if name.casefold() == ADJUDICATED:
        raise StoreError(f"{name!r} stands for what was adjudicated; choose another name")
    return name


def checked_time(text: str) -> str:
    """A moment in ISO 8601 as the log keeps it; StoreError when it is none, or has no time zone."""
    try:
        found = datetime.fromisoformat(text)
        if found.tzinfo is None:
            raise StoreError(f"the time {text!r} does not say in which zone it is; add Z or an offset")
        return found.astimezone(UTC).isoformat(timespec="milliseconds")
    except (ValueError, OverflowError) as error:
        raise StoreError(f"{text!r} is not a time such as 2026-11-22T10:30:00Z") from error


def undo_stacks(db: Database, annotator: int) -> tuple[list[int], list[int]]:
    """The numbers of the actions that can be undone, and of those that can be redone, oldest first."""
    rows = db.execute(
        "SELECT number, kind, undoes FROM label_actions WHERE annotator = ? ORDER BY number DESC LIMIT ?",
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


def said_before(
    db: Database, number: int, situation: int, turn: int, annotator: int, what: str
) -> tuple[str, str | None]:
    """When what held before a row of the log was said, and the version that was shown."""
    at, version = db.execute(
        "SELECT at, version FROM label_log WHERE situation = ? AND turn = ? AND annotator = ? AND what = ?"
        " AND number < ? ORDER BY number DESC LIMIT 1",
        [situation, turn, annotator, what, number],
    ).fetchone()
    return at, version


def situation_number(db: Database, key: SituationKey) -> tuple[int, int]:
    """The number of a message, which is made when it is new, and how many turns are before it."""
    row = db.execute(
        "SELECT number, turns FROM conversations WHERE deleted_at IS NULL"
        " AND number = (SELECT number FROM conversation_keys WHERE key = ?)",
        [key.conversation],
    ).fetchone()
    if row is None:
        raise StoreError(f"the library has no conversation {key.conversation!r}")
    conversation, turns = row
    if (key.turn is None) == (not key.question.strip()):
        raise StoreError("what is answered is either a turn or a question")
    if key.turn is not None and not 0 <= key.turn < turns:
        raise StoreError(f"turn {key.turn} is answered, but the conversation has {turns} turns, from 0")
    number = find_situation(db, key)
    if number is None:
        made = {"conversation": conversation, "turn": key.turn, "question": writable(key.question)}
        number = _inserted(db.table("situations"), made)
    return number, turns if key.turn is None else key.turn


def find_situation(db: Database, key: SituationKey) -> int | None:
    """The number of a message; None when nobody said anything about it."""
    row = db.execute(
        "SELECT number FROM situations WHERE coalesce(turn, -1) = ? AND question = ?"
        " AND conversation = (SELECT number FROM conversation_keys WHERE key = ?)",
        [-1 if key.turn is None else key.turn, writable(key.question), key.conversation],
    ).fetchone()
    return row[0] if row else None


def _key(db: Database, situation: int) -> SituationKey:
    return SituationKey(
        *db.execute(
            "SELECT key, turn, question FROM situations JOIN conversations"
            " ON conversations.number = situations.conversation WHERE situations.number = ?",
            [situation],
        ).fetchone()
    )


def present() -> str:
    """The present moment, as the log keeps it."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def moment(text: str) -> datetime:
    """A moment out of the log."""
    return datetime.fromisoformat(text)


def _inserted(table: Table, row: dict[str, Any]) -> int:
    """The number that the new row got."""
    number = table.insert(row).last_pk
    assert isinstance(number, int)
    return number
