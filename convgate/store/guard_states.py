"""The baseline of a store, and its alerts: at most one of a kind and mode is open, whoever raised it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from typing import Any

from convgate.errors import StoreError
from convgate.store.database import Store
from convgate.store.faults import translate_decoding_errors
from convgate.store.request_records import Alert, Baseline, Outcomes, moment_of
from convgate.transcripts.characters import writable

KEPT_ALERTS = 10_000

_ALERT = (
    "SELECT kind, mode, raised, message, figures, cleared, because, phase, since, rounds, number"
    " FROM guard_alerts"
)


class GuardStates:
    """What the processes that share a store have to agree on."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def baseline(self) -> Baseline | None:
        """The one that was set last; None when there is none. StoreError when it is damaged."""
        with self._store.read() as db:
            row = db.execute(
                "SELECT at, counts, outcomes, failures, since, until FROM guard_baseline"
            ).fetchone()
        if row is None:
            return None
        at, counts, outcomes, failures, since, until = row
        remedy = "Set another one, or clear it (convgate monitor --clear-baseline)."
        with translate_decoding_errors("the baseline of the guardrails", remedy):
            by_mode = {str(mode): int(count) for mode, count in json.loads(counts).items()}
            told = Outcomes(int(outcomes), int(failures))
            return Baseline(moment_of(at), by_mode, told, _moment(since), _moment(until))

    def put_baseline(self, baseline: Baseline | None) -> Baseline | None:
        """Have this one in place of the one before, which is given back, unless it is damaged; None: none."""
        before = None
        with self._store.write() as db:
            with suppress(StoreError):
                before = self.baseline()
            db.execute("DELETE FROM guard_baseline")
            if baseline is not None:
                db.execute(
                    "INSERT INTO guard_baseline (number, at, counts, outcomes, failures, since, until)"
                    " VALUES (1, ?, ?, ?, ?, ?, ?)",
                    [
                        baseline.at.timestamp(), json.dumps(dict(baseline.counts)), baseline.outcomes.count,
                        baseline.outcomes.failures, _seconds(baseline.since), _seconds(baseline.until),
                    ],
                )  # fmt: skip
        return before

    def open_alerts(self) -> list[Alert]:
        """Those that last, in the order in which they were raised."""
        with self._store.read() as db:
            rows = db.execute(f"{_ALERT} WHERE cleared IS NULL ORDER BY number").fetchall()
        return [_alert_of(row) for row in rows]

    def alerts(self, since: datetime, until: datetime, *, limit: int = 1_000) -> list[Alert]:
        """Those that last, and those that did at some time of a period, the newest first."""
        with self._store.read() as db:
            rows = db.execute(
                f"{_ALERT} WHERE cleared IS NULL OR (raised < ? AND cleared >= ?)"
                " ORDER BY raised DESC, number DESC LIMIT ?",
                [until.timestamp(), since.timestamp(), limit],
            ).fetchall()
        return [_alert_of(row) for row in rows]

    def trusted_since(self) -> dict[str, datetime]:
        """By mode, when the last probation that it passed began."""
        with self._store.read() as db:
            rows = db.execute(
                "SELECT mode, since FROM guard_alerts WHERE number IN (SELECT max(number) FROM guard_alerts"
                " WHERE kind = 'errors' AND cleared IS NOT NULL AND phase = 'probation' GROUP BY mode)"
            ).fetchall()
        return {mode: moment_of(since) for mode, since in rows}

    def put_alerts(self, alerts: Iterable[Alert]) -> list[Alert]:
        """Store alerts as they are now; the same, with their numbers."""
        stored = []
        with self._store.write() as db:
            for alert in alerts:
                values = {
                    "kind": alert.kind,
                    "mode": alert.mode,
                    "raised": alert.raised.timestamp(),
                    "message": writable(alert.message),
                    "figures": json.dumps(dict(alert.figures)),
                    "cleared": _seconds(alert.cleared),
                    "because": writable(alert.because),
                    "phase": alert.phase,
                    "since": (alert.since or alert.raised).timestamp(),
                    "rounds": alert.rounds,
                }
                names, marks = ", ".join(values), ", ".join("?" * len(values))
                if alert.number is None:
                    inserted = db.conn.execute(
                        f"INSERT INTO guard_alerts ({names}) VALUES ({marks})", list(values.values())
                    )
                    stored.append(replace(alert, number=inserted.lastrowid))
                else:
                    db.execute(
                        f"UPDATE guard_alerts SET ({names}) = ({marks}) WHERE number = ?",
                        [*values.values(), alert.number],
                    )
                    stored.append(alert)
            db.execute(
                "DELETE FROM guard_alerts WHERE cleared IS NOT NULL"
                " AND number <= (SELECT max(number) FROM guard_alerts) - ?",
                [KEPT_ALERTS],
            )
        return stored


def _alert_of(row: tuple[Any, ...]) -> Alert:
    kind, mode, raised, message, figures, cleared, because, phase, since, rounds, number = row
    with translate_decoding_errors("alerts of the guardrails"):
        return Alert(
            kind, mode, moment_of(raised), message, dict(json.loads(figures)), _moment(cleared), because,
            phase, moment_of(since), int(rounds), number,
        )  # fmt: skip


def _moment(seconds: float | None) -> datetime | None:
    return None if seconds is None else moment_of(seconds)


def _seconds(moment: datetime | None) -> float | None:
    return None if moment is None else moment.timestamp()
