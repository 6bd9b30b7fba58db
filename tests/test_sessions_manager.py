"""Sessions of a running agent: the same rules as for a file, kept in the database."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings

import convgate
from convgate.conversation import Turn
from convgate.errors import ConvgateError, SessionError, StoreError, TranscriptError
from convgate.sessions import segment
from convgate.sessions.manager import RETENTION_DAYS, SessionManager
from convgate.settings import Settings
from convgate.store import Store
from tests.forked import fork, needs_fork
from tests.session_agents import NINE, Watch, empty_store, manager
from tests.session_days import days


@pytest.fixture(scope="module")
def one_store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    store = empty_store(tmp_path_factory.mktemp("sessions"))
    yield store
    store.close()


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    store = empty_store(tmp_path)
    yield store
    store.close()


@pytest.fixture
def watch() -> Watch:
    return Watch()


@pytest.mark.parametrize("overrides", [True, False])
def test_the_day_of_the_purple_button_as_it_happens(store: Store, watch: Watch, overrides: bool) -> None:
    sessions = manager(store, watch, continue_overrides_gap=overrides)
    first = sessions.detect("a purple button")
    assert first.is_new_session
    assert first.is_new_conversation
    assert first.session.id.startswith("session_20260305_090000_")
    watch.pass_(minutes=30)
    assert sessions.detect("make it bigger").boundary is None
    watch.pass_(minutes=90)
    done = {"role": "assistant", "content": "All tests pass.", "workflow_state": "COMPLETE"}
    assert sessions.detect(done).conversation == first.conversation
    watch.pass_(minutes=5)
    second = sessions.detect("authentication")
    assert (second.session.id, second.is_new_session, second.is_new_conversation) == (
        first.session.id,
        False,
        True,
    )
    watch.pass_(hours=1)
    sessions.detect({"role": "assistant", "content": "Half of it is done.", "workflow_state": "EXECUTING"})
    watch.pass_(hours=2, minutes=15)
    third = sessions.detect("continue authentication")
    if overrides:
        assert third.boundary is not None
        assert "goes on with the conversation, after 2 h 15 min" in third.boundary.reason
        assert (third.session.id, third.conversation) == (second.session.id, second.conversation)
        assert (third.session.conversation_count, third.session.last_activity) == (2, watch.now)
        held = sessions.conversations()
        assert [one.workflow_state for one in held] == ["COMPLETE", "EXECUTING"]
        assert [one.last_activity for one in held] == [NINE + timedelta(hours=2), watch.now]
        return
    assert third.is_new_session
    assert [one.id for one in sessions.recent()] == [third.session.id, first.session.id]
    ended = sessions.recent()[1]
    assert not ended.is_active
    assert ended.ended == watch.now - timedelta(hours=2, minutes=15)
    assert ended.reason.startswith("2 h 15 min since the last message, more than the idle gap of 2 h.")


@given(days(times_missing=False))
@hypothesis_settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_running_agent_has_the_boundaries_of_its_transcript(one_store: Store, talk: list[Turn]) -> None:
    with one_store.write() as db:
        db.execute("DELETE FROM sessions")
    late = Watch()
    late.pass_(days=100)
    sessions = manager(one_store, late)
    found = [sessions.detect(turn) for turn in talk]
    whole = segment(talk)
    assert [one.boundary for one in found if one.is_new_conversation] == list(whole.records)
    assert [one.boundary for one in found if one.boundary and not one.is_new_conversation] == list(
        whole.continued
    )
    assert [problem for one in found for problem in one.problems] == list(whole.problems)
    assert len(sessions.recent()) == len(whole.session_starts)
    assert sum(one.conversation_count for one in sessions.recent()) == len(whole.conversation_starts)


def test_workspaces_do_not_mix(store: Store, watch: Watch) -> None:
    shop, house = manager(store, watch), manager(store, watch, "house")
    one, other = shop.detect("a button"), house.detect("a roof")
    watch.pass_(minutes=1)
    assert shop.detect("bigger").session.id == one.session.id
    watch.pass_(minutes=1)
    assert house.detect("new topic: tea").session.id == other.session.id
    assert (shop.active(), house.end("The house is sold.")) != (None, None)
    assert house.active() is None
    assert [one.workspace for one in shop.recent(everywhere=True)] == ["house", "shop"]
    assert [one.reason for one in house.recent()] == ["The house is sold."]
    assert house.end() is None
    assert house.detect("a roof again").is_new_session


def test_a_workspace_may_have_a_name_that_no_file_can_hold(store: Store, watch: Watch) -> None:
    sessions = manager(store, watch, "a\0b\ud800")
    first = sessions.detect("a")
    assert sessions.detect("b").session.id == first.session.id
    assert [one.workspace for one in sessions.recent()] == ["a\ufffdb\ufffd"]


def test_a_session_that_was_ended_does_not_go_on(store: Store, watch: Watch) -> None:
    sessions = manager(store, watch)
    first = sessions.detect("a").session
    ended = sessions.end()
    assert ended is not None
    assert (ended.id, ended.ended, ended.is_active, ended.reason) == (first.id, NINE, False, "It was ended.")
    again = sessions.detect("continue")
    assert again.is_new_session
    assert again.session.id != first.id
    assert again.session.id[:-4] == first.id[:-4]


def test_a_message_of_the_future_is_of_now_and_a_clock_may_go_back(store: Store, watch: Watch) -> None:
    sessions = manager(store, watch)
    found = sessions.detect("a", at=NINE + timedelta(days=400))
    assert found.problems == ("its time is 400 days ahead of the clock; the present was taken",)
    assert found.session.last_activity == NINE
    watch.pass_(hours=-3)
    back = sessions.detect("b")
    assert (back.boundary, back.session.last_activity) == (None, NINE)
    watch.pass_(minutes=1)
    assert sessions.detect("c").boundary is None
    watch.pass_(hours=2, minutes=1)
    assert sessions.detect("d").is_new_session, "the clock was set back, and time goes on from there"
    other = manager(store, watch, "house")
    other.detect("a", at=watch.now)
    watch.pass_(hours=-1)
    early = other.end()
    assert early is not None
    assert early.ended == early.last_activity == watch.now + timedelta(hours=1), "not before its last message"
    watch.pass_(hours=1)
    late = sessions.end()
    assert late is not None
    assert late.ended == late.last_activity == watch.now


def test_times_of_messages_count_and_those_without_a_zone_are_of_this_machine(
    store: Store, watch: Watch
) -> None:
    sessions = manager(store, watch)
    east = timezone(timedelta(hours=9))
    sessions.detect(Turn.of("user", "a", timestamp=(NINE - timedelta(hours=3)).astimezone(east)))
    local = (NINE - timedelta(minutes=59)).astimezone().replace(tzinfo=None)
    found = sessions.detect({"role": "user", "content": "b", "timestamp": local.isoformat()})
    assert found.is_new_session
    assert found.session.started == NINE - timedelta(minutes=59)
    assert sessions.detect("c", at=NINE - timedelta(minutes=1)).session.last_activity == NINE - timedelta(
        minutes=1
    )
    unread = sessions.detect({"role": "user", "content": "c", "timestamp": "yesterday"})
    (problem,) = unread.problems
    assert problem.startswith("message.timestamp: 'yesterday' is not a time")
    assert unread.session.last_activity == NINE
    odd = sessions.detect("d", at=datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=14))))
    assert odd.problems == ("0001-01-01 00:00:00+14:00 is no time; the present was taken",)


def test_what_is_no_message_leaves_no_trace(store: Store, watch: Watch) -> None:
    sessions = manager(store, watch)
    with pytest.raises(TranscriptError, match=r"field 'message\.role': there is no role"):
        sessions.detect({"content": "a"})
    with pytest.raises(SessionError, match="at is a datetime; got '2026-01-01'"):
        sessions.detect("a", at="2026-01-01")  # type: ignore[arg-type]
    assert sessions.recent() == []
    for nameless in (" ", None):
        with pytest.raises(SessionError, match=f"a workspace needs a name; got {nameless!r}"):
            manager(store, watch, nameless)  # type: ignore[arg-type]
    with pytest.raises(SessionError, match="no session is active in the workspace 'shop'; name one"):
        sessions.conversations()


def test_settings_name_the_database_the_rules_and_the_cleaning(tmp_path: Path) -> None:
    watch = Watch()
    kept = Settings(home=tmp_path, session_idle_gap=60, session_retention_days=1)
    sessions = convgate.SessionManager(kept, workspace="shop", clock=watch)
    assert sessions.store.path == tmp_path / "convgate.db"
    assert sessions.rules.idle_gap == 60
    assert Settings().session_retention_days == RETENTION_DAYS, "as for a store, which names no settings"
    file = tmp_path / "agent.toml"
    file.write_text("session_idle_gap = 90\n")
    assert SessionManager(str(file)).rules.idle_gap == 90
    sessions.detect("a")
    watch.pass_(seconds=61)
    assert sessions.detect("b").is_new_session
    watch.pass_(days=2)
    SessionManager(kept, workspace="other", clock=watch)
    assert len(sessions.recent()) == 2, "off unless the settings say so"
    cleaning = kept.model_copy(update={"session_clean_up_at_start": True})
    SessionManager(cleaning, workspace="other", clock=watch)
    assert len(sessions.recent()) == 1
    sessions.store.close()


def test_the_usual_settings_are_those_of_the_machine(
    convgate_home: Path, monkeypatch: pytest.MonkeyPatch, watch: Watch
) -> None:
    monkeypatch.setenv("CONVGATE_SESSION_CLEAN_UP_AT_START", "true")
    sessions = SessionManager(clock=watch)
    assert sessions.store.path == convgate_home / "convgate.db"
    assert sessions.detect("a").session.workspace == "default"
    sessions.end()
    sessions.store.close()
    watch.pass_(days=91)
    assert SessionManager(clock=watch).recent() == []


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


def test_a_message_whose_transaction_fails_did_not_come(
    store: Store, watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    sessions = manager(store, watch)
    sessions.detect("a")
    watch.pass_(hours=3)
    with monkeypatch.context() as patched:
        patched.setattr("convgate.store.sessions.Sessions.note_message", _full)
        with pytest.raises(ConvgateError, match="the disk is full"):
            sessions.detect("b")
    (session,) = sessions.recent()
    assert session.is_active
    assert sessions.detect("b").is_new_session


def _full(*_: object) -> None:
    raise StoreError("the disk is full")


@pytest.mark.slow
def test_detection_with_100_000_stored_sessions(store: Store, watch: Watch, report_figure) -> None:  # type: ignore[no-untyped-def]
    import time

    with store.write() as db:
        rows = [
            (f"session_{n}", f"workspace {n % 1000}", moment, moment, moment)
            for n in range(100_000)
            for moment in [(NINE - timedelta(minutes=n)).isoformat()]
        ]
        db.conn.executemany(
            "INSERT INTO sessions (id, workspace, started, last_activity, ended) VALUES (?, ?, ?, ?, ?)",
            rows,
        )
    taken = []
    for n in range(30):
        sessions = manager(store, watch, f"workspace {n}")
        watch.pass_(minutes=50)
        for text in ("a", "new topic: b"):
            began = time.perf_counter()
            sessions.detect(text)
            taken.append(time.perf_counter() - began)
    taken.sort()
    report_figure(
        f"a message is placed among 100,000 stored sessions in {1e3 * taken[len(taken) // 2]:.1f} ms,"
        f" at most {1e3 * taken[-1]:.1f} ms"
    )
    assert len(manager(store, watch).recent(everywhere=True)) == 20
