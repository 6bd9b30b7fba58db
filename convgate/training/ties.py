"""Which conversations stay on one side of a split: what goes on from another one, and those of one group."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from convgate.store.openings import chain
from convgate.training.telling_apart import told_apart
from convgate.transcripts.split_groups import split_group_of

if TYPE_CHECKING:
    from convgate.transcripts import RelevanceSet


def tied(groups: Sequence[str], said: Sequence[Sequence[bytes]]) -> list[str]:
    """A name for each conversation: the same one for all that are tied, also by way of others.

    Two are tied when their group is the same, or when the one is the other, or its beginning. groups: the
    group of each; said: the hashes of its `chain`, without that of nothing. The name is that one of their
    groups that has the first place.

    >>> names = tied(["a", "b", "b", "c"], [[b"hi", b"tea"], [b"hi"], [b"ho"], [b"he", b"tee"]])
    >>> names[0] == names[1] == names[2] != names[3]
    True
    """
    of_group = {group: number for number, group in enumerate(dict.fromkeys(groups))}
    ends = dict.fromkeys(hashes[-1] for hashes in said if hashes)
    of_end = {end: number for number, end in enumerate(ends, len(of_group))}
    found = [
        (of_group[group], of_end[hash])
        for group, hashes in zip(groups, said, strict=True)
        for hash in hashes
        if hash in of_end
    ]
    rows, columns = np.array(found, dtype=np.int64).reshape(-1, 2).T
    size = len(of_group) + len(of_end)
    ties = coo_array((np.ones(len(rows), np.int8), (rows, columns)), shape=(size, size))
    _, parts = connected_components(ties, directed=False)
    names: dict[int, str] = {}
    for group in sorted(of_group, key=place):
        names.setdefault(int(parts[of_group[group]]), group)
    return [names[int(parts[of_group[group]])] for group in groups]


def count_conversations(sets: Sequence[RelevanceSet]) -> int:
    """How many conversations to learn from the sets have together, as a training counts them."""
    talks = [
        one.conversations[id]
        for one in told_apart(sets)
        for id in dict.fromkeys(
            case.conversation for case in one.cases if case.says_something and len(one.situation(case)[1])
        )
    ]
    return len(set(tied([split_group_of(talk) for talk in talks], [chain(talk.turns)[1:] for talk in talks])))


def place(group: str) -> float:
    """0…1, the same for a group in every run."""
    return int.from_bytes(hashlib.sha256(group.encode()).digest()[:4]) / 2**32
