"""Sets that are used together: a turn that several of them judge for one message counts once.

    sets, overlaps = counted_once([labels, exported])
    overlaps[0].sentence  # "12 judged turns of exported are in labels too; each counts once."

A message is the same when the same was said in it and before it, whatever the sets call their conversations.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from convgate.store.openings import chain

if TYPE_CHECKING:
    from convgate.transcripts import Case, RelevanceSet


@dataclass(frozen=True, slots=True)
class Overlap:
    """What a set judges that one before it judges too."""

    name: str  # of the set
    first: str  # of the one whose answers count
    turns: int

    @property
    def sentence(self) -> str:
        """For people."""
        turns, are = ("1 judged turn", "is") if self.turns == 1 else (f"{self.turns:,} judged turns", "are")
        counts = "it counts" if self.turns == 1 else "each counts"
        return f"{turns} of {self.name} {are} in {self.first} too; {counts} once."


def counted_once(sets: Sequence[RelevanceSet]) -> tuple[list[RelevanceSet], list[Overlap]]:
    """The sets, each without what those before it judge, and how much that was; a set may be left empty.

    Where two sets answer otherwise, the first one's answer counts. What one set alone says twice stays.
    """
    if len(sets) < 2:
        return list(sets), []
    known: dict[bytes, dict[int, str]] = {}  # by message: the set that judges a turn
    found, shared = [], Counter[tuple[str, str]]()
    for one in sets:
        messages = _messages(one)
        cases = []
        for case, message in zip(one.cases, messages, strict=True):
            judged, taken = _judged(one, case), known.get(message, {})
            if twice := judged & taken.keys():
                shared.update((one.name, taken[turn]) for turn in twice)
                left = judged - twice
                case = replace(case, judged=left, relevant=case.relevant & left)
            if not twice or case.judged:
                cases.append(case)
        for case, message in zip(one.cases, messages, strict=True):
            taken = known.setdefault(message, {})
            for turn in _judged(one, case):
                taken.setdefault(turn, one.name)
        found.append(replace(one, cases=tuple(cases)))
    return found, [Overlap(name, first, turns) for (name, first), turns in shared.items()]


def conversation_names(sets: Sequence[RelevanceSet]) -> Mapping[tuple[str, str], bytes]:
    """By set and id, what names a conversation: the same wherever the same was said."""
    return {(one.name, id): chain(talk.turns)[-1] for one in sets for id, talk in one.conversations.items()}


def _messages(one: RelevanceSet) -> list[bytes]:
    """What names the message of each case."""
    chains = {id: chain(talk.turns) for id, talk in one.conversations.items()}
    found = []
    for case in one.cases:
        said = chains[case.conversation]
        if case.turn is not None:
            found.append(said[case.turn + 1])
        else:
            assert case.query is not None
            found.append(chain((case.query,), after=said[-1])[-1])
    return found


def _judged(one: RelevanceSet, case: Case) -> frozenset[int]:
    if case.judged is not None:
        return case.judged
    _, history = one.situation(case)
    return frozenset(range(history.start, history.stop))
