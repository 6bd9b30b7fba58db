"""Which conversations are kept for validation, or for comparing."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping, Sequence

from convgate.training.episodes import Episode

Sets = Mapping[str, Sequence[Episode]]


def hold_out(sets: Sets, *, share: float) -> tuple[dict[str, list[Episode]], dict[str, list[Episode]]]:
    """The episodes of each set without those that are held out, and those.

    A conversation is on one side, in whatever sets it is and whatever they call it; a hash of its id says on
    which. share: of the conversations that are held out, 0…1, but one at least. Of no set all are held out on
    its own account, though they may be on that of others. What was woven of the same texts may still be on
    both sides: their conversations differ.
    """
    names = _names([episode for some in sets.values() for episode in some])

    def name(episode: Episode) -> str:
        return names[episode.said or episode.conversation]

    held = {id for some in sets.values() for id in _first({name(episode) for episode in some}, share)}
    training = {set: [e for e in some if name(e) not in held] for set, some in sets.items()}
    return training, {set: [e for e in some if name(e) in held] for set, some in sets.items()}


def _names(episodes: Sequence[Episode]) -> dict[bytes | str, str]:
    """One id for each conversation, by what was said in it."""
    names: dict[bytes | str, str] = {}
    for episode in sorted(episodes, key=lambda episode: _place(episode.conversation)):
        names.setdefault(episode.said or episode.conversation, episode.conversation)
    return names


def _first(conversations: Collection[str], share: float) -> list[str]:
    """The ids of a set that are held out on its account."""
    ids = sorted(conversations, key=_place)
    below = sum(_place(id) < share for id in ids)
    return ids[: min(max(below, 1), len(ids) - 1)]


def _place(conversation: str) -> float:
    """0…1, the same for a conversation in every run."""
    return int.from_bytes(hashlib.sha256(conversation.encode()).digest()[:4]) / 2**32
