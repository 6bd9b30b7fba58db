"""Queues in the store: where each annotator is follows from the labels alone."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from convgate.conversation import Conversation, Turn
from convgate.errors import StoreError
from convgate.store import Conversations, Labels, NewConversation, SituationKey, Store
from convgate.store.queues import NewItem, Queue, QueueProgress, Queues


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "convgate.db")


@pytest.fixture
def key(store: Store) -> str:
    said = tuple(Turn.of("user" if i % 2 == 0 else "assistant", f"turn {i}") for i in range(10))
    (added,) = Conversations(store).add([NewConversation(Conversation("talk", said))])
    return added.key


def item(key: str, current: int, turn: int, kind: str = "audit") -> NewItem:
    return NewItem(SituationKey(key, current), turn, kind, "Drawn by lot.")  # type: ignore[arg-type]


@pytest.fixture
def queue(store: Store, key: str) -> Queue:
    """Two turns of message 4, two of message 6, one of message 8."""
    places = [(4, 0), (4, 1), (6, 2), (6, 3), (8, 5)]
    return Queues(store).add("Monday", [item(key, *place) for place in places], by="Ada", seed=7)


def place(store: Store, queue: Queue, annotator: str, after: int | None = None) -> int | None:
    found = Queues(store).next_item(queue.number, annotator, after=after)
    return found.place if found else None


def test_a_queue_is_kept_as_it_was_made(store: Store, queue: Queue, key: str) -> None:
    queues = Queues(store)
    assert (queue.name, queue.made_by, queue.seed, queue.items, queue.messages) == ("Monday", "Ada", 7, 5, 3)
    assert queues.all() == [queue]
    second = queues.item(queue.number, 2)
    assert second is not None
    assert (second.situation, second.turn, second.kind, second.reason) == (
        SituationKey(key, 6), 2, "audit", "Drawn by lot.",
    )  # fmt: skip
    assert [one.place for one in queues.items_about(queue.number, SituationKey(key, 6))] == [2, 3]
    assert queues.item(queue.number, 5) is None
    assert queues.reasons(queue.number) == {"audit": 5}
    assert queues.common_reasons(queue.number) == {"audit": "Drawn by lot."}
    mixed = [replace(item(key, 4, 0), reason="A."), item(key, 4, 1), item(key, 4, 2, "threshold")]
    assert queues.common_reasons(queues.add("Mixed", mixed, by="Ada", seed=7).number) == {}


def test_what_is_next_follows_from_answers_and_survives_a_restart(
    store: Store, queue: Queue, key: str, tmp_path: Path
) -> None:
    labels = Labels(store)
    assert place(store, queue, "Ada") == 0
    labels.answer(SituationKey(key, 4), {0: "relevant", 1: "unsure"}, by="Ada")
    store.close()
    again = Store(tmp_path / "convgate.db")
    assert place(again, queue, "Ada") == 2
    assert Queues(again).progress(queue.number, "Ada") == QueueProgress(5, 2, 0)
    Labels(again).undo("Ada")
    assert place(again, queue, "Ada") == 0, "an undone answer is open again"


def test_two_annotators_share_a_queue_each_at_their_own_place(store: Store, queue: Queue, key: str) -> None:
    Labels(store).answer(SituationKey(key, 4), {0: "relevant"}, by="Ada")
    assert (place(store, queue, "Ada"), place(store, queue, "Bo")) == (1, 0)
    assert Queues(store).progress(queue.number, "Bo") == QueueProgress(5, 0, 0)


def test_after_an_item_comes_the_next_open_one_and_then_those_in_front(
    store: Store, queue: Queue, key: str
) -> None:
    Labels(store).answer(SituationKey(key, 6), {3: "relevant"}, by="Ada")
    assert place(store, queue, "Ada", after=2) == 4
    assert place(store, queue, "Ada", after=4) == 0


def test_skipped_messages_come_again_at_the_end(store: Store, queue: Queue, key: str) -> None:
    labels = Labels(store)
    labels.set_status(SituationKey(key, 4), "skipped", by="Ada")
    assert place(store, queue, "Ada") == 2
    assert Queues(store).progress(queue.number, "Ada") == QueueProgress(5, 0, 2)
    assert place(store, queue, "Bo") == 0, "somebody else did not skip it"
    labels.answer(SituationKey(key, 6), {2: "relevant", 3: "relevant"}, by="Ada")
    labels.answer(SituationKey(key, 8), {5: "relevant"}, by="Ada")
    assert place(store, queue, "Ada", after=4) == 0
    labels.answer(SituationKey(key, 4), {0: "relevant"}, by="Ada")
    assert place(store, queue, "Ada", after=0) == 1
    labels.answer(SituationKey(key, 4), {1: "relevant"}, by="Ada")
    assert place(store, queue, "Ada") is None
    assert Queues(store).progress(queue.number, "Ada") == QueueProgress(5, 5, 0)


def test_a_disagreement_is_done_when_it_is_settled_or_gone(
    store: Store, key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    labels, where = Labels(store), SituationKey(key, 4)
    labels.answer(where, {0: "relevant"}, by="Ada")
    labels.answer(where, {0: "not_relevant"}, by="Bo")
    queue = Queues(store).add("Disputes", [item(key, 4, 0, "annotators")], by="Ada", seed=1)
    assert place(store, queue, "Ada") == 0, "the answer that is disputed is not being done with it"
    labels.adjudicate(where, {0: "relevant"}, by="Ada")
    assert (place(store, queue, "Ada"), place(store, queue, "Bo")) == (None, None)
    labels.undo("Ada")
    assert place(store, queue, "Bo") == 0
    # A label of the same millisecond as the queue would count as older.
    monkeypatch.setattr("convgate.store.label_log.present", lambda: "2999-01-01T00:00:00.000+00:00")
    labels.answer(where, {0: "unsure"}, by="Cy")
    assert (place(store, queue, "Cy"), place(store, queue, "Bo")) == (None, 0), "Cy had a say"
    labels.answer(where, {0: "relevant"}, by="Bo")
    assert place(store, queue, "Ada") is None, "they agree now"


def test_items_of_a_deleted_conversation_wait_until_it_is_back(store: Store, queue: Queue, key: str) -> None:
    conversations = Conversations(store)
    conversations.delete([key])
    assert place(store, queue, "Ada") is None
    assert Queues(store).progress(queue.number, "Ada") == QueueProgress(0, 0, 0)
    conversations.undelete([key])
    assert place(store, queue, "Ada") == 0


def test_purging_a_conversation_takes_its_items_along(store: Store, queue: Queue, key: str) -> None:
    conversations = Conversations(store)
    conversations.delete([key])
    conversations.purge()
    with store.read() as db:
        assert db.execute("SELECT count(*) FROM queue_items").fetchone() == (0,)


def test_a_deleted_queue_can_come_back_and_labels_stay(store: Store, queue: Queue, key: str) -> None:
    queues = Queues(store)
    Labels(store).answer(SituationKey(key, 4), {0: "relevant"}, by="Ada")
    queues.delete(queue.number)
    assert queues.all() == []
    with pytest.raises(StoreError, match="no queue"):
        queues.get(queue.number)
    queues.undelete(queue.number)
    assert queues.progress(queue.number, "Ada").answered == 1
    with pytest.raises(StoreError, match="no queue 99"):
        queues.delete(99)


@pytest.mark.parametrize(
    ("name", "places", "told"),
    [
        ("Monday", [(4, 0), (4, 0)], "tem 1 of the queue"),
        ("Monday", [(4, 0), (4, 4)], "tem 1 of the queue"),
        ("Monday", [], "at least one"),
        (" ", [(4, 0)], "1 to 80 characters"),
        ("x" * 81, [(4, 0)], "1 to 80 characters"),
        ("Monday", [(40, 0)], "the conversation has 10 turns"),
    ],
)
def test_a_queue_that_cannot_be_is_refused_whole(
    store: Store, key: str, name: str, places: list[tuple[int, int]], told: str
) -> None:
    with pytest.raises(StoreError, match=told):
        Queues(store).add(name, [item(key, *place) for place in places], by="Ada", seed=1)
    with store.read() as db:
        counts = "(SELECT count(*) FROM queues) + (SELECT count(*) FROM situations)"
        assert db.execute(f"SELECT {counts}").fetchone() == (0,), "nothing of it is kept"
