"""Sets that are used together: what is different in them is not called the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from convgate.conversation import Conversation
from convgate.store.openings import chain
from convgate.transcripts.split_groups import SPLIT_GROUP, split_group_of

if TYPE_CHECKING:
    from convgate.transcripts import RelevanceSet


def told_apart(sets: Sequence[RelevanceSet]) -> list[RelevanceSet]:
    """The sets with other ids where different conversations, or cases of different sets, have the same one.

    The very same conversation keeps its id in all sets that have it; one that goes on from another of its id
    keeps its group.
    """
    known: dict[str, list[bytes]] = {}
    asked: set[str] = set()
    found = []
    for one in sets:
        name, talks = one.name, one.conversations
        said = {id: chain(talk.turns) for id, talk in talks.items()}
        ids = {id: id if known.get(id, said[id]) == said[id] else f"{name}/{id}" for id in talks}
        groups = {id: split_group_of(talk) for id, talk in talks.items() if _goes_on(said[id], known.get(id))}
        cases = tuple(
            replace(
                case,
                id=f"{name}/{case.id}" if case.id in asked else case.id,
                conversation=ids.get(case.conversation, case.conversation),
            )
            for case in one.cases
        )
        known |= {ids[id]: hashes for id, hashes in said.items()}
        asked |= {case.id for case in cases}
        renamed = {ids[id]: _renamed(talk, ids[id], groups.get(id)) for id, talk in talks.items()}
        found.append(replace(one, conversations=renamed, cases=cases))
    return found


def _goes_on(said: list[bytes], other: list[bytes] | None) -> bool:
    """Whether one of two conversations, by their `chain`, is the beginning of the other."""
    shorter = min(len(said), len(other)) if other else 0
    return other is not None and said[shorter - 1] == other[shorter - 1]


def _renamed(talk: Conversation, id: str, group: str | None) -> Conversation:
    if group is None or id == talk.id:
        return replace(talk, id=id)
    return replace(talk, id=id, metadata={**talk.metadata, SPLIT_GROUP: group})
