"""Requests of a store: written in batches, with outcomes told later, and never more than are to be kept."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from convgate.store.database import Store
from convgate.store.request_records import TOKEN_COLUMNS, LoggedRequest
from convgate.transcripts.characters import writable

REMOVED_AT_ONCE = 1_000
KEPT_LOSSES = 1_000

_COLUMNS = (
    "id", "at", "mode", "classified", "confidence", "source", "low",
    *(f"tokens_{name}" for name in TOKEN_COLUMNS),
    "tokens_total", "budget", "invariants", "breaches", "over_budget", "fallbacks", "seconds",
)  # fmt: skip
_INSERT = f"INSERT INTO requests ({', '.join(_COLUMNS)}) VALUES ({', '.join('?' * len(_COLUMNS))})"


class Requests:
    """The log of requests; each call is a transaction, or joins that of the caller."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def add(self, requests: Iterable[LoggedRequest]) -> None:
        """Log requests, all of them or none; StoreError when that cannot be done."""
        rows = [
            (
                writable(one.id), one.at.timestamp(), one.mode, one.classified, one.confidence, one.source,
                one.low, *one.tokens, one.tokens_total, one.budget, one.invariants, one.breaches,
                one.over_budget, " ".join(one.fallbacks), one.seconds,
            )
            for one in requests
        ]  # fmt: skip
        with self._store.write() as db:
            db.conn.executemany(_INSERT, rows)

    def tell_outcomes(self, outcomes: Sequence[tuple[str, bool]], at: datetime) -> list[int]:
        """Note how requests ended, by their ids, in place of what was told before.

        Places of those that the log does not have; the newest request with an id is meant.
        """
        unknown = []
        with self._store.write() as db:
            for place, (id, ok) in enumerate(outcomes):
                changed = db.conn.execute(
                    "UPDATE requests SET ok = ?, told_at = ?"
                    " WHERE number = (SELECT max(number) FROM requests WHERE id = ?)",
                    [ok, at.timestamp(), writable(id)],
                )
                if not changed.rowcount:
                    unknown.append(place)
        return unknown

    def count(self) -> int:
        """How many are logged."""
        with self._store.read() as db:
            return int(db.execute("SELECT count(*) FROM requests").fetchone()[0])

    def might_exceed(self, most: int) -> bool:
        """Whether there may be more; in no time, and wrong only when some were removed in between."""
        with self._store.read() as db:
            first, last = db.execute(
                "SELECT (SELECT min(number) FROM requests), (SELECT max(number) FROM requests)"
            ).fetchone()
        return first is not None and last - first + 1 > most

    def keep_newest(self, most: int) -> int:
        """Remove what was logged first until that many are left; how many were removed."""
        removed = 0
        while (excess := self.count() - most) > 0:
            removed += self._remove("ORDER BY number LIMIT ?", min(excess, REMOVED_AT_ONCE))
        return removed

    def remove_before(self, moment: float) -> int:
        """Remove requests from before a time in seconds since 1970; how many."""
        total = 0
        while removed := self._remove("WHERE at < ? LIMIT ?", moment, REMOVED_AT_ONCE):
            total += removed
        return total

    def add_loss(self, requests: int, why: str, at: datetime) -> None:
        """Note that requests could not be logged."""
        with self._store.write() as db:
            db.execute(
                "INSERT INTO guard_losses (at, requests, why) VALUES (?, ?, ?)",
                [at.timestamp(), requests, writable(why)],
            )
            db.execute(
                "DELETE FROM guard_losses WHERE number <= (SELECT max(number) FROM guard_losses) - ?",
                [KEPT_LOSSES],
            )

    def _remove(self, which: str, *values: float) -> int:
        """Remove a portion in a transaction of its own, so that other programs come through in between."""
        with self._store.write() as db:
            return db.conn.execute(
                f"DELETE FROM requests WHERE number IN (SELECT number FROM requests {which})", values
            ).rowcount
