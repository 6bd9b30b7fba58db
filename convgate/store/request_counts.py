"""What the guardrails look at every few seconds: small counts that indices answer."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from itertools import pairwise

from convgate.store.database import Store
from convgate.store.request_records import Outcomes


class RequestCounts:
    """Counts over requests of a store. A period includes its end, and not its beginning."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def classified(self, since: datetime, until: datetime, modes: Sequence[str]) -> dict[str, int]:
        """Requests by the mode that was found; modes without any are left out."""
        summed = ", ".join(["count(*) FILTER (WHERE classified = ?)"] * len(modes))
        with self._store.read() as db:
            row = db.execute(
                f"SELECT {summed} FROM requests WHERE at > ? AND at <= ?",
                [*modes, since.timestamp(), until.timestamp()],
            ).fetchone()
        return {mode: count for mode, count in zip(modes, row, strict=True) if count}

    def unsure(self, edges: Sequence[datetime]) -> list[tuple[int, int]]:
        """Requests without an intent, and those of them that were unsure, between each two edges."""
        with self._store.read() as db:
            found = []
            for since, until in pairwise(edges):
                row = db.execute(
                    "SELECT count(low), count(*) FILTER (WHERE low) FROM requests WHERE at > ? AND at <= ?",
                    [since.timestamp(), until.timestamp()],
                ).fetchone()
                found.append((row[0], row[1]))
        return found

    def last_outcomes(self, mode: str, since: datetime, until: datetime, *, most: int) -> Outcomes:
        """Of the newest requests that were answered in a mode and have an outcome."""
        with self._store.read() as db:
            count, good = db.execute(
                "SELECT count(*), coalesce(sum(ok), 0) FROM (SELECT ok FROM requests"
                " WHERE ok IS NOT NULL AND mode = ? AND at > ? AND at <= ? ORDER BY at DESC LIMIT ?)",
                [mode, since.timestamp(), until.timestamp(), most],
            ).fetchone()
        return Outcomes(count, count - good)

    def outcomes(self, since: datetime | None, until: datetime, modes: Sequence[str]) -> dict[str, Outcomes]:
        """Of all requests with one, by the mode in which they were answered; since None: from the first.

        The modes have SQLite read its index of outcomes; else it looks at every request of the period.
        """
        with self._store.read() as db:
            rows = db.execute(
                "SELECT mode, count(*), sum(ok) FROM requests WHERE ok IS NOT NULL"
                f" AND mode IN ({', '.join('?' * len(modes))}) AND at > ? AND at <= ? GROUP BY mode",
                [*modes, -1e18 if since is None else since.timestamp(), until.timestamp()],
            )
            return {mode: Outcomes(count, count - good) for mode, count, good in rows.fetchall()}

    def lost(self, since: datetime, until: datetime) -> int:
        """Requests that could not be logged."""
        with self._store.read() as db:
            (lost,) = db.execute(
                "SELECT coalesce(sum(requests), 0) FROM guard_losses WHERE at > ? AND at <= ?",
                [since.timestamp(), until.timestamp()],
            ).fetchone()
        return int(lost)
