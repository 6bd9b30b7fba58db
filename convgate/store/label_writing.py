"""Writing an action into the log of labels: what it changes, and what that was before."""

from __future__ import annotations

from typing import Any, get_args

from sqlite_utils import Database

from convgate.errors import StoreError
from convgate.store.label_log import (
    ANSWERS,
    WHOLE,
    AnnotatorKind,
    Entry,
    Saved,
    SituationKey,
    Status,
    check_annotator,
    checked_time,
    moment,
)
from convgate.store.situations import lead, situation_number
from convgate.transcripts.characters import writable

_KINDS: dict[AnnotatorKind, str] = {
    "person": "a person who labels",
    "agent": "an agent that sends feedback",
    "adjudication": "what was adjudicated",
}


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
            number = self._db.table("annotators").insert({"name": name, "kind": kind}).last_pk
            assert isinstance(number, int)
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
        self._touched: dict[int, int] = {}  # by message: the first turn, in the order of the action

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
        again: bool = False,
    ) -> None:
        """One value, by numbers. again: whether what is said a second time counts, with its new time."""
        held = self._holding(situation, annotator, what)
        before = held.get(turn)
        if before == value and (not again or value is None):
            return
        if value is None:
            del held[turn]
        else:
            held[turn] = value
        self.touch(situation, turn)
        self._rows.append((situation, turn, annotator, what, before, value, at, version))

    def touch(self, situation: int, turn: int) -> None:
        """A turn that the action is about, though it may change nothing there."""
        self._touched.setdefault(situation, turn)

    def close(
        self,
        kind: str,
        by: int,
        *,
        origin: str = "",
        undoes: int | None = None,
        always: bool = False,
        left: int = 0,
    ) -> Saved:
        """Write the action.

        always: store the action even when it changes nothing; left: what it leaves as it is.
        """
        at = moment(self._now)
        if not self._rows and not always:
            return Saved(None, at, 0, kind=kind)
        row = {"annotator": by, "kind": kind, "at": self._now, "origin": writable(origin), "undoes": undoes}
        action = self._db.table("label_actions").insert(row).last_pk
        assert isinstance(action, int)
        self._db.conn.executemany(
            "INSERT INTO label_log (action, situation, turn, annotator, what, before, after, at, version)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [(action, *row) for row in self._rows],
        )
        leads = ((*lead(self._db, number), turn) for number, turn in self._touched.items())
        deleted = ""
        for situation, title, turn in leads:
            if title is None:
                return Saved(action, at, len(self._rows), situation, turn, kind, left)
            deleted = deleted or title
        return Saved(action, at, len(self._rows), kind=kind, left=left, deleted=deleted)

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
