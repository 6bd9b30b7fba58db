"""The log of requests: written in batches, with outcomes noted later, and sums over periods of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import pairwise
from typing import Any

from convgate.store.database import Repository
from convgate.store.documents import write_row
from convgate.transcripts.characters import writable

TOKEN_COLUMNS = ("rules", "task_state", "recent", "evidence", "decisions", "capsules")
"""Sections, in the order of `LoggedRequest.tokens`."""

COLUMNS = (
    "id", "at", "mode", "classified", "confidence", "source", *(f"tokens_{name}" for name in TOKEN_COLUMNS),
    "tokens_total", "budget", "invariants", "breaches", "over_budget", "fallbacks", "seconds", "ok",
)  # fmt: skip
"""What `Requests.everything` yields of each request; `at` is seconds since 1970."""

MAX_LOSSES = 1_000
"""Rows of lost requests that are kept."""

_PORTION = 5_000  # requests removed in one transaction, so that other programs can write in between
_CAUSES = ("drift", "errors", "breach")
_SUMS = (
    "requests", "judged", "unsure", "breaches", "over_budget", "tokens_total", "outcomes", "successes",
    "fallbacks",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class LoggedRequest:
    """A request of the log."""

    id: str
    at: datetime  # UTC
    mode: str  # that was applied
    classified: str  # mode that was classified
    confidence: float  # 0…1
    source: str
    low: bool | None  # whether the classifier was unsure; None with an intent
    tokens: tuple[int, int, int, int, int, int]  # of each section
    tokens_total: int  # of the whole history, without the current message
    budget: int  # tokens
    invariants: int
    breaches: int
    over_budget: int  # tokens
    fallbacks: tuple[str, ...]  # causes
    seconds: float  # to build the context


@dataclass(frozen=True, slots=True)
class Outcomes:
    """Requests with a known outcome."""

    count: int
    failures: int

    @property
    def rate(self) -> float | None:
        """Return the share that failed, 0…1; None without any."""
        return self.failures / self.count if self.count else None


NO_OUTCOMES = Outcomes(0, 0)


@dataclass(frozen=True, slots=True)
class Fallback:
    """A request that was not answered as its mode asks for."""

    id: str  # as the caller named it
    at: datetime  # UTC
    mode: str  # that was applied
    classified: str
    causes: tuple[str, ...]
    breaches: int  # invariants that were missing
    tokens: int  # that were sent


@dataclass(frozen=True, slots=True)
class Sums:
    """Sums over the requests of a period."""

    requests: int
    judged: int  # without an intent
    unsure: int  # of these
    breaches: int  # invariants that were missing
    over_budget: int  # requests
    tokens_total: int  # of the whole histories, without the current messages
    outcomes: int
    successes: int
    fallbacks: int  # requests with any
    by_cause: dict[str, int]  # requests
    tokens: tuple[int, ...]  # sent, of each section in the order of TOKEN_COLUMNS
    applied: dict[str, int]  # requests by mode


class Requests(Repository):
    """Single requests of a store. A period includes its start, and not its end."""

    def add(self, requests: Iterable[LoggedRequest]) -> None:
        """Log requests, all of them or none."""
        with self._store.write() as db:
            db.table("requests").insert_all(_to_row(request) for request in requests)

    def tell_outcomes(self, outcomes: Sequence[tuple[str, bool]], at: datetime) -> list[int]:
        """Note how requests ended, by id, in place of former outcomes; of equal ids the newest is meant.

        Returns the positions of ids that are not in the log.
        """
        unknown = []
        with self._store.write() as db:
            for position, (id, ok) in enumerate(outcomes):
                changed = db.execute(
                    "UPDATE requests SET ok = ?, told_at = ?"
                    " WHERE number = (SELECT max(number) FROM requests WHERE id = ?)",
                    [ok, at.timestamp(), writable(id)],
                )
                if not changed.rowcount:
                    unknown.append(position)
        return unknown

    def count(self) -> int:
        """Return how many are logged."""
        return int(self._row("SELECT count(*) FROM requests")[0])

    def newest(self) -> datetime | None:
        """Return the time of the last request, or None."""
        (at,) = self._row("SELECT max(at) FROM requests")
        return None if at is None else datetime.fromtimestamp(at, UTC)

    def fallen(self, since: datetime, until: datetime, *, skip: int, limit: int) -> list[Fallback]:
        """Return requests that fell back, the newest first."""
        tokens = " + ".join(f"tokens_{name}" for name in TOKEN_COLUMNS)
        rows = self._rows(
            f"SELECT id, at, mode, classified, fallbacks, breaches, {tokens} FROM requests"
            " WHERE fallbacks <> '' AND at >= ? AND at < ?"
            " ORDER BY at DESC, number DESC LIMIT ? OFFSET ?",
            [since.timestamp(), until.timestamp(), limit, skip],
        )
        return [
            Fallback(id, datetime.fromtimestamp(at, UTC), mode, classified, tuple(causes.split()), *rest)
            for id, at, mode, classified, causes, *rest in rows
        ]

    def everything(self, since: datetime, until: datetime) -> Iterator[tuple[Any, ...]]:
        """Yield the `COLUMNS` of each request in the order of time."""
        with self._store.read() as db:
            yield from db.execute(
                f"SELECT {', '.join(COLUMNS)} FROM requests WHERE at >= ? AND at < ? ORDER BY at, number",
                [since.timestamp(), until.timestamp()],
            )

    def might_exceed(self, max_rows: int) -> bool:
        """Return whether there may be more; at once, and too high only when some were removed in between."""
        first, last = self._row(
            "SELECT (SELECT min(number) FROM requests), (SELECT max(number) FROM requests)"
        )
        return first is not None and last - first + 1 > max_rows

    def keep_newest(self, max_rows: int) -> int:
        """Remove the oldest until that many are left, and return how many."""
        return self._remove("ORDER BY number LIMIT ?", max(0, self.count() - max_rows))

    def remove_before(self, moment: float) -> int:
        """Remove requests from before a time in seconds since 1970, and return how many."""
        return self._remove("WHERE at < ?", moment)

    def add_loss(self, requests: int, why: str, at: datetime) -> None:
        """Note that requests could not be logged."""
        with self._store.write() as db:
            row = {"at": at.timestamp(), "requests": requests, "why": writable(why)}
            db.table("guard_losses").insert(row)
            db.table("guard_losses").delete_where(
                "number <= (SELECT max(number) FROM guard_losses) - ?", [MAX_LOSSES]
            )

    def _remove(self, which: str, *values: float) -> int:
        rows = self._rows(f"SELECT number FROM requests {which}", values)
        for start in range(0, len(rows), _PORTION):
            with self._store.write() as db:
                db.conn.executemany("DELETE FROM requests WHERE number = ?", rows[start : start + _PORTION])
        return len(rows)


class RequestCounts(Repository):
    """Counts for the guardrails, which indices answer. A period includes its end, and not its start."""

    def classified(self, since: datetime, until: datetime, modes: Sequence[str]) -> dict[str, int]:
        """Return the number of requests by classified mode, without modes that have none."""
        row = self._row(
            f"SELECT {_count_by('classified', modes)} FROM requests WHERE at > ? AND at <= ?",
            [*modes, since.timestamp(), until.timestamp()],
        )
        return {mode: count for mode, count in zip(modes, row, strict=True) if count}

    def unsure(self, edges: Sequence[datetime]) -> list[tuple[int, int]]:
        """Return the requests without an intent, and the unsure ones of them, between each two edges."""
        sql = "SELECT count(low), count(*) FILTER (WHERE low) FROM requests WHERE at > ? AND at <= ?"
        counts = []
        for since, until in pairwise(edges):
            judged, unsure = self._row(sql, [since.timestamp(), until.timestamp()])
            counts.append((judged, unsure))
        return counts

    def last_outcomes(self, mode: str, since: datetime, until: datetime, *, most: int) -> Outcomes:
        """Return the outcomes of the newest requests in a mode that have one."""
        count, successes = self._row(
            "SELECT count(*), coalesce(sum(ok), 0) FROM (SELECT ok FROM requests"
            " WHERE ok IS NOT NULL AND mode = ? AND at > ? AND at <= ? ORDER BY at DESC LIMIT ?)",
            [mode, since.timestamp(), until.timestamp(), most],
        )
        return Outcomes(count, count - successes)

    def outcomes(self, since: datetime | None, until: datetime, modes: Sequence[str]) -> dict[str, Outcomes]:
        """Return the outcomes by mode; since None: from the first request.

        With the modes SQLite reads its index of outcomes, not every request of the period.
        """
        rows = self._rows(
            "SELECT mode, count(*), sum(ok) FROM requests WHERE ok IS NOT NULL"
            f" AND mode IN ({', '.join('?' * len(modes))}) AND at > ? AND at <= ? GROUP BY mode",
            [*modes, -1e18 if since is None else since.timestamp(), until.timestamp()],
        )
        return {mode: Outcomes(count, count - successes) for mode, count, successes in rows}

    def lost(self, since: datetime, until: datetime) -> int:
        """Return how many requests could not be logged."""
        (lost,) = self._row(
            "SELECT coalesce(sum(requests), 0) FROM guard_losses WHERE at > ? AND at <= ?",
            [since.timestamp(), until.timestamp()],
        )
        return int(lost)


class RequestFigures(Repository):
    """Sums over bins of time. A bin includes its start, and not its end."""

    def sums(self, edges: Sequence[datetime], modes: Sequence[str]) -> list[Sums]:
        """Return the sums between each two edges. To group by bin in SQL takes twice the time."""
        columns = [
            "count(*)", "count(low)", "count(*) FILTER (WHERE low)", "total(breaches)",
            "count(*) FILTER (WHERE over_budget > 0)", "total(tokens_total)", "count(ok)",
            "count(*) FILTER (WHERE ok)", "count(*) FILTER (WHERE fallbacks <> '')",
            # Most requests have none, and LIKE takes time.
            *(f"count(*) FILTER (WHERE fallbacks <> '' AND fallbacks LIKE '%{cause}%')" for cause in _CAUSES),
            *(f"total(tokens_{name})" for name in TOKEN_COLUMNS),
            _count_by("mode", modes),
        ]  # fmt: skip
        sums = []
        for row in self._between(edges, ", ".join(columns), modes):
            values = iter(map(int, row))
            counts = {name: next(values) for name in _SUMS}
            by_cause = {cause: next(values) for cause in _CAUSES}
            tokens = tuple(next(values) for _ in TOKEN_COLUMNS)
            applied = dict(zip(modes, values, strict=True))
            sums.append(Sums(**counts, by_cause=by_cause, tokens=tokens, applied=applied))
        return sums

    def classified(self, edges: Sequence[datetime], modes: Sequence[str]) -> list[dict[str, int]]:
        """Return the requests by classified mode, between each two edges."""
        rows = self._between(edges, _count_by("classified", modes), modes)
        return [dict(zip(modes, row, strict=True)) for row in rows]

    def seconds(self, since: datetime, until: datetime, *, most: int) -> list[tuple[float, float]]:
        """Return the time of each request, in seconds since 1970, and the seconds that building took.

        Of more than `most` requests about that many, evenly spread.
        """
        period = [since.timestamp(), until.timestamp()]
        (count,) = self._row("SELECT count(*) FROM requests WHERE at >= ? AND at < ?", period)
        rows = self._rows(
            "SELECT at, seconds FROM requests WHERE at >= ? AND at < ? AND number % ? = 0",
            [*period, -(-count // most) or 1],
        )
        return [(at, seconds) for at, seconds in rows]

    def _between(
        self, edges: Sequence[datetime], columns: str, modes: Sequence[str]
    ) -> list[tuple[Any, ...]]:
        sql = f"SELECT {columns} FROM requests WHERE at >= ? AND at < ?"
        periods = pairwise(edge.timestamp() for edge in edges)
        return [self._row(sql, [*modes, *period]) for period in periods]


def _count_by(column: str, modes: Sequence[str]) -> str:
    """Return the columns that count the requests of each mode, with a parameter each."""
    return ", ".join([f"count(*) FILTER (WHERE {column} = ?)"] * len(modes))


def _to_row(request: LoggedRequest) -> dict[str, Any]:
    row = write_row(request)
    del row["tokens"]
    row |= {f"tokens_{name}": count for name, count in zip(TOKEN_COLUMNS, request.tokens, strict=True)}
    return row | {"at": request.at.timestamp(), "fallbacks": " ".join(request.fallbacks)}
