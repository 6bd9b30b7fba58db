"""Conversations that count as one: of the same group, or one is the other or its beginning."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np

from convgate.core.extras import needs_extra

with needs_extra("train", "evaluation"):
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components


def group_conversations(groups: Sequence[str], hashes: Sequence[Sequence[bytes]]) -> list[str]:
    """Return a name for each conversation that all those share which stay together, also by way of others.

    groups: the group of each; hashes: its `prefix_hashes` without the first entry. The name is the group of
    theirs whose hash comes first.

    >>> hashes = [[b"hi", b"tea"], [b"hi"], [b"ho"], [b"he", b"tee"]]
    >>> names = group_conversations(["a", "b", "b", "c"], hashes)
    >>> names[0] == names[1] == names[2] != names[3]
    True
    """
    of_group = {group: number for number, group in enumerate(dict.fromkeys(groups))}
    ends = dict.fromkeys(some[-1] for some in hashes if some)
    of_end = {end: number for number, end in enumerate(ends, len(of_group))}
    edges = [
        (of_group[group], of_end[digest])
        for group, some in zip(groups, hashes, strict=True)
        for digest in some
        if digest in of_end
    ]
    rows, columns = np.array(edges, dtype=np.int64).reshape(-1, 2).T
    size = len(of_group) + len(of_end)
    graph = coo_array((np.ones(len(rows), np.int8), (rows, columns)), shape=(size, size))
    _, components = connected_components(graph, directed=False)
    names: dict[int, str] = {}
    for group in sorted(of_group, key=hash_position):
        names.setdefault(int(components[of_group[group]]), group)
    return [names[int(components[of_group[group]])] for group in groups]


def hash_position(group: str) -> float:
    """Return a number 0…1 that is the same for a group in every run."""
    return int.from_bytes(hashlib.sha256(group.encode()).digest()[:4]) / 2**32
