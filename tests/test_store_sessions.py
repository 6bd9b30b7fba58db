"""Sessions in the database: moved boundaries, what goes with a conversation, and upgrades from before."""

from __future__ import annotations

import os
import signal
from datetime import timedelta
from pathlib import Path
from sqlite3 import IntegrityError
from typing import Any

import pytest
from sqlite_utils import Database

from convgate.conversation import Conversation, Turn
from convgate.errors import DamagedError, StoreError
from convgate.sessions import segment, with_moved
from convgate.sessions.manager import SessionManager
from convgate.store import Conversations, NewConversation, Store
from convgate.store.migrations import migrations
from convgate.store.moved_boundaries import MovedBoundaries
from convgate.store.session_pages import SessionPages
from convgate.store.session_records import MovedBoundary
from convgate.store.sessions import Sessions
from tests.forked import fork, needs_fork
from tests.session_days import MORNING, day

BEFORE = "m009_sessions"


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "convgate.db")


def add(store: Store, *turns: Turn) -> str:
    (added,) = Conversations(store).add([NewConversation(Conversation("", turns))])
    return added.key


def test_a_moved_boundary_stays_with_its_conversation(store: Store) -> None:
    key, other = add(store, *day("9:00 u a", "9:01 a b", "12:00 u c")), add(store, Turn.of("user", "other"))
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
    talk = Conversations(store).get(key).conversation
    assert segment(with_moved(talk, found).turns).conversation_starts == (0, 1)
    grown = Conversations(store).grow(key, day("12:01 a d")).key
    assert moved.of(grown) == found == moved.of(key)
    moved.put(grown, 2, MovedBoundary("session"))
    moved.remove(key, 1)
    assert [(turn, one.kind) for turn, one in moved.of(grown).items()] == [(2, "session")]
    moved.remove(grown)
    moved.remove(grown)
    assert moved.of(grown) == moved.of(other) == {}


def test_what_there_is_not_cannot_be_moved(store: Store) -> None:
    moved, key = MovedBoundaries(store), add(store, *day("9:00 u a", "9:01 a b"))
    for turn in (0, -1, 2):
        with pytest.raises(
            StoreError, match=rf"at messages 1 to 1, as the first begins the session; got {turn}"
        ):
            moved.put(key, turn, MovedBoundary("session"))
    with pytest.raises(StoreError, match="no conversation 'gone', so no boundary of it can be moved"):
        moved.put("gone", 1, MovedBoundary("session"))
    assert moved.of(key) == moved.of("gone") == {}


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
    store.restore(tmp_path / "backup.db")
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


def test_what_is_asked_of_many_sessions_is_found_by_an_index(store: Store) -> None:
    asked: list[str] = []
    with store.read() as db:  # what is asked within joins this connection
        db.conn.set_trace_callback(asked.append)
        Sessions(store).live("shop")
        for workspace in (None, "shop"):
            Sessions(store).recent(workspace)
            for active in (None, False):
                SessionPages(store).find(workspace=workspace, active=active, page=2)
        db.conn.set_trace_callback(None)
        plans = [row[3] for sql in asked for row in db.execute(f"EXPLAIN QUERY PLAN {sql}").fetchall()]
    assert any("sessions_active" in plan for plan in plans)
    assert [plan for plan in plans if plan == "SCAN sessions" or "TEMP B-TREE" in plan] == []


def test_the_database_itself_keeps_one_active_session_and_counts_conversations(store: Store) -> None:
    sessions = Sessions(store)
    one, other = sessions.begin("shop", MORNING).id, sessions.begin("house", MORNING).id
    sessions.open_conversation(one, MORNING)
    with pytest.raises(IntegrityError, match=r"UNIQUE .*sessions\.workspace"), store.write() as db:
        db.execute("UPDATE sessions SET workspace = 'shop'")
    assert sessions.get(other).workspace == "house"
    with store.write() as db:
        db.execute(
            "UPDATE session_conversations SET session = (SELECT number FROM sessions WHERE id = ?)", [other]
        )
    assert [sessions.get(id).conversation_count for id in (one, other)] == [0, 1]


