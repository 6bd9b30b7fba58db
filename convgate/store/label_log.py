"""The log of labels: every answer, undo and redo is an action that is appended to it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal, NamedTuple, get_args

from sqlite_utils import Database

from convgate.core.errors import StoreError
from convgate.core.text import writable
from convgate.store.conversations import NUMBER, find_conversation

Answer = Literal["relevant", "not_relevant", "unsure"]
ActionKind = Literal["answer", "skip", "adjudicate", "import", "feedback", "undo", "redo"]
AnnotatorKind = Literal["person", "agent", "adjudication"]

ANSWERS: tuple[Answer, ...] = get_args(Answer)
WHOLE = -1
"""In the place of an earlier turn: the message as a whole."""

ADJUDICATED = "adjudicated"
"""The annotator of adjudicated answers; those of others are kept beside."""

LONGEST_NAME = 60  # characters

_MAX_UNDO = 2_000  # newest actions of an annotator

_KINDS: dict[AnnotatorKind, str] = {
    "person": "a person who labels",
    "agent": "an agent that sends feedback",
    "adjudication": "the adjudicated answers",
}


@dataclass(frozen=True, slots=True)
class CurrentKey:
    """A message to answer, in a conversation of the library."""

    conversation: str  # its key in the library
    turn: int | None  # 0-based; None when `question` is put after the last turn
    question: str = ""


@dataclass(frozen=True, slots=True)
class Entry:
    """One answer; a value of None removes the former one."""

    current: CurrentKey
    turn: int  # 0-based earlier turn, or WHOLE
    annotator: str  # whose answer it is
    value: str | None  # an Answer; "skipped" for WHOLE
    at: str | None = None  # when it was given, UTC in ISO 8601; None is now
    version: str | None = None  # of the gate that was shown
    kind: AnnotatorKind = "person"  # of the annotator


@dataclass(frozen=True, slots=True)
class ActionRecord:
    """The result of an action."""

    action: int | None  # its number; None when nothing changed, so nothing was stored
    at: datetime
    changed: int  # answers that differ now
    current: CurrentKey | None = None  # the first that was touched and is not deleted
    turn: int = WHOLE  # there, the first turn that was touched
    kind: str = ""
    left: int = 0  # of an undo or redo: answers that were given since, and so stay


class _Place(NamedTuple):
    """A place in the log."""

    message: int
    turn: int
    annotator: int


def check_annotator(name: str) -> str:
    """Return the name of a person or agent; raises StoreError when it is not valid."""
    if not name.strip() or name != name.strip() or len(name) > LONGEST_NAME or not name.isprintable():
        raise StoreError(
            f"an annotator's name has 1 to {LONGEST_NAME} characters on one line, without spaces around it;"
            f" got {name[:80]!r}"
        )
    if name.casefold() == ADJUDICATED:
        raise StoreError(f"{name!r} stands for what was adjudicated; choose another name")
    return name


def normalize_time(text: str) -> str:
    """Return a time in ISO 8601 as the log has it; raises StoreError when it is not valid or has no zone."""
    try:
        time = datetime.fromisoformat(text)
        if time.tzinfo is None:
            raise StoreError(f"the time {text!r} does not say in which zone it is; add Z or an offset")
        return time.astimezone(UTC).isoformat(timespec="milliseconds")
    except (ValueError, OverflowError) as error:
        raise StoreError(f"{text!r} is not a time such as 2026-11-22T10:30:00Z") from error


def current_time() -> str:
    """Return the current time as the log has it."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def current_number(db: Database, key: CurrentKey) -> tuple[int, int]:
    """Return the number of a message, added when it is new, and how many turns are before it."""
    conversation = find_conversation(db, key.conversation)
    turns: int = conversation["turns"]
    if (key.turn is None) == (not key.question.strip()):
        raise StoreError("what is answered is either a turn or a question")
    if key.turn is not None and not 0 <= key.turn < turns:
        raise StoreError(f"turn {key.turn} is answered, but the conversation has {turns} turns, from 0")
    number = find_current(db, key)
    if number is None:
        row = {"conversation": conversation["number"], "turn": key.turn, "question": writable(key.question)}
        number = db.table("messages").insert(row).last_pk
        assert isinstance(number, int)
    return number, turns if key.turn is None else key.turn


