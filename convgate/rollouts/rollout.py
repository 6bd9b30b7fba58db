"""The rollout of a running program: the arm of each session, and decisions by the log and by people.

    arm = convgate.rollout(session_id)     # "candidate" or "control"

Several processes share a rollout through the database; one of them decides.
"""

from __future__ import annotations

import hashlib
import logging
import os
import secrets
import sqlite3
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from pathlib import Path
from typing import Any

from convgate.core.errors import RolloutError, StoreError
from convgate.core.settings import Settings, load_settings
from convgate.core.text import quote
from convgate.guardrails.guardrails import Callback, send_alert
from convgate.rollouts.decision import decide_phase, decide_rollback, next_look_after, to_figures
from convgate.rollouts.figures import Check, PeriodComparison, check_conditions, check_rules, compare_arms
from convgate.rollouts.phases import PHASES, Phase, phase_of
from convgate.store.database import Store
from convgate.store.guard_states import Alert, AlertKind, GuardStates
from convgate.store.rollouts import (
    Action,
    Arm,
    CheckedItem,
    RolloutDecision,
    Rollouts,
    RolloutState,
    StoredRollout,
)

log = logging.getLogger(__name__)

WATCH_INTERVAL = timedelta(minutes=5)  # between two looks at the rollback rules
_STATES: dict[Action, RolloutState] = {
    "start": "running", "advance": "running", "wait": "running", "resume": "running", "stop": "stopped",
    "roll back": "rolled back",
}  # fmt: skip
_WORDS: dict[Action, str] = {"wait": "waiting", "stop": "stopped", "roll back": "rolled back"}


def rollout(session_id: str) -> Arm:
    """Return the arm of a session, "candidate" or "control"; "control" without a rollout.

    A session keeps the arm of its first call; only a rollback moves it, to "control". When the database
    cannot be read or written, a warning is logged and the arm is "control".
    """
    return _open_rollout(load_settings().database, os.getpid()).arm(session_id)


@lru_cache(maxsize=4)
def _open_rollout(path: Path, _process: int) -> Rollout:
    """Return the rollout of a database; a forked process must not use the connections of its parent."""
    return Rollout(Store(path), load_settings())


@dataclass(frozen=True)
class RolloutStatus:
    """The current rollout, its checks now, and its decisions."""

    rollout: StoredRollout
    conditions: tuple[Check, ...]  # of the present phase; none at 100%
    rules: tuple[Check, ...]
    checked: tuple[CheckedItem, ...]  # of all phases
    decisions: tuple[RolloutDecision, ...]  # the newest first
    figures: PeriodComparison  # of the present phase
    sessions: dict[Arm, int]

    @property
    def phase(self) -> Phase:
        """Return the present phase."""
        return phase_of(self.rollout.phase)

    @property
    def owner(self) -> str:
        """Return the owner of the present phase."""
        return self.rollout.owners[self.rollout.phase - 1]

    @property
    def open_items(self) -> list[str]:
        """Return the items of the phase's checklist that are not done."""
        return _open_items(self.rollout, self.checked)


