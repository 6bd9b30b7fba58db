"""Queues of turns to label: stored once with a reason for each turn, shared by everybody who works on them.

    queues = Queues(store)
    queue = queues.add("Monday", items, by="Ada", seed=1)
    item = queues.next_item(queue.number, "Bo")

How far somebody is follows from their labels; nothing else is kept about it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from convgate.errors import StoreError
from convgate.store.database import Store
from convgate.store.label_log import WHOLE, SituationKey, moment, present
from convgate.store.situations import find_situation, situation_number
from convgate.transcripts.characters import writable

ReasonKind = Literal["threshold", "versions", "policies", "annotators", "audit", "start", "score"]
LONGEST_NAME = 80  # characters

_ITEM = "place, key, situations.turn, question, queue_items.turn, kind, reason"
# Answering a turn is being done with it. Where people disagree, an older answer is a side of the dispute, and
# done is who changed it since the queue was made, or everybody as soon as it is settled.
_DONE = """
    CASE WHEN kind = 'annotators' THEN
        mine.at > (SELECT made_at FROM queues WHERE number = queue)
        OR EXISTS (SELECT 1 FROM labels JOIN annotators ON annotators.number = annotator
            WHERE situation = queue_items.situation AND turn = queue_items.turn
                AND annotators.kind = 'adjudication')
        OR 2 > (SELECT count(DISTINCT answer) FROM labels JOIN annotators ON annotators.number = annotator
            WHERE situation = queue_items.situation AND turn = queue_items.turn
                AND annotators.kind = 'person' AND answer <> 'unsure')
    ELSE mine.turn IS NOT NULL END"""
# `mine` is what the annotator said of the turn, `whole` what they said of the message.
_ITEMS = f"""
    FROM queue_items
    JOIN situations ON situations.number = queue_items.situation
    JOIN conversations ON conversations.number = situations.conversation AND deleted_at IS NULL
    LEFT JOIN labels AS mine ON mine.situation = queue_items.situation AND mine.turn = queue_items.turn
        AND mine.annotator = :annotator
    LEFT JOIN labels AS whole ON whole.situation = queue_items.situation AND whole.turn = {WHOLE}
        AND whole.annotator = :annotator
    WHERE queue = :queue"""


@dataclass(frozen=True, slots=True)
class NewItem:
    """A turn to judge for a message, and why."""

    situation: SituationKey
    turn: int  # 0-based earlier turn
    kind: ReasonKind
    reason: str  # a sentence with its numbers


@dataclass(frozen=True, slots=True)
class QueueItem(NewItem):
    """A turn of a stored queue."""

    place: int  # 0-based, in the queue


@dataclass(frozen=True, slots=True)
class Queue:
    """A stored queue."""

    number: int
    name: str
    made_by: str
    made_at: datetime
    seed: int  # that it was drawn with
    items: int
    messages: int  # how many of them the items are about


@dataclass(frozen=True, slots=True)
class QueueProgress:
    """How far an annotator is; items of deleted conversations are not counted."""

    items: int
    answered: int
    skipped: int  # not answered, and the message was skipped: they come again at the end

    @property
    def left(self) -> int:
        """Items without an answer, the skipped ones among them."""
        return self.items - self.answered


class Queues:
    """The queues of a store."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def add(self, name: str, items: Iterable[NewItem], *, by: str, seed: int) -> Queue:
        """Keep a queue, its items in their order; all of it or nothing.

        Raises StoreError for a queue without a name or items, a turn that is in it twice, or one that does
        not exist.
        """
        name = writable(name).strip()
        if not name or len(name) > LONGEST_NAME:
            raise StoreError(f"a queue's name has 1 to {LONGEST_NAME} characters; got {name[:100]!r}")
        seen: set[tuple[int, int]] = set()
        situations: dict[SituationKey, tuple[int, int]] = {}
        with self._store.write() as db:
            row = {"name": name, "made_by": writable(by), "made_at": present(), "seed": seed}
            number = db.table("queues").insert(row).last_pk
            assert isinstance(number, int)
            rows = []
            for place, item in enumerate(items):
                if item.situation not in situations:
                    situations[item.situation] = situation_number(db, item.situation)
                situation, stop = situations[item.situation]
                if not 0 <= item.turn < stop:
                    raise StoreError(f"item {place} of the queue asks for turn {item.turn} of {stop} turns")
                if (situation, item.turn) in seen:
                    raise StoreError(f"item {place} of the queue asks for a turn that it has already")
                seen.add((situation, item.turn))
                rows.append((number, place, situation, item.turn, item.kind, writable(item.reason)))
            if not rows:
                raise StoreError("a queue needs at least one turn to judge")
            db.conn.executemany("INSERT INTO queue_items VALUES (?, ?, ?, ?, ?, ?)", rows)
        return self.get(number)

    def get(self, number: int) -> Queue:
        """A queue; StoreError when there is none of that number, or it was deleted."""
        for queue in self._queues("AND queues.number = ?", [number]):
            return queue
        raise StoreError(f"there is no queue {number}; it was deleted, or is in another library")

    def all(self) -> list[Queue]:
        """Every queue, the newest first."""
        return self._queues("", [])

    def delete(self, number: int) -> None:
        """Take a queue off the list; labels that were given in it stay."""
        self._mark(number, present())

    def undelete(self, number: int) -> None:
        """Bring a deleted queue back, as it was."""
        self._mark(number, None)

    def item(self, number: int, place: int) -> QueueItem | None:
        """The item at a place; None when there is none, or its conversation was deleted."""
        return self._first(f"{_ITEMS} AND place = :place", number, "", place=place)

    def next_item(self, number: int, annotator: str, *, after: int | None = None) -> QueueItem | None:
        """What to judge next; None when the annotator has answered everything.

        after: the place of the item at which they are; None begins at the front. What is open is given in
        order, from there on and then from the front; what belongs to a skipped message, or to one that was
        called done, comes when nothing else is left.
        """
        condition = f"{_ITEMS} AND coalesce({_DONE}, 0) = 0"
        start = -1 if after is None else after
        for whole in ("IS NULL", "IS NOT NULL"):
            for where in ("place > :after", "place <= :after"):
                found = self._first(
                    f"{condition} AND whole.turn {whole} AND {where}", number, annotator, after=start
                )
                if found:
                    return found
        return None

    def items_about(self, number: int, situation: SituationKey) -> list[QueueItem]:
        """The items about a message, in order."""
        with self._store.read() as db:
            rows = db.execute(
                f"""
                SELECT {_ITEM} FROM queue_items
                JOIN situations ON situations.number = queue_items.situation
                JOIN conversations ON conversations.number = situations.conversation
                WHERE queue = ? AND queue_items.situation = ? ORDER BY place
                """,
                [number, find_situation(db, situation)],
            ).fetchall()
        return [_item(row) for row in rows]

    def progress(self, number: int, annotator: str) -> QueueProgress:
        """How far the annotator is."""
        with self._store.read() as db:
            row = db.execute(
                f"""
                SELECT count(*), sum(done), sum(NOT done AND skipped) FROM (
                    SELECT coalesce({_DONE}, 0) AS done, coalesce(whole.answer = 'skipped', 0) AS skipped
                    {_ITEMS})
                """,
                {"queue": number, "annotator": _annotator(db, annotator)},
            ).fetchone()
        return QueueProgress(row[0], row[1] or 0, row[2] or 0)

    def reasons(self, number: int) -> dict[ReasonKind, int]:
        """How many items there are of each kind, the most frequent first."""
        with self._store.read() as db:
            return dict(
                db.execute(
                    "SELECT kind, count(*) FROM queue_items WHERE queue = ?"
                    " GROUP BY kind ORDER BY count(*) DESC, kind",
                    [number],
                ).fetchall()
            )

    def common_reasons(self, number: int) -> dict[ReasonKind, str]:
        """By kind, the reason that all its items have alike; only of kinds with several items."""
        with self._store.read() as db:
            return dict(
                db.execute(
                    "SELECT kind, min(reason) FROM queue_items WHERE queue = ? GROUP BY kind"
                    " HAVING count(*) > 1 AND min(reason) = max(reason)",
                    [number],
                ).fetchall()
            )

    def _first(self, condition: str, number: int, annotator: str, **values: int) -> QueueItem | None:
        with self._store.read() as db:
            row = db.execute(
                f"SELECT {_ITEM} {condition} ORDER BY place LIMIT 1",
                {"queue": number, "annotator": _annotator(db, annotator), **values},
            ).fetchone()
        return _item(row) if row else None

    def _queues(self, condition: str, values: list[Any]) -> list[Queue]:
        with self._store.read() as db:
            rows = db.execute(
                f"""
                SELECT queues.number, name, made_by, made_at, seed, count(*), count(DISTINCT situation)
                FROM queues JOIN queue_items ON queue = queues.number
                WHERE deleted_at IS NULL {condition} GROUP BY queues.number ORDER BY queues.number DESC
                """,
                values,
            ).fetchall()
        return [
            Queue(number, name, by, moment(at), seed, items, messages)
            for number, name, by, at, seed, items, messages in rows
        ]

    def _mark(self, number: int, deleted_at: str | None) -> None:
        with self._store.write() as db:
            if not db.execute("SELECT 1 FROM queues WHERE number = ?", [number]).fetchone():
                raise StoreError(f"there is no queue {number}")
            db.execute("UPDATE queues SET deleted_at = ? WHERE number = ?", [deleted_at, number])


def _annotator(db: Any, name: str) -> int:
    """The number of an annotator; one that nobody has when they did not label yet."""
    row = db.execute("SELECT number FROM annotators WHERE name = ?", [name]).fetchone()
    return row[0] if row else -1


def _item(row: tuple[Any, ...]) -> QueueItem:
    place, key, current, question, turn, kind, reason = row
    return QueueItem(SituationKey(key, current, question), turn, kind, reason, place)
