"""Sessions of a running agent: same rules as for a file, stored and cleaned up."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings

from convgate.core.conversation import Conversation, Turn
from convgate.core.errors import ConvgateError, StoreError
from convgate.policies.sessions import segment
from convgate.sessions import Detection, SessionManager
from convgate.store import Conversations, NewConversation, Store
from convgate.store.edits import MovedBoundaries, MovedBoundary
from convgate.store.sessions import Sessions
from tests.processes import fork, needs_fork
from tests.session_agents import NINE, Clock, add, manager
from tests.session_days import random_days, turns_of_day


@pytest.fixture(scope="module")
def one_store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    store = Store(tmp_path_factory.mktemp("sessions") / "convgate.db")
    yield store
    store.close()


def begins_session(detection: Detection) -> bool:
    return detection.boundary is not None and detection.boundary.kind == "session"


@given(random_days(times_missing=False))
@hypothesis_settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_running_agent_has_the_boundaries_of_its_transcript(
    one_store: Store, conversation: list[Turn]
) -> None:
    with one_store.write() as db:
        db.execute("DELETE FROM sessions")
    late = Clock()
    late.advance(days=100)
    sessions = manager(one_store, late)
    detections = [sessions.detect(turn) for turn in conversation]
    whole = segment(conversation)
    boundaries = [one.boundary for one in detections if one.boundary]
    assert [one for one in boundaries if one.kind != "none"] == list(whole.records)
    assert [one for one in boundaries if one.kind == "none"] == list(whole.continued)
    assert [problem for one in detections for problem in one.problems] == list(whole.problems)
    assert len(sessions.recent()) == len(whole.session_starts)
    assert sum(one.conversation_count for one in sessions.recent()) == len(whole.conversation_starts)


def test_workspaces_do_not_mix(store: Store, clock: Clock) -> None:
    shop, house = manager(store, clock), manager(store, clock, "house")
    one, other = shop.detect("a button"), house.detect("a roof")
    clock.advance(minutes=1)
    assert shop.detect("bigger").session.id == one.session.id
    clock.advance(minutes=1)
    assert house.detect("new topic: tea").session.id == other.session.id
    assert (shop.active(), house.end("The house is sold.")) != (None, None)
    assert house.active() is None
    assert [one.workspace for one in shop.recent(everywhere=True)] == ["house", "shop"]
    assert [one.reason for one in house.recent()] == ["The house is sold."]
    assert house.end() is None
    assert begins_session(house.detect("a roof again"))


@pytest.mark.slow
def test_detection_with_100_000_stored_sessions(store: Store, clock: Clock, report_figure) -> None:
    import time

    with store.write() as db:
        rows = [
            (f"session_{n}", f"workspace {n % 1000}", moment, moment, moment)
            for n in range(100_000)
            for moment in [(NINE - timedelta(minutes=n)).isoformat()]
        ]
        db.conn.executemany(
            "INSERT INTO sessions (id, workspace, started, last_activity, ended) VALUES (?, ?, ?, ?, ?)", rows
        )
    taken = []
    for n in range(30):
        sessions = manager(store, clock, f"workspace {n}")
        clock.advance(minutes=50)
        for text in ("a", "new topic: b"):
            began = time.perf_counter()
            sessions.detect(text)
            taken.append(time.perf_counter() - began)
    taken.sort()
    report_figure(
        f"a message is placed among 100,000 stored sessions in {1e3 * taken[len(taken) // 2]:.1f} ms,"
        f" at most {1e3 * taken[-1]:.1f} ms"
    )
    assert len(manager(store, clock).recent(everywhere=True)) == 20


@needs_fork
def test_processes_share_a_workspace_without_a_second_session(store: Store) -> None:
    store.close()

    def work() -> None:
        own = SessionManager(Store(store.path), workspace="shared")
        for _ in range(5):
            own.detect("a")

    assert [process.wait() for process in [fork(work) for _ in range(3)]] == [0, 0, 0]
    (session,) = SessionManager(store, workspace="shared").recent()
    assert session.conversation_count == 1
    with store.read() as db:
        assert db.execute("SELECT json_extract(state, '$.messages') FROM sessions").fetchone() == (15,)


def test_a_message_is_rolled_back_with_its_transaction(
    store: Store, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    sessions = manager(store, clock)
    sessions.detect("a")
    clock.advance(hours=3)
    with monkeypatch.context() as patched:
        patched.setattr("convgate.store.sessions.Sessions.note_message", _full)
        with pytest.raises(ConvgateError, match="the disk is full"):
            sessions.detect("b")
    (session,) = sessions.recent()
    assert session.is_active
    assert begins_session(sessions.detect("b"))


def _full(*_: object) -> None:
    raise StoreError("the disk is full")


def test_a_session_takes_conversations_of_the_library(store: Store, clock: Clock) -> None:
    sessions = manager(store, clock)
    first = sessions.detect("a button")
    button, roof = add(store, "a button"), add(store, "a roof")
    held = sessions.add_conversation(button)
    assert (held.number, held.key, held.title) == (first.conversation, button, "a button")
    assert sessions.add_conversation(button) == held, "once is enough"
    assert sessions.add_conversation(roof).number != held.number
    clock.advance(hours=3)
    second = sessions.detect("and now the roof")
    moved = sessions.add_conversation(roof)
    assert (moved.number, moved.session) == (second.conversation, second.session.id)
    assert [session.conversation_count for session in sessions.recent()] == [1, 1]
    assert [conversation.key for conversation in sessions.conversations()] == [roof]
    for key, session in (("gone", None), (roof, "session_0")):
        with pytest.raises(StoreError):
            sessions.add_conversation(key, session=session)
    with pytest.raises(StoreError):
        sessions.conversations("session_0")


def test_a_session_is_deleted_and_the_library_keeps_its_conversations(store: Store, clock: Clock) -> None:
    sessions, key = manager(store, clock), add(store, "a button")
    detected = sessions.detect("a button")
    sessions.add_conversation(key)
    sessions.detect("new topic")
    Sessions(store).delete(detected.session.id)
    assert (sessions.active(), Sessions(store).count()) == (None, 0)
    assert Conversations(store).summary(key).title == "a button"
    assert begins_session(sessions.detect("a button again"))
    with pytest.raises(StoreError):
        Sessions(store).delete(detected.session.id)


def test_cleaning_up_takes_old_ended_sessions_and_leaves_the_library(store: Store, clock: Clock) -> None:
    sessions, house = manager(store, clock), manager(store, clock, "house")
    key = add(store, "a button")
    sessions.detect("a button")
    sessions.add_conversation(key)
    sessions.detect("new topic")
    sessions.end()
    house.detect("a roof")
    clock.advance(days=90)
    assert sessions.clean_up() == 0, "90 days are kept"
    clock.advance(seconds=1)
    assert [session.id for session in sessions.expired()] == [session.id for session in sessions.recent()]
    assert sessions.clean_up() == 1
    assert sessions.recent() == []
    assert house.active() is not None, "what is active stays, however old"
    assert Conversations(store).summary(key).title == "a button"


def test_what_is_removed_for_good_takes_its_place_in_a_session_along(store: Store) -> None:
    conversation = Conversation("", tuple(turns_of_day("9:00 u a", "9:01 a b")))
    key, other = Conversations(store).add([NewConversation(conversation)])[0].key, add(store, "other")
    sessions = SessionManager(store)
    sessions.detect("a")
    for one in (key, other):
        sessions.add_conversation(one)
    MovedBoundaries(store).change(key, {1: MovedBoundary("session")})
    Conversations(store).delete([key])
    Conversations(store).purge()
    assert [held.key for held in sessions.conversations()] == [other]
    assert sessions.recent()[0].conversation_count == 1
    assert MovedBoundaries(store).of(key) == {}


def test_erasing_and_backups_take_sessions_as_well(store: Store) -> None:
    sessions = SessionManager(store, workspace="zebrafish")
    sessions.detect("a")
    backup = store.backup_bytes()
    store.erase()
    assert sessions.recent(everywhere=True) == []
    assert b"zebrafish" not in store.path.read_bytes()
    assert begins_session(sessions.detect("b"))
    store.restore_bytes(backup)
    (session,) = sessions.recent(everywhere=True)
    assert (session.workspace, session.conversation_count) == ("zebrafish", 1)
