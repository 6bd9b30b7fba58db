"""What the tables of the guardrails hold, in the words of the database: modes and sections are plain text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal

Kind = Literal["drift", "low_confidence", "errors", "breach"]
Severity = Literal["warning", "critical"]
Phase = Literal["held", "probation"]

TOKEN_COLUMNS = ("rules", "task_state", "recent", "evidence", "decisions", "capsules")
"""Sections, in the order of `LoggedRequest.tokens`."""


@dataclass(frozen=True, slots=True)
class LoggedRequest:
    """A request as it is stored."""

    id: str
    at: datetime  # UTC
    mode: str  # that was applied
    classified: str  # that was found
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
    seconds: float  # that building took


@dataclass(frozen=True, slots=True)
class Outcomes:
    """Requests of which a caller told how they ended."""

    count: int
    failures: int

    @property
    def rate(self) -> float | None:
        """The share that failed, 0…1; None without any."""
        return self.failures / self.count if self.count else None


NONE_TOLD = Outcomes(0, 0)


@dataclass(frozen=True, slots=True)
class Baseline:
    """What requests are like when all is well."""

    at: datetime  # UTC, when it was set
    counts: Mapping[str, int]  # requests by classified mode
    outcomes: Outcomes = NONE_TOLD
    since: datetime | None = None  # of the requests that it counts; None: counts were given
    until: datetime | None = None  # exclusive

    @property
    def requests(self) -> int:
        """How many it counts."""
        return sum(self.counts.values())


@dataclass(frozen=True, slots=True)
class Alert:
    """One episode: from when a limit was passed until all was well again."""

    kind: Kind
    mode: str  # whose error rate it is; "" of the other kinds
    raised: datetime  # UTC
    message: str  # a sentence with the figures, as they were when it was raised
    figures: Mapping[str, Any] = field(default_factory=dict)  # plain JSON
    cleared: datetime | None = None  # UTC; None while it lasts
    because: str = ""  # a sentence, why it was cleared
    phase: Phase = "held"  # probation: a mode that failed is applied again, to see
    since: datetime | None = None  # UTC, when the phase began
    rounds: int = 1  # how often the mode was held in this episode
    number: int | None = None  # in the database; None before it is stored

    @property
    def open(self) -> bool:
        """Whether it lasts."""
        return self.cleared is None

    @property
    def severity(self) -> Severity:
        """Critical when an invariant was lost."""
        return "critical" if self.kind == "breach" else "warning"

    def to_json(self) -> dict[str, Any]:
        """The record that `convgate monitor` prints and webhooks get."""
        return {
            "kind": self.kind,
            "severity": self.severity,
            "mode": self.mode or None,
            "message": self.message,
            "raised": self.raised.isoformat(),
            "cleared": self.cleared and self.cleared.isoformat(),
            "because": self.because or None,
            "phase": self.phase if self.open and self.kind == "errors" else None,
            "figures": dict(self.figures),
        }


def moment_of(seconds: float) -> datetime:
    """A time in the database, in UTC."""
    return datetime.fromtimestamp(seconds, UTC)
