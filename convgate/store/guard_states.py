"""The baseline of the guardrails, and their alerts: at most one of a kind and mode is open."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Literal

from convgate.core.errors import StoreError
from convgate.store.database import Repository
from convgate.store.documents import read_row, translate_decoding_errors, write_row
from convgate.store.requests import NO_OUTCOMES, Outcomes

AlertKind = Literal["drift", "low_confidence", "misclassified", "errors", "breach", "rollout", "rollback"]
Severity = Literal["warning", "critical"]

MAX_ALERTS = 10_000
"""Cleared alerts that are kept."""


@dataclass(frozen=True, slots=True)
class Baseline:
    """The usual requests, to compare with."""

    at: datetime  # UTC, when it was set
    counts: Mapping[str, int]  # requests by classified mode
    outcomes: Outcomes = NO_OUTCOMES
    since: datetime | None = None  # of the requests that it counts; None: counts were given
    until: datetime | None = None  # exclusive

    @property
    def requests(self) -> int:
        """Return how many it counts."""
        return sum(self.counts.values())


@dataclass(frozen=True, slots=True)
class Alert:
    """One episode: from when a limit was passed until all was well again."""

    kind: AlertKind
    mode: str  # whose error rate it is; "" of the other kinds
    raised: datetime  # UTC
    message: str  # a sentence with the figures, as they were when it was raised
    figures: Mapping[str, Any] = field(default_factory=dict)  # plain JSON
    cleared: datetime | None = None  # UTC; None while it is open
    because: str = ""  # a sentence, why it was cleared
    number: int | None = None  # in the database; None before it is stored

    @property
    def open(self) -> bool:
        """Return whether it is not cleared."""
        return self.cleared is None

    @property
    def severity(self) -> Severity:
        """Return critical when an invariant was lost or a rollout was rolled back."""
        return "critical" if self.kind in ("breach", "rollback") else "warning"

    def to_json(self) -> dict[str, Any]:
        """Return the record that `convgate monitor` prints and webhooks get."""
        return {
            "kind": self.kind,
            "severity": self.severity,
            "mode": self.mode or None,
            "message": self.message,
            "raised": self.raised.isoformat(),
            "cleared": self.cleared and self.cleared.isoformat(),
            "because": self.because or None,
            "figures": dict(self.figures),
        }


class GuardStates(Repository):
    """What the processes that share a store have to agree on."""

    def baseline(self) -> Baseline | None:
        """Return the baseline, or None. Raises StoreError when it is damaged."""
        with self._store.read() as db:
            for row in db.table("guard_baseline").rows:
                with translate_decoding_errors("baseline"):
                    outcomes = Outcomes(**json.loads(row["outcomes"]))
                return read_row(Baseline, row | {"outcomes": outcomes})
        return None

    def put_baseline(self, baseline: Baseline | None) -> Baseline | None:
        """Replace the baseline, and return the former one, unless it is damaged; None removes it."""
        former = None
        with self._store.write() as db:
            with suppress(StoreError):
                former = self.baseline()
            db.table("guard_baseline").delete_where()
            if baseline is not None:
                outcomes = json.dumps(write_row(baseline.outcomes))
                db.table("guard_baseline").insert(write_row(baseline) | {"number": 1, "outcomes": outcomes})
        return former

    def open_alerts(self) -> list[Alert]:
        """Return the open alerts, in the order in which they were raised."""
        return self._alerts("cleared IS NULL", [], order_by="number")

    def alerts(self, since: datetime, until: datetime, *, limit: int = 1_000) -> list[Alert]:
        """Return the open alerts, and those that were open at some time of a period, the newest first."""
        return self._alerts(
            "cleared IS NULL OR (raised < ? AND cleared >= ?)",
            [until.isoformat(), since.isoformat()],
            order_by="raised DESC, number DESC",
            limit=limit,
        )

    def trusted_since(self) -> dict[str, datetime]:
        """Return, by mode, when its last alert was cleared, so that it was tried again."""
        alerts = self._alerts(
            "number IN (SELECT max(number) FROM guard_alerts"
            " WHERE kind = 'errors' AND cleared IS NOT NULL GROUP BY mode)",
            [],
        )
        return {alert.mode: alert.cleared for alert in alerts if alert.cleared}

    def put_alerts(self, alerts: Iterable[Alert]) -> list[Alert]:
        """Store alerts, and return them with their numbers."""
        stored = []
        with self._store.write() as db:
            table = db.table("guard_alerts")
            for alert in alerts:
                row = write_row(alert)
                number = row.pop("number")
                if number is None:
                    number = table.insert(row).last_pk
                else:
                    table.update(number, row)
                stored.append(replace(alert, number=number))
            table.delete_where(
                "cleared IS NOT NULL AND number <= (SELECT max(number) FROM guard_alerts) - ?", [MAX_ALERTS]
            )
        return stored

    def _alerts(self, where: str, values: list[str], **options: Any) -> list[Alert]:
        with self._store.read() as db:
            rows = db.table("guard_alerts").rows_where(where, values, **options)
            return [read_row(Alert, row) for row in rows]
