"""Sessions in the database."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from sqlite3 import IntegrityError

import pytest

from convgate.conversation import Conversation, Turn
from convgate.errors import StoreError
from convgate.sessions.manager import SessionManager
from convgate.store import Conversations, NewConversation, Store
from convgate.store.edits import MovedBoundaries, MovedBoundary
from convgate.store.sessions import OldSessions, Sessions
from tests.session_days import MORNING, day


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "convgate.db")


def add(store: Store, *turns: Turn) -> str:
    (added,) = Conversations(store).add([NewConversation(Conversation("", turns))])
    return added.key


def test_what_is_removed_for_good_takes_its_place_in_a_session_along(store: Store) -> None:
    key, other = add(store, *day("9:00 u a", "9:01 a b")), add(store, Turn.of("user", "other"))
    sessions = SessionManager(store)
    sessions.detect("a")
    for one in (key, other):
        sessions.add_conversation(one)
    MovedBoundaries(store).put(key, 1, MovedBoundary("session", note="zebrafish"))
    Conversations(store).delete([key])
    Conversations(store).purge()
    assert [held.key for held in sessions.conversations()] == [other]
    assert sessions.recent()[0].conversation_count == 1
    assert MovedBoundaries(store).of(key) == {}
    assert not [path for path in store.path.parent.iterdir() if b"zebrafish" in path.read_bytes()]


def test_erasing_and_backups_take_sessions_as_well(store: Store, tmp_path: Path) -> None:
    sessions = SessionManager(store, workspace="zebrafish")
    sessions.detect("a")
    store.backup(tmp_path / "backup.db")
    store.erase()
    assert sessions.recent(everywhere=True) == []
    assert b"zebrafish" not in store.path.read_bytes()
    assert sessions.detect("b").is_new_session
    store.restore_bytes((tmp_path / "backup.db").read_bytes())
    (session,) = sessions.recent(everywhere=True)
    assert (session.workspace, session.conversation_count) == ("zebrafish", 1)


def test_a_workspace_has_one_active_session(store: Store) -> None:
    sessions = Sessions(store)
    first = sessions.begin("shop", MORNING)
    with pytest.raises(StoreError, match=rf"The session {first.id} is active in 'shop'; end it first"):
        sessions.begin("shop", MORNING)
    with pytest.raises(StoreError, match="There is no session 'session_0'; it was cleaned up"):
        sessions.end("session_0", MORNING, "")
    ended = sessions.end(first.id, MORNING, "once")
    assert sessions.end(first.id, MORNING, "twice") == ended
    with pytest.raises(StoreError, match="no conversation number 7 in any session"):
        sessions.describe(7, tags=["a"])
    assert sessions.of("gone") is None


def test_the_one_last_at_work_is_listed_first_and_of_equals_the_newest(store: Store) -> None:
    sessions = Sessions(store)
    early, late = (sessions.begin(workspace, MORNING).id for workspace in ("shop", "house"))
    assert [one.id for one in sessions.recent()] == [late, early]
    sessions.open_conversation(early, MORNING)
    sessions.note_message(early, MORNING + timedelta(seconds=1), "{}")
    assert [one.id for one in sessions.recent()] == [early, late]


def test_the_database_itself_keeps_one_active_session(store: Store) -> None:
    sessions = Sessions(store)
    one, other = sessions.begin("shop", MORNING).id, sessions.begin("house", MORNING).id
    sessions.open_conversation(one, MORNING)
    with pytest.raises(IntegrityError, match=r"UNIQUE .*sessions\.workspace"), store.write() as db:
        db.execute("UPDATE sessions SET workspace = 'shop'")
    assert [sessions.get(id).conversation_count for id in (one, other)] == [1, 0]


def test_ids_of_one_second_are_different(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("secrets.randbelow", lambda below: 42)
    ids = [Sessions(store).begin(workspace, MORNING).id for workspace in "abc"]
    assert ids == [f"session_20260305_000000_{last}" for last in ("0042", "00042", "000042")]


def test_pages_of_sessions_begin_with_the_active_ones(store: Store) -> None:
    sessions = Sessions(store)
    for number in range(5):
        at = MORNING + timedelta(days=number)
        begun = sessions.begin("shop" if number % 2 else "lab", at)
        if number < 4:
            sessions.end(begun.id, at, "over")
    first, second = sessions.find(per_page=3), sessions.find(per_page=3, page=2)
    assert first.total == second.total == 5
    assert [(one.workspace, one.is_active) for one in (*first.rows, *second.rows)] == [
        ("lab", True), ("shop", False), ("lab", False), ("shop", False), ("lab", False),
    ]  # fmt: skip
    assert sessions.find(workspace="shop").total == 2
    assert sessions.find(workspace="lab", active=False).total == 2
    assert sessions.find(active=True).total == 1
    assert sessions.find(workspace="nobody").rows == ()
    assert sessions.workspaces() == {"lab": 3, "shop": 2}


def test_a_clean_up_takes_what_was_told_before(store: Store) -> None:
    sessions = Sessions(store)
    for number in range(3):
        at = MORNING + timedelta(days=number)
        begun = sessions.begin("shop", at)
        sessions.open_conversation(begun.id, at)
        sessions.open_conversation(begun.id, at)
        sessions.add_conversation(
            begun.id, add(store, *(Turn.of("user", f"text {n}") for n in range(2 + number))), at
        )
        if number < 2:
            sessions.end(begun.id, at, "over")
    before = MORNING + timedelta(days=30)
    assert len(sessions.conversations(begun.id)) == 2, "the open one is that of the library now"
    assert [one.key is None for one in sessions.conversations(begun.id, page=2, per_page=1)] == [False]
    assert sessions.old(before) == OldSessions(sessions=2, workspaces=1, only_here=2, in_library=2)
    assert sessions.clean_up(before) == 2
    assert sessions.old(before) == OldSessions(0, 0, 0, 0)
    assert Conversations(store).find().total == 3
