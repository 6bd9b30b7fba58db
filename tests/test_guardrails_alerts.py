"""Alerts: raised, sent and cleared once, by one of several processes."""

from __future__ import annotations

import json
import logging
import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest

import convgate
from convgate.core.errors import RequestError, SettingsError, StoreError
from convgate.core.settings import Settings, load_settings
from convgate.guardrails import guardrails
from convgate.guardrails.guardrails import flush_requests, post_alert
from convgate.guardrails.outcomes import record_outcomes
from convgate.guardrails.request import Fallback
from convgate.guardrails.rules import set_baseline
from convgate.modes.mode import MODES
from convgate.selection.packing import PackedTurns
from convgate.store import Store
from convgate.store.guard_states import Alert, GuardStates
from convgate.store.requests import Requests
from tests.guardrails import open_guardrails, put_baseline, record, request
from tests.llm_server import ChatServer, error_reply, raw_reply
from tests.processes import fork, needs_fork, wait_until
from tests.selectors import chat
from tests.session_agents import NINE, Clock

OK = raw_reply(b"{}")


@pytest.fixture(scope="module")
def one_server() -> Iterator[ChatServer]:
    server = ChatServer()
    server._server.handle_error = lambda *_: None  # clients go away
    yield server
    server.close()


@pytest.fixture
def server(one_server: ChatServer) -> Iterator[ChatServer]:
    one_server.set_script(OK)
    yield one_server
    one_server.released.set()


def test_drift_overrules_every_mode_alerts_once_and_recovers(store: Store, clock: Clock) -> None:
    heard: list[Alert] = []
    put_baseline(store)
    with open_guardrails(store, clock, heard.append) as guard:
        record(guard, clock, 100)
        assert guard.overruled("TASK") is None
        record(guard, clock)
        assert all(guard.overruled(mode).cause == "drift" for mode in MODES)
        clock.advance(minutes=30)
        record(guard, clock, 10)
        assert len(heard) == 1
        clock.advance(minutes=61)
        record(guard, clock, 250, *MODES)
        assert guard.overruled("TASK") is None
    (stored,) = GuardStates(store).alerts(NINE, clock.now + timedelta(days=1))
    assert [(one.kind, one.open, one.number) for one in heard] == [("drift", True, 1), ("drift", False, 1)]
    assert (stored.raised, stored.cleared) == (NINE, NINE + timedelta(minutes=91))
    assert stored == heard[1]


def test_processes_that_share_a_database_count_together_and_alert_once(store: Store, clock: Clock) -> None:
    heard: list[Alert] = []
    put_baseline(store)
    with (
        open_guardrails(store, clock, heard.append) as one,
        open_guardrails(store, clock, heard.append) as other,
    ):
        record(one, clock, 120)
        record(other, clock, 120)
        one.flush()
        assert one.overruled("TASK")
        assert other.overruled("TASK")
        with open_guardrails(store, clock) as late:  # knows before its first request
            assert late.overruled("TASK") == one.overruled("TASK")
        put_baseline(store, None)
        other.flush()
        one.flush()
        assert one.overruled("TASK") is None
        assert other.overruled("TASK") is None
    assert [alert.open for alert in heard] == [True, False]


@needs_fork
def test_processes_at_once_lose_nothing_and_alert_once(store: Store, clock: Clock, tmp_path: Path) -> None:
    heard = tmp_path / "heard"

    def listener(alert: Alert) -> None:
        with heard.open("a") as file:
            file.write(f"{alert.message}\n")

    def agent() -> None:
        with open_guardrails(store, clock, listener) as guard:
            for _ in range(5):
                record(guard, clock, 20)

    put_baseline(store)
    store.close()
    assert [one.wait() for one in [fork(agent) for _ in range(3)]] == [0, 0, 0]
    assert Requests(store).count() == 300
    assert len(GuardStates(store).open_alerts()) == 1
    assert len(heard.read_text().splitlines()) == 1


