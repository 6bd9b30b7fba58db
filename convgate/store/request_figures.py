"""Sums over a period of the log, in bins of time; SQLite does the adding."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise

from convgate.store.database import Store
from convgate.store.request_records import TOKEN_COLUMNS

_CAUSES = ("drift", "errors", "breach")
_COUNT = "count(*) FILTER (WHERE "
_SUMS = ", ".join(
    (
        "count(*)", "count(low)", f"{_COUNT}low)", "total(breaches)", f"{_COUNT}over_budget > 0)",
        "total(tokens_total)", "count(ok)", f"{_COUNT}ok)", f"{_COUNT}fallbacks <> '')",
        # Most requests have none, and LIKE takes time.
        *(f"{_COUNT}fallbacks <> '' AND fallbacks LIKE '%{cause}%')" for cause in _CAUSES),
        *(f"total(tokens_{name})" for name in TOKEN_COLUMNS),
    )
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Sums:
    """Of the requests between two moments."""

    requests: int
    judged: int  # without an intent
    unsure: int  # of these
    breaches: int  # invariants that were missing
    over_budget: int  # requests
    tokens_total: int  # had all been sent
    outcomes: int
    successes: int
    fallbacks: int  # requests with any
    by_cause: dict[str, int]  # requests
    tokens: tuple[int, ...]  # sent, of each section in the order of TOKEN_COLUMNS
    applied: dict[str, int]  # requests by mode


class RequestFigures:
    """Sums over requests of a store. A bin includes its beginning, and not its end."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def sums(self, edges: Sequence[datetime], modes: Sequence[str]) -> list[Sums]:
        """Between each two edges. To have SQLite group them by bin takes twice the time: it sorts them."""
        modes_summed = ", ".join([f"{_COUNT}mode = ?)"] * len(modes))
        asked = f"SELECT {_SUMS}, {modes_summed} FROM requests WHERE at >= ? AND at < ?"
        found = []
        with self._store.read() as db:
            for since, until in pairwise(edges):
                row = db.execute(asked, [*modes, since.timestamp(), until.timestamp()]).fetchone()
                (
                    requests, judged, unsure, breaches, over, total, outcomes, successes, fallbacks, *rest,
                ) = map(int, row)  # fmt: skip
                causes, rest = rest[: len(_CAUSES)], rest[len(_CAUSES) :]
                tokens, applied = rest[: len(TOKEN_COLUMNS)], rest[len(TOKEN_COLUMNS) :]
                by_cause = dict(zip(_CAUSES, causes, strict=True))
                by_mode = dict(zip(modes, applied, strict=True))
                found.append(
                    Sums(
                        requests, judged, unsure, breaches, over, total, outcomes, successes, fallbacks,
                        by_cause, tuple(tokens), by_mode,
                    )
                )  # fmt: skip
        return found

    def classified(self, edges: Sequence[datetime], modes: Sequence[str]) -> list[dict[str, int]]:
        """Requests by the mode that was found, between each two edges."""
        summed = ", ".join([f"{_COUNT}classified = ?)"] * len(modes))
        asked = f"SELECT {summed} FROM requests WHERE at >= ? AND at < ?"
        found = []
        with self._store.read() as db:
            for since, until in pairwise(edges):
                row = db.execute(asked, [*modes, since.timestamp(), until.timestamp()]).fetchone()
                found.append(dict(zip(modes, row, strict=True)))
        return found

    def seconds(self, since: datetime, until: datetime, *, most: int) -> list[tuple[float, float]]:
        """When each request was, in seconds since 1970, and seconds that building took.

        Of more than `most` requests about so many, evenly drawn.
        """
        period = [since.timestamp(), until.timestamp()]
        with self._store.read() as db:
            (count,) = db.execute("SELECT count(*) FROM requests WHERE at >= ? AND at < ?", period).fetchone()
            return db.execute(
                "SELECT at, seconds FROM requests WHERE at >= ? AND at < ? AND number % ? = 0",
                [*period, -(-count // most) or 1],
            ).fetchall()
