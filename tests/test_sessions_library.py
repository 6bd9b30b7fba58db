"""What sessions of a running agent have of the library's conversations, and how they are cleaned up."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from convgate.errors import SessionError, StoreError
from convgate.store import Conversations, Store
from tests.session_agents import Watch, add, empty_store, manager


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    store = empty_store(tmp_path)
    yield store
    store.close()


@pytest.fixture
def watch() -> Watch:
    return Watch()


def test_a_session_takes_conversations_of_the_library(store: Store, watch: Watch) -> None:
    sessions = manager(store, watch)
    first = sessions.detect("a button")
    button, roof = add(store, "a button"), add(store, "a roof")
    held = sessions.add_conversation(button)
    assert (held.number, held.key, held.title) == (first.conversation, button, "a button")
    assert sessions.add_conversation(button) == held, "once is enough"
    more = sessions.add_conversation(roof)
    assert more.number != held.number
    assert sessions.active().conversation_count == 2  # type: ignore[union-attr]
    sessions.describe(more.number, title="The roof", tags=["house", " wood ", "house", ""])
    assert Conversations(store).summary(roof).title == "The roof"
    assert sessions.conversations()[1].tags == ("house", "wood")
    watch.pass_(hours=3)
    second = sessions.detect("and now the roof")
    moved = sessions.add_conversation(roof)
    assert (moved.number, moved.tags, moved.session) == (
        second.conversation,
        ("house", "wood"),
        second.session.id,
    )
    assert [one.conversation_count for one in sessions.recent()] == [1, 1]
    untold = sessions.detect("new topic")
    sessions.describe(untold.conversation, title="Tea")
    assert [one.title for one in sessions.conversations()] == ["The roof", "Tea"]
    with pytest.raises(StoreError, match="no conversation 'gone'"):
        sessions.add_conversation("gone")
    with pytest.raises(StoreError, match="There is no session 'session_0'"):
        sessions.add_conversation(roof, session="session_0")
    with pytest.raises(StoreError, match="There is no session 'session_0'"):
        sessions.conversations("session_0")


def test_what_a_person_said_of_the_open_conversation_stays_when_the_library_has_it(
    store: Store, watch: Watch
) -> None:
    sessions = manager(store, watch)
    found = sessions.detect({"role": "user", "content": "a", "workflow_state": "TESTING"})
    sessions.describe(found.conversation, tags=["house"])
    key = add(store, "a")
    assert sessions.add_conversation(key).tags == ("house",)
    sessions.end()
    later = sessions.detect("b")
    sessions.describe(later.conversation, tags=["wood", "house"])
    moved = sessions.add_conversation(key)
    assert (moved.number, moved.tags, moved.workflow_state) == (
        later.conversation,
        ("wood", "house"),
        "TESTING",
    )


@pytest.mark.parametrize("gone", ["removed for good", "put into another workspace"])
def test_an_open_conversation_that_is_gone_is_followed_by_one_of_its_own(
    store: Store, watch: Watch, gone: str
) -> None:
    shop, house = manager(store, watch), manager(store, watch, "house")
    first, key = shop.detect("a button"), add(store, "a button")
    shop.add_conversation(key)
    if gone == "removed for good":
        Conversations(store).delete([key])
        Conversations(store).purge()
        other = house.detect("a roof").conversation
    else:
        house.detect("a roof")
        house.add_conversation(add(store, "a roof"))
        other = house.add_conversation(key).number
    then = shop.detect({"role": "user", "content": "bigger", "workflow_state": "COMPLETE"})
    assert then.boundary is None
    assert then.session.id == first.session.id
    assert len({first.conversation, other, then.conversation}) == 3, "a number never names another"
    assert then.session.conversation_count == 1
    assert [one.number for one in shop.conversations()] == [then.conversation]
    assert "COMPLETE" not in [one.workflow_state for one in house.conversations()]


def test_cleaning_up_takes_old_ended_sessions_and_leaves_the_library(store: Store, watch: Watch) -> None:
    sessions, house = manager(store, watch), manager(store, watch, "house")
    key = add(store, "a button")
    sessions.detect("a button")
    sessions.add_conversation(key)
    sessions.detect("new topic")
    sessions.end()
    house.detect("a roof")
    watch.pass_(days=90)
    assert sessions.clean_up() == 0, "90 days are kept"
    watch.pass_(seconds=1)
    assert sessions.clean_up() == 1
    assert sessions.recent() == []
    assert house.active() is not None, "what is active stays, however old"
    assert Conversations(store).summary(key).title == "a button"
    with store.read() as db:
        rows = db.execute(
            "SELECT session IS NULL, conversation IS NULL FROM session_conversations ORDER BY 1"
        )
        assert rows.fetchall() == [(0, 1), (1, 0)], "that of the house, and that of the library"
    for days_kept in (0, -1, float("nan")):
        with pytest.raises(SessionError, match=f"kept for more than 0 days; got {days_kept}"):
            sessions.clean_up(retention_days=days_kept)
    assert sessions.clean_up(retention_days=1e12) == 0


def test_cleaning_up_deletes_conversations_only_when_asked_and_not_for_good(
    store: Store, watch: Watch
) -> None:
    sessions = manager(store, watch)
    key, other = add(store, "a button"), add(store, "a roof")
    sessions.detect("a button")
    sessions.add_conversation(key)
    sessions.end()
    watch.pass_(days=2)
    assert sessions.clean_up(retention_days=1, with_conversations=True) == 1
    assert Conversations(store).keys() == {other}
    Conversations(store).undelete([key])
    assert Conversations(store).keys() == {key, other}


def test_cleaning_up_leaves_nothing_old_and_deletes_nothing_twice(store: Store, watch: Watch) -> None:
    sessions = manager(store, watch)
    key = add(store, "a")
    for _ in range(5):
        sessions.detect("a")
        sessions.add_conversation(key)
        sessions.end()
    Conversations(store).delete([key])
    with store.read() as db:
        deleted = db.execute("SELECT deleted_at FROM conversations").fetchall()
    watch.pass_(days=91)
    sessions.detect("b")
    assert sessions.clean_up(with_conversations=True) == 5
    assert [one.is_active for one in sessions.recent()] == [True]
    with store.read() as db:
        assert db.execute("SELECT deleted_at FROM conversations").fetchall() == deleted
        assert db.execute("SELECT count(*) FROM session_conversations").fetchone() == (2,)
