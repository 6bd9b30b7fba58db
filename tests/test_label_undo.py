"""Undo looks at who told what since, and when: the same answer given once more is another one."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from convgate.conversation import Conversation, Turn
from convgate.store import Conversations, Entry, Labels, NewConversation, SituationKey, Store
from convgate.store.label_log import Turned
from convgate.store.queues import NewItem, Queues

FORMER = "2026-01-05T10:00:00.000+00:00"


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "convgate.db")


@pytest.fixture
def place(store: Store) -> SituationKey:
    said = tuple(Turn.of("user", f"turn {number}") for number in range(8))
    (added,) = Conversations(store).add([NewConversation(Conversation("talk", said))])
    return SituationKey(added.key, 7)


def imported(store: Store, place: SituationKey, value: str = "relevant") -> int:
    """Bo imports what Ada said of turns 3 and 4 long ago."""
    rows = [Entry(place, turn, "Ada", value, at=FORMER, version="first") for turn in (3, 4)]
    action = Labels(store).record(rows, by="Bo", kind="import", origin="old.csv").action
    assert action is not None
    return action


def test_what_was_answered_the_same_since_an_import_stays_when_that_is_undone(
    store: Store, place: SituationKey
) -> None:
    labels, number = Labels(store), imported(store, place)
    labels.answer(place, {3: "relevant"}, by="Ada", version="second", again=True)
    kept = labels.of(place).answers[3]
    undone = Labels(store).undo_import(number)
    assert (undone.changed, undone.left) == (1, 1)
    assert undone.turned == Turned("import", "old.csv", ("Ada",))
    assert labels.of(place).answers == {3: kept}
    again = labels.redo("Bo")
    assert again is not None
    assert (again.changed, again.left) == (1, 1)
    assert labels.of(place).answers[3] == kept
    assert labels.of(place).of("Ada") == {3: "relevant", 4: "relevant"}


def test_what_was_taken_back_itself_does_not_keep_an_import_from_being_undone(
    store: Store, place: SituationKey
) -> None:
    labels, number = Labels(store), imported(store, place)
    labels.answer(place, {3: "relevant", 4: "unsure"}, by="Ada", again=True)
    labels.undo("Ada")
    labels.redo("Ada")
    labels.undo("Ada")
    undone = Labels(store).undo_import(number)
    assert (undone.changed, undone.left) == (2, 0)
    assert labels.of(place).answers == {}
    labels.answer(place, {3: "not_relevant"}, by="Ada")
    labels.answer(place, {3: None}, by="Ada")
    again = labels.redo("Bo")
    assert again is not None
    assert (again.changed, again.left) == (1, 1), "Ada took back what she said of turn 3"
    assert labels.of(place).of("Ada") == {4: "relevant"}


def test_an_answer_that_was_given_once_more_is_taken_back_with_its_time_and_place_in_a_queue(
    store: Store, place: SituationKey
) -> None:
    labels = Labels(store)
    imported(store, place)
    former = labels.of(place).answers[3]["Ada"]
    labels.answer(place, {3: "not_relevant"}, by="Bo")
    queues = Queues(store)
    queue = queues.add("q", [NewItem(place, 3, "annotators", "they differ")], by="Ada", seed=1).number
    time.sleep(0.005)  # in a queue counts what is said after it was made
    labels.answer(place, {3: "relevant"}, by="Ada", version="second", again=True)
    newer = labels.of(place).answers[3]["Ada"]
    assert (newer.version, queues.progress(queue, "Ada").answered) == ("second", 1)
    for turn_back, expected in ((labels.undo, former), (labels.redo, newer), (labels.undo, former)):
        saved = turn_back("Ada")
        assert saved is not None
        assert (saved.changed, saved.left) == (1, 0)
        assert labels.of(place).answers[3]["Ada"] == expected
        assert queues.progress(queue, "Ada").answered == (expected is newer)


def test_an_action_that_says_two_things_of_a_turn_is_undone_whole(store: Store, place: SituationKey) -> None:
    labels = Labels(store)
    both = [Entry(place, 2, "Ada", value) for value in ("relevant", "unsure")]
    labels.record(both, by="Ada", kind="bulk")
    for turn_back, expected in ((labels.undo, {}), (labels.redo, {2: "unsure"})):
        saved = turn_back("Ada")
        assert saved is not None
        assert (saved.changed, saved.left, labels.of(place).of("Ada")) == (1, 0, expected)