class Rollout:
    """The current rollout of a store. Thread-safe; processes may share the store.

    alert: called when the log stops the rollout, rolls it back, or makes it wait.
    """

    def __init__(
        self,
        store: Store,
        settings: Settings | None = None,
        *,
        alert: Callback | None = None,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._store, self._rollouts = store, Rollouts(store)
        self._settings, self._alert, self._clock = settings or load_settings(), alert, clock
        self._is_reviewing = threading.Lock()

    def arm(self, session_id: str) -> Arm:
        """Return the arm of a session as `rollout` does; when a look is due, a thread takes it."""
        try:
            current = self._rollouts.current()
            if current is None or current.state == "rolled back":
                return "control"
            if _is_due(current, self._clock()) and not self._store.is_read_only:
                threading.Thread(target=self._review_logged, name="convgate-rollout").start()
            session = _hash_session(current, session_id)
            return self._rollouts.arm_of(current, session) or self._assign(session_id)
        except (StoreError, sqlite3.Error) as error:
            log.warning("the rollout cannot be read; the session is answered by the control: %s", error)
            return "control"

    def review(self) -> RolloutDecision | None:
        """Take the looks that are due, and return what was decided; None when nothing changes.

        Of processes that share a store, one takes a look.
        """
        now = self._now()
        with self._store.write():  # claim the look
            current = self._rollouts.current()
            if current is None or not _is_due(current, now):
                return None
            self._rollouts.update(current, next_watch=now + WATCH_INTERVAL)
        decision = decide_rollback(current, check_rules(self._store, current, now), now)
        if decision is None and current.next_look is not None and now >= current.next_look:
            conditions = check_conditions(self._store, current, now)
            open_items = _open_items(current, self._rollouts.checked(current))
            decision = decide_phase(current, conditions, open_items, now)
        if decision is None:
            return None
        with self._store.write():
            if not _is_same(self._rollouts.current(), current):
                return None  # a person was quicker
            self._apply(current, decision)
            alert = _to_alert(current, decision)
            if alert is not None:
                GuardStates(self._store).put_alerts([replace(alert, cleared=alert.raised)])
        if alert is not None:
            send_alert(alert, self._settings, self._alert)
        return decision

    def status(self) -> RolloutStatus:
        """Return the current rollout with its checks. Raises RolloutError when there is none."""
        current, now = self._current(), self._now()
        return RolloutStatus(
            current,
            tuple(check_conditions(self._store, current, now)),
            tuple(check_rules(self._store, current, now)),
            tuple(self._rollouts.checked(current)),
            tuple(self._rollouts.decisions(current)),
            compare_arms(self._store, current.phase_started, now),
            self._rollouts.sessions(current),
        )

    def start(self, name: str, *, owners: Sequence[str]) -> StoredRollout:
        """Start a rollout with 1% of new sessions. owners: one for all phases, or one for each.

        Raises RolloutError when one is under way or an argument is wrong.
        """
        now = self._now()
        if not name.strip():
            raise RolloutError("A rollout needs a name.")
        if len(owners) not in (1, len(PHASES)) or not all(owner.strip() for owner in owners):
            raise RolloutError(f"A rollout has one owner, or one for each of the {len(PHASES)} phases.")
        owners = tuple(owners) * (len(PHASES) // len(owners))
        seed, next_look = secrets.randbits(31), next_look_after(1, now)
        new = StoredRollout(name, owners, seed, "running", 1, now, now, next_look, now + WATCH_INTERVAL)
        with self._store.write():
            current = self._rollouts.current()
            if current is not None and current.state != "rolled back" and current.phase < len(PHASES):
                raise RolloutError(f"The rollout {quote(current.name)} is under way; roll it back first.")
            stored = self._rollouts.add(new)
            reason = f"Started: {phase_of(1).share:.0%} of new sessions get the candidate."
            decision = RolloutDecision(now, 1, "start", reason, next_look=next_look, who=owners[0])
            self._rollouts.add_decision(stored, decision)
        return stored

    def advance(self, *, who: str, reason: str) -> RolloutDecision:
        """Begin the next phase whatever the log says; a stopped rollout begins its phase again."""
        with self._store.write():
            current = self._current()
            if current.state == "stopped":
                return self._decide("resume", who, reason, next_look_after(current.phase, self._now()))
            if current.phase == len(PHASES):
                raise RolloutError(f"{quote(current.name)} is in its last phase.")
            return self._decide("advance", who, reason, next_look_after(current.phase + 1, self._now()))

    def stop(self, *, who: str, reason: str) -> RolloutDecision:
        """Give the control to all new sessions; others keep their arm."""
        return self._decide("stop", who, reason)

    def roll_back(self, *, who: str, reason: str) -> RolloutDecision:
        """Give the control to all sessions for good."""
        return self._decide("roll back", who, reason)

    def set_item(self, item: str, *, who: str, is_done: bool = True) -> None:
        """Mark an item of the present phase's checklist as done or open.

        A look that had to wait for the checklist is taken with the next look at the rollback rules.
        """
        now = self._now()
        with self._store.write():
            current = self._current()
            phase = phase_of(current.phase)
            if item not in phase.checklist:
                raise RolloutError(f"The checklist of {phase.name} has no item {quote(item)}.")
            if is_done:
                self._rollouts.check(current, CheckedItem(phase.number, item, who, now))
            else:
                self._rollouts.uncheck(current, phase.number, item)
            end = next_look_after(phase.number, current.phase_started)
            if current.next_look is not None and end is not None and end <= now < current.next_look:
                self._rollouts.update(current, next_look=now)

    def set_owner(self, owner: str) -> None:
        """Name another owner of the present phase."""
        if not owner.strip():
            raise RolloutError("An owner needs a name.")
        with self._store.write():
            current = self._current()
            owners = list(current.owners)
            owners[current.phase - 1] = owner
            self._rollouts.update(current, owners=tuple(owners))

    def _decide(
        self, action: Action, who: str, reason: str, next_look: datetime | None = None
    ) -> RolloutDecision:
        """Store the decision of a person, with the conditions as they are."""
        now = self._now()
        if not reason.strip():
            raise RolloutError("A decision needs a reason.")
        with self._store.write():
            current = self._current()
            if current.state == "rolled back" or (action == "stop" and current.state == "stopped"):
                raise RolloutError(f"The rollout {quote(current.name)} is {current.state} already.")
            figures = to_figures(check_conditions(self._store, current, now))
            decision = RolloutDecision(now, current.phase, action, reason, figures, next_look, who)
            self._apply(current, decision)
        return decision

    def _apply(self, current: StoredRollout, decision: RolloutDecision) -> None:
        changes: dict[str, Any] = {"state": _STATES[decision.action], "next_look": decision.next_look}
        if decision.action in ("advance", "resume"):
            changes["phase_started"] = decision.at
        if decision.action == "advance":
            changes["phase"] = current.phase + 1
        self._rollouts.update(current, **changes)
        self._rollouts.add_decision(current, decision)

    def _assign(self, session_id: str) -> Arm:
        with self._store.write():  # another process may have been quicker
            current = self._current()
            session = _hash_session(current, session_id)
            if (arm := self._rollouts.arm_of(current, session)) is not None:
                return arm
            share = phase_of(current.phase).share if current.state == "running" else 0.0
            arm = "candidate" if int.from_bytes(session[:8]) / 2**64 < share else "control"
            self._rollouts.assign(current, session, arm)
        return arm

    def _review_logged(self) -> None:
        """Take the looks that are due, in a thread; log what fails."""
        if not self._is_reviewing.acquire(blocking=False):
            return
        try:
            self.review()
        except (StoreError, sqlite3.Error) as error:
            log.warning("the rollout cannot be looked at: %s", error)
        finally:
            self._is_reviewing.release()

    def _current(self) -> StoredRollout:
        current = self._rollouts.current()
        if current is None:
            raise RolloutError("There is no rollout. Start one: convgate rollout start NAME --owner OWNER")
        return current

    def _now(self) -> datetime:
        return self._clock().astimezone(UTC)


def _open_items(rollout: StoredRollout, checked: Sequence[CheckedItem]) -> list[str]:
    """Return the items of the present phase's checklist that are not done."""
    done = {item.item for item in checked if item.phase == rollout.phase}
    return [item for item in phase_of(rollout.phase).checklist if item not in done]


def _is_due(rollout: StoredRollout, now: datetime) -> bool:
    """Return whether the rules are to be looked at; also when the clock was set back."""
    return rollout.state != "rolled back" and not now < rollout.next_watch <= now + WATCH_INTERVAL


def _is_same(rollout: StoredRollout | None, other: StoredRollout) -> bool:
    """Return whether a rollout is as it was, apart from its next look at the rollback rules."""
    return rollout is not None and replace(rollout, next_watch=other.next_watch) == other


def _hash_session(rollout: StoredRollout, session_id: str) -> bytes:
    """Return 16 bytes that depend on the session and the seed; ids of sessions are not stored."""
    key = f"{rollout.seed} {session_id}".encode(errors="surrogatepass")
    return hashlib.blake2b(key, digest_size=16).digest()


def _to_alert(rollout: StoredRollout, decision: RolloutDecision) -> Alert | None:
    """Return the alert of a decision that somebody has to know of; None of an advance."""
    if decision.action == "advance":
        return None
    kind: AlertKind = "rollback" if decision.action == "roll back" else "rollout"
    message = f"{rollout.name}: {_WORDS[decision.action]}. {decision.reason}"
    return Alert(kind, "", decision.at, message, decision.figures)
