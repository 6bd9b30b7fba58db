"""Conversations are found again by what was said in them, and grow in place."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlite_utils import Database

from convgate.conversation import Conversation, ToolCall, Turn
from convgate.errors import StoreError
from convgate.store import Conversations, Labels, NewConversation, SituationKey, Store, documents
from convgate.store.migrations import migrations
from convgate.store.migrations.conversations import _keys_of_beginnings
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


def old_database(path: Path, store: Store, *, before: str) -> None:
    """The conversations of a store in a database as it was before a migration."""
    old = Database(path)
    migrations.apply(old, stop_before=before)
    tables = [name for name in ("conversations", "documents", "former_keys") if name in old.table_names()]
    with store.read() as db, old.atomic():
        for name in tables:
            columns = ", ".join(old.table(name).columns_dict)
            rows = db.execute(f"SELECT {columns} FROM {name}").fetchall()
            marks = ", ".join("?" * len(old.table(name).columns_dict))
            old.conn.executemany(f"INSERT INTO {name} VALUES ({marks})", rows)
    old.conn.close()


def test_conversations_that_were_there_before_are_found_too(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = ToolCall("1", "look", '{"up": "tea"}')
    odd = Turn.of("assistant", "Half a \ud83d", name="bot", tool_calls=(calls,))
    add(store, said("talk", 5), said("talk", 20), (odd, Turn("tool", tool_calls=(calls,))))
    old_database(tmp_path / "old.db", store, before="m004_openings")
    with store.read() as db:
        now = db.execute("SELECT * FROM openings").fetchall()
    with monkeypatch.context() as later:
        for name in ("chain", "Openings", "_kept"):  # later code may do otherwise
            later.delattr(f"convgate.store.openings.{name}")
        upgraded = Store(tmp_path / "old.db")
    with upgraded.read() as db:
        assert db.execute("SELECT * FROM openings").fetchall() == now
        assert Openings(db).longer(chain(said("talk", 5))) == 2


def groups(store: Store) -> list[str]:
    with store.read() as db:
        return [group for (group,) in db.execute("SELECT split_group FROM conversations ORDER BY number")]


def test_a_group_of_the_split_is_the_first_key_also_of_what_grew_before_an_upgrade(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, other, damaged = add(store, said("talk", 4), said("other", 4), said("third", 4))
    conversations = Conversations(store)
    for turns in (5, 6):
        conversations.grow(first, said("talk", turns)[-1:])
    lost = conversations.grow(damaged, said("third", 5)[4:]).key
    assert groups(store) == [first, other, damaged]
    with store.write() as db:
        db.execute("UPDATE documents SET document = '{' WHERE number = 3")
    path = tmp_path / "old.db"
    old_database(path, store, before="m007_split_groups")

    def killed(document: object) -> Iterator[str]:
        raise KeyboardInterrupt("in the middle")

    with monkeypatch.context() as patched:
        patched.setattr("convgate.store.migrations.conversations._keys_of_beginnings", killed)
        with pytest.raises(KeyboardInterrupt, match="in the middle"):
            Store(path)
    interrupted = Database(path)
    assert "split_group" not in interrupted.table("conversations").columns_dict
    interrupted.conn.close()
    assert groups(Store(path)) == [first, other, lost]


def test_keys_of_beginnings_are_those_of_the_time_and_each_turn_is_written_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    calls = ToolCall("1", "look", '{"up": "tea"}')
    odd = Turn.of("assistant", "Half a \ud83d", name="bot", tool_calls=(calls,))
    whole = Conversation("talk", (*said("talk", 20), odd), title="Talk", metadata={"of": "us"}, format="f")
    written: list[int] = []
    dumps = json.dumps

    def counting(*words: Any, **named: Any) -> str:
        written.append(len(text := dumps(*words, **named)))
        return text

    document = documents.dump(whole)
    with monkeypatch.context() as patched:
        patched.setattr(json, "dumps", counting)
        keys = list(_keys_of_beginnings(json.loads(document)))
    assert keys == [
        documents.content_key(replace(whole, turns=whole.turns[:stop])) for stop in range(len(whole) + 1)
    ]
    assert sum(written) <= len(document)


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
    with pytest.raises(StoreError, match="has the conversation with these turns already"):
        conversations.grow(key, said("talk", 5)[4:])
    assert len(conversations.get(key).conversation) == 4


def test_a_conversation_of_a_relevance_set_is_on_the_side_on_which_the_set_has_it(store: Store) -> None:
    tea = Conversation("tea", said("tea", 3), format="relevance-set")
    named = replace(tea, turns=said("named", 3), metadata={"split_group": "pot"})
    plain = Conversation("talk.json", said("plain", 3))
    added = Conversations(store).add(NewConversation(one) for one in (tea, named, plain))
    assert groups(store) == ["tea", "pot", added[2].key]
