"""Which conversations are kept for validation, or for comparing."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from convgate.training.episodes import Episode
from convgate.training.ties import place, tied

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

    Conversations are tied when their group is the same, or one goes on from the other or is the same, also by
    way of others.
    """
    return tied(
        [episode.group or episode.conversation for episode in episodes],
        [episode.said for episode in episodes],
    )


def _by_set(sets: Sets) -> list[list[str]]:
    """The names of each set's episodes; ties reach over all sets."""
    names = iter(kept_together([episode for some in sets.values() for episode in some]))
    return [[next(names) for _ in some] for some in sets.values()]


def _first(conversations: Collection[str], share: float) -> list[str]:
    """The ids of a set that are held out on its account."""
    ids = sorted(conversations, key=place)
    below = sum(place(id) < share for id in ids)
    return ids[: min(max(below, 1), len(ids) - 1)]
