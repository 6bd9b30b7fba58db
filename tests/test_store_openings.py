"""Conversations are found again by what was said in them, and grow in place."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from convgate.conversation import Conversation, Turn
from convgate.errors import StoreError
from convgate.store import Conversations, Labels, NewConversation, SituationKey, Store
from convgate.store.openings import Openings, chain
from tests.stores import emptied


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "convgate.db")


def said(name: str, turns: int) -> tuple[Turn, ...]:
    return tuple(Turn.of("user" if i % 2 == 0 else "assistant", f"{name} {i}") for i in range(turns))


def item(turns: tuple[Turn, ...], name: str = "t") -> NewConversation:
    return NewConversation(Conversation(name, turns), tokens=10)


def add(store: Store, *talks: tuple[Turn, ...]) -> list[str]:
    items = [item(turns, f"t{i}") for i, turns in enumerate(talks)]
    return [added.key for added in Conversations(store).add(items)]


def test_the_same_was_said_whatever_else_a_turn_holds() -> None:
    plain = Turn.of("user", "Hi")
    timed = Turn.of("user", "Hi", id="7", timestamp=datetime(2026, 1, 1, tzinfo=UTC), metadata={"a": 1})
    assert chain([plain]) == chain([timed])
    others = [Turn.of("assistant", "Hi"), Turn.of("user", "hi"), Turn.of("user", "Hi", name="Ada")]
    assert len({chain([turn])[-1] for turn in (plain, *others)}) == 4
    assert chain([plain, timed])[:2] == chain([plain])


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Store:
    return Store(tmp_path_factory.mktemp("openings") / "convgate.db")


@given(st.integers(0, 90), st.integers(0, 90))
def test_beginnings_of_any_length_are_found(shared: Store, turns: int, asked: int) -> None:
    emptied(shared)
    add(shared, said("other", 90), said("talk", turns))
    with shared.write() as db:
        openings = Openings(db)
        hashes = chain(said("talk", asked))
        assert openings.same(hashes) == (2 if asked == turns else None)
        assert openings.longer(hashes) == (1 if asked == 0 else 2 if asked < turns else None)
        db.execute("INSERT INTO live_conversations VALUES (2)")
        assert openings.live_beginning(hashes) == (2 if 0 < turns < asked else None)


def test_what_differs_between_the_kept_beginnings_is_seen(store: Store) -> None:
    first, second = said("talk", 60), said("talk", 40) + said("other", 20)
    add(store, first, second)
    with store.write() as db:
        openings = Openings(db)
        assert openings.longer(chain(first[:44])) == 1
        assert openings.longer(chain(second[:44])) == 2
        assert openings.longer(chain(first[:41] + second[41:44])) is None


def test_deleted_conversations_are_not_found_and_those_with_a_question_do_not_grow(store: Store) -> None:
    keys = add(store, said("a", 4), said("b", 4), said("c", 4))
    Labels(store).answer(SituationKey(keys[1], None, "and?"), {0: "relevant"}, by="Ada")
    Conversations(store).delete([keys[2]])
    with store.write() as db:
        openings = Openings(db)
        db.execute("INSERT INTO live_conversations VALUES (1), (2), (3)")
        found = [openings.live_beginning(chain(said(name, 6))) for name in "abc"]
        same = [openings.same(chain(said(name, 4))) for name in "abc"]
        longer = [openings.longer(chain(said(name, 2))) for name in "abc"]
    assert (found, same, longer) == ([1, None, None], [1, 2, None], [1, 2, None])


def groups(store: Store) -> list[str]:
    with store.read() as db:
        return [group for (group,) in db.execute("SELECT split_group FROM conversations ORDER BY number")]


def test_a_conversation_grows_in_place_and_its_labels_stay(store: Store) -> None:
    conversations, labels = Conversations(store), Labels(store)
    (key,) = add(store, said("talk", 4))
    labels.answer(SituationKey(key, 2), {0: "relevant"}, by="Ada")
    grown = conversations.grow(key, said("talk", 7)[4:], tokens=5)
    assert grown.key != key
    stored = conversations.get(grown.key)
    assert stored.conversation.turns == said("talk", 7)
    assert (stored.summary.turns, stored.summary.tokens) == (7, 15)
    assert conversations.find(search="talk 6").total == 1
    assert conversations.keys() == {grown.key}
    assert labels.of(SituationKey(grown.key, 2)).of("Ada") == {0: "relevant"}
    with store.write() as db:
        assert Openings(db).same(chain(said("talk", 7))) == 1
        assert Openings(db).same(chain(said("talk", 4))) is None


def test_a_key_that_it_had_before_still_leads_to_it(store: Store) -> None:
    conversations, labels = Conversations(store), Labels(store)
    (key,) = add(store, said("talk", 4))
    new = conversations.grow(key, said("talk", 5)[4:]).key
    newest = conversations.grow(key, said("talk", 6)[5:]).key
    assert [conversations.get(one).summary.key for one in (key, new, newest)] == [newest] * 3
    saved = labels.answer(SituationKey(key, 5), {4: "relevant"}, by="Ada")
    assert saved.situation == SituationKey(newest, 5)
    assert labels.of(SituationKey(new, 5)).of("Ada") == {4: "relevant"}
    conversations.rename(key, "Renamed")
    conversations.delete([key])
    with pytest.raises(StoreError, match="no conversation"):
        conversations.get(newest)
    conversations.undelete([new])
    assert conversations.get(newest).summary.title == "Renamed"
    conversations.delete([newest])
    conversations.purge()
    with store.read() as db:
        assert db.execute("SELECT count(*) FROM former_keys").fetchone() == (0,)


def test_the_beginning_added_again_is_the_conversation_that_went_on(store: Store) -> None:
    conversations, labels = Conversations(store), Labels(store)
    (key,) = add(store, said("talk", 4))
    labels.answer(SituationKey(key, 3), {0: "relevant"}, by="Ada")
    new = conversations.grow(key, said("talk", 5)[4:]).key
    (again,) = conversations.add([item(said("talk", 4))])
    assert (again.key, again.new, again.grown) == (new, False, True)
    assert conversations.keys() == {new}
    conversations.delete([new])
    (back,) = conversations.add([item(said("talk", 4))])
    assert (back.key, back.new, back.grown) == (new, True, True)
    assert labels.of(SituationKey(new, 3)).of("Ada") == {0: "relevant"}


def test_a_beginning_that_ends_there_is_kept_on_its_own_and_on_the_same_side(store: Store) -> None:
    conversations, labels = Conversations(store), Labels(store)
    (key,) = add(store, said("talk", 4))
    labels.answer(SituationKey(key, 3), {0: "relevant"}, by="Ada")
    new = conversations.grow(key, said("talk", 5)[4:]).key
    (alone,) = conversations.add([replace(item(said("talk", 4)), ends_here=True)])
    assert (alone.key, alone.new, alone.grown) == (key, True, False)
    assert len(conversations.get(key).conversation) == 4
    assert len(conversations.get(new).conversation) == 5
    assert labels.of(SituationKey(key, 3)).of("Ada") == {}
    assert labels.of(SituationKey(new, 3)).of("Ada") == {0: "relevant"}
    assert groups(store) == [key, key]
    with pytest.raises(StoreError, match="with these turns"):
        conversations.grow(key, said("talk", 5)[4:])
    assert len(conversations.get(key).conversation) == 4


def test_a_conversation_of_a_relevance_set_is_on_the_side_on_which_the_set_has_it(store: Store) -> None:
    tea = Conversation("tea", said("tea", 3), format="relevance-set")
    named = replace(tea, turns=said("named", 3), metadata={"split_group": "pot"})
    plain = Conversation("talk.json", said("plain", 3))
    added = Conversations(store).add(NewConversation(one) for one in (tea, named, plain))
    assert groups(store) == ["tea", "pot", added[2].key]
