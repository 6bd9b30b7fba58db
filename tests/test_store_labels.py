"""Labels: an append-only log, undo, adjudication, gold labels."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from convgate.core.conversation import Turn
from convgate.core.errors import StoreError
from convgate.labels.gold import GoldCounts, gold_answers, gold_counts, gold_set, labels_digest
from convgate.store import ADJUDICATED, WHOLE, Conversations, CurrentKey, Entry, Labels, Store
from convgate.store.label_log import ANSWERS
from convgate.transcripts import read_relevance_set, write_relevance_set
from convgate.transcripts.relevance_sets import split_group_of
from tests.label_files import add
from tests.stores import clear_store

Talk = tuple[Labels, str]


@pytest.fixture
def labelled_conversation(store: Store) -> Talk:
    return Labels(store), add(store, "talk", 8)


def first_gold_answers(store: Store) -> dict[int, str]:
    return next(iter(gold_answers(store).values()), {})


def log(store: Store) -> int:
    with store.read() as db:
        return int(db.execute("SELECT count(*) FROM label_log").fetchone()[0])


def test_an_answer_is_stored_with_annotator_time_and_version(labelled_conversation: Talk) -> None:
    labels, key = labelled_conversation
    place = CurrentKey(key, 6)
    saved = labels.answer(place, {0: "relevant", 3: "unsure"}, by="Ada", version="shipped")
    assert (saved.changed, saved.current, saved.turn) == (2, place, 0)
    assert labels.of(place).of("Ada") == {0: "relevant", 3: "unsure"}
    first = labels.entries()[0]
    assert (first.at, first.version) == (saved.at.isoformat(timespec="milliseconds"), "shipped")
    assert labels.of(CurrentKey(key, 4)).answers == {}


def test_undo_and_redo_step_through_actions(labelled_conversation: Talk) -> None:
    labels, key = labelled_conversation
    place = CurrentKey(key, 6)
    labels.answer(place, {0: "relevant"}, by="Ada")
    labels.answer(place, dict.fromkeys(range(6), "not_relevant"), by="Ada")
    labels.skip(place, by="Ada")
    labels.adjudicate(place, {5: "relevant"}, by="Ada")
    for expected in ("adjudicate", "skip", "answer"):
        undone = labels.undo("Ada")
        assert undone is not None, expected
    assert labels.of(place).answers == {0: {"Ada": "relevant"}}
    for _ in range(3):
        assert labels.redo("Ada") is not None
    held = labels.of(place)
    assert held.of("Ada") == dict.fromkeys(range(6), "not_relevant")
    assert (held.of(ADJUDICATED), held.answers[WHOLE]) == ({5: "relevant"}, {"Ada": "skipped"})
    assert labels.redo("Ada") is None


def test_undo_leaves_what_others_adjudicated_since(labelled_conversation: Talk) -> None:
    labels, key = labelled_conversation
    place = CurrentKey(key, 6)
    labels.adjudicate(place, {0: "relevant", 1: "relevant"}, by="Ada")
    labels.adjudicate(place, {0: "not_relevant"}, by="Bo")
    undone = labels.undo("Ada")
    assert (undone.changed, undone.left) == (1, 1)
    assert labels.of(place).of(ADJUDICATED) == {0: "not_relevant"}


@pytest.mark.parametrize(
    ("current", "turn", "value"),
    [
        (("KEY", 6), 6, "relevant"),
        (("KEY", 0), 0, "relevant"),
        (("KEY", 8), 0, "relevant"),
        (("KEY", None), 0, "relevant"),
        (("KEY", 6, "and?"), 0, "relevant"),
        (("other", 6), 0, "relevant"),
        (("KEY", 6), 0, "perhaps"),
        (("KEY", 6), WHOLE, "relevant"),
    ],
)
def test_an_invalid_answer_stores_nothing(
    labelled_conversation: Talk, store: Store, current: tuple[str, int], turn: int, value: str
) -> None:
    labels, key = labelled_conversation
    place = CurrentKey(*[key if part == "KEY" else part for part in current])
    entries = [Entry(CurrentKey(key, 6), 1, "Ada", "relevant"), Entry(place, turn, "Ada", value)]
    with pytest.raises(StoreError):
        labels.record(entries, by="Ada", kind="answer")
    assert (log(store), labels.annotators()) == (0, []), "nothing of it is kept"


def test_gold_is_the_majority_of_people_unless_adjudicated(labelled_conversation: Talk, store: Store) -> None:
    labels, key = labelled_conversation
    place = CurrentKey(key, 6)
    labels.answer(place, {0: "relevant", 1: "relevant", 2: "unsure", 3: "relevant"}, by="Ada")
    labels.answer(place, {0: "relevant", 1: "not_relevant", 3: "not_relevant"}, by="Bo")
    labels.adjudicate(place, {3: "not_relevant"}, by="Bo")
    feedback = [Entry(place, turn, "bot", "relevant", kind="agent") for turn in (2, 4)]
    labels.record(feedback, by="bot", kind="feedback", by_kind="agent")
    assert first_gold_answers(store) == {
        0: "relevant", 1: "unsure", 2: "unsure", 3: "not_relevant", 4: "relevant",
    }  # fmt: skip
    labels.answer(place, {1: "not_relevant"}, by="Cy")
    assert first_gold_answers(store)[1] == "not_relevant"
    labels.set_trains("bot", trains=False)
    assert 4 not in first_gold_answers(store)
    with pytest.raises(StoreError):
        labels.set_trains("nobody", trains=True)


def test_labels_go_when_their_conversation_is_purged_and_wait_while_it_is_deleted(
    labelled_conversation: Talk, store: Store
) -> None:
    labels, key = labelled_conversation
    labels.answer(CurrentKey(key, 6), {0: "relevant"}, by="Ada")
    conversations = Conversations(store)
    conversations.delete([key])
    assert list(labels.entries()) == []
    conversations.undelete([key])
    assert [entry.value for entry in labels.entries()] == ["relevant"]
    conversations.delete([key])
    assert labels.annotators() == []
    conversations.purge()
    assert log(store) == 0
    assert labels.can_undo("Ada") == (False, False), "nothing is left to be undone"


def test_undo_goes_on_past_conversations_that_were_deleted_or_removed(
    labelled_conversation: Talk, store: Store
) -> None:
    labels, key = labelled_conversation
    conversations, other, third = Conversations(store), add(store, "other", 8), add(store, "third", 8)
    for one in (key, other, third):
        labels.answer(CurrentKey(one, 6), {2: "relevant"}, by="Ada")
    both = [Entry(CurrentKey(one, 4), 1, "Ada", "relevant") for one in (third, key)]
    labels.record(both, by="Ada", kind="import")
    conversations.delete([other, third])
    part = labels.undo("Ada")
    assert (part.changed, part.current) == (2, CurrentKey(key, 4))
    gone = labels.undo("Ada")
    assert (gone.changed, gone.current, gone.turn) == (1, None, WHOLE)
    conversations.purge()
    conversations.undelete([third])
    assert labels.undo("Ada").current == CurrentKey(key, 6)
    assert labels.undo("Ada") is None
    again = labels.redo("Ada")
    assert (again.current, again.changed) == (CurrentKey(key, 6), 1)
    rest = labels.redo("Ada")
    assert (rest.current, rest.changed) == (CurrentKey(key, 4), 1)
    assert labels.redo("Ada") is None, "what was removed cannot come back"


def test_the_log_cannot_be_rewritten(labelled_conversation: Talk, store: Store) -> None:
    labels, key = labelled_conversation
    labels.answer(CurrentKey(key, 6), {0: "relevant"}, by="Ada")
    with pytest.raises(sqlite3.IntegrityError, match="append-only"), store.write() as db:
        db.execute("UPDATE label_log SET answer = 'not_relevant'")


ACTIONS = st.lists(
    st.one_of(
        st.tuples(
            st.sampled_from(["Ada", "Bo"]),
            st.dictionaries(st.integers(0, 5), st.none() | st.sampled_from(ANSWERS), min_size=1),
        ),
        st.tuples(st.sampled_from(["Ada", "Bo"]), st.sampled_from(["undo", "redo"])),
    ),
    max_size=25,
)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Store:
    return Store(tmp_path_factory.mktemp("labels") / "convgate.db")


@given(ACTIONS)
def test_labels_equal_the_replayed_log_and_undoing_everything_leaves_none(
    shared: Store, actions: list[tuple[str, object]]
) -> None:
    labels, place = Labels(clear_store(shared)), CurrentKey(add(shared, "talk", 8), 6)
    for who, what in actions:
        if isinstance(what, dict):
            labels.answer(place, what, by=who)
        else:
            (labels.undo if what == "undo" else labels.redo)(who)
    with shared.read() as db:
        rows = db.execute("SELECT turn, annotator, answer FROM label_log ORDER BY number").fetchall()
        held = db.execute("SELECT turn, annotator, answer FROM labels ORDER BY turn, annotator").fetchall()
    replayed = {(turn, who): after for turn, who, after in rows}
    assert held == sorted((*key, after) for key, after in replayed.items() if after is not None)
    for who in ("Ada", "Bo"):
        while labels.undo(who):
            pass
    assert labels.of(place).answers == {}


FORMER = "2026-01-05T10:00:00.000+00:00"


@pytest.fixture
def place(store: Store) -> CurrentKey:
    return CurrentKey(add(store, "talk"), 7)


def test_what_was_answered_the_same_since_an_import_stays_when_that_is_undone(
    store: Store, place: CurrentKey
) -> None:
    labels = Labels(store)
    rows = [Entry(place, turn, "Ada", "relevant", at=FORMER, version="first") for turn in (3, 4)]
    labels.record(rows, by="Bo", kind="import", origin="old.csv")
    labels.answer(place, {3: "relevant"}, by="Ada", version="second", again=True)
    undone = labels.undo("Bo")
    assert (undone.changed, undone.left) == (1, 1)
    (kept,) = labels.entries()
    assert (kept.turn, kept.version) == (3, "second")
    again = labels.redo("Bo")
    assert (again.changed, again.left) == (1, 1)
    assert labels.entries()[0] == kept
    assert labels.of(place).of("Ada") == {3: "relevant", 4: "relevant"}


def test_each_labelled_message_is_a_case_of_its_judged_turns(store: Store) -> None:
    labels, key = Labels(store), add(store, "talk")
    add(store, "nobody labelled this")
    labels.answer(CurrentKey(key, 6), {0: "relevant", 3: "not_relevant", 5: "unsure"}, by="Ada")
    labels.answer(CurrentKey(key, 6), {0: "relevant", 3: "relevant"}, by="Bo")
    labels.answer(CurrentKey(key, None, "and then?"), {7: "not_relevant"}, by="Ada")
    labels.answer(CurrentKey(key, 4), {1: "unsure"}, by="Ada")
    labels.skip(CurrentKey(key, 2), by="Ada")
    relevance_set = gold_set(store)
    assert relevance_set.name == "labels"
    assert set(relevance_set.conversations) == {key}
    assert relevance_set.conversations[key].id == key
    first, asked = relevance_set.cases
    assert (first.turn, first.relevant, first.judged) == (6, frozenset({0}), frozenset({0}))
    assert (asked.turn, asked.relevant, asked.judged) == (None, frozenset(), frozenset({7}))
    current, history = relevance_set.current(asked)
    assert (current.turn.role, current.turn.text, len(history)) == ("user", "and then?", 8)
    assert gold_counts(store) == GoldCounts(1, 2, relevant=1, not_relevant=1, undecided=3)
    assert gold_counts(store).judged == 2


def test_a_conversation_that_grew_says_on_which_side_of_a_split_it_stays(
    store: Store, tmp_path: Path
) -> None:
    labels, conversations = Labels(store), Conversations(store)
    first, other = add(store, "talk"), add(store, "other")
    for key in (first, other):
        labels.answer(CurrentKey(key, 4), {0: "relevant"}, by="Ada")
    new = conversations.grow(first, [Turn.of("user", "and more")]).key
    write_relevance_set(gold_set(store), tmp_path / "labels.jsonl")
    read = read_relevance_set(tmp_path / "labels.jsonl")
    sides = {key: split_group_of(conversation) for key, conversation in read.conversations.items()}
    assert sides == {new: first, other: other}


def test_the_digest_changes_with_everything_that_gold_labels_depend_on(store: Store) -> None:
    labels, conversations, key = Labels(store), Conversations(store), add(store, "talk")
    place = CurrentKey(key, 6)
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
