"""Gold: what training and metrics take for true."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from convgate.conversation import Conversation, Turn
from convgate.labels.gold import GoldCounts, case_id, gold_counts, gold_set, labels_digest
from convgate.store import Conversations, Labels, NewConversation, SituationKey, Store
from convgate.transcripts import read_relevance_set, write_relevance_set
from convgate.transcripts.split_groups import split_group_of


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "convgate.db")


def add(store: Store, name: str, turns: int = 8) -> str:
    said = tuple(Turn.of("user" if i % 2 == 0 else "assistant", f"{name} {i}") for i in range(turns))
    (added,) = Conversations(store).add([NewConversation(Conversation(name, said), "a test")])
    return added.key


def test_each_labelled_message_is_a_case_of_its_judged_turns(store: Store) -> None:
    labels, key = Labels(store), add(store, "talk")
    add(store, "nobody labelled this")
    labels.answer(SituationKey(key, 6), {0: "relevant", 3: "not_relevant", 5: "unsure"}, by="Ada")
    labels.answer(SituationKey(key, 6), {0: "relevant", 3: "relevant"}, by="Bo")
    labels.answer(SituationKey(key, None, "and then?"), {7: "not_relevant"}, by="Ada")
    labels.answer(SituationKey(key, 4), {1: "unsure"}, by="Ada")
    labels.set_status(SituationKey(key, 2), "skipped", by="Ada")
    found = gold_set(store)
    assert found.name == "labels"
    assert set(found.conversations) == {key}
    assert found.conversations[key].id == key
    first, asked = found.cases
    assert (first.turn, first.relevant, first.judged) == (6, frozenset({0}), frozenset({0}))
    assert (asked.turn, asked.relevant, asked.judged) == (None, frozenset(), frozenset({7}))
    situation, history = found.situation(asked)
    assert (situation.turn.role, situation.turn.text, len(history)) == ("user", "and then?", 8)
    assert gold_counts(store) == GoldCounts(1, 2, relevant=1, not_relevant=1, unsettled=3)
    assert gold_counts(store).judged == 2


def test_a_conversation_that_grew_says_on_which_side_of_a_split_it_stays(
    store: Store, tmp_path: Path
) -> None:
    labels, conversations = Labels(store), Conversations(store)
    first, other = add(store, "talk"), add(store, "other")
    for key in (first, other):
        labels.answer(SituationKey(key, 4), {0: "relevant"}, by="Ada")
    new = conversations.grow(first, [Turn.of("user", "and more")]).key
    write_relevance_set(gold_set(store), tmp_path / "labels.jsonl")
    read = read_relevance_set(tmp_path / "labels.jsonl")
    sides = {key: split_group_of(talk) for key, talk in read.conversations.items()}
    assert sides == {new: first, other: other}


def test_deleted_conversations_are_left_out(store: Store) -> None:
    labels, keys = Labels(store), [add(store, name) for name in "abc"]
    for key in keys:
        labels.answer(SituationKey(key, 2), {0: "relevant"}, by="Ada")
    Conversations(store).delete([keys[0]])
    assert [case.conversation for case in gold_set(store).cases] == keys[1:]
    assert gold_counts(store) == GoldCounts(2, 2, relevant=2, not_relevant=0, unsettled=0)


def test_no_labels_are_an_empty_set(store: Store) -> None:
    assert gold_set(store).cases == ()
    assert gold_counts(store) == GoldCounts(0, 0, 0, 0, 0)


def test_it_is_a_relevance_set_like_any_other(store: Store, tmp_path: Path) -> None:
    labels, key = Labels(store), add(store, "talk")
    labels.answer(SituationKey(key, 6), {0: "relevant", 3: "not_relevant"}, by="Ada")
    labels.answer(SituationKey(key, None, "and?"), {0: "relevant"}, by="Ada")
    found = gold_set(store, name="mine")
    write_relevance_set(found, tmp_path / "mine.jsonl")
    assert read_relevance_set(tmp_path / "mine.jsonl").cases == found.cases


def test_a_case_is_named_by_its_message_alone() -> None:
    names = [case_id(SituationKey("k", turn, asked)) for turn, asked in ((1, ""), (None, "a"), (None, "b"))]
    assert names[0] == "k-1"
    assert len(set(names)) == 3
    assert case_id(SituationKey("k", None, "a")) == names[1]


def test_the_digest_changes_with_everything_that_gold_hangs_on(store: Store) -> None:
    labels, conversations, key = Labels(store), Conversations(store), add(store, "talk")
    place = SituationKey(key, 6)
    changes: list[Callable[[], object]] = [
        lambda: labels.answer(place, {0: "relevant"}, by="Ada"),
        lambda: labels.undo("Ada"),
        lambda: labels.redo("Ada"),
        lambda: labels.set_trains("Ada", trains=False),
        lambda: labels.set_trains("Ada", trains=True),
        lambda: conversations.delete([key]),
        lambda: conversations.undelete([key]),
    ]
    before = labels_digest(store)
    for number, change in enumerate(changes):
        change()
        assert labels_digest(store) != before, number
        before = labels_digest(store)
    labels.answer(place, {0: "relevant"}, by="Ada")
    assert labels_digest(store) == before, "saying the same again is no change"
