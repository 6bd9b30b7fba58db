"""Edits of conversations, and queues: stored, undone, removed with the conversation."""

from __future__ import annotations

import pytest

from convgate.core.conversation import Conversation, Turn
from convgate.core.errors import StoreError
from convgate.store import Conversations, CurrentKey, Labels, NewConversation, Store
from convgate.store.edits import InvariantEdit, InvariantEdits, MovedBoundaries, MovedBoundary, edits_digest
from convgate.store.queues import NewItem, QueueProgress, Queues


def add(store: Store, turns: int = 6) -> str:
    talk = tuple(Turn.of("user", f"text {index}") for index in range(turns))
    (added,) = Conversations(store).add([NewConversation(Conversation("", talk))])
    return added.key


def kinds(store: Store, key: str) -> dict[int, str]:
    return {turn: one.kind for turn, one in MovedBoundaries(store).of(key).items()}


def test_steps_are_undone_one_after_the_other_also_by_another_program(store: Store) -> None:
    key, moved = add(store), MovedBoundaries(store)
    moved.change(key, {2: MovedBoundary("none"), 3: MovedBoundary("session")})
    moved.change(key, {3: None, 4: MovedBoundary("session")})
    moved.change(key, {4: MovedBoundary("conversation")})
    moved.change(key, {4: MovedBoundary("conversation"), 5: None})
    assert kinds(store, key) == {2: "none", 4: "conversation"}
    later = MovedBoundaries(Store(store.path))
    assert later.changed_last(key) == [4], "neither the same kind again nor removing nothing is a step"
    assert later.undo(key) == [4]
    assert kinds(store, key) == {2: "none", 4: "session"}
    assert later.undo(key) == [3, 4]
    assert kinds(store, key) == {2: "none", 3: "session"}
    assert later.undo(key) == [2, 3]
    assert later.of(key) == {}
    assert later.undo(key) == later.changed_last(key) == []


def test_a_step_is_stored_whole_or_not_at_all(store: Store) -> None:
    key, moved = add(store), MovedBoundaries(store)
    with pytest.raises(StoreError, match="got 6"):
        moved.change(key, {2: MovedBoundary("none"), 6: MovedBoundary("session")})
    assert moved.of(key) == {}
    assert moved.changed_last(key) == []


def test_the_undo_goes_with_what_is_removed_for_good(store: Store) -> None:
    key, moved = add(store), InvariantEdits(store)
    moved.put(key, 2, InvariantEdit(text="zebrafish", type="hard_constraint"))
    moved.change(key, {2: None})
    Conversations(store).delete([key])
    Conversations(store).purge()
    assert moved.changed_last(key) == []
    assert not [path for path in store.path.parent.iterdir() if b"zebrafish" in path.read_bytes()]


@pytest.fixture
def key(store: Store) -> str:
    return add(store, turns=10)


def item(key: str, current: int, turn: int, kind: str = "audit") -> NewItem:
    return NewItem(CurrentKey(key, current), turn, kind, "Drawn by lot.")


@pytest.fixture
def queue(store: Store, key: str) -> int:
    """Two turns of message 4, two of message 6, one of message 8."""
    places = [(4, 0), (4, 1), (6, 2), (6, 3), (8, 5)]
    return Queues(store).add("Monday", [item(key, *place) for place in places], by="Ada", seed=7)


def place(store: Store, queue: int, annotator: str, after: int | None = None) -> int | None:
    item = Queues(store).next_item(queue, annotator, after=after)
    return item.place if item else None


def test_what_is_next_follows_from_answers_and_survives_a_restart(store: Store, queue: int, key: str) -> None:
    labels = Labels(store)
    assert place(store, queue, "Ada") == 0
    labels.answer(CurrentKey(key, 4), {0: "relevant", 1: "unsure"}, by="Ada")
    store.close()
    again = Store(store.path)
    assert place(again, queue, "Ada") == 2
    assert Queues(again).progress(queue, "Ada") == QueueProgress(5, 2)
    Labels(again).undo("Ada")
    assert place(again, queue, "Ada") == 0, "an undone answer is open again"


def test_a_queue_about_a_message_that_is_missing_is_refused_whole(store: Store, key: str) -> None:
    with pytest.raises(StoreError):
        Queues(store).add("Monday", [item(key, 4, 0), item(key, 40, 0)], by="Ada", seed=1)
    with store.read() as db:
        counts = "(SELECT count(*) FROM queues) + (SELECT count(*) FROM messages)"
        assert db.execute(f"SELECT {counts}").fetchone() == (0,), "nothing of it is kept"


def test_the_digest_changes_with_every_edit_and_undo_and_comes_back_with_neither(store: Store) -> None:
    key, moved, digests = add(store), MovedBoundaries(store), [edits_digest(store)]
    for turn in (2, 3):
        moved.change(key, {turn: MovedBoundary("session")})
        digests.append(edits_digest(store))
    moved.undo(key)
    assert edits_digest(store) == digests[1]
    moved.change(key, {4: MovedBoundary("session")})
    assert edits_digest(store) not in digests
    assert len(set(digests)) == 3
    assert edits_digest(store, key) == edits_digest(store) != edits_digest(store, "another") == digests[0]
