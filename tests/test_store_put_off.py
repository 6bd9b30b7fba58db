"""Turns that are put off: an action that changes no answer, undone like any other, kept over a restart."""

from __future__ import annotations

from pathlib import Path

import pytest

from convgate.conversation import Conversation, Turn
from convgate.errors import StoreError
from convgate.store import Conversations, Labels, NewConversation, SituationKey, Store
from convgate.store.put_off import put_off, turns_put_off


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "convgate.db")


@pytest.fixture
def message(store: Store) -> SituationKey:
    said = tuple(Turn.of("user", f"turn {number}") for number in range(6))
    (added,) = Conversations(store).add([NewConversation(Conversation("talk", said))])
    return SituationKey(added.key, 5)


def test_what_is_put_off_is_known_until_it_is_taken_back(
    store: Store, message: SituationKey, tmp_path: Path
) -> None:
    labels = Labels(store)
    for turn in (1, 4, 1):
        saved = put_off(store, message, turn, by="Ada")
        assert (saved.situation, saved.turn, saved.changed, saved.kind) == (message, turn, 0, "later")
    assert turns_put_off(Store(tmp_path / "convgate.db"), message, "Ada") == [4, 1], "the last one at the end"
    assert turns_put_off(store, message, "Bo") == []
    assert turns_put_off(store, SituationKey(message.conversation, 4), "Ada") == []
    assert labels.last_situation("Ada") == message
    assert not list(labels.entries())
    undone = [labels.undo("Ada") for _ in range(2)]
    assert [(one.situation, one.turn, one.left) for one in undone if one] == [
        (message, 1, 0),
        (message, 4, 0),
    ]
    assert turns_put_off(store, message, "Ada") == [1]
    labels.redo("Ada")
    assert turns_put_off(store, message, "Ada") == [1, 4]


def test_answers_before_and_after_are_as_if_nothing_had_been_put_off(
    store: Store, message: SituationKey
) -> None:
    labels = Labels(store)
    labels.answer(message, {2: "relevant"}, by="Ada")
    before = labels.of(message)
    assert put_off(store, message, 2, by="Ada").action is None
    assert labels.of(message) == before
    assert turns_put_off(store, message, "Ada") == []
    put_off(store, message, 3, by="Ada")
    labels.answer(message, {3: "unsure"}, by="Ada")
    labels.answer(message, {3: "relevant"}, by="Ada")
    for wanted in ("unsure", None):
        labels.undo("Ada")
        assert labels.of(message).answer(3, "Ada") == wanted
    assert turns_put_off(store, message, "Ada") == [3]


def test_a_turn_that_is_not_before_the_message_is_not_put_off(store: Store, message: SituationKey) -> None:
    with pytest.raises(StoreError, match="turn 5 is put off, but the message has 5 turns before it"):
        put_off(store, message, 5, by="Ada")
    assert Labels(store).people() == []
