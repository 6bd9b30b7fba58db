"""Duplicate labels: a turn that several sets judge for the same message counts once.

A message is the same when the same was said in it and before it, whatever its conversation is called.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from convgate.core.conversation import prefix_hashes
from convgate.core.extras import needs_extra
from convgate.core.text import pluralize

if TYPE_CHECKING:
    from convgate.transcripts import Case, RelevanceSet


@dataclass(frozen=True, slots=True)
class Overlap:
    """What a set judges that was judged before."""

    name: str  # of the set
    first: str  # of the one whose answers count; the same where another of its conversations has them
    turns: int

    @property
    def is_within(self) -> bool:
        """Whether the set itself has it twice."""
        return self.name == self.first

    @property
    def sentence(self) -> str:
        """For people."""
        are, counts = ("is", "it counts") if self.turns == 1 else ("are", "each counts")
        where = "there in another conversation" if self.is_within else f"in {self.first}"
        return f"{pluralize(self.turns, 'judged turn')} of {self.name} {are} {where} too; {counts} once."


def remove_duplicates(sets: Sequence[RelevanceSet]) -> tuple[list[RelevanceSet], list[Overlap]]:
    """Return the sets, each without what was judged before, and how much that was; one may be empty.

    Where the answers differ, the first one counts. What one conversation of a set says twice stays.
    """
    known: dict[bytes, dict[int, tuple[int, str]]] = {}  # by message and turn: set and conversation
    unique, shared = [], Counter[tuple[str, str]]()
    for number, each in enumerate(sets):
        cases = []
        for case, message in zip(each.cases, _messages(each), strict=True):
            judged, taken = _judged(each, case), known.setdefault(message, {})
            source = (number, case.conversation)
            if twice := {turn for turn in judged if taken.setdefault(turn, source) != source}:
                shared.update((each.name, sets[taken[turn][0]].name) for turn in twice)
                left = judged - twice
                needed = None if case.needed is None else case.needed & left
                case = replace(case, judged=left, relevant=case.relevant & left, needed=needed)
            if not twice or case.judged:
                cases.append(case)
        unique.append(replace(each, cases=tuple(cases)))
    return unique, [Overlap(name, first, turns) for (name, first), turns in shared.items()]


def conversation_names(sets: Sequence[RelevanceSet]) -> Mapping[tuple[str, str], str]:
    """Return by set and id what names a conversation: the same for it, its beginnings and extensions."""
    talks = {(each.name, id): talk for each in sets for id, talk in each.conversations.items()}
    names = group_conversations(
        [f"{name}/{id}" for name, id in talks], [prefix_hashes(talk.turns)[1:] for talk in talks.values()]
    )
    return dict(zip(talks, names, strict=True))


def _messages(relevance_set: RelevanceSet) -> list[bytes]:
    """Return the key of each case's message."""
    chains = {id: prefix_hashes(talk.turns) for id, talk in relevance_set.conversations.items()}
    digests = []
    for case in relevance_set.cases:
        hashes = chains[case.conversation]
        if case.turn is not None:
            digests.append(hashes[case.turn + 1])
        else:
            assert case.query is not None
            digests.append(prefix_hashes((case.query,), after=hashes[-1])[-1])
    return digests


def _judged(relevance_set: RelevanceSet, case: Case) -> frozenset[int]:
    if case.judged is not None:
        return case.judged
    _, history = relevance_set.current(case)
    return frozenset(range(history.start, history.stop))


def group_conversations(groups: Sequence[str], hashes: Sequence[Sequence[bytes]]) -> list[str]:
    """Return a name for each conversation that all those share which stay together, also by way of others.

    groups: the group of each; hashes: its `prefix_hashes` without the first entry. The name is the group of
    theirs whose hash comes first.

    >>> hashes = [[b"hi", b"tea"], [b"hi"], [b"ho"], [b"he", b"tee"]]
    >>> names = group_conversations(["a", "b", "b", "c"], hashes)
    >>> names[0] == names[1] == names[2] != names[3]
    True
    """
    with needs_extra("train", "evaluation"):  # here, as pages that group nothing should not wait for it
        from scipy.sparse import coo_array
        from scipy.sparse.csgraph import connected_components

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
