"""Gold: what training and metrics take for true, out of everything that everybody said.

gold_set(store).cases       # one for each labelled message
gold_counts(store)          # how much of it there is, without reading a conversation
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import groupby

from convgate.conversation import Conversation, Turn
from convgate.labels.snapshot import snapshot
from convgate.store import SituationKey, Store
from convgate.store.documents import load
from convgate.transcripts.relevance_sets import Case, RelevanceSet
from convgate.transcripts.split_groups import SPLIT_GROUP

NAME = "labels"
"""What the set of the store's own labels is called."""

_KNOWN = ("relevant", "not_relevant")


@dataclass(frozen=True, slots=True)
class GoldCounts:
    """How much is known; conversations that were deleted are left out."""

    conversations: int  # with at least one turn whose relevance is known
    situations: int  # messages, likewise
    relevant: int  # turns
    not_relevant: int
    unsettled: int  # turns that were answered, but by a tie or as unsure

    @property
    def judged(self) -> int:
        """Turns whose relevance is known."""
        return self.relevant + self.not_relevant


def gold_set(store: Store, *, name: str = NAME, conversations: Iterable[str] | None = None) -> RelevanceSet:
    """What counts as true, as a set to train on and to measure with.

    A conversation has its key in the library for its id, and says in `split_group` on which side of a split
    it is where that is not its key. A case's `judged` are the turns whose relevance is
    known; a message of which none is known is left out, and so are deleted conversations. conversations:
    the keys of those that are wanted; all unless given.
    """
    wanted = None if conversations is None else frozenset(conversations)
    cases: list[Case] = []
    with snapshot(store) as db:
        rows = db.execute(
            """
            SELECT key, situations.turn, question, gold.turn, answer FROM gold
            JOIN situations ON situations.number = gold.situation
            JOIN conversations ON conversations.number = situations.conversation
            WHERE deleted_at IS NULL AND answer IN (?, ?)
            ORDER BY conversations.number, situations.turn IS NULL, situations.turn, question, gold.turn
            """,
            _KNOWN,
        )
        for situation, answers in groupby(rows, lambda row: SituationKey(*row[:3])):
            if wanted is None or situation.conversation in wanted:
                known = {turn: answer for *_, turn, answer in answers}
                cases.append(gold_case(situation, known))
        talks = dict(labelled_conversations(store, {case.conversation for case in cases}))
        groups = split_groups(store)
    named = {key: _as_in_a_set(key, talk, groups.get(key, key)) for key, talk in talks.items()}
    return RelevanceSet(name, named, tuple(cases))


def gold_case(situation: SituationKey, answers: dict[int, str]) -> Case:
    """The case of a message; answers: relevant or not_relevant, by turn."""
    return Case(
        id=case_id(situation),
        conversation=situation.conversation,
        turn=situation.turn,
        query=Turn.of("user", situation.question) if situation.turn is None else None,
        relevant=frozenset(turn for turn, answer in answers.items() if answer == "relevant"),
        judged=frozenset(answers),
    )


def case_id(situation: SituationKey) -> str:
    """A name for a message that is the same on every machine.

    >>> case_id(SituationKey("0123456789abcdef", 57))
    '0123456789abcdef-57'
    """
    if situation.turn is not None:
        return f"{situation.conversation}-{situation.turn}"
    digest = hashlib.sha256(situation.question.encode()).hexdigest()[:12]
    return f"{situation.conversation}-q-{digest}"


def labelled_conversations(store: Store, keys: Iterable[str]) -> Iterator[tuple[str, Conversation]]:
    """Conversations of the library by key, in the library's order; one that it does not have is left out."""
    wanted = set(keys)
    with store.read() as db:
        for number, key in db.execute(
            "SELECT number, key FROM conversations WHERE deleted_at IS NULL ORDER BY number"
        ).fetchall():
            if key in wanted:
                (document,) = db.execute(
                    "SELECT document FROM documents WHERE number = ?", [number]
                ).fetchone()
                yield key, load(document)


def split_groups(store: Store) -> dict[str, str]:
    """What says on which side of a split a conversation is, by key, where it is not the key."""
    with store.read() as db:
        return dict(db.execute("SELECT key, split_group FROM conversations WHERE split_group <> key"))


def gold_counts(store: Store) -> GoldCounts:
    """How much is known, counted by the database."""
    with store.read() as db:
        row = db.execute(
            """
            SELECT count(DISTINCT CASE WHEN known > 0 THEN conversation END), total(known > 0),
                total(relevant), total(known) - total(relevant), total(answered) - total(known)
            FROM (
                SELECT situation, count(*) AS answered, sum(answer = 'relevant') AS relevant,
                    sum(answer IN ('relevant', 'not_relevant')) AS known
                FROM gold GROUP BY situation
            ) JOIN situations ON situations.number = situation
            JOIN conversations ON conversations.number = conversation
            WHERE deleted_at IS NULL
            """
        ).fetchone()
    return GoldCounts(*map(int, row))


def labels_digest(store: Store) -> str:
    """A text that is another one whenever gold may be: pages keep what they made of it under this name."""
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


def _as_in_a_set(key: str, talk: Conversation, group: str) -> Conversation:
    """The conversation called by its key."""
    metadata = {name: value for name, value in talk.metadata.items() if name != SPLIT_GROUP}
    return replace(talk, id=key, metadata=metadata if group == key else {**metadata, SPLIT_GROUP: group})
