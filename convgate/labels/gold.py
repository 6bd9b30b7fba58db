"""Gold labels: what training and metrics take for true, out of the answers of all annotators.

gold_set(store).cases       # one case for each labelled message
gold_counts(store)          # how much there is
"""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import groupby

from convgate.core.conversation import Conversation, Turn
from convgate.store import Conversations, CurrentKey, Entry, Labels, Store
from convgate.transcripts.cases import Case, RelevanceSet
from convgate.transcripts.relevance_sets import SPLIT_GROUP

_VOTES = {"relevant": 1, "not_relevant": -1}


@dataclass(frozen=True, slots=True)
class GoldCounts:
    """How many gold labels there are; deleted conversations are left out."""

    conversations: int  # with at least one gold label
    messages: int  # messages, likewise
    relevant: int  # turns
    not_relevant: int
    undecided: int  # turns with answers that are a tie or unsure

    @property
    def judged(self) -> int:
        """Turns with a gold label."""
        return self.relevant + self.not_relevant


def gold_set(store: Store, *, name: str = "labels") -> RelevanceSet:
    """Return the gold labels as a relevance set.

    The id of a conversation is its key in the library; `split_group` says on which side of a split it is
    where that is not its key. Messages without a gold label and deleted conversations are left out.
    """
    cases = []
    for current, answers in gold_answers(store).items():
        if labels := {turn: answer for turn, answer in answers.items() if answer != "unsure"}:
            cases.append(gold_case(current, labels))
    groups, library = split_groups(store), Conversations(store)
    labelled = {
        key: _name_by_key(library.get(key).conversation, key, groups.get(key, key))
        for key in dict.fromkeys(case.conversation for case in cases)
    }
    return RelevanceSet(name, labelled, tuple(cases))


def gold_answers(store: Store) -> dict[CurrentKey, dict[int, str]]:
    """Return the gold answers of each message by turn, in order; annotators who do not train are left out."""
    entries = Labels(store).entries(training=True)
    return {
        current: resolve_answers(of_message)
        for current, of_message in groupby(entries, lambda entry: entry.current)
    }


def gold_case(current: CurrentKey, answers: dict[int, str]) -> Case:
    """Return the case of a message; answers: relevant or not_relevant, by turn."""
    return Case(
        id=case_id(current),
        conversation=current.conversation,
        turn=current.turn,
        query=Turn.of("user", current.question) if current.turn is None else None,
        relevant=frozenset(turn for turn, answer in answers.items() if answer == "relevant"),
        judged=frozenset(answers),
    )


def case_id(current: CurrentKey) -> str:
    """Return an id for a message that is the same on every machine.

    >>> case_id(CurrentKey("0123456789abcdef", 57))
    '0123456789abcdef-57'
    """
    if current.turn is not None:
        return f"{current.conversation}-{current.turn}"
    digest = hashlib.sha256(current.question.encode()).hexdigest()[:12]
    return f"{current.conversation}-q-{digest}"


def resolve_answers(entries: Iterable[Entry]) -> dict[int, str]:
    """Return the gold answer of each turn, in order.

    An adjudication counts before annotators, and annotators before agents; among equals the majority counts,
    and a tie is unsure.
    """
    answers: dict[int, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for entry in entries:
        if entry.value is not None:
            answers[entry.turn][entry.kind].append(entry.value)
    gold = {}
    for turn, by_kind in sorted(answers.items()):
        values = by_kind.get("adjudication") or by_kind.get("person") or by_kind["agent"]
        votes = sum(_VOTES.get(answer, 0) for answer in values)
        gold[turn] = "relevant" if votes > 0 else "not_relevant" if votes < 0 else "unsure"
    return gold


def split_groups(store: Store) -> dict[str, str]:
    """Return the split group of each conversation, by key, where it is not the key."""
    with store.read() as db:
        return dict(db.execute("SELECT key, split_group FROM conversations WHERE split_group <> key"))


def gold_counts(store: Store) -> GoldCounts:
    """Return how many gold labels there are."""
    gold = gold_answers(store)
    answers = Counter(answer for by_turn in gold.values() for answer in by_turn.values())
    messages = [message for message, by_turn in gold.items() if set(by_turn.values()) - {"unsure"}]
    return GoldCounts(
        conversations=len({message.conversation for message in messages}),
        messages=len(messages),
        relevant=answers["relevant"],
        not_relevant=answers["not_relevant"],
        undecided=answers["unsure"],
    )


def labels_digest(store: Store) -> str:
    """Return a text that changes whenever gold labels may have changed, to cache what depends on them."""
    with store.read() as db:
        state = [
            db.execute(sql).fetchall()
            for sql in (
                "SELECT number, at FROM label_actions ORDER BY number DESC LIMIT 1",
                "SELECT number, trains FROM annotators ORDER BY number",
                "SELECT count(*), max(deleted_at) FROM conversations WHERE deleted_at IS NOT NULL",
                "SELECT count(*), total(turns) FROM conversations",
            )
        ]
    return hashlib.sha256(repr(state).encode()).hexdigest()[:16]


def _name_by_key(conversation: Conversation, key: str, group: str) -> Conversation:
    metadata = {name: value for name, value in conversation.metadata.items() if name != SPLIT_GROUP}
    if group != key:
        metadata[SPLIT_GROUP] = group
    return replace(conversation, id=key, metadata=metadata)
