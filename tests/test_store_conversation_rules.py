"""A conversation may have a rule of its own, until it is taken off."""

from __future__ import annotations

from pathlib import Path

import pytest

from convgate.conversation import Conversation, Turn
from convgate.errors import StoreError
from convgate.store import Conversations, NewConversation, Store
from convgate.store.conversation_rules import ConversationRules


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "convgate.db")


def add(store: Store, text: str) -> str:
    (added,) = Conversations(store).add([NewConversation(Conversation("", (Turn.of("user", text),)))])
    return added.key


def test_a_rule_stays_with_its_conversation_until_it_is_taken_off(store: Store) -> None:
    one, other, rules = add(store, "one"), add(store, "other"), ConversationRules(store)
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
    key, rules = add(store, "one"), ConversationRules(store)
    rules.put(key, "gate", {"rule": "top_k"})
    Conversations(store).delete([key])
    assert rules.get(key) is None
    Conversations(store).undelete([key])
    assert rules.get(key) is not None
    Conversations(store).delete([key])
    Conversations(store).purge()
    assert add(store, "one") == key
    assert rules.get(key) is None


def test_what_the_library_does_not_have_gets_no_rule(store: Store) -> None:
    with pytest.raises(StoreError, match="no conversation 'gone'; it was deleted"):
        ConversationRules(store).put("gone", "gate", {"rule": "top_k"})


def test_a_rule_is_found_by_the_key_that_its_conversation_had_before_it_grew(store: Store) -> None:
    key, rules = add(store, "one"), ConversationRules(store)
    rules.put(key, "gate", {"rule": "top_k"})
    grown = Conversations(store).grow(key, (Turn.of("assistant", "two"),)).key
    assert rules.get(key) is not None
    assert rules.get(key) == rules.get(grown)
    rules.put(key, "gate", {"rule": "stricter"})
    rules.remove(key)
    assert rules.get(grown) is None
