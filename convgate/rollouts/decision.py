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
    reason = f"A rollback rule failed: {_list(failed)}."
    return RolloutDecision(now, rollout.phase, "roll back", reason, to_figures(rules))


def decide_phase(
    rollout: StoredRollout, conditions: Sequence[Check], open_items: Sequence[str], now: datetime
) -> RolloutDecision:
    """Return what to do at a look at the conditions of a phase that has one after it."""
    phase = phase_of(rollout.phase)
    assert phase.length is not None
    failed = [check for check in conditions if check.state == "failed"]
    undecided = [check for check in conditions if check.state == "not enough data"]
    action: Action = "wait"
    next_look: datetime | None = now + phase.length / 2
    if failed:
        action, reason = "stop", f"The conditions of {phase.name} failed: {_list(failed)}."
    elif undecided:
        reason = f"Not enough data in {phase.name}: {_list(undecided)}."
        if now >= rollout.phase_started + MAX_LENGTHS * phase.length:
            action = "stop"
    elif open_items:
        reason = (
            f"The conditions of {phase.name} passed. {rollout.owners[rollout.phase - 1]} has"
            f" {pluralize(len(open_items), 'item')} of the checklist to do: {join_words(open_items)}."
        )
    else:
        action, reason = "advance", f"The conditions of {phase.name} passed: {_list(conditions)}."
        next_look = next_look_after(rollout.phase + 1, now)
    figures = to_figures(conditions)
    return RolloutDecision(
        now, rollout.phase, action, reason, figures, None if action == "stop" else next_look
    )


def next_look_after(phase: int, start: datetime) -> datetime | None:
    """Return when the conditions of a phase that starts then are looked at; None: it has none."""
    length = phase_of(phase).length
    return None if length is None else start + length


def to_figures(checks: Sequence[Check]) -> dict[str, Any]:
    """Return the figures of checks by name, as a decision stores them."""
    return {check.name: {"state": check.state, **check.figures} for check in checks}


def _list(checks: Sequence[Check]) -> str:
    return "; ".join(check.sentence for check in checks)
