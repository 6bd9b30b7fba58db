"""Queues of turns to label: stored with a reason for each turn, shared by all annotators.

    queues = Queues(store)
    queue = queues.add("Monday", items, by="Ada", seed=1)
    item = queues.next_item(queue.number, "Bo")

Progress follows from the labels; nothing else is stored.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from convgate.core.errors import StoreError
from convgate.store.database import Repository
from convgate.store.label_log import WHOLE, SituationKey, present, situation_number
from convgate.transcripts.characters import writable

ReasonKind = Literal["threshold", "versions", "policies", "annotators", "audit", "start", "score"]
LONGEST_NAME = 80  # characters

_ITEM = "place, key, situations.turn, question, queue_items.turn, kind, reason"
# An answered turn is done. Where people disagree it is done for those who answered after the queue was made,
# and for everybody when it is adjudicated or nobody disagrees any more.
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
# `mine` is the answer of the annotator to the turn, `whole` their status of the message.
_ITEMS = f"""
    FROM queue_items
    JOIN situations ON situations.number = queue_items.situation
    JOIN conversations ON conversations.number = situations.conversation AND deleted_at IS NULL
    LEFT JOIN labels AS mine ON mine.situation = queue_items.situation AND mine.turn = queue_items.turn
        AND mine.annotator = (SELECT number FROM annotators WHERE name = :annotator)
    LEFT JOIN labels AS whole ON whole.situation = queue_items.situation AND whole.turn = {WHOLE}
        AND whole.annotator = (SELECT number FROM annotators WHERE name = :annotator)
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
    seed: int  # of the random draw
    items: int
    messages: int


@dataclass(frozen=True, slots=True)
class QueueProgress:
    """The progress of an annotator, without items of deleted conversations."""

    items: int
    answered: int
    skipped: int  # not answered, of skipped messages: they come at the end

    @property
    def left(self) -> int:
        """Return the number of items without an answer, skipped ones included."""
        return self.items - self.answered


class Queues(Repository):
    """The queues of a store."""

    def add(self, name: str, items: Iterable[NewItem], *, by: str, seed: int) -> Queue:
        """Store a queue with its items in order; all of it or nothing.

        Raises StoreError for a queue without a name or items, a turn that is in it twice, or one that does
        not exist.
        """
        name = writable(name).strip()
        if not name or len(name) > LONGEST_NAME:
            raise StoreError(f"A queue's name has 1 to {LONGEST_NAME} characters; got {name[:100]!r}.")
        situations: dict[SituationKey, tuple[int, int]] = {}
        turns: set[tuple[int, int]] = set()
        rows = []
        with self._store.write() as db:
            row = {"name": name, "made_by": writable(by), "made_at": present(), "seed": seed}
            number = db.table("queues").insert(row).last_pk
            assert isinstance(number, int)
            for place, item in enumerate(items):
                if item.situation not in situations:
                    situations[item.situation] = situation_number(db, item.situation)
                situation, stop = situations[item.situation]
                if not 0 <= item.turn < stop:
                    raise StoreError(f"Item {place} of the queue has turn {item.turn} of {stop} turns.")
                if (situation, item.turn) in turns:
                    raise StoreError(f"Item {place} of the queue has the turn of an earlier item.")
                turns.add((situation, item.turn))
                rows.append(
                    {
                        "queue": number,
                        "place": place,
                        "situation": situation,
                        "turn": item.turn,
                        "kind": item.kind,
                        "reason": writable(item.reason),
                    }
                )
            if not rows:
                raise StoreError("A queue needs at least one turn.")
            db.table("queue_items").insert_all(rows)
        return self.get(number)

    def get(self, number: int) -> Queue:
        """Return a queue; StoreError when it is missing or deleted."""
        for queue in self._queues("WHERE queues.number = ?", [number]):
            return queue
        raise StoreError(f"there is no queue {number}; it was deleted, or is in another library")

    def all(self) -> list[Queue]:
        """Return all queues, the newest first."""
        return self._queues("", [])

    def delete(self, number: int) -> None:
        """Delete a queue; labels that were given in it stay."""
        with self._store.write() as db:
            db.table("queues").delete_where("number = ?", [number])

    def next_item(self, number: int, annotator: str, *, after: int | None = None) -> QueueItem | None:
        """Return the next item for an annotator; None when all are done.

        Items come in order from the place `after`, then from the front; those of messages that are skipped or
        done come last.
        """
        order = "whole.turn IS NOT NULL, place <= :after, place LIMIT 1"
        position = -1 if after is None else after
        items = self._items(f"AND NOT coalesce({_DONE}, 0)", number, annotator, order, after=position)
        return next(iter(items), None)

    def items_about(self, number: int, situation: SituationKey) -> list[QueueItem]:
        """Return the items about a message, in order."""
        condition = "AND key = :key AND situations.turn IS :turn AND question = :question"
        values: dict[str, Any] = {
            "key": situation.conversation,
            "turn": situation.turn,
            "question": writable(situation.question),
        }
        return self._items(condition, number, "", **values)

    def progress(self, number: int, annotator: str) -> QueueProgress:
        """Return the progress of an annotator."""
        total, done, skipped = self._row(
            f"""
            SELECT count(*), coalesce(sum(done), 0), coalesce(sum(NOT done AND skipped), 0) FROM (
                SELECT coalesce({_DONE}, 0) AS done, coalesce(whole.answer = 'skipped', 0) AS skipped
                {_ITEMS})
            """,
            {"queue": number, "annotator": annotator},
        )
        return QueueProgress(total, done, skipped)

    def _items(
        self, condition: str, number: int, annotator: str, order: str = "place", **values: Any
    ) -> list[QueueItem]:
        rows = self._rows(
            f"SELECT {_ITEM} {_ITEMS} {condition} ORDER BY {order}",
            {"queue": number, "annotator": annotator, **values},
        )
        return [
            QueueItem(SituationKey(key, current, question), turn, kind, reason, place)
            for place, key, current, question, turn, kind, reason in rows
        ]

    def _queues(self, condition: str, values: list[Any]) -> list[Queue]:
        return self._records(
            Queue,
            f"""
            SELECT queues.*, count(*) AS items, count(DISTINCT situation) AS messages
            FROM queues JOIN queue_items ON queue = queues.number
            {condition} GROUP BY queues.number ORDER BY queues.number DESC
            """,
            values,
        )
