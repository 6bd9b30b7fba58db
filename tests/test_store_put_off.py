"""Turns that are put off: an action that changes no answer, undone like any other, kept over a restart."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from convgate.conversation import Conversation, Turn
from convgate.errors import StoreError
from convgate.store import Conversations, Entry, Labels, NewConversation, SituationKey, Store
from convgate.store.label_imports import LabelImports
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


def test_what_was_put_off_or_imported_is_found_without_a_look_at_all_that_was_done_since(
    store: Store, message: SituationKey
) -> None:
    labels, imports = Labels(store), LabelImports(store)
    for turn in (1, 4):
        put_off(store, message, turn, by="Ada")
        labels.record([Entry(message, turn, "Bo", "unsure")], by="Ada", kind="import", origin="bo.csv")
    imports.undo(4)

    def cost(ask: Callable[[], object]) -> int:
        with store.read() as db:
            ticks: list[None] = []
            db.conn.set_progress_handler(lambda: ticks.append(None), 10)
            ask()
            db.conn.set_progress_handler(None, 10)
        return len(ticks)

    def undo() -> None:
        with pytest.raises(StoreError, match=r"import 4 of bo\.csv was undone already"):
            imports.undo(4)

    asked: list[Callable[[], object]] = [lambda: turns_put_off(store, message, "Ada"), undo, imports.all]
    before = [cost(ask) for ask in asked]
    with store.write() as db:
        db.conn.executemany(
            "INSERT INTO label_actions (annotator, kind, at) SELECT annotator, 'status', at"
            " FROM label_actions WHERE number = ?",
            [(1,)] * 2_000,
        )
    put, undone, every = [cost(ask) - then for ask, then in zip(asked, before, strict=True)]
    assert turns_put_off(store, message, "Ada") == [1, 4]
    assert [one.undone for one in imports.all()] == [True, False]
    assert max(put, undone) < 10
    assert every < 2_000, "one walk through all actions, not one for each import"