def find_current(db: Database, key: CurrentKey) -> int | None:
    """Return the number of a message; None when it has no labels."""
    row = db.execute(
        "SELECT number FROM messages WHERE coalesce(turn, -1) = ? AND question = ?"
        f" AND conversation = {NUMBER}",
        [-1 if key.turn is None else key.turn, writable(key.question), key.conversation],
    ).fetchone()
    return row[0] if row else None


def find_annotator(db: Database, name: str) -> int | None:
    """Return the number of an annotator, or None."""
    row = db.execute("SELECT number FROM annotators WHERE name = ?", [name]).fetchone()
    return row[0] if row else None


def annotator_number(db: Database, name: str, kind: AnnotatorKind = "person") -> int:
    """Return the number of an annotator, added when new.

    Raises StoreError when the name is not valid, or that of an annotator of another kind.
    """
    if find_annotator(db, name) is None:
        if kind != "adjudication":
            check_annotator(name)
        db.table("annotators").insert({"name": name, "kind": kind})
    number: int
    number, known = db.execute("SELECT number, kind FROM annotators WHERE name = ?", [name]).fetchone()
    if known != kind:
        raise StoreError(f"{name!r} is {_KINDS[known]}, not {_KINDS[kind]}; choose another name")
    return number


class Writer:
    """Collects the changes of an action, and appends it to the log at the end."""

    def __init__(self, db: Database) -> None:
        self.now = current_time()
        self._db = db
        self._numbers: dict[CurrentKey, tuple[int, int]] = {}  # of the message, and turns before the message
        self._answers: dict[tuple[int, int], dict[int, str]] = {}  # by message and annotator, then by turn
        self._rows: list[dict[str, Any]] = []
        self._touched: dict[int, int] = {}  # by message: the first turn, in the order of the action

    def add(self, entry: Entry, *, again: bool = False) -> None:
        """Add an entry; again: also the same answer as before. Raises StoreError when not valid."""
        if entry.current not in self._numbers:
            self._numbers[entry.current] = current_number(self._db, entry.current)
        message, stop = self._numbers[entry.current]
        if entry.turn != WHOLE and not 0 <= entry.turn < stop:
            raise StoreError(
                f"turn {entry.turn} is not before the message that is answered; turns before it:"
                f" {f'0 to {stop - 1}' if stop else 'none'}"
            )
        allowed = ("skipped",) if entry.turn == WHOLE else ANSWERS
        if entry.value is not None and entry.value not in allowed:
            raise StoreError(f"an answer is one of {', '.join(allowed)}; got {entry.value!r}")
        annotator = annotator_number(self._db, entry.annotator, entry.kind)
        at = self.now if entry.at is None else normalize_time(entry.at)
        self.change(_Place(message, entry.turn, annotator), entry.value, at, entry.version, again=again)

    def change(
        self, place: _Place, value: str | None, at: str, version: str | None, *, again: bool = False
    ) -> None:
        """Change one answer; again: also when it stays the same, with a new time."""
        answers = self._answers_of(place)
        before = answers.get(place.turn)
        if before == value and (not again or value is None):
            return
        if value is None:
            del answers[place.turn]
        else:
            answers[place.turn] = value
        self.touch(place.message, place.turn)
        self._rows.append({**place._asdict(), "answer": value, "at": at, "version": version})

    def touch(self, message: int, turn: int) -> None:
        """Note a turn that the action is about, though it may not change there."""
        self._touched.setdefault(message, turn)

    def close(
        self, kind: ActionKind, by: int, *, origin: str = "", undoes: int | None = None, left: int = 0
    ) -> ActionRecord:
        """Append the action; one that changes nothing is stored only when it `undoes` another."""
        at = datetime.fromisoformat(self.now)
        if not self._rows and undoes is None:
            return ActionRecord(None, at, 0, kind=kind)
        row = {"annotator": by, "kind": kind, "at": self.now, "origin": writable(origin), "undoes": undoes}
        action = self._db.table("label_actions").insert(row).last_pk
        assert isinstance(action, int)
        self._db.table("label_log").insert_all({"action": action, **row} for row in self._rows)
        current, turn = self._first_touched()
        return ActionRecord(action, at, len(self._rows), current, turn, kind, left)

    def _answers_of(self, place: _Place) -> dict[int, str]:
        name = (place.message, place.annotator)
        if name not in self._answers:
            # The + keeps SQLite from walking through all labels of the annotator.
            rows = self._db.execute(
                "SELECT turn, answer FROM labels WHERE message = ? AND +annotator = ?", name
            )
            self._answers[name] = dict(rows.fetchall())
        return self._answers[name]

    def _first_touched(self) -> tuple[CurrentKey | None, int]:
        """Return the first message that is not in a deleted conversation, and its turn."""
        for number, turn in self._touched.items():
            row = self._db.execute(
                "SELECT key, turn, question FROM messages JOIN conversations"
                " ON conversations.number = conversation WHERE messages.number = ? AND deleted_at IS NULL",
                [number],
            ).fetchone()
            if row is not None:
                return CurrentKey(*row), turn
        return None, WHOLE


