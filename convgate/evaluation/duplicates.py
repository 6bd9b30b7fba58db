"""Duplicate labels: a turn that several sets judge for the same message counts once.

A message is the same when the same was said in it and before it, whatever its conversation is called.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from convgate.core.conversation import prefix_hashes
from convgate.core.text import pluralize
from convgate.evaluation.groups import group_conversations

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
