"""Conversations of the library as every policy sees them: with what was changed of them."""

from __future__ import annotations

from convgate.core.conversation import Conversation
from convgate.invariants import with_edits
from convgate.policies.retention.pruning import with_pruned
from convgate.policies.sessions import with_moved
from convgate.store.database import Store
from convgate.store.edits import InvariantEdits, MovedBoundaries, PrunedTurns


def apply_edits(store: Store, key: str, conversation: Conversation) -> Conversation:
    """Return the conversation with its moved boundaries, edited invariants and pruned turns."""
    moved = with_moved(conversation, MovedBoundaries(store).of(key))
    edited = with_edits(moved, InvariantEdits(store).of(key))
    return with_pruned(edited, PrunedTurns(store).of(key))
