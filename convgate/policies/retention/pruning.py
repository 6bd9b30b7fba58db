"""Prune stored conversations: plan first, then apply, and undo.

    plan = plan_pruning(store, key)
    plan.reasons            # what would be pruned, and why
    apply_pruning(store, plan)
    undo_pruning(store, key)

A pruned turn is no longer sent to a model. The transcript, its labels and its indices stay as they are.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from convgate.core.conversation import Conversation
from convgate.messages.tokens import turn_tokens
from convgate.messages.units import find_tool_units
from convgate.policies.retention.policy import Pruning
from convgate.store.conversations import Conversations
from convgate.store.database import Store
from convgate.store.edits import PrunedTurn, PrunedTurns


@dataclass(frozen=True, slots=True)
class PruningPlan:
    """What pruning would change of one conversation."""

    key: str
    title: str
    turns: int  # of the conversation
    already: int  # turns that were pruned before
    reasons: Mapping[int, str]  # by turn to prune
    tokens: int  # of these turns


def plan_pruning(store: Store, key: str, policy: Pruning | None = None) -> PruningPlan:
    """Return what the policy would prune of a conversation; a tool call leaves with all its results.

    Raises StoreError when the library does not have it, ConfidenceError for a stated confidence that cannot
    be read.
    """
    stored = Conversations(store).get(key)
    turns, pruned = stored.conversation.turns, PrunedTurns(store).of(key)
    retained = (policy or Pruning()).retain(turns)
    kept = retained.kept
    for unit in find_tool_units(turns).units:
        kept[list(unit.members)] = kept[list(unit.members)].any()
    rows = [row for row, stays in enumerate(kept.tolist()) if not stays and row not in pruned]
    tokens = int(turn_tokens([turns[row] for row in rows]).sum()) if rows else 0
    reasons = {row: retained.why(row).explanation for row in rows}
    return PruningPlan(stored.summary.key, stored.summary.title, len(turns), len(pruned), reasons, tokens)


def apply_pruning(store: Store, plan: PruningPlan) -> None:
    """Prune the turns of a plan, as one step of the undo."""
    PrunedTurns(store).change(plan.key, {turn: PrunedTurn(why) for turn, why in plan.reasons.items()})


def undo_pruning(store: Store, key: str) -> list[int]:
    """Undo the last pruning of a conversation, and return its turns."""
    return PrunedTurns(store).undo(key)


def with_pruned(conversation: Conversation, pruned: Mapping[int, PrunedTurn]) -> Conversation:
    """Return the conversation with its pruned turns marked, so that no list of messages has them."""
    return conversation.change_turns(lambda turn, edit: replace(turn, pruned=edit.reason), pruned)