def revert(db: Database, by: str, kind: Literal["undo", "redo"]) -> ActionRecord | None:
    """Undo or redo the newest action of `by` that can be; return None when there is none.

    Later answers are kept, even identical ones.
    """
    annotator = find_annotator(db, by)
    undoable, redoable = undo_stacks(db, annotator) if annotator else ([], [])
    stack = undoable if kind == "undo" else redoable
    if annotator is None or not stack:
        return None
    target = stack[-1]
    writer, left = Writer(db), 0
    rows = list(db.table("label_log").rows_where("action = ?", [target], order_by="number"))
    rows_by_place = {_Place(*(row[name] for name in _Place._fields)): row for row in rows}
    for place, row in reversed(rows_by_place.items()):
        other = _latest(db, place, target)
        if other is not None and other["number"] > row["number"]:
            left += 1
            continue
        target_row = other if kind == "undo" else row
        if target_row is None or target_row["answer"] is None:
            writer.change(place, None, writer.now, None)
        else:  # with its former time and version
            writer.change(place, target_row["answer"], target_row["at"], target_row["version"], again=True)
    if rows:  # also an action without a change leads back to its turn
        writer.touch(rows[0]["message"], rows[0]["turn"])
    return writer.close(kind, annotator, undoes=target, left=left)


def undo_stacks(db: Database, annotator: int) -> tuple[list[int], list[int]]:
    """Return the actions that can be undone, and those that can be redone, each in the order to take from.

    The last of a list is the next. Actions whose conversations were purged are left out.
    """
    rows = db.execute(
        """
        SELECT coalesce(undoes, number) AS base, max(number) AS newest, kind FROM (
            SELECT number, kind, undoes FROM label_actions WHERE annotator = ?
                AND EXISTS (SELECT 1 FROM label_log WHERE action = coalesce(undoes, label_actions.number))
            ORDER BY number DESC LIMIT ?)
        GROUP BY base ORDER BY newest
        """,  # `kind` is that of the row with the greatest number
        [annotator, _MAX_UNDO],
    ).fetchall()
    undoable = [base for base, _, kind in rows if kind != "undo"]
    last = max((base for base, _, _ in rows), default=0)  # a new action ends what can be redone
    return undoable, [base for base, newest, kind in rows if kind == "undo" and newest > last]


def _latest(db: Database, place: _Place, without: int) -> dict[str, Any] | None:
    """Return the newest row of a place from an action that holds, leaving out the action `without`."""
    rows = db.query(
        """
        SELECT log.number, answer, log.at, version FROM label_log AS log
        JOIN label_actions AS act ON act.number = log.action
        WHERE message = ? AND turn = ? AND log.annotator = ? AND act.number <> ?
            AND kind NOT IN ('undo', 'redo') AND 'undo' IS NOT (
                SELECT kind FROM label_actions AS later WHERE later.undoes = act.number
                ORDER BY number DESC LIMIT 1)
        ORDER BY log.number DESC LIMIT 1
        """,
        [*place, without],
    )
    return next(iter(rows), None)
