"""The log of requests: written in batches, with outcomes noted later, and sums over periods of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import pairwise
from typing import Any, NamedTuple

from convgate.core.text import writable
from convgate.store.database import Repository

TOKEN_COLUMNS = ("rules", "task_state", "recent", "evidence", "decisions", "capsules")
"""Sections, each a column `tokens_…`."""

INVARIANT_TYPES = ("safety_requirement", "user_correction", "hard_constraint", "blocking_error")
"""Types, each a column `invariants_…`."""

MAX_LOSSES = 1_000
"""Rows of lost requests that are kept."""

_PORTION = 5_000  # requests removed in one transaction, so that other programs can write in between
_CAUSES = ("drift", "misclassified", "errors", "breach")

_NUMBERS = (
    "requests", "judged", "unsure", "breaches", "over_budget", "tokens_total", "outcomes", "successes",
    "fallbacks",
)  # fmt: skip
# The numbers above, then requests by cause, tokens by section, and invariants by type.
_SUMS = ", ".join(
    [
        "count(*)", "count(low)", "count(*) FILTER (WHERE low)", "total(breaches)",
        "count(*) FILTER (WHERE over_budget > 0)", "total(tokens_total)", "count(ok)",
        "count(*) FILTER (WHERE ok)", "count(*) FILTER (WHERE fallbacks <> '')",
        *(f"count(*) FILTER (WHERE fallbacks <> '' AND fallbacks LIKE '%{cause}%')" for cause in _CAUSES),
        *(f"total(tokens_{name})" for name in TOKEN_COLUMNS),
        *(f"total(invariants_{type})" for type in INVARIANT_TYPES),
    ]
)  # fmt: skip
_PERIOD = "at >= ? AND at < ?"


class RequestOutcome(NamedTuple):
    """How a request ended."""

    id: str
    ok: bool
    is_error: bool = False  # whether there was no answer; never with `ok`
    seconds: float | None = None  # until the answer


@dataclass(frozen=True, slots=True)
class ArmFigures:
    """The requests of one arm of a rollout in a period; a session counts once, with its mean.

    A request without a session is one of its own.
    """

    requests: int
    breaches: int  # requests in which invariants were missing
    outcomes: int  # requests whose outcome is known
    sessions_with_outcome: int
    completion: float | None  # share of the outcomes that are successes, 0…1; None without outcomes
    error_rate: float | None  # share of the outcomes without an answer, 0…1; None without outcomes
    sessions_with_error: int
    sessions_with_latency: int
    latency: float | None  # median seconds until the answer; None without any


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
    by_cause: Mapping[str, int]  # requests
    tokens: tuple[int, ...]  # sent, of each section in the order of TOKEN_COLUMNS
    invariant_types: Mapping[str, int]  # active invariants of all requests, by type
    applied: Mapping[str, int]  # requests by mode
    classified: Mapping[str, int]  # requests by classified mode


class Requests(Repository):
    """The logged requests of a store. A period includes its start, and not its end."""

    def add(self, rows: Iterable[dict[str, Any]]) -> None:
        """Log requests, all of them or none; a row has values by column."""
        with self._store.write() as db:
            db.table("requests").insert_all(rows)

    def record_outcomes(
        self, outcomes: Sequence[tuple[str, bool] | RequestOutcome], at: datetime
    ) -> list[int]:
        """Record how requests ended, by id, in place of former outcomes; of equal ids the newest is meant.

        Returns the positions of ids that are not in the log.
        """
        unknown = []
        with self._store.write() as db:
            for position, outcome in enumerate(RequestOutcome(*values) for values in outcomes):
                changed = db.execute(
                    "UPDATE requests SET ok = ?, outcome_at = ?, error = ?, answer_seconds = ?"
                    " WHERE number = (SELECT max(number) FROM requests WHERE id = ?)",
                    [outcome.ok, at.timestamp(), outcome.is_error, outcome.seconds, writable(outcome.id)],
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

    def sums(self, since: datetime, until: datetime, modes: Sequence[str]) -> Sums:
        """Return the sums of a period."""
        rows = self._rows(
            f"SELECT mode, classified, {_SUMS} FROM requests WHERE {_PERIOD} GROUP BY mode, classified",
            [since.timestamp(), until.timestamp()],
        )
        applied, classified = dict.fromkeys(modes, 0), dict.fromkeys(modes, 0)
        totals = [0] * (len(_NUMBERS) + len(_CAUSES) + len(TOKEN_COLUMNS) + len(INVARIANT_TYPES))
        for mode, classified_mode, *numbers in rows:
            if mode:
                applied[mode] = applied.get(mode, 0) + numbers[0]
                classified[classified_mode] = classified.get(classified_mode, 0) + numbers[0]
            totals = [total + int(number) for total, number in zip(totals, numbers, strict=True)]
        values = iter(totals)
        counts = {name: next(values) for name in _NUMBERS}
        by_cause = {cause: next(values) for cause in _CAUSES}
        tokens = tuple(next(values) for _ in TOKEN_COLUMNS)
        types = dict(zip(INVARIANT_TYPES, values, strict=True))
        return Sums(
            **counts,
            by_cause=by_cause,
            tokens=tokens,
            invariant_types=types,
            applied=applied,
            classified=classified,
        )

    def classified(self, since: datetime, until: datetime) -> dict[str, int]:
        """Return the number of requests by classified mode, without modes that have none."""
        sql = f"SELECT classified, count(*) FROM requests WHERE {_PERIOD} AND classified <> '' GROUP BY 1"
        rows: list[Any] = self._rows(sql, [since.timestamp(), until.timestamp()])
        return dict(rows)

    def unsure(self, edges: Sequence[datetime]) -> list[tuple[int, int]]:
        """Return the requests without an intent, and the unsure ones of them, between each two edges."""
        sql = f"SELECT count(low), count(*) FILTER (WHERE low) FROM requests WHERE {_PERIOD}"
        counts = []
        for since, until in pairwise(edges):
            judged, unsure = self._row(sql, [since.timestamp(), until.timestamp()])
            counts.append((judged, unsure))
        return counts

    def last_outcomes(self, mode: str, since: datetime, until: datetime, *, limit: int) -> Outcomes:
        """Return the outcomes of the newest requests in a mode that have one."""
        count, successes = self._row(
            "SELECT count(*), coalesce(sum(ok), 0) FROM (SELECT ok FROM requests"
            f" WHERE ok IS NOT NULL AND mode = ? AND {_PERIOD} ORDER BY at DESC LIMIT ?)",
            [mode, since.timestamp(), until.timestamp(), limit],
        )
        return Outcomes(count, count - successes)

    def outcomes(self, since: datetime | None, until: datetime, modes: Sequence[str]) -> dict[str, Outcomes]:
        """Return the outcomes by mode; since None: from the first request.

        With the modes SQLite reads its index of outcomes, not every request of the period.
        """
        rows = self._rows(
            "SELECT mode, count(*), sum(ok) FROM requests WHERE ok IS NOT NULL"
            f" AND mode IN ({', '.join('?' * len(modes))}) AND {_PERIOD} GROUP BY mode",
            [*modes, -1e18 if since is None else since.timestamp(), until.timestamp()],
        )
        return {mode: Outcomes(count, count - successes) for mode, count, successes in rows}

    def arm_figures(self, arm: str, since: datetime, until: datetime) -> ArmFigures:
        """Return the figures of an arm."""
        row = self._row(
            f"""
            WITH sessions AS MATERIALIZED (
                SELECT count(*) AS requests, count(*) FILTER (WHERE breaches > 0) AS breaches,
                    count(ok) AS outcomes, avg(ok) AS completion, avg(error) AS error_rate,
                    avg(answer_seconds) AS latency
                FROM requests WHERE arm = ? AND {_PERIOD} GROUP BY coalesce(session, -number)
            ), timed AS (SELECT count(latency) AS number FROM sessions)
            SELECT total(requests), total(breaches), total(outcomes), count(completion), avg(completion),
                avg(error_rate), count(*) FILTER (WHERE error_rate > 0), count(latency), (
                    SELECT avg(latency) FROM (
                        SELECT latency FROM sessions WHERE latency IS NOT NULL ORDER BY latency
                        LIMIT (SELECT 2 - number % 2 FROM timed)
                        OFFSET (SELECT max(0, number - 1) / 2 FROM timed)
                    )
                )
            FROM sessions""",
            [arm, since.timestamp(), until.timestamp()],
        )
        requests, breaches, outcomes, *rest = row
        return ArmFigures(int(requests), int(breaches), int(outcomes), *rest)

    def seconds(self, since: datetime, until: datetime, *, limit: int) -> list[tuple[float, float]]:
        """Return the time of each request, in seconds since 1970, and the seconds that building took.

        Of more than `limit` requests about that many, evenly spread.
        """
        period = [since.timestamp(), until.timestamp()]
        (count,) = self._row(f"SELECT count(*) FROM requests WHERE {_PERIOD}", period)
        rows = self._rows(
            f"SELECT at, seconds FROM requests WHERE {_PERIOD} AND number % ? = 0",
            [*period, -(-count // limit) or 1],
        )
        return [(at, seconds) for at, seconds in rows]

    def trim(self, before: float, max_rows: int) -> None:
        """Remove requests from before a time in seconds since 1970, then the oldest beyond `max_rows`."""
        self._remove("WHERE at < ?", before)
        first, last = self._row("SELECT min(number), max(number) FROM requests")
        if first is not None and last - first >= max_rows:  # to count takes long
            self._remove("ORDER BY number LIMIT ?", max(0, self.count() - max_rows))

    def add_loss(self, requests: int, why: str, at: datetime) -> None:
        """Note that requests could not be logged."""
        with self._store.write() as db:
            db.table("guard_losses").insert(
                {"at": at.timestamp(), "requests": requests, "why": writable(why)}
            )
            db.table("guard_losses").delete_where(
                "number <= (SELECT max(number) FROM guard_losses) - ?", [MAX_LOSSES]
            )

    def lost(self, since: datetime, until: datetime) -> int:
        """Return how many requests could not be logged."""
        sql = f"SELECT coalesce(sum(requests), 0) FROM guard_losses WHERE {_PERIOD}"
        return int(self._row(sql, [since.timestamp(), until.timestamp()])[0])

    def _remove(self, which: str, *values: float) -> int:
        rows = self._rows(f"SELECT number FROM requests {which}", values)
        for start in range(0, len(rows), _PORTION):
            with self._store.write() as db:
                db.conn.executemany("DELETE FROM requests WHERE number = ?", rows[start : start + _PORTION])
        return len(rows)
