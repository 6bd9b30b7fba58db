"""Decide from the checks of a rollout: advance, wait, stop or roll back."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from convgate.core.text import join_words, pluralize
from convgate.rollouts.figures import Check
from convgate.rollouts.phases import phase_of
from convgate.store.rollouts import Action, RolloutDecision, StoredRollout

MAX_LENGTHS = 2  # lengths of a phase, after which it is stopped when its conditions still lack data


def decide_rollback(rollout: StoredRollout, rules: Sequence[Check], now: datetime) -> RolloutDecision | None:
    """Return the rollback that a rule asks for, or None."""
    failed = [rule for rule in rules if rule.state == "failed"]
    if not failed:
        return None
    return _decision(rollout, "roll back", f"A rollback rule failed: {_list(failed)}.", rules, now)


def decide_phase(
    rollout: StoredRollout, conditions: Sequence[Check], open_items: Sequence[str], now: datetime
) -> RolloutDecision:
    """Return what to do at a look at the conditions of a phase that has one after it."""
    phase = phase_of(rollout.phase)
    assert phase.length is not None
    failed = [check for check in conditions if check.state == "failed"]
    undecided = [check for check in conditions if check.state == "not enough data"]
    is_last_look = now >= rollout.phase_started + MAX_LENGTHS * phase.length
    if failed:
        reason = f"The conditions of {phase.name} failed: {_list(failed)}."
        return _decision(rollout, "stop", reason, conditions, now)
    if undecided:
        reason = f"Not enough data in {phase.name}: {_list(undecided)}."
        if is_last_look:
            return _decision(rollout, "stop", reason, conditions, now)
        return _decision(rollout, "wait", reason, conditions, now, now + phase.length / 2)
    if open_items:
        owner = rollout.owners[rollout.phase - 1]
        reason = (
            f"The conditions of {phase.name} passed. {owner} has"
            f" {pluralize(len(open_items), 'item')} of the checklist to do: {join_words(open_items)}."
        )
        return _decision(rollout, "wait", reason, conditions, now, now + phase.length / 2)
    reason = f"The conditions of {phase.name} passed: {_list(conditions)}."
    return _decision(rollout, "advance", reason, conditions, now, next_look_after(rollout.phase + 1, now))


def next_look_after(phase: int, start: datetime) -> datetime | None:
    """Return when the conditions of a phase that starts then are looked at; None: it has none."""
    length = phase_of(phase).length
    return None if length is None else start + length


def to_figures(checks: Sequence[Check]) -> dict[str, Any]:
    """Return the figures of checks by name, as a decision stores them."""
    return {check.name: {"state": check.state, **check.figures} for check in checks}


def _decision(
    rollout: StoredRollout,
    action: Action,
    reason: str,
    checks: Sequence[Check],
    now: datetime,
    next_look: datetime | None = None,
) -> RolloutDecision:
    return RolloutDecision(now, rollout.phase, action, reason, to_figures(checks), next_look)


def _list(checks: Sequence[Check]) -> str:
    return "; ".join(check.sentence for check in checks)
