"""Which conversations are kept for validation."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence

from convgate.training.episodes import Episode

Sets = Mapping[str, Sequence[Episode]]


def hold_out(sets: Sets, *, share: float) -> tuple[dict[str, list[Episode]], dict[str, list[Episode]]]:
    """Training and validation episodes of each set; a conversation is on one side, as a hash of its id says.

    share: of the conversations that are held out, 0…1. A set of one conversation is not divided, and one that
    would lose all goes to training.
    """
    training: dict[str, list[Episode]] = {}
    validation: dict[str, list[Episode]] = {}
    for name, episodes in sets.items():
        kept = [episode for episode in episodes if _place(episode.conversation) >= share]
        training[name] = kept or list(episodes)
        validation[name] = [e for e in episodes if _place(e.conversation) < share] if kept else []
    return training, validation


def _place(conversation: str) -> float:
    """0…1, the same for a conversation in every run."""
    return int.from_bytes(hashlib.sha256(conversation.encode()).digest()[:4]) / 2**32
