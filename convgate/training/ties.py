"""Which conversations stay on one side of a split: those where the same was said, and those of one group."""

from __future__ import annotations

import hashlib
from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from convgate.store.openings import chain
from convgate.transcripts.split_groups import split_group_of

if TYPE_CHECKING:
    from convgate.transcripts import RelevanceSet


def tied(groups: Sequence[str], said: Sequence[Hashable]) -> list[str]:
    """A name for each conversation: the same one for all that are tied, also by way of others.

    groups: the group of each; said: what stands for all that was said in each. The name is that one of their
    groups that has the first place.

    >>> names = tied(["a", "b", "b", "c"], [1, 1, 2, 3])
    >>> names[0] == names[1] == names[2] != names[3]
    True
    """
    of_group = {group: number for number, group in enumerate(dict.fromkeys(groups))}
    of_said = {what: number for number, what in enumerate(dict.fromkeys(said), len(of_group))}
    rows, columns = [of_group[group] for group in groups], [of_said[what] for what in said]
    size = len(of_group) + len(of_said)
    ties = coo_array((np.ones(len(rows), np.int8), (rows, columns)), shape=(size, size))
    _, parts = connected_components(ties, directed=False)
    names: dict[int, str] = {}
    for group in sorted(of_group, key=place):
        names.setdefault(int(parts[of_group[group]]), group)
    return [names[int(parts[of_group[group]])] for group in groups]


def count_conversations(sets: Sequence[RelevanceSet]) -> int:
    """How many conversations with something to learn from or to measure on the sets have together."""
    talks = [
        one.conversations[id]
        for one in sets
        for id in dict.fromkeys(case.conversation for case in one.cases if case.says_something)
    ]
    return len(set(tied([split_group_of(talk) for talk in talks], [chain(talk.turns)[-1] for talk in talks])))


def place(group: str) -> float:
    """0…1, the same for a group in every run."""
    return int.from_bytes(hashlib.sha256(group.encode()).digest()[:4]) / 2**32