def test_ids_of_one_second_are_different(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("secrets.randbelow", lambda below: 42)
    ids = [Sessions(store).begin(workspace, MORNING).id for workspace in "abc"]
    assert ids == [f"session_20260305_000000_{last}" for last in ("0042", "00042", "000042")]


def old_database(path: Path, *rows: tuple[int, str, str]) -> Database:
    """A database as it was before sessions; rows: number, key and time of its conversations."""
    old = Database(path)
    migrations.apply(old, stop_before=BEFORE)
    for number, key, at in rows:
        old.execute(
            "INSERT INTO conversations (number, key, title, format, turns, origin, added_at, split_group)"
            " VALUES (?, ?, 'Talk', 'openai', 0, '', ?, '')",
            [number, key, at],
        )
        old.execute(
            "INSERT INTO documents VALUES (?, ?)", [number, '{"id":"a","format":"openai","turns":[]}']
        )
    old.conn.commit()
    return old


def contents(path: Path) -> list[str]:
    """All that a database holds, but for when it was upgraded."""
    db = Database(path)
    lines = [line for line in db.iterdump() if "_sqlite_migrations" not in line]
    db.conn.close()
    return lines


ROWS = ((3, "abc", "2025-11-13T14:00:00+00:00"), (9, "def", "2026-01-02T03:04:05.600000+00:00"))


def test_conversations_from_before_are_in_one_session(tmp_path: Path) -> None:
    path = tmp_path / "old.db"
    old = old_database(path, *ROWS)
    old.execute("UPDATE conversations SET deleted_at = added_at WHERE number = 3")
    old.conn.commit()
    old.conn.close()
    (legacy,) = Sessions(Store(path)).recent()
    assert legacy.id == "session_20251113_140000_0000"
    assert (legacy.workspace, legacy.conversation_count, legacy.is_active) == ("legacy", 2, False)
    assert (legacy.started.isoformat(), legacy.last_activity.isoformat()) == (ROWS[0][2], ROWS[1][2])
    assert [one.key for one in Sessions(Store(path)).conversations(legacy.id)] == ["abc", "def"]
    late = add(Store(path), Turn.of("user", "later"))
    assert Sessions(Store(path)).of(late) is None, "what comes later is in a session when somebody says so"


def test_an_empty_library_has_no_session_and_the_oldest_comes_all_the_way(tmp_path: Path) -> None:
    old_database(tmp_path / "empty.db").conn.close()
    assert Sessions(Store(tmp_path / "empty.db")).recent() == []
    oldest = Database(tmp_path / "oldest.db")
    migrations.apply(oldest, stop_before="m002_labels")
    oldest.execute(
        "INSERT INTO conversations (number, key, title, format, turns, origin, added_at)"
        " VALUES (7, 'abc', 'Old talk', 'openai', 0, '', '2026-01-02T03:04:05+00:00')"
    )
    oldest.execute("""INSERT INTO documents VALUES (7, '{"id":"a","format":"openai","turns":[]}')""")
    oldest.conn.commit()
    oldest.conn.close()
    (legacy,) = Sessions(Store(tmp_path / "oldest.db")).recent()
    assert legacy.conversation_count == 1


def test_an_upgrade_done_twice_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "old.db"
    old_database(path, *ROWS).conn.close()
    Store(path).close()
    once = contents(path)
    assert any("session_20251113_140000_0000" in line for line in once)
    Store(path).close()
    assert contents(path) == once


def test_an_upgrade_that_fails_leaves_the_database_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "old.db"
    old = old_database(path, *ROWS)
    old.execute("CREATE TABLE moved_boundaries (mine TEXT)")  # in the way of the last table
    old.conn.commit()
    old.conn.close()
    before = contents(path)
    with pytest.raises(DamagedError, match="moved_boundaries"):
        Store(path)
    assert contents(path) == before


@needs_fork
def test_an_upgrade_that_is_killed_leaves_the_database_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "old.db"
    old_database(path, *ROWS).conn.close()
    before = contents(path)
    executed = Database.execute

    def killed(self: Database, sql: str, *values: Any) -> Any:
        if "INSERT INTO session_conversations (session, conversation" in sql:
            os.kill(os.getpid(), signal.SIGKILL)
        return executed(self, sql, *values)

    def upgrade() -> None:
        Database.execute = killed  # type: ignore[method-assign]  # in this process, which is about to end
        Store(path)

    assert fork(upgrade).wait() == -signal.SIGKILL
    assert contents(path) == before
    assert Sessions(Store(path)).recent()[0].conversation_count == 2
