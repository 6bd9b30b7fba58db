"""Requests of a store one by one: those that fell back, all of a period for a file, and the end of all."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from convgate.store.database import Store
from convgate.store.request_records import TOKEN_COLUMNS, moment_of

REMOVED_AT_ONCE = 5_000

COLUMNS = (
    "id", "at", "mode", "classified", "confidence", "source", *(f"tokens_{name}" for name in TOKEN_COLUMNS),
    "tokens_total", "budget", "invariants", "breaches", "over_budget", "fallbacks", "seconds", "ok",
)  # fmt: skip
"""What `everything` gives of each request, as the table has it: `at` is seconds since 1970."""


@dataclass(frozen=True, slots=True)
class Fallen:
    """A request that was not answered as its mode asks for."""

    id: str  # as the caller named it
    at: datetime  # UTC
    mode: str  # that was applied
    classified: str  # that was found
    causes: tuple[str, ...]
    breaches: int  # invariants that were missing
    tokens: int  # that were sent


class RequestRows:
    """Single requests. A period includes its beginning, and not its end."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def newest(self) -> datetime | None:
        """When the last request was; None when none is logged."""
        with self._store.read() as db:
            (at,) = db.execute("SELECT max(at) FROM requests").fetchone()
        return None if at is None else moment_of(at)

    def fallen(self, since: datetime, until: datetime, *, skip: int, limit: int) -> list[Fallen]:
        """Those that fell back, the newest first."""
        tokens = " + ".join(f"tokens_{name}" for name in TOKEN_COLUMNS)
        with self._store.read() as db:
            rows = db.execute(
                f"SELECT id, at, mode, classified, fallbacks, breaches, {tokens} FROM requests"
                " WHERE fallbacks <> '' AND at >= ? AND at < ?"
                " ORDER BY at DESC, number DESC LIMIT ? OFFSET ?",
                [since.timestamp(), until.timestamp(), limit, skip],
            ).fetchall()
        return [
            Fallen(id, moment_of(at), mode, classified, tuple(causes.split()), breaches, sent)
            for id, at, mode, classified, causes, breaches, sent in rows
        ]

    def everything(self, since: datetime, until: datetime) -> Iterator[tuple[Any, ...]]:
        """Each request of a period in the order of time, as `COLUMNS` says."""
        with self._store.read() as db:
            yield from db.execute(
                f"SELECT {', '.join(COLUMNS)} FROM requests WHERE at >= ? AND at < ? ORDER BY at, number",
                [since.timestamp(), until.timestamp()],
            )

    def delete_all(self) -> int:
        """Remove every request, alerts that are over, and what is noted of losses; how many requests.

        The baseline stays, and so do alerts that last: the guardrails end them when they next look. Goes in
        portions, so that programs that log come through in between.
        """
        gone = 0
        while True:
            with self._store.write() as db:
                removed = db.conn.execute(
                    "DELETE FROM requests WHERE number IN (SELECT number FROM requests LIMIT ?)",
                    [REMOVED_AT_ONCE],
                ).rowcount
            gone += removed
            if removed < REMOVED_AT_ONCE:
                break
        with self._store.write() as db:
            db.execute("DELETE FROM guard_alerts WHERE cleared IS NOT NULL")
            db.execute("DELETE FROM guard_losses")
        return gone
