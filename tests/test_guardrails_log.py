"""The log of requests: no fault of the database fails a request."""

from __future__ import annotations

import gc
import logging
import math
import sqlite3
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from convgate.core.settings import Settings
from convgate.guardrails import guardrails
from convgate.guardrails.guardrails import Guardrails, load_guard
from convgate.guardrails.request import Fallback, RequestRecord
from convgate.store import Store
from convgate.store.requests import Requests
from tests.guardrails import open_guardrails, record, request
from tests.processes import fork, needs_fork
from tests.session_agents import NINE, Clock


@pytest.fixture
def warnings(caplog: pytest.LogCaptureFixture) -> pytest.LogCaptureFixture:
    caplog.set_level(logging.WARNING, logger="convgate")
    return caplog


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody waits 5 seconds for a database that another program holds."""
    monkeypatch.setattr("convgate.store.database.BUSY_TIMEOUT", 0.05)


def fresh(number: int) -> RequestRecord:
    return request(number, at=datetime.now(UTC))


def logged(store: Store) -> list[str]:
    with store.read() as db:
        return [id for (id,) in db.execute("SELECT id FROM requests ORDER BY number").fetchall()]


def row(store: Store) -> dict[str, object]:
    with store.read() as db:
        return next(iter(db.query("SELECT * FROM requests ORDER BY number DESC LIMIT 1")))


def test_a_request_is_logged_with_its_figures_and_none_of_its_words(store: Store, clock: Clock) -> None:
    with open_guardrails(store, clock) as guard:
        guard.record(
            request(
                7, "GENERAL", classified="DEBUGGING", over_budget=30, seconds=0.25, confidence=0.91,
                arm="control",
                fallbacks=(Fallback("drift", "a sentence"), Fallback("breach", "secret words")),
                invariant_types={"hard_constraint": 2, "blocking_error": 1},
            )
        )  # fmt: skip
        assert guard.flush()
        assert guard.lost == 0
    assert row(store) == {
        "number": 1, "id": "r7", "at": NINE.timestamp(), "mode": "GENERAL", "classified": "DEBUGGING",
        "confidence": 0.91, "source": "classifier", "low": 0, "tokens_rules": 100, "tokens_task_state": 0,
        "tokens_recent": 0, "tokens_evidence": 400, "tokens_decisions": 0, "tokens_capsules": 0,
        "tokens_total": 2000, "budget": 1000, "invariants": 2, "breaches": 0, "over_budget": 30,
        "fallbacks": "drift breach", "seconds": 0.25, "ok": None, "outcome_at": None,
        "invariants_safety_requirement": 0, "invariants_user_correction": 0, "invariants_hard_constraint": 2,
        "invariants_blocking_error": 1,
        "arm": "control", "session": None, "answer_seconds": None, "error": None,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("source", "confidence", "low"),
    [("classifier", 0.7, 0), ("classifier", 0.69, 1), ("low confidence", 0.9, 1), ("intent", 0.1, None)],
)
def test_only_the_classifier_can_be_unsure(
    store: Store, clock: Clock, source: str, confidence: float, low: int | None
) -> None:
    with open_guardrails(store, clock) as guard:
        guard.record(request(source=source, confidence=confidence))
    assert row(store)["low"] == low


def test_one_thread_writes_what_many_record(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    writers: list[int] = []
    add = Requests.add

    def counted(self: Requests, requests: object) -> None:
        if self._store.path == store.path:  # guards of earlier tests may still write to theirs
            writers.append(threading.get_ident())
        add(self, requests)

    monkeypatch.setattr(Requests, "add", counted)
    with Guardrails(store.path, Settings()) as guard, ThreadPoolExecutor(4) as threads:
        list(threads.map(guard.record, [fresh(number) for number in range(1_200)]))
        assert guard.flush()
        assert len(logged(store)) == 1_200
    assert len(set(writers)) == 1
    assert len(writers) < 100, "in batches"


def test_pending_requests_are_written_on_close_or_garbage_collection(store: Store) -> None:
    guard = Guardrails(store.path, Settings())
    guard.record(fresh(1))
    guard.close()
    assert logged(store) == ["r1"]
    guard.record(fresh(2))  # starts the thread again
    guard.close()
    other = Guardrails(store.path, Settings())
    other.record(fresh(3))
    del other
    gc.collect()
    end = time.monotonic() + 10
    while len(logged(store)) < 3 and time.monotonic() < end:
        time.sleep(0.02)
    assert logged(store) == ["r1", "r2", "r3"]


def test_the_thread_ends_when_no_request_comes_and_starts_again(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(guardrails, "IDLE_SECONDS", 0.01)
    with Guardrails(store.path, Settings()) as guard:
        for number in range(3):
            guard.record(fresh(number))
            assert guard.flush()
            end = time.monotonic() + 10
            while guard._thread is not None and time.monotonic() < end:
                time.sleep(0.01)
            assert guard._thread is None
    assert logged(store) == ["r0", "r1", "r2"]


@pytest.mark.usefixtures("impatient")
def test_a_failed_write_is_logged_once_and_counted(
    store: Store, clock: Clock, warnings: pytest.LogCaptureFixture
) -> None:
    with open_guardrails(store, clock) as guard:
        other = sqlite3.connect(store.path)
        other.execute("BEGIN EXCLUSIVE")
        began = time.perf_counter()
        for number in range(100):
            assert guard.overruled("TASK") is None
            guard.record(request(number))
        assert time.perf_counter() - began < 2, "nobody waits"
        guard.flush()
        guard.record(request(100))
        guard.flush()
        assert guard.lost == 101
        assert len(warnings.messages) == 1
        other.close()
        guard.record(request(101))
        guard.flush()
    assert logged(store) == ["r101"]
    with store.read() as db:
        assert db.execute("SELECT sum(requests) FROM guard_losses").fetchone() == (101,)


def test_requests_beyond_a_full_queue_are_lost(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guardrails, "MAX_QUEUE", 5)
    monkeypatch.setattr(Guardrails, "_start", lambda self: None)
    guard = Guardrails(store.path, Settings())
    for number in range(8):
        guard.record(fresh(number))
    assert guard.lost == 3


@pytest.mark.parametrize("name", ["file/convgate.db", "damaged.db"])
def test_no_folder_and_no_database_are_no_error(
    tmp_path: Path, name: str, warnings: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_text("in the way")
    (tmp_path / "damaged.db").write_text("not a database" * 1_000)
    with Guardrails(tmp_path / name, Settings()) as guard:
        guard.record(request(1))
        assert guard.flush()
        assert guard.overruled("TASK") is None
        assert guard.lost == 1
    assert len(warnings.messages) == 1


def test_no_more_requests_are_kept_than_the_settings_say(store: Store, clock: Clock) -> None:
    with open_guardrails(store, clock, log_max_rows=1_000, log_days=math.inf) as guard:
        record(guard, clock, 1_200)
        assert logged(store) == [f"r{number}" for number in range(200, 1_200)]
    with open_guardrails(store, clock, log_days=1) as guard:
        guard.record(request(1, at=NINE - timedelta(days=2)))
        guard.flush()
        assert len(logged(store)) == 1_000
        clock.advance(days=2)
        guard.record(request(2, at=clock.now))
        guard.flush()
        assert logged(store) == ["r2"]


@needs_fork
def test_a_forked_process_writes_its_own_requests(store: Store) -> None:
    guard = Guardrails(store.path, Settings())
    guard.record(fresh(0))
    guard.flush()

    def child() -> None:
        guard.record(fresh(1))
        guard.close()

    assert fork(child).wait() == 0
    guard.record(fresh(2))
    guard.close()
    assert sorted(logged(store)) == ["r0", "r1", "r2"]


def test_settings_decide_whether_anything_is_logged(tmp_path: Path) -> None:
    assert load_guard(Settings(guard={"log": False}, home=tmp_path / "home")) is None
    assert not (tmp_path / "home").exists()
    assert isinstance(load_guard(Settings(home=tmp_path / "home")), Guardrails)
