"""Alerts: raised once, told once, cleared once, by whichever process is the first to see it."""

from __future__ import annotations

import json
import logging
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest

from convgate.context.guardrails.baseline import clear_baseline, set_baseline
from convgate.context.guardrails.guardrails import Guardrails
from convgate.context.guardrails.outcome import record_outcomes
from convgate.context.guardrails.webhook import post
from convgate.context.mode import MODES, Mode
from convgate.context.request import Fallback
from convgate.errors import ContextError, SettingsError, StoreError
from convgate.settings import Settings, load_settings
from convgate.store import Store
from convgate.store.guard_states import Alert, GuardStates
from convgate.store.requests import Requests
from tests.forked import fork, needs_fork
from tests.guarded import EVENLY, guarded, request
from tests.llm_server import ChatServer, body, fails
from tests.session_agents import NINE, Watch, empty_store

OK = body(b"{}")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    store = empty_store(tmp_path)
    yield store
    store.close()


@pytest.fixture
def watch() -> Watch:
    return Watch()


@pytest.fixture(scope="module")
def one_server() -> Iterator[ChatServer]:
    server = ChatServer()
    server._server.handle_error = lambda *_: None  # type: ignore[method-assign]  # clients go away
    yield server
    server.close()


@pytest.fixture
def server(one_server: ChatServer) -> Iterator[ChatServer]:
    one_server.plays(OK)
    yield one_server
    one_server.released.set()


def record(guard: Guardrails, watch: Watch, count: int = 250, *modes: Mode) -> None:
    for number in range(count):
        guard.record(request(number, (modes or ("TASK",))[number % max(1, len(modes))], at=watch.now))
    guard.flush()


def until(holds: Callable[[], object]) -> None:
    end = time.monotonic() + 5
    while not holds() and time.monotonic() < end:
        time.sleep(0.005)
    assert holds()


def test_drift_overrules_every_mode_tells_once_and_recovers(store: Store, watch: Watch) -> None:
    heard: list[Alert] = []
    set_baseline(store, Settings(), counts=EVENLY, now=watch.now)
    with guarded(store, watch, alert=heard.append) as guard:
        record(guard, watch)
        fallback = guard.overruled("TASK")
        assert fallback is not None
        assert fallback.cause == "drift"
        assert "differ from the baseline by 1." in fallback.reason
        assert all(guard.overruled(mode) == fallback for mode in MODES)
        watch.pass_(minutes=30)
        record(guard, watch)
        watch.pass_(minutes=61)
        record(guard, watch, 250, *MODES)
        assert guard.overruled("TASK") is None
        watch.pass_(minutes=30)
        record(guard, watch, 250, *MODES)
        guard._worker.telling.wait()
    (stored,) = GuardStates(store).alerts(NINE, watch.now + timedelta(days=1))
    assert [(one.kind, one.open, one.number) for one in heard] == [("drift", True, 1), ("drift", False, 1)]
    assert (stored.raised, stored.cleared) == (NINE, NINE + timedelta(minutes=91))
    assert stored == heard[1]


def test_processes_that_share_a_database_count_together_and_tell_once(store: Store, watch: Watch) -> None:
    heard: list[Alert] = []
    set_baseline(store, Settings(), counts=EVENLY, now=watch.now)
    with (
        guarded(store, watch, alert=heard.append) as one,
        guarded(store, watch, alert=heard.append) as other,
    ):
        record(one, watch, 120)
        record(other, watch, 120)
        record(one, watch, 0)
        assert one.overruled("TASK")
        assert other.overruled("TASK")
        with guarded(store, watch, alert=heard.append) as late:  # knows before its first request
            assert late.overruled("TASK") == one.overruled("TASK")
        clear_baseline(store)
        other.flush()
        assert not other.overruled("TASK")
        one.flush()
        assert not one.overruled("TASK")
        one._worker.telling.wait()
        other._worker.telling.wait()
    assert [one.open for one in heard] == [True, False]


