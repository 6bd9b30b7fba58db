"""The record of a request, and the interface of the guardrails."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, Protocol

from convgate.modes.budgets import SectionName
from convgate.modes.mode import Mode, ModeSource

Cause = Literal["drift", "misclassified", "errors", "breach"]


@dataclass(frozen=True, slots=True)
class Fallback:
    """Why something else was sent than the mode asks for."""

    cause: Cause
    reason: str  # a sentence with the figures


@dataclass(frozen=True, slots=True)
class RequestRecord:
    """One request; no text of the conversation is in it."""

    id: str  # `record_outcome` names it
    at: datetime  # with a zone
    mode: Mode | None  # that was applied; None without a budget, where no mode is read
    classified: Mode | None  # before smoothing and any fallback
    confidence: float | None  # 0…1
    source: ModeSource | None
    tokens: Mapping[SectionName, int]  # of each section
    tokens_total: int  # of the whole history, without the current message
    budget: int | None  # tokens of everything that might be sent; None: no limit
    invariants: int  # that must hold
    breaches: int  # invariants that were missing before the fallback to the baseline
    over_budget: int  # tokens by which required turns exceed the budget
    fallbacks: tuple[Fallback, ...]
    seconds: float  # that selecting took
    invariant_types: Mapping[str, int] = field(default_factory=dict)  # active ones
    arm: str | None = None  # of a rollout
    session: str | None = None  # id, of which a hash is logged; None: unknown, or without an arm


class Guard(Protocol):
    """Overrules modes and logs requests. Neither method raises, whatever happens to the log."""

    def overruled(self, mode: Mode) -> Fallback | None:
        """Return why GENERAL replaces `mode` now; None when it does not."""
        ...

    def record(self, request: RequestRecord) -> None:
        """Log a request; returns at once."""
        ...
