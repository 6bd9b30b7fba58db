"""Which conversations are kept for validation, or for comparing."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping, Sequence

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from convgate.training.episodes import Episode

Sets = Mapping[str, Sequence[Episode]]


def hold_out(sets: Sets, *, share: float) -> tuple[dict[str, list[Episode]], dict[str, list[Episode]]]:
    """The episodes of each set without those that are held out, and those.

    A conversation is on one side, in whatever sets it is and whatever they call it, and so is all of its
    group; a hash of the group says on which. share: of the conversations that are held out, 0…1, but one at
    least. Of no set all are held out on its own account, though they may be on that of others. What was woven
    of the same texts may still be on both sides: their conversations differ.
    """
    names = dict(zip(sets, _by_set(sets), strict=True))
    held = {id for some in names.values() for id in _first(set(some), share)}

    def side(*, is_held: bool) -> dict[str, list[Episode]]:
        return {
            name: [one for one, id in zip(some, names[name], strict=True) if (id in held) == is_held]
            for name, some in sets.items()
        }

    return side(is_held=False), side(is_held=True)


def kept_together(episodes: Sequence[Episode]) -> list[str]:
    """A name for each episode: the same one for all of a conversation, and of conversations that are tied.

    Conversations are tied when the same was said in them, or their group is the same, also by way of others.
    """
    groups = [episode.group or episode.conversation for episode in episodes]
    said = [episode.said or episode.conversation for episode in episodes]
    of_group = {group: number for number, group in enumerate(dict.fromkeys(groups))}
    of_said = {what: number for number, what in enumerate(dict.fromkeys(said), len(of_group))}
    rows, columns = [of_group[group] for group in groups], [of_said[what] for what in said]
    size = len(of_group) + len(of_said)
    ties = coo_array((np.ones(len(rows), np.int8), (rows, columns)), shape=(size, size))
    _, tied = connected_components(ties, directed=False)
    names: dict[int, str] = {}
    for group in sorted(of_group, key=_place):
        names.setdefault(int(tied[of_group[group]]), group)
    return [names[int(tied[of_group[group]])] for group in groups]


def _by_set(sets: Sets) -> list[list[str]]:
    """The names of each set's episodes; ties reach over all sets."""
    names = iter(kept_together([episode for some in sets.values() for episode in some]))
    return [[next(names) for _ in some] for some in sets.values()]


def _first(conversations: Collection[str], share: float) -> list[str]:
    """The ids of a set that are held out on its account."""
    ids = sorted(conversations, key=_place)
    below = sum(_place(id) < share for id in ids)
    return ids[: min(max(below, 1), len(ids) - 1)]


def _place(conversation: str) -> float:
    """0…1, the same for a conversation in every run."""
    return int.from_bytes(hashlib.sha256(conversation.encode()).digest()[:4]) / 2**32
