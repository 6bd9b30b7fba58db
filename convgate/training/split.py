"""Which conversations are trained on, which choose the epoch and the threshold, which compare two versions.

Conversations of one group, or of which one begins the other, stay together; a hash decides the side.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from convgate.core.conversation import Conversation, prefix_hashes
from convgate.evaluation.duplicates import group_conversations, hash_position
from convgate.transcripts.relevance_sets import SPLIT_GROUP, split_group_of

if TYPE_CHECKING:
    from convgate.training.episodes import Episode
    from convgate.transcripts import RelevanceSet

PRETRAINING_SHARE, TRAINING_SHARE = 0.05, 0.35  # of the conversations, held out for validation
COMPARED_SHARE = 0.2  # held out for comparing child and parent, and for nothing else
MIN_CONVERSATIONS = 3  # with fewer, all are trained on and none is compared on
MIN_COMPARED = 25
"""Conversations; with fewer labelled, versions are compared by cross-validation, and with fewer held out, a
new version waits for a person to activate it."""
MAX_FOLDS = 5

EpisodeSets = Mapping[str, Sequence["Episode"]]


@dataclass(frozen=True, eq=False, slots=True)
class Parts:
    """Episodes by set and use."""

    training: dict[str, list[Episode]]
    validation: dict[str, list[Episode]]
    compared: dict[str, list[Episode]]  # empty when there are folds
    replayed: frozenset[str] = frozenset()  # names of sets that come with convgate
    folds: tuple[Parts, ...] = ()  # of a cross-validation: each conversation is compared on in one of them
    why_not_compared: str = ""  # empty when something is compared

    @property
    def fitted(self) -> dict[str, list[Episode]]:
        """What the threshold is fitted on: validation, or training where a set has no validation."""
        return {name: self.validation.get(name) or known for name, known in self.training.items()}


def split_episodes(sets: EpisodeSets, *, replayed: Collection[str] = (), compare: bool) -> Parts:
    """Return the uses of the episodes.

    replayed: sets that are trained on beside the others; nothing is compared on them when there are others.
    compare: whether to hold conversations out for a comparison with the parent; of fewer than 25, each is
    held out once, in one fold of a cross-validation.
    """
    lists = {name: list(episodes) for name, episodes in sets.items()}
    own = {name: episodes for name, episodes in lists.items() if name not in replayed} or lists
    replayed_sets = {name: episodes for name, episodes in lists.items() if name not in own}
    if not compare:
        training, validation = hold_out(sets, share=PRETRAINING_SHARE)
        return Parts(training, validation, {}, frozenset(replayed_sets))
    count = len(set(group_episodes([episode for episodes in own.values() for episode in episodes])))
    more, known = hold_out(replayed_sets, share=PRETRAINING_SHARE)

    def make_parts(rest: EpisodeSets, compared: dict[str, list[Episode]]) -> Parts:
        training, validation = hold_out(rest, share=TRAINING_SHARE)
        return Parts(training | more, validation | known, compared, frozenset(replayed_sets))

    if count < MIN_CONVERSATIONS:
        training, validation = own | more, {name: [] for name in own} | known
        why_not = (
            "Not compared with its parent: not enough data."
            f" Label turns in at least {MIN_CONVERSATIONS} conversations (now {count})."
        )
        return Parts(training, validation, {}, frozenset(replayed_sets), why_not_compared=why_not)
    rest, compared = hold_out(own, share=COMPARED_SHARE)
    if count >= MIN_COMPARED and any(compared.values()):
        return make_parts(rest, compared)
    folds = tuple(make_parts(*fold) for fold in make_folds(own))
    return replace(make_parts(own, {}), folds=folds)


def hold_out(sets: EpisodeSets, *, share: float) -> tuple[dict[str, list[Episode]], dict[str, list[Episode]]]:
    """Return the episodes of each set that stay, and those that are held out.

    share: of the conversations, 0…1, but at least one. A group is on one side in all sets.
    """
    by_set = _groups_by_set(sets)
    held = {group for names in by_set.values() for group in _first_groups(set(names), share)}
    return _divide(sets, by_set, held)


def make_folds(sets: EpisodeSets) -> list[tuple[dict[str, list[Episode]], dict[str, list[Episode]]]]:
    """Return the folds of a cross-validation: in each, what stays and what is held out.

    There are five, or as many as there are groups. Each group is held out in one fold, in all sets.
    """
    by_set = _groups_by_set(sets)
    groups = sorted({group for names in by_set.values() for group in names}, key=hash_position)
    n_folds = min(MAX_FOLDS, len(groups))
    return [_divide(sets, by_set, set(groups[fold::n_folds])) for fold in range(n_folds)]


def _groups_by_set(sets: EpisodeSets) -> dict[str, list[str]]:
    """Return the group of each episode of each set."""
    groups = iter(group_episodes([episode for episodes in sets.values() for episode in episodes]))
    return {name: [next(groups) for _ in episodes] for name, episodes in sets.items()}


def _divide(
    sets: EpisodeSets, by_set: Mapping[str, list[str]], held: Collection[str]
) -> tuple[dict[str, list[Episode]], dict[str, list[Episode]]]:
    """Return the episodes of each set of the other groups, and those of the held ones."""
    rest: dict[str, list[Episode]] = {name: [] for name in sets}
    held_out: dict[str, list[Episode]] = {name: [] for name in sets}
    for name, episodes in sets.items():
        for episode, group in zip(episodes, by_set[name], strict=True):
            (held_out if group in held else rest)[name].append(episode)
    return rest, held_out


def _first_groups(groups: Collection[str], share: float) -> list[str]:
    ordered = sorted(groups, key=hash_position)
    below = sum(hash_position(group) < share for group in ordered)
    return ordered[: min(max(below, 1), len(ordered) - 1)]


def group_episodes(episodes: Sequence[Episode]) -> list[str]:
    """Return a name for each episode that all episodes share whose conversations stay together."""
    return group_conversations(
        [episode.group or episode.conversation for episode in episodes],
        [episode.hashes for episode in episodes],
    )


def count_conversations(sets: Sequence[RelevanceSet]) -> int:
    """Return how many conversations the sets have to learn from; those that stay together count once."""
    conversations = [
        each.conversations[id]
        for each in make_ids_unique(sets)
        for id in dict.fromkeys(
            case.conversation for case in each.cases if case.says_something and len(each.current(case)[1])
        )
    ]
    groups = [split_group_of(conversation) for conversation in conversations]
    return len(set(group_conversations(groups, [prefix_hashes(each.turns)[1:] for each in conversations])))


def make_ids_unique(sets: Sequence[RelevanceSet]) -> list[RelevanceSet]:
    """Return the sets with new ids where different conversations or cases have the same id.

    The same conversation keeps its id in all sets; one that continues another of its id keeps its group.
    """
    known: dict[str, list[bytes]] = {}
    case_ids: set[str] = set()
    unique = []
    for each in sets:
        hashes = {id: prefix_hashes(conversation.turns) for id, conversation in each.conversations.items()}
        ids = {id: id if known.get(id, hashes[id]) == hashes[id] else f"{each.name}/{id}" for id in hashes}
        conversations = {
            ids[id]: _renamed(conversation, ids[id], keep_group=_continues(hashes[id], known.get(id)))
            for id, conversation in each.conversations.items()
        }
        cases = tuple(
            replace(
                case,
                id=f"{each.name}/{case.id}" if case.id in case_ids else case.id,
                conversation=ids.get(case.conversation, case.conversation),
            )
            for case in each.cases
        )
        known |= {ids[id]: some for id, some in hashes.items()}
        case_ids |= {case.id for case in cases}
        unique.append(replace(each, conversations=conversations, cases=cases))
    return unique


def _continues(hashes: list[bytes], other: list[bytes] | None) -> bool:
    """Return whether one of two conversations is the beginning of the other."""
    shorter = min(len(hashes), len(other)) if other else 0
    return other is not None and hashes[shorter - 1] == other[shorter - 1]


def _renamed(conversation: Conversation, id: str, *, keep_group: bool) -> Conversation:
    if not keep_group or id == conversation.id:
        return replace(conversation, id=id)
    group = split_group_of(conversation)
    return replace(conversation, id=id, metadata={**conversation.metadata, SPLIT_GROUP: group})
