"""Queues of turns to label: stored with a reason for each turn, shared by all annotators.

    queues = Queues(store)
    number = queues.add("Monday", items, by="Ada", seed=1)
    item = queues.next_item(number, "Bo")

Progress follows from the labels; nothing else is stored.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

from convgate.core.text import writable
from convgate.store.database import Repository
from convgate.store.label_log import WHOLE, CurrentKey, current_number, current_time

ReasonKind = Literal["threshold", "versions", "policies", "annotators", "audit", "start", "score"]

_ITEM = "place, key, messages.turn, question, queue_items.turn, kind, reason"
# An answered turn is done; where people disagree, only when it was answered after the queue was made.
_DONE = """mine.turn IS NOT NULL
    AND (kind <> 'annotators' OR mine.at > (SELECT made_at FROM queues WHERE number = queue))"""
# `mine` is the answer of the annotator to the turn, `whole` their status of the message.
_ITEMS = f"""
    FROM queue_items
    JOIN messages ON messages.number = queue_items.message
    JOIN conversations ON conversations.number = messages.conversation AND deleted_at IS NULL
    LEFT JOIN labels AS mine ON mine.message = queue_items.message AND mine.turn = queue_items.turn
        AND mine.annotator = (SELECT number FROM annotators WHERE name = :annotator)
    LEFT JOIN labels AS whole ON whole.message = queue_items.message AND whole.turn = {WHOLE}
        AND whole.annotator = (SELECT number FROM annotators WHERE name = :annotator)
    WHERE queue = :queue"""


@dataclass(frozen=True, slots=True)
class NewItem:
    """A turn to judge for a message, and why."""

    current: CurrentKey
    turn: int  # 0-based earlier turn
    kind: ReasonKind
    reason: str  # a sentence with its numbers


@dataclass(frozen=True, slots=True)
class QueueItem(NewItem):
    """A turn of a stored queue."""

    place: int  # 0-based, in the queue


@dataclass(frozen=True, slots=True)
class QueueSummary:
    """A queue in a list."""

    number: int
    name: str
    made_by: str


@dataclass(frozen=True, slots=True)
class QueueProgress:
    """The progress of an annotator, without items of deleted conversations."""

    items: int
    answered: int

    @property
    def left(self) -> int:
        """Return the number of items without an answer."""
        return self.items - self.answered


class Queues(Repository):
    """The queues of a store."""

    def add(self, name: str, items: Iterable[NewItem], *, by: str, seed: int) -> int:
        """Store a queue with its items in order, and return its number; all of it or nothing.

        seed: of the random draw. Raises StoreError for a message that does not exist.
        """
        rows = []
        with self._store.write() as db:
            row = {"name": writable(name), "made_by": writable(by), "made_at": current_time(), "seed": seed}
            number = db.table("queues").insert(row).last_pk
            assert isinstance(number, int)
            for place, item in enumerate(items):
                current, _ = current_number(db, item.current)
                rows.append(
                    {
                        "queue": number,
                        "place": place,
                        "message": current,
                        "turn": item.turn,
                        "kind": item.kind,
                        "reason": writable(item.reason),
                    }
                )
            db.table("queue_items").insert_all(rows)
        return number

    def names(self) -> dict[int, str]:
        """Return the names of all queues by number, the newest first."""
        return dict(self._rows("SELECT number, name FROM queues ORDER BY number DESC"))

    def named(self, prefix: str) -> list[QueueSummary]:
        """Return the queues whose names begin with a text, oldest first."""
        sql = "SELECT number, name, made_by FROM queues WHERE substr(name, 1, ?) = ? ORDER BY number"
        return self._records(QueueSummary, sql, [len(prefix), prefix])

    def items(self, number: int) -> list[QueueItem]:
        """Return all items of a queue, in order."""
        return self._items("", number, "")

    def next_item(self, number: int, annotator: str, *, after: int | None = None) -> QueueItem | None:
        """Return the next item for an annotator; None when all are done.

        Items come in order from the place `after`, then from the front; those of messages that are skipped or
        done come last.
        """
        order = "whole.turn IS NOT NULL, place <= :after, place LIMIT 1"
        position = -1 if after is None else after
        items = self._items(f"AND NOT ({_DONE})", number, annotator, order, after=position)
        return next(iter(items), None)

    def items_about(self, number: int, current: CurrentKey) -> list[QueueItem]:
        """Return the items about a message, in order."""
        condition = "AND key = :key AND messages.turn IS :turn AND question = :question"
        values: dict[str, Any] = {
            "key": current.conversation,
            "turn": current.turn,
            "question": writable(current.question),
        }
        return self._items(condition, number, "", **values)

    def progress(self, number: int, annotator: str) -> QueueProgress:
        """Return the progress of an annotator."""
        total, n_done = self._row(
            f"SELECT count(*), coalesce(sum({_DONE}), 0) {_ITEMS}", {"queue": number, "annotator": annotator}
        )
        return QueueProgress(total, n_done)

    def _items(
        self, condition: str, number: int, annotator: str, order: str = "place", **values: Any
    ) -> list[QueueItem]:
        rows = self._rows(
            f"SELECT {_ITEM} {_ITEMS} {condition} ORDER BY {order}",
            {"queue": number, "annotator": annotator, **values},
        )
        return [
            QueueItem(CurrentKey(key, current, question), turn, kind, reason, place)
            for place, key, current, question, turn, kind, reason in rows
        ]