def test_what_another_process_cleared_in_between_is_told_once(
    store: Store, watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    heard: list[Alert] = []
    set_baseline(store, Settings(), counts=EVENLY, now=watch.now)
    with (
        guarded(store, watch, alert=heard.append) as one,
        guarded(store, watch, alert=heard.append) as other,
    ):
        record(one, watch)
        clear_baseline(store)
        known = GuardStates.open_alerts

        def outrun(self: GuardStates) -> list[Alert]:
            found = known(self)
            monkeypatch.setattr(GuardStates, "open_alerts", known)
            other.flush()
            return found

        monkeypatch.setattr(GuardStates, "open_alerts", outrun)
        one.flush()
        one._worker.telling.wait()
        other._worker.telling.wait()
    assert [each.open for each in heard] == [True, False]


@needs_fork
def test_processes_at_once_lose_nothing_and_tell_once(store: Store, watch: Watch, tmp_path: Path) -> None:
    heard = tmp_path / "heard"

    def listener(alert: Alert) -> None:
        with heard.open("a") as file:
            file.write(f"{alert.message}\n")

    def agent() -> None:
        with guarded(store.path, watch, alert=listener) as guard:
            for number in range(100):
                guard.record(request(number, at=watch.now))
                if number % 20 == 0:
                    guard.flush()
            guard.flush()

    set_baseline(store, Settings(), counts=EVENLY, now=watch.now)
    assert [one.wait() for one in [fork(agent) for _ in range(3)]] == [0, 0, 0]
    assert Requests(store).count() == 300
    assert len(GuardStates(store).open_alerts()) == 1
    assert len(heard.read_text().splitlines()) == 1


def test_a_listener_that_raises_or_hangs_harms_nobody(
    store: Store, watch: Watch, caplog: pytest.LogCaptureFixture
) -> None:
    release = threading.Event()

    def listener(alert: Alert) -> None:
        if alert.open:
            release.wait(5)
            raise ZeroDivisionError("somebody else's mistake")

    caplog.set_level(logging.WARNING, logger="convgate")
    set_baseline(store, Settings(), counts=EVENLY, now=watch.now)
    with guarded(store, watch, alert=listener) as guard:
        began = time.perf_counter()
        record(guard, watch)
        clear_baseline(store)
        guard.flush()
        assert time.perf_counter() - began < 4
        release.set()
        guard._worker.telling.wait()
    (failed,) = [one for one in caplog.records if one.levelno == logging.ERROR]
    assert failed.message == "telling of an alert (drift) failed"
    assert failed.exc_info
    assert isinstance(failed.exc_info[1], ZeroDivisionError)


def test_a_mode_that_fails_gives_way_until_its_cool_down_is_over(store: Store, watch: Watch) -> None:
    def ended(mode: Mode, count: int, failures: int) -> None:
        record(guard, watch, count, mode)
        told = [(f"r{number}", number >= failures) for number in range(count)]
        assert record_outcomes(told, place=store) == []
        guard.flush()
        watch.pass_(minutes=10)

    heard: list[Alert] = []
    with guarded(store, watch, drift_limit=9, alert=heard.append) as guard:
        ended("GENERAL", 200, 20)
        assert set_baseline(store, Settings(), now=watch.now).outcomes.rate == 0.1
        ended("DEBUGGING", 50, 25)
        fallback = guard.overruled("DEBUGGING")
        assert fallback is not None
        assert fallback.cause == "errors"
        assert "50% of the last 50 requests in DEBUGGING failed, more than 20.8%" in fallback.reason
        assert guard.overruled("TASK") is None
        watch.pass_(minutes=50)
        guard.flush()
        assert guard.overruled("DEBUGGING") is None  # on probation
        watch.pass_(minutes=1)
        ended("DEBUGGING", 30, 2)  # what failed before is not held against it
        assert GuardStates(store).open_alerts() == []
        guard.flush()
        assert guard.overruled("DEBUGGING") is None
        guard._worker.telling.wait()
        assert [one.open for one in heard] == [True, False]  # of the probation nobody is told
        watch.pass_(days=-2)  # nor is the clock, by which that is in the future
        ended("DEBUGGING", 50, 40)
        assert guard.overruled("DEBUGGING")


def test_an_outcome_of_the_baseline_is_the_overall_rate_where_it_has_enough(
    store: Store, watch: Watch
) -> None:
    with guarded(store, watch) as guard:
        record(guard, watch, 300, *MODES)
        record_outcomes([(f"r{number}", number > 60) for number in range(200)], place=store)
        kept = set_baseline(store, Settings(), until=watch.now + timedelta(seconds=1), now=watch.now)
        assert (kept.requests, kept.outcomes.count, kept.outcomes.failures) == (300, 200, 61)
        assert GuardStates(store).baseline() == kept
        watch.pass_(minutes=5)
        record(guard, watch, 50, "TASK")
        record_outcomes([(f"r{number}", number > 29) for number in range(50)], place=store)
        guard.flush()
        assert guard.overruled("TASK") is None  # 60%, and the limit is 61%
        record_outcomes([(f"r{number}", number > 31) for number in range(50)], place=store)
        guard.flush()
        assert guard.overruled("TASK")


def test_general_that_fails_is_told_and_not_overruled(store: Store, watch: Watch) -> None:
    failed = Alert("errors", "GENERAL", NINE, "GENERAL fails.", {"limit": 0.2})
    GuardStates(store).put_alerts([failed, replace(failed, mode="LEARNING", message="LEARNING fails.")])
    with guarded(store, watch) as guard:
        assert guard.overruled("GENERAL") is None
        assert guard.overruled("LEARNING") == Fallback("errors", "LEARNING fails.")
    GuardStates(store).put_alerts([replace(failed, cleared=NINE, number=1)])
    assert GuardStates(store).trusted_since() == {}  # it was never on probation


def test_a_baseline_needs_enough_requests_and_known_modes(store: Store, watch: Watch) -> None:
    before = set_baseline(store, Settings(), counts=EVENLY)
    with pytest.raises(ContextError, match=r"needs 200 requests \(guard_drift_least\), and there are 0"):
        set_baseline(store, Settings())
    with pytest.raises(ContextError, match=r"no mode 'CHAT'; there are TASK, EXPLORATION"):
        set_baseline(store, Settings(), counts={"CHAT": 1_000})
    with pytest.raises(ContextError, match=r"requests of TASK are a whole number, 0 or more; got -1"):
        set_baseline(store, Settings(), counts={"TASK": -1})
    assert GuardStates(store).baseline() == before
    assert clear_baseline(store) == before
    assert clear_baseline(store) is None


@pytest.mark.parametrize("jump", [-400 * 365, -1, 1, 400 * 365])
def test_a_clock_that_jumps_leaves_nothing_stuck(store: Store, watch: Watch, jump: int) -> None:
    set_baseline(store, Settings(), counts=EVENLY, now=watch.now)
    with guarded(store, watch, monotonic=time.monotonic) as guard:
        record(guard, watch)
        record_outcomes([(f"r{number}", number > 30) for number in range(50)], place=store)
        assert guard.overruled("TASK")
        watch.pass_(days=jump)
        guard.flush()
        assert guard.overruled("TASK") is None  # there is nothing in the last hour by this clock
        record(guard, watch)
        assert guard.overruled("TASK")  # and drift is found by it
        record(guard, watch, 2_000, *MODES)
        assert guard.overruled("TASK") is None


def test_what_was_seen_an_hour_ago_overrules_nothing_when_the_database_cannot_be_asked(
    store: Store, watch: Watch
) -> None:
    passed = [0.0]
    set_baseline(store, Settings(), counts=EVENLY, now=watch.now)
    with guarded(store, watch, monotonic=lambda: passed[0]) as guard:
        record(guard, watch)
        store.close()
        guard._log.place.close()
        store.path.rename(store.path.with_name("away"))
        passed[0] = 3_600
        guard.flush()
        assert guard.overruled("TASK")
        passed[0] = 3_601
        assert guard.overruled("TASK") is None


def test_an_alert_that_cannot_be_stored_counts_here_and_is_told_when_it_can(
    store: Store, watch: Watch
) -> None:
    heard: list[Alert] = []
    set_baseline(store, Settings(), counts=EVENLY, now=watch.now)
    with guarded(store, watch, alert=heard.append) as guard:
        for number in range(250):
            guard.record(request(number, at=watch.now))
        guard._log.write()
        other = sqlite3.connect(store.path)
        other.execute("BEGIN IMMEDIATE")
        guard._worker.refresh()
        assert guard.overruled("TASK")
        assert GuardStates(store).open_alerts() == heard == []
        other.close()
        guard._worker.refresh()
        guard._worker.telling.wait()
    assert [one.number for one in heard] == [1]


@pytest.mark.parametrize("damage", ["counts = 'x'", "counts = '[1]'", "at = 1e300", "outcomes = 'x'"])
def test_a_damaged_baseline_breaks_nothing_and_can_be_replaced(
    store: Store, watch: Watch, damage: str
) -> None:
    set_baseline(store, Settings(), counts=EVENLY, now=watch.now)
    with store.write() as db:
        db.execute(f"UPDATE guard_baseline SET {damage}")
    with guarded(store, watch) as guard:
        record(guard, watch)
        assert guard.overruled("TASK") is None
        assert Requests(store).count() == 250
        with pytest.raises(StoreError, match="damaged"):
            GuardStates(store).baseline()
        set_baseline(store, Settings(), counts=EVENLY, now=watch.now)
        guard.flush()
        assert guard.overruled("TASK")
        with store.write() as db:
            db.execute("UPDATE guard_alerts SET figures = '{'")
        guard.flush()
        assert guard.overruled("TASK")  # as far as is known
        with pytest.raises(StoreError, match="damaged"):
            GuardStates(store).open_alerts()


def test_alerts_are_kept_in_bounds(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("convgate.store.guard_states.MAX_ALERTS", 3)
    monkeypatch.setattr("convgate.store.requests.MAX_LOSSES", 3)
    states = GuardStates(store)
    (first,) = states.put_alerts([Alert("drift", "", NINE, "first")])
    for number in range(6):
        at = NINE + timedelta(minutes=number)
        states.put_alerts([Alert("errors", "TASK", at, f"{number}", cleared=at)])
        Requests(store).add_loss(number, "full", at)
    told = [one.message for one in states.alerts(NINE, NINE + timedelta(days=1))]
    assert told == ["5", "4", "3", "first"]  # what lasts is not forgotten
    assert states.open_alerts() == [replace(first, since=NINE)]
    with store.read() as db:
        assert db.execute("SELECT count(*) FROM guard_losses").fetchone() == (3,)
    with pytest.raises(sqlite3.IntegrityError, match="guard_alerts"):
        states.put_alerts([Alert("drift", "", NINE, "a second one")])


# The webhook

ALERT = Alert("drift", "", NINE, "The modes differ.", {"divergence": 0.15}, number=1)


def test_the_webhook_gets_figures_and_sentences_and_no_conversation(
    store: Store, watch: Watch, server: ChatServer
) -> None:
    set_baseline(store, Settings(), counts=EVENLY, now=watch.now)
    with guarded(store, watch, webhook=server.url) as guard:
        record(guard, watch)
        until(lambda: len(server.requests) == 1)
        clear_baseline(store)
        guard.flush()
        until(lambda: len(server.requests) == 2)
    raised, cleared = server.requests
    assert set(raised) == {
        "event", "kind", "mode", "message", "raised", "cleared", "because", "phase", "figures",
    }  # fmt: skip
    assert (raised["event"], raised["kind"], raised["cleared"]) == ("raised", "drift", None)
    assert raised["figures"]["requests"] == 250
    assert (cleared["event"], cleared["message"]) == (
        "cleared", "All is well again: There is no baseline any more.",
    )  # fmt: skip


def test_a_webhook_that_fails_for_now_is_tried_again(server: ChatServer) -> None:
    server.plays(fails(500), fails(503), OK)
    assert post(server.url, ALERT, pause=0)
    assert [one["message"] for one in server.requests] == ["The modes differ."] * 3


@pytest.mark.parametrize(("status", "attempts"), [(500, 4), (404, 1), (302, 1)])
def test_a_webhook_that_refuses_is_given_up_and_logged_without_its_secrets(
    server: ChatServer, caplog: pytest.LogCaptureFixture, status: int, attempts: int
) -> None:
    caplog.set_level(logging.DEBUG)
    server.plays(fails(status, Location=f"{server.url}/elsewhere"))
    assert not post(f"{server.url}/secret?token=1", ALERT, pause=0)
    assert len(server.requests) == attempts
    assert f"refused by 127.0.0.1: status {status}" in caplog.text
    assert "secret" not in caplog.text


def test_a_webhook_that_hangs_or_is_not_there_is_given_up(
    server: ChatServer, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)  # of every library, too: an address is often a secret
    server.plays(server.hangs)
    assert not post(f"{server.url}/secret", ALERT, timeout=0.05, pause=0)
    server.released.set()
    assert len(server.requests) == 4
    assert not post("http://me:secret@127.0.0.1:9/secret", ALERT, timeout=0.5, pause=0)
    could_not = "an alert (drift) could not be posted to 127.0.0.1: "
    assert caplog.messages == [f"{could_not}TimeoutError", f"{could_not}ConnectionRefusedError"]


def test_an_answer_without_end_is_not_read(server: ChatServer) -> None:
    def endless(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.end_headers()
        while not server.released.is_set():
            handler.wfile.write(b"x" * 10_000)

    server.plays(endless)
    assert post(server.url, ALERT, timeout=1)


def test_alerts_go_to_http_alone(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    for other in ("file:///etc/passwd", "http://[::1/secret", "http:///secret", "http://host:99999/secret"):
        caplog.clear()
        assert not post(other, ALERT)
        assert "to http and https alone" in caplog.messages[0]
        assert "secret" not in caplog.text
    file = tmp_path / "convgate.toml"
    file.write_text(f"guard_webhook = {json.dumps('ftp://somewhere')}")
    with pytest.raises(SettingsError, match="guard_webhook"):
        load_settings(file)
