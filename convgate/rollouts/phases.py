"""The phases of a rollout: share of the sessions, length, conditions of the next phase, checklist."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Literal

Condition = Literal["errors", "latency", "mode agreement", "completion", "breaches"]


@dataclass(frozen=True, slots=True)
class Phase:
    """One phase; its conditions and its checklist are those of the phase after it."""

    number: int  # from 1
    share: float  # of new sessions that get the candidate, 0…1
    length: timedelta | None = None  # None: the last phase
    conditions: tuple[Condition, ...] = ()
    checklist: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """Return its number and share, such as "phase 2 (10%)"."""
        return f"phase {self.number} ({self.share:.0%})"


PHASES = (
    Phase(
        1,
        0.01,
        timedelta(hours=24),
        ("errors", "latency", "mode agreement", "breaches"),
        (
            "An offline comparison of candidate and control is at hand",
            "Alerts reach the owner",
            "A rollback was tried with test data",
        ),
    ),
    Phase(
        2,
        0.10,
        timedelta(weeks=1),
        ("completion", "breaches"),
        ("The owner read answers of the candidate", "Open alerts are explained"),
    ),
    Phase(
        3,
        0.50,
        timedelta(weeks=2),
        ("completion", "breaches"),
        ("The settings of the control are kept for a rollback", "The documentation describes the candidate"),
    ),
    Phase(4, 1.0),
)


def phase_of(number: int) -> Phase:
    """Return the phase of a number from 1."""
    return PHASES[number - 1]
