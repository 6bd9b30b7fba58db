"""Sets of labels in a library: recognised, counted, kept as one action and taken back."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from convgate.conversation import Turn
from convgate.errors import StoreError, TranscriptError
from convgate.labels.exchange import keep_labels, read_labels, write_labels
from convgate.labels.gold import split_groups
from convgate.store import (
    Conversations,
    Entry,
    Labels,
    NewConversation,
    SituationKey,
    Store,
)
from convgate.transcripts import BadLinesError, read_conversations
from tests.label_files import MESSAGES, TALK, add, add_all, brought, case, holds, lines


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "convgate.db")


@pytest.fixture
def other(tmp_path: Path) -> Store:
    return Store(tmp_path / "other.db")


@pytest.fixture
def key(store: Store) -> str:
    return add(store, "talk")


def test_any_relevance_set_is_the_answers_of_somebody(store: Store) -> None:
    question = {"role": "user", "content": "and?"}
    later = {k: v for k, v in case(id="q", query=question, judged=[0, 7]).items() if k != "turn"}
    data = lines(TALK, case(window=4, relevant=[3]), later)
    found = read_labels(data, "set.jsonl", store, annotator="corpus")
    assert (len(found.new), found.annotators, found.replaced) == (1, {"corpus": 6}, 0)
    (talk,) = found.conversations
    assert (talk.title, talk.labels, talk.new) == ("Talk", 6, True)
    assert Conversations(store).find().total == 0, "nothing is kept before somebody says so"
    saved = keep_labels(store, found, by="Ada")
    assert (saved.changed, saved.kind) == (6, "import")
    labels = Labels(store)
    answers = labels.of(SituationKey(talk.key, 6)).of("corpus")
    assert answers == {2: "not_relevant", 3: "relevant", 4: "not_relevant", 5: "not_relevant"}
    assert labels.of(SituationKey(talk.key, None, "and?")).of("corpus") == {0: "relevant", 7: "not_relevant"}
    assert Conversations(store).summary(talk.key).tokens
    with pytest.raises(TranscriptError):
        read_labels(data, "set.jsonl", store)


def test_the_same_file_twice_doubles_nothing_and_undo_takes_the_import_back(store: Store) -> None:
    data = lines(TALK, case(labels=[{"annotator": "Ada", "turn": 0, "answer": "relevant"}]))
    brought(data, store)
    before = holds(store)
    found = read_labels(data, "again", store)
    assert (found.new, found.replaced) == ((), 0)
    assert keep_labels(store, found, by="Importer").changed == 0
    assert holds(store) == before
    assert Conversations(store).find().total == 1
    assert Labels(store).undo("Importer") is not None
    assert holds(store) == []
    assert Conversations(store).find().total == 1


def test_what_the_annotator_says_otherwise_now_is_counted_before_it_is_replaced(store: Store) -> None:
    say = [
        {"annotator": "Ada", "turn": 0, "answer": "relevant"},
        {"annotator": "Ada", "turn": 1, "note": "n"},
    ]
    found = brought(lines(TALK, case(labels=say)), store)
    place = found.entries[0].situation
    Labels(store).answer(place, {0: "unsure"}, by="Ada")
    again = read_labels(lines(TALK, case(labels=say)), "again", store)
    assert again.replaced == 1
    keep_labels(store, again, by="Ada")
    assert Labels(store).of(place).of("Ada") == {0: "relevant"}
    Labels(store).undo("Ada")
    assert Labels(store).of(place).of("Ada") == {0: "unsure"}


def test_labels_win_over_what_the_case_comes_to(store: Store) -> None:
    say = [{"annotator": "Ada", "turn": 1, "answer": "unsure"}]
    found = read_labels(lines(TALK, case(relevant=[0], labels=say)), "set", store, annotator="Bo")
    assert [(entry.annotator, entry.turn, entry.value) for entry in found.entries] == [("Ada", 1, "unsure")]


def test_a_conversation_of_the_library_is_recognised_by_what_was_said(store: Store) -> None:
    (known,) = Conversations(store).add(
        [NewConversation(read_conversations(json.dumps(MESSAGES).encode(), name="x.json").conversations[0])]
    )
    found = brought(lines(TALK, case()), store, annotator="Ada")
    assert ([talk.key for talk in found.conversations], found.new) == ([known.key], ())
    Conversations(store).delete([known.key])
    again = read_labels(lines(TALK, case()), "set", store, annotator="Ada")
    assert len(again.new) == 1, "one that was deleted is not written to behind a person's back"


def test_a_backup_finds_its_conversation_after_that_has_grown(store: Store, key: str) -> None:
    Labels(store).answer(SituationKey(key, 6), {0: "relevant"}, by="Ada")
    written = write_labels(store, "relevance-set"), write_labels(store, "csv")
    grown = Conversations(store).grow(key, [Turn.of("user", "more")]).key
    Labels(store).undo("Ada")
    for data in written:
        found = brought(data, store)
        assert ([talk.key for talk in found.conversations], found.new) == ([grown], ())
    assert Labels(store).of(SituationKey(grown, 6)).of("Ada") == {0: "relevant"}


def test_what_says_on_which_side_a_conversation_is_goes_along_into_files_and_libraries(
    store: Store, key: str, other: Store
) -> None:
    Labels(store).answer(SituationKey(key, 6), {0: "relevant"}, by="Ada")
    before = write_labels(store, "relevance-set")
    grown = Conversations(store).grow(key, [Turn.of("user", "and more")]).key
    after = write_labels(store, "relevance-set")
    assert b"split_group" not in before
    brought(after, other)
    assert split_groups(other) == split_groups(store) == {grown: key}
    assert write_labels(other, "relevance-set") == after
    tea = {"type": "conversation", "id": "tea", "messages": MESSAGES}
    brought(lines(tea, case(conversation="tea", turn=2, relevant=[0])), other, annotator="Ada")
    assert sorted(split_groups(other).values()) == sorted([key, "tea"])


def test_a_question_after_a_conversation_that_went_on_elsewhere_stays_where_it_was_put(
    store: Store, key: str, other: Store
) -> None:
    Labels(store).answer(SituationKey(key, None, "and?"), {0: "relevant"}, by="Ada")
    asked = write_labels(store, "relevance-set")
    grown = Conversations(other).grow(add(other, "talk"), [Turn.of("user", "and more")]).key
    with pytest.raises(BadLinesError) as raised:
        read_labels(write_labels(store, "csv"), "labels.csv", other)
    assert [(problem.line, problem.field) for problem in raised.value.problems] == [(2, "question")]
    brought(asked, other)
    assert Conversations(other).keys() == {key, grown}
    assert holds(other) == holds(store)
    assert split_groups(other) == {grown: key}


def test_a_hand_that_edits_the_messages_is_believed(store: Store, other: Store) -> None:
    keys = add_all(store)
    markdown = keys[4]
    Labels(store).answer(SituationKey(markdown, 2), {0: "relevant"}, by="Ada")
    written = write_labels(store, "relevance-set").replace(b'"content": "There."', b'"content": "Here."')
    found = brought(written, other)
    (talk,) = found.conversations
    assert talk.key != markdown
    assert Conversations(other).get(talk.key).conversation.turns[1].text == "Here."


def test_what_became_impossible_since_it_was_read_keeps_nothing(store: Store, key: str, other: Store) -> None:
    Labels(store).answer(SituationKey(key, 6), {0: "relevant", 1: "relevant"}, by="Ada")
    found = read_labels(write_labels(store, "relevance-set"), "set", other)
    wrong = replace(found, entries=(*found.entries, Entry(SituationKey("gone", 1), 0, "Ada", "relevant")))
    with pytest.raises(StoreError):
        keep_labels(other, wrong, by="Ada")
    assert (holds(other), Conversations(other).find().total) == ([], 0)