def test_a_callback_that_raises_is_logged_and_the_log_goes_on(
    store: Store, clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    def listener(alert: Alert) -> None:
        raise ZeroDivisionError

    put_baseline(store)
    with open_guardrails(store, clock, listener) as guard:
        record(guard, clock)
        record(guard, clock, 10)
    (failed,) = [one for one in caplog.records if one.levelno == logging.ERROR]
    assert isinstance(failed.exc_info[1], ZeroDivisionError)
    assert Requests(store).count() == 260


def test_a_lost_invariant_is_a_critical_alert_for_callback_and_webhook(
    store: Store, clock: Clock, server: ChatServer
) -> None:
    heard: list[Alert] = []
    with open_guardrails(store, clock, heard.append, webhook=server.url) as guard:
        guard.record(request(1, at=clock.now, breaches=2))
        guard.flush()
    assert [(one.kind, one.severity, one.figures["requests"]) for one in heard] == [
        ("breach", "critical", ["r1"])
    ]
    (posted,) = server.requests
    assert (posted["event"], posted["kind"], posted["severity"]) == ("raised", "breach", "critical")
    assert GuardStates(store).open_alerts() == [], "the baseline took its place"
    (stored,) = GuardStates(store).alerts(NINE, NINE + timedelta(days=1))
    assert stored.kind == "breach"


def test_a_lost_invariant_is_alerted_when_the_database_cannot_be_written(
    store: Store, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("convgate.store.database.BUSY_TIMEOUT", 0.01)
    heard: list[Alert] = []
    other = sqlite3.connect(store.path)
    with open_guardrails(store, clock, heard.append) as guard:
        other.execute("BEGIN EXCLUSIVE")
        guard.record(request(1, at=clock.now, breaches=1))
        guard.flush()
        other.close()
    assert [one.kind for one in heard] == ["breach"]


@pytest.mark.usefixtures("load_without_a_model")
def test_a_selector_hands_alerts_to_the_callback_it_is_loaded_with(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("convgate.selection.fit.pack", lambda *_: PackedTurns({}))
    heard: list[Alert] = []
    selector = convgate.load(policy="last_k", k=0, alert=heard.append)
    messages = chat("You must never delete the backups.", "Fine.", "LEARNING a")
    assert selector.select(messages, budget=500).breaches
    flush_requests(store.path)
    assert [(one.kind, one.severity) for one in heard] == [("breach", "critical")]


def test_a_failing_mode_is_overruled_without_a_baseline_and_tried_again(store: Store, clock: Clock) -> None:
    def end(failures: int) -> None:
        record_outcomes([(f"r{number}", number >= failures) for number in range(50)], place=store)
        guard.flush()

    heard: list[Alert] = []
    with open_guardrails(store, clock, heard.append) as guard:
        for number in range(50, 250):
            guard.record(request(number, at=clock.now))
        guard.flush()
        record_outcomes([(f"r{number}", True) for number in range(50, 250)], place=store)
        record(guard, clock, 50, "DEBUGGING")
        end(25)
        assert guard.overruled("DEBUGGING").cause == "errors"
        assert guard.overruled("TASK") is None
        clock.advance(minutes=60)
        guard.flush()
        assert guard.overruled("DEBUGGING") is None  # tried again
        guard.flush()
        assert guard.overruled("DEBUGGING") is None, "what failed before is not held against it"
        clock.advance(minutes=1)
        record(guard, clock, 50, "DEBUGGING")
        end(30)
        assert guard.overruled("DEBUGGING")
    assert [alert.open for alert in heard] == [True, False, True]


def test_the_baselines_outcomes_are_the_overall_rate_where_there_are_enough(
    store: Store, clock: Clock
) -> None:
    with open_guardrails(store, clock) as guard:
        record(guard, clock, 300, *MODES)
        record_outcomes([(f"r{number}", number > 60) for number in range(200)], place=store)
        kept = set_baseline(store, Settings(), NINE - timedelta(days=1), clock.now, clock.now)
        assert (kept.requests, kept.outcomes.count, kept.outcomes.failures) == (300, 200, 61)
        assert GuardStates(store).baseline() == kept
        clock.advance(minutes=5)
        record(guard, clock, 50, "TASK")
        record_outcomes([(f"r{number}", number > 29) for number in range(50)], place=store)
        guard.flush()
        assert guard.overruled("TASK") is None  # 60%, and the limit is 61%
        record_outcomes([(f"r{number}", number > 31) for number in range(50)], place=store)
        guard.flush()
        assert guard.overruled("TASK")


def test_general_that_fails_is_alerted_and_not_overruled(store: Store, clock: Clock) -> None:
    failed = Alert("errors", "GENERAL", NINE, "GENERAL fails.", {"limit": 0.2})
    GuardStates(store).put_alerts([failed, replace(failed, mode="LEARNING", message="LEARNING fails.")])
    with open_guardrails(store, clock) as guard:
        assert guard.overruled("GENERAL") is None
        assert guard.overruled("LEARNING") == Fallback("errors", "LEARNING fails.")


def test_a_baseline_needs_enough_requests(store: Store) -> None:
    put_baseline(store)
    before = GuardStates(store).baseline()
    with pytest.raises(RequestError):
        set_baseline(store, Settings(), NINE - timedelta(days=1), NINE, NINE)
    assert GuardStates(store).baseline() == before


def test_figures_of_more_than_an_hour_ago_overrule_nothing(
    store: Store, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_baseline(store)
    with open_guardrails(store, clock) as guard:
        record(guard, clock)
        assert guard.overruled("TASK")
        monkeypatch.setattr(guardrails, "STALE_SECONDS", -1.0)
        assert guard.overruled("TASK") is None


@pytest.mark.parametrize("damage", ["counts = '[1]'", "at = 1e300"])
def test_a_damaged_baseline_breaks_nothing_and_can_be_replaced(
    store: Store, clock: Clock, damage: str
) -> None:
    put_baseline(store)
    with store.write() as db:
        db.execute(f"UPDATE guard_baseline SET {damage}")
    with open_guardrails(store, clock) as guard:
        record(guard, clock)
        assert guard.overruled("TASK") is None
        assert (Requests(store).count(), guard.lost) == (250, 0)
        with pytest.raises(StoreError):
            GuardStates(store).baseline()
        put_baseline(store)
        guard.flush()
        assert guard.overruled("TASK")
        with store.write() as db:
            db.execute("UPDATE guard_alerts SET figures = '{'")
        guard.flush()
        assert guard.overruled("TASK")  # as far as is known
        with pytest.raises(StoreError):
            GuardStates(store).open_alerts()


def test_alerts_are_kept_in_bounds(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("convgate.store.guard_states.MAX_ALERTS", 3)
    states = GuardStates(store)
    (first,) = states.put_alerts([Alert("drift", "", NINE, "first")])
    for number in range(6):
        at = NINE + timedelta(minutes=number)
        states.put_alerts([Alert("errors", "TASK", at, f"{number}", cleared=at)])
    messages = [one.message for one in states.alerts(NINE, NINE + timedelta(days=1))]
    assert messages == ["5", "4", "3", "first"]  # what lasts is not forgotten
    assert states.open_alerts() == [first]
    with pytest.raises(sqlite3.IntegrityError, match="guard_alerts"):
        states.put_alerts([Alert("drift", "", NINE, "a second one")])


# The webhook

ALERT = Alert("drift", "", NINE, "The modes differ.", {"divergence": 0.15}, number=1)


def test_the_webhook_gets_figures_and_sentences_and_no_conversation(
    store: Store, clock: Clock, server: ChatServer
) -> None:
    put_baseline(store)
    with open_guardrails(store, clock, webhook=server.url) as guard:
        record(guard, clock)
        put_baseline(store, None)
        guard.flush()
    raised, cleared = server.requests
    assert set(raised) == {
        "event", "kind", "severity", "mode", "message", "raised", "cleared", "because", "figures",
    }  # fmt: skip
    assert (raised["event"], raised["kind"], raised["severity"]) == ("raised", "drift", "warning")
    assert raised["figures"]["requests"] == 250
    assert (cleared["event"], cleared["kind"]) == ("cleared", "drift")


def test_a_webhook_that_fails_for_now_is_tried_again(server: ChatServer) -> None:
    server.set_script(error_reply(500), error_reply(503), OK)
    assert post_alert(server.url, ALERT, pause=0)
    assert [one["message"] for one in server.requests] == ["The modes differ."] * 3


@pytest.mark.parametrize(("status", "attempts"), [(500, 3), (404, 1), (302, 1)])
def test_a_webhook_that_refuses_is_given_up_and_logged_without_its_secrets(
    server: ChatServer, caplog: pytest.LogCaptureFixture, status: int, attempts: int
) -> None:
    caplog.set_level(logging.DEBUG)
    server.set_script(error_reply(status, Location=f"{server.url}/elsewhere"))
    assert not post_alert(f"{server.url}/secret?token=1", ALERT, pause=0)
    assert len(server.requests) == attempts
    assert f"status {status}" in caplog.text
    assert "secret" not in caplog.text


def test_a_hanging_or_unreachable_webhook_is_given_up(
    server: ChatServer, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)  # of every library, too: an address is often a secret
    server.set_script(server.hang)
    assert not post_alert(f"{server.url}/secret", ALERT, timeout=0.05, pause=0)
    server.released.set()
    wait_until(lambda: len(server.requests) == 3)  # the server's threads may be behind
    assert not post_alert("http://127.0.0.1:9/secret", ALERT, timeout=0.5, pause=0)
    assert len(caplog.messages) == 2
    assert "secret" not in caplog.text


def test_an_answer_without_end_is_not_read(server: ChatServer) -> None:
    def endless(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.end_headers()
        while not server.released.is_set():
            handler.wfile.write(b"x" * 10_000)

    server.set_script(endless)
    assert post_alert(server.url, ALERT, timeout=1)


@pytest.mark.parametrize(
    "url",
    ["file:///secret", "http://[::1/secret", "http:///secret", "http://a:99999/secret", "http://secret@a"],
)
def test_alerts_go_to_http_alone(tmp_path: Path, caplog: pytest.LogCaptureFixture, url: str) -> None:
    assert not post_alert(url, ALERT, pause=0)
    assert len(caplog.messages) == 1
    assert "secret" not in caplog.text
    file = tmp_path / "convgate.toml"
    file.write_text(f"guard.webhook = {json.dumps('ftp://somewhere')}")
    with pytest.raises(SettingsError, match=r"guard\.webhook"):
        load_settings(file)
