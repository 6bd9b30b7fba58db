"""What people change of conversations: moved boundaries with their undo, and rules of their own."""

from __future__ import annotations

from pathlib import Path

import pytest

from convgate.conversation import Conversation, Turn
from convgate.errors import StoreError
from convgate.store import Conversations, NewConversation, Store
from convgate.store.edits import ConversationRules, MovedBoundaries, MovedBoundary
from tests.session_days import MORNING


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "convgate.db")


def add(store: Store, turns: int = 6) -> str:
    said = tuple(Turn.of("user", f"text {index}") for index in range(turns))
    (added,) = Conversations(store).add([NewConversation(Conversation("", said))])
    return added.key


def test_a_moved_boundary_stays_with_its_conversation(store: Store) -> None:
    key, other = add(store, 3), add(store, 1)
    moved = MovedBoundaries(store)
    assert moved.of(key) == {}
    moved.put(key, 2, MovedBoundary("none", note=" the same matter "))
    moved.put(key, 1, MovedBoundary("conversation", at=MORNING))
    found = MovedBoundaries(Store(store.path)).of(key)
    assert {turn: (one.kind, one.note) for turn, one in found.items()} == {
        1: ("conversation", ""),
        2: ("none", "the same matter"),
    }
    assert found[1].at == MORNING
    grown = Conversations(store).grow(key, (Turn.of("user", "text 3"),)).key
    assert moved.of(grown) == found == moved.of(key)
    moved.put(grown, 2, MovedBoundary("session"))
    moved.remove(key, 1)
    assert [(turn, one.kind) for turn, one in moved.of(grown).items()] == [(2, "session")]
    moved.remove(grown)
    moved.remove(grown)
    assert moved.of(grown) == moved.of(other) == {}


def test_what_there_is_not_cannot_be_moved(store: Store) -> None:
    moved, key = MovedBoundaries(store), add(store, 2)
    for turn in (0, -1, 2):
        with pytest.raises(StoreError, match=f"got {turn}"):
            moved.put(key, turn, MovedBoundary("session"))
    with pytest.raises(StoreError, match="gone"):
        moved.put("gone", 1, MovedBoundary("session"))
    assert moved.of(key) == moved.of("gone") == {}


def kinds(store: Store, key: str) -> dict[int, str]:
    return {turn: one.kind for turn, one in MovedBoundaries(store).of(key).items()}


def test_steps_are_undone_one_after_the_other_also_by_another_program(store: Store) -> None:
    key, moved = add(store), MovedBoundaries(store)
    moved.change(key, {2: MovedBoundary("none"), 3: MovedBoundary("session", "first")})
    moved.change(key, {3: None, 4: MovedBoundary("session", "second")})
    moved.put(key, 4, MovedBoundary("conversation", "third"))
    moved.remove(key, 5)
    assert kinds(store, key) == {2: "none", 4: "conversation"}
    later = MovedBoundaries(Store(store.path))
    assert later.changed_last(key) == [4], "to remove what is not there is no step"
    assert later.undo(key) == [4]
    assert {turn: (one.kind, one.note) for turn, one in later.of(key).items()} == {
        2: ("none", ""),
        4: ("session", "second"),
    }
    assert later.undo(key) == [3, 4]
    assert {turn: (one.kind, one.note) for turn, one in later.of(key).items()} == {
        2: ("none", ""),
        3: ("session", "first"),
    }
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
    key, moved = add(store), MovedBoundaries(store)
    moved.put(key, 2, MovedBoundary("session", "zebrafish"))
    moved.remove(key)
    Conversations(store).delete([key])
    Conversations(store).purge()
    assert moved.changed_last(key) == []
    assert not [path for path in store.path.parent.iterdir() if b"zebrafish" in path.read_bytes()]


def test_a_rule_stays_with_its_conversation_until_it_is_taken_off(store: Store) -> None:
    one, other, rules = add(store, 1), add(store, 2), ConversationRules(store)
    assert rules.get(one) is None
    rules.put(one, "gate@mine", {"rule": "absolute", "threshold": "0.3"}, note="recall 0.90")
    rules.put(other, "gate", {"rule": "top_k"})
    found = ConversationRules(Store(store.path)).get(one)
    assert found is not None
    assert (found.policy, found.choice) == ("gate@mine", {"rule": "absolute", "threshold": "0.3"})
    assert found.note == "recall 0.90"
    rules.put(one, "gate", {"rule": "stricter"})
    changed = rules.get(one)
    assert changed is not None
    assert changed.choice == {"rule": "stricter"}
    rules.remove(one)
    rules.remove(one)
    assert rules.get(one) is None
    assert rules.get(other) is not None


def test_a_conversation_that_is_deleted_for_good_takes_its_rule_along(store: Store) -> None:
    key, rules = add(store, 1), ConversationRules(store)
    rules.put(key, "gate", {"rule": "top_k"})
    Conversations(store).delete([key])
    assert rules.get(key) is None
    Conversations(store).undelete([key])
    assert rules.get(key) is not None
    Conversations(store).delete([key])
    Conversations(store).purge()
    assert add(store, 1) == key
    assert rules.get(key) is None


def test_what_the_library_does_not_have_gets_no_rule(store: Store) -> None:
    with pytest.raises(StoreError, match="gone"):
        ConversationRules(store).put("gone", "gate", {"rule": "top_k"})


def test_a_rule_is_found_by_the_key_that_its_conversation_had_before_it_grew(store: Store) -> None:
    key, rules = add(store, 1), ConversationRules(store)
    rules.put(key, "gate", {"rule": "top_k"})
    grown = Conversations(store).grow(key, (Turn.of("user", "text 1"),)).key
    assert rules.get(key) is not None
    assert rules.get(key) == rules.get(grown)
    rules.put(key, "gate", {"rule": "stricter"})
    rules.remove(key)
    assert rules.get(grown) is None
