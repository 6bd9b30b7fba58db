"""Rollouts: state, decisions, checklists, and the arm of each session. The newest one is current."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Literal

from convgate.core.errors import StoreError
from convgate.store.database import Repository
from convgate.store.documents import write_row

Arm = Literal["candidate", "control"]
RolloutState = Literal["running", "stopped", "rolled back"]
Action = Literal["start", "advance", "wait", "stop", "resume", "roll back"]


@dataclass(frozen=True, slots=True)
class StoredRollout:
    """The state of a rollout."""

    name: str
    owners: tuple[str, ...]  # of each phase
    seed: int
    state: RolloutState
    phase: int  # from 1
    started: datetime  # UTC
    phase_started: datetime  # UTC
    next_look: datetime | None  # UTC, at the conditions of the phase; None: there are none
    next_watch: datetime  # UTC, at the rollback rules
    number: int = 0  # in the database; 0 before it is stored

    def __post_init__(self) -> None:
        if not 1 <= self.phase <= len(self.owners):
            raise ValueError(f"phase {self.phase} of {len(self.owners)}")


@dataclass(frozen=True, slots=True)
class RolloutDecision:
    """What was done with a rollout, and why."""

    at: datetime  # UTC
    phase: int  # from 1, before the decision
    action: Action
    reason: str  # sentences with the figures
    figures: Mapping[str, Any] = field(default_factory=dict)  # plain JSON, by condition or rule
    next_look: datetime | None = None  # UTC, at the conditions; None: not before a person acts
    who: str = ""  # the person who decided; empty: the rules


@dataclass(frozen=True, slots=True)
class CheckedItem:
    """An item of a checklist that is done."""

    phase: int
    item: str
    who: str
    at: datetime  # UTC


class Rollouts(Repository):
    """The rollouts of a store; several calls that belong together need a `Store.write` of the caller."""

    def current(self) -> StoredRollout | None:
        """Return the newest rollout, or None."""
        rows = self._records(StoredRollout, "SELECT * FROM rollouts ORDER BY number DESC LIMIT 1")
        return rows[0] if rows else None

    def add(self, rollout: StoredRollout) -> StoredRollout:
        """Add a rollout, and return it with its number; forget the arms of sessions in earlier ones.

        Raises StoreError when the name is taken.
        """
        with self._store.write() as db:
            if db.table("rollouts").count_where("name = ?", [rollout.name]):
                raise StoreError(f"There was a rollout {rollout.name!r} already; choose another name.")
            db.table("rollout_sessions").delete_where()
            row = write_row(rollout)
            del row["number"]
            number = db.table("rollouts").insert(row).last_pk
            assert isinstance(number, int)
        return replace(rollout, number=number)

    def update(self, rollout: StoredRollout, **changes: Any) -> None:
        """Change fields of a rollout."""
        row = write_row(replace(rollout, **changes))
        with self._store.write() as db:
            db.table("rollouts").update(rollout.number, {name: row[name] for name in changes})

    def arm_of(self, rollout: StoredRollout, session: bytes) -> Arm | None:
        """Return the arm of a session, or None before it has one."""
        row = self._row(
            "SELECT arm FROM rollout_sessions WHERE rollout = ? AND session = ?", [rollout.number, session]
        )
        return row[0] if row else None

    def assign(self, rollout: StoredRollout, session: bytes, arm: Arm) -> None:
        """Give a session its arm."""
        with self._store.write() as db:
            row = {"rollout": rollout.number, "session": session, "arm": arm}
            db.table("rollout_sessions").insert(row)

    def sessions(self, rollout: StoredRollout) -> dict[Arm, int]:
        """Return the number of sessions of each arm."""
        rows = self._rows(
            "SELECT arm, count(*) FROM rollout_sessions WHERE rollout = ? GROUP BY arm", [rollout.number]
        )
        return {"candidate": 0, "control": 0, **dict(rows)}

    def add_decision(self, rollout: StoredRollout, decision: RolloutDecision) -> None:
        """Store a decision."""
        with self._store.write() as db:
            db.table("rollout_decisions").insert(write_row(decision) | {"rollout": rollout.number})

    def decisions(self, rollout: StoredRollout) -> list[RolloutDecision]:
        """Return the decisions of a rollout, the newest first."""
        sql = "SELECT * FROM rollout_decisions WHERE rollout = ? ORDER BY number DESC"
        return self._records(RolloutDecision, sql, [rollout.number])

    def checked(self, rollout: StoredRollout) -> list[CheckedItem]:
        """Return the items of its checklists that are done."""
        sql = "SELECT * FROM rollout_checks WHERE rollout = ? ORDER BY at"
        return self._records(CheckedItem, sql, [rollout.number])

    def check(self, rollout: StoredRollout, item: CheckedItem) -> None:
        """Mark an item of a checklist as done; one that is done stays as it is."""
        with self._store.write() as db:
            row = write_row(item) | {"rollout": rollout.number}
            db.table("rollout_checks").insert(row, ignore=True)

    def uncheck(self, rollout: StoredRollout, phase: int, item: str) -> None:
        """Mark an item of a checklist as open."""
        with self._store.write() as db:
            db.table("rollout_checks").delete_where(
                "rollout = ? AND phase = ? AND item = ?", [rollout.number, phase, item]
            )
