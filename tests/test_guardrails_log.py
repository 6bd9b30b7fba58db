"""The log of requests: whatever becomes of the database, requests are answered and nothing raises."""

from __future__ import annotations

import gc
import logging
import math
import multiprocessing
import sqlite3
import threading
import time
import weakref
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from convgate.context.guardrails import request_log, worker
from convgate.context.guardrails.guardrails import Guardrails, load_guard
from convgate.context.guardrails.request_log import RequestLog
from convgate.context.request import Fallback, NoGuard, RequestRecord
from convgate.settings import Settings
from convgate.store import Store
from convgate.store.requests import Requests
from tests.forked import fork, needs_fork
from tests.guarded import guarded, request
from tests.session_agents import NINE, Watch, empty_store


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    store = empty_store(tmp_path)
    yield store
    store.close()


@pytest.fixture
def watch() -> Watch:
    return Watch()


@pytest.fixture
def warnings(caplog: pytest.LogCaptureFixture) -> pytest.LogCaptureFixture:
    caplog.set_level(logging.WARNING, logger="convgate")
    return caplog


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody waits 2 seconds at the end for a database that cannot be written."""
    monkeypatch.setattr(worker, "AT_END", 0.05)


def fresh(number: int) -> RequestRecord:
    """A request of the present, for guardrails with the clock of this machine."""
    return request(number, at=datetime.now(UTC))


def logged(store: Store) -> list[str]:
    with store.read() as db:
        return [id for (id,) in db.execute("SELECT id FROM requests ORDER BY number").fetchall()]


def row(store: Store) -> dict[str, object]:
    with store.read() as db:
        return next(iter(db.query("SELECT * FROM requests ORDER BY number DESC LIMIT 1")))


def test_a_request_is_logged_with_its_figures_and_none_of_its_words(store: Store, watch: Watch) -> None:
    told = request(
        7, "GENERAL", classified="DEBUGGING", breaches=1, over_budget=30, seconds=0.25, confidence=0.91,
        fallbacks=(Fallback("drift", "a sentence"), Fallback("breach", "secret words")),
    )  # fmt: skip
    with guarded(store, watch) as guard:
        guard.record(told)
        assert (guard.waiting, logged(store)) == (1, [])
        assert guard.flush()
        assert (guard.waiting, guard.lost, guard.problem) == (0, 0, None)
    assert row(store) == {
        "number": 1, "id": "r7", "at": NINE.timestamp(), "mode": "GENERAL", "classified": "DEBUGGING",
        "confidence": 0.91, "source": "classifier", "low": 0, "tokens_rules": 100, "tokens_task_state": 0,
        "tokens_recent": 0, "tokens_evidence": 400, "tokens_decisions": 0, "tokens_capsules": 0,
        "tokens_total": 2000, "budget": 1000, "invariants": 2, "breaches": 1, "over_budget": 30,
        "fallbacks": "drift breach", "seconds": 0.25, "ok": None, "told_at": None,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("source", "confidence", "low"),
    [
        ("classifier", 0.7, 0),
        ("classifier", 0.69, 1),
        ("low confidence", 0.9, 1),
        ("intent", 1.0, None),
        ("intent", 0.1, None),
    ],
)
def test_only_the_classifier_can_be_unsure(
    store: Store, watch: Watch, source: str, confidence: float, low: int | None
) -> None:
    with guarded(store, watch) as guard:
        guard.record(request(source=source, confidence=confidence))
        guard.flush()
    assert row(store)["low"] == low


def test_odd_numbers_and_times_are_logged_as_what_a_database_takes(store: Store, watch: Watch) -> None:
    ancient, naive = datetime(1, 1, 1), NINE.astimezone().replace(tzinfo=None)
    with guarded(store, watch, log_days=math.inf) as guard:
        for at in (ancient, datetime.max, datetime.max.replace(tzinfo=UTC), naive, NINE + timedelta(days=9)):
            guard.record(request(at=at, seconds=math.nan, confidence=math.inf, tokens_total=10**30))
        guard.record(request(id="half \ud83d", tokens={}))
        assert guard.flush()
    with store.read() as db:
        times = [at for (at,) in db.execute("SELECT at FROM requests ORDER BY number").fetchall()]
    assert times == [datetime(1971, 1, 1, tzinfo=UTC).timestamp(), *[NINE.timestamp()] * 5]
    assert row(store)["id"] == "half \ufffd"


def test_a_thread_writes_in_batches_soon_after(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    batches: list[int] = []
    add = Requests.add

    def counted(self: Requests, requests: list[object]) -> None:
        batches.append(len(requests))
        add(self, requests)  # type: ignore[arg-type]

    monkeypatch.setattr(Requests, "add", counted)
    guard = Guardrails(store, Settings())
    began = time.monotonic()
    for number in range(10):
        guard.record(fresh(number))
        time.sleep(0.003)
    assert len(batches) <= (time.monotonic() - began) / worker.GATHER
    with ThreadPoolExecutor(4) as threads:
        list(threads.map(guard.record, [fresh(number) for number in range(10, 1_200)]))
    end = time.monotonic() + 5
    while guard.waiting and time.monotonic() < end:
        time.sleep(0.01)
    assert len(logged(store)) == sum(batches) == 1_200
    assert len(batches) <= 8
    guard.close()


def test_what_waits_is_written_when_guardrails_are_closed_or_forgotten(store: Store) -> None:
    guard = Guardrails(store, Settings())
    guard.record(fresh(1))
    guard.close()
    assert logged(store) == ["r1"]
    guard.record(fresh(2))  # after the end
    assert (guard.lost, guard.waiting) == (1, 0)
    other = Guardrails(store, Settings())
    other.record(fresh(3))
    del other
    gc.collect()
    assert logged(store) == ["r1", "r3"]
    assert not [one for one in threading.enumerate() if one.name == "convgate-guard"]


def test_a_locked_database_holds_nobody_up_and_is_written_later(
    store: Store, watch: Watch, warnings: pytest.LogCaptureFixture
) -> None:
    with guarded(store, watch) as guard:
        other = sqlite3.connect(store.path)
        other.execute("BEGIN EXCLUSIVE")
        began = time.perf_counter()
        for number in range(100):
            assert guard.overruled("TASK") is None
            guard.record(request(number))
        assert time.perf_counter() - began < 0.2  # and a write waits for 0.25 s
        assert not guard.flush(0)
        assert not guard.flush(0)
        assert "in use by another program" in str(guard.problem)
        assert (guard.waiting, guard.lost) == (100, 0)
        assert [one.message[:45] for one in warnings.records] == [
            "requests cannot be logged for now, 100 wait: "
        ]
        other.close()
        assert guard.flush()
        assert (guard.waiting, guard.lost, guard.problem) == (0, 0, None)
    assert len(logged(store)) == 100
    assert "logged again; 0 in all were lost" in warnings.messages[-1]


def test_guardrails_begin_while_the_database_is_locked(store: Store) -> None:
    store.close()
    other = sqlite3.connect(store.path)
    other.execute("PRAGMA journal_mode = DELETE")  # where an exclusive lock keeps readers out, too
    other.execute("BEGIN EXCLUSIVE")
    guard = Guardrails(store, Settings())
    assert guard.overruled("TASK") is None
    guard.record(fresh(1))
    other.close()
    assert guard.flush()
    guard.close()
    assert logged(store) == ["r1"]


def test_a_full_disk_loses_requests_only_when_too_many_wait(
    store: Store, watch: Watch, monkeypatch: pytest.MonkeyPatch, warnings: pytest.LogCaptureFixture
) -> None:
    with guarded(store, watch) as guard:
        monkeypatch.setattr(guard._log, "_longest", 50)
        with guard._log.place.store().read() as db:
            pages = db.execute("PRAGMA page_count").fetchone()[0]
            db.execute(f"PRAGMA max_page_count = {pages}")
        for number in range(20):
            guard.record(request(number, id=f"{number}" * 2_000))
        assert not guard.flush(0)
        assert "full or failing" in str(guard.problem)
        for number in range(60):
            guard.record(request(number))
        assert (guard.waiting, guard.lost) == (70, 10)
        with guard._log.place.store().read() as db:
            db.execute("PRAGMA max_page_count = 1000000")
        assert guard.flush()
        assert (guard.waiting, guard.lost) == (0, 10)
        guard.record(request(71))
        assert guard.flush()
    assert len(logged(store)) == 71
    with store.read() as db:
        assert db.execute("SELECT sum(requests), min(why) FROM guard_losses").fetchone()[0] == 10
    assert warnings.messages == ["requests are lost to the log: too many requests waited to be written"]


def test_a_read_only_database_is_told_and_what_waits_at_the_end_is_counted(
    store: Store, watch: Watch, warnings: pytest.LogCaptureFixture
) -> None:
    with guarded(store, watch) as guard:
        with guard._log.place.store().read() as db:
            db.execute("PRAGMA query_only = ON")
        guard.record(request(1))
        assert not guard.flush(0)
        assert "cannot be written" in str(guard.problem)
    assert guard.lost == 1
    assert logged(store) == []
    assert "1 requests could not be logged" in warnings.messages[-1]


def test_a_database_that_is_gone_is_not_made_anew_and_goes_on_when_it_is_back(
    store: Store, watch: Watch, tmp_path: Path
) -> None:
    away = tmp_path / "away"
    with guarded(store, watch) as guard:
        guard.record(request(1))
        assert guard.flush()
        store.close()
        guard._log.place.close()
        store.path.rename(away)
        guard.record(request(2))
        assert not guard.flush(0)
        assert "is gone" in str(guard.problem)
        assert not store.path.exists()
        away.rename(store.path)
        assert guard.flush()
    assert logged(store) == ["r1", "r2"]


def test_what_was_given_up_at_the_end_is_not_told_as_logged(
    store: Store, tmp_path: Path, warnings: pytest.LogCaptureFixture
) -> None:
    guard = Guardrails(store, Settings())
    store.close()
    store.path.rename(tmp_path / "away")
    guard.record(fresh(1))
    assert not guard.flush(0.06)
    guard.close()
    assert guard.flush()  # nothing waits any more
    assert guard.lost == 1
    assert [one.split(":")[0] for one in warnings.messages] == [
        "requests cannot be logged for now, 1 wait",
        "requests are lost to the log",
        "1 requests could not be logged",
    ]


def test_a_database_that_took_the_place_of_another_is_written(
    store: Store, watch: Watch, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    fresh = empty_store(other)
    fresh.close()
    with guarded(store, watch) as guard:
        guard.record(request(1))
        assert guard.flush()
        store.close()
        fresh.path.rename(store.path)
        for neighbour in ("-wal", "-shm"):
            Path(f"{store.path}{neighbour}").unlink(missing_ok=True)
        guard.record(request(2))
        assert guard.flush()
    assert logged(store) == ["r2"]


def test_no_folder_and_no_database_are_no_error(tmp_path: Path, watch: Watch) -> None:
    (tmp_path / "file").write_text("in the way")
    with guarded(tmp_path / "file" / "convgate.db", watch) as guard:
        guard.record(request(1))
        assert not guard.flush(0)
        assert "cannot be made or written" in str(guard.problem)
        assert guard.overruled("TASK") is None
    (tmp_path / "damaged.db").write_text("not a database" * 1_000)
    with guarded(tmp_path / "damaged.db", watch) as guard:
        guard.record(request(1))
        assert not guard.flush(0)
        assert "damaged" in str(guard.problem)


def test_more_requests_than_are_kept_are_pruned_to_fewer_at_once(
    store: Store, watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    pruned: list[int] = []
    keep = Requests.keep_newest
    monkeypatch.setattr(Requests, "keep_newest", lambda self, most: pruned.append(keep(self, most)))
    log = RequestLog(store.path, most=100, days=math.inf, clock=watch)
    for number in range(160):
        log.add(request(number))
        if number % 2:
            log.write()
            assert Requests(store).count() <= 100
    assert logged(store) == [f"r{number}" for number in range(160 - Requests(store).count(), 160)]
    assert pruned == [7] + [6] * 9  # of 80 batches


def test_requests_go_when_they_are_old_but_not_because_the_clock_was_set(store: Store, watch: Watch) -> None:
    passed = [0.0]

    def wait(seconds: float, *, jump: float = 0) -> None:
        passed[0] += seconds
        watch.pass_(seconds=seconds + jump)
        guard.record(request(99, at=watch.now))
        guard.flush()

    with guarded(store, watch, log_days=1, monotonic=lambda: passed[0]) as guard:
        guard.record(request(1))
        guard.flush()
        wait(700)
        wait(700, jump=10 * 365 * 86_400.0)
        wait(300)
        assert "r1" in logged(store)
        wait(1, jump=-10 * 365 * 86_400.0)  # set right again
        wait(700)
        assert "r1" in logged(store)
        wait(86_400)
        wait(700)
        assert "r1" not in logged(store)


def test_two_that_share_a_database_both_write(store: Store, watch: Watch) -> None:
    with guarded(store, watch) as one, guarded(store, watch) as other:
        for number in range(10):
            (one, other)[number % 2].record(request(number))
            (one, other)[number % 2].flush()
    assert logged(store) == [f"r{number}" for number in range(10)]


@needs_fork
def test_a_forked_process_writes_its_own_requests_and_not_its_parents(store: Store) -> None:
    guard = Guardrails(store, Settings())
    guard.record(fresh(0))
    guard.flush()
    guard.record(fresh(1))

    def child() -> None:
        assert guard.waiting == 0
        guard.record(fresh(2))
        guard.close()

    assert fork(child).wait() == 0
    guard.record(fresh(3))
    guard.close()
    assert sorted(logged(store)) == ["r0", "r1", "r2", "r3"]


@needs_fork
def test_a_program_that_just_ends_has_written_what_it_recorded(store: Store, tmp_path: Path) -> None:
    def program() -> None:
        for other in list(weakref.finalize._registry):  # type: ignore[attr-defined]
            other.atexit = False  # what this process has of its parent
        guard = Guardrails(store.path, Settings())
        guard.record(fresh(1))
        weakref.finalize._exitfunc()  # type: ignore[attr-defined]

    assert fork(program).wait() == 0
    assert logged(store) == ["r1"]


@needs_fork
def test_a_process_that_multiprocessing_forks_writes_what_it_recorded(store: Store) -> None:
    """It ends without what `atexit` has to do."""
    inherited = Guardrails(store, Settings())
    inherited.record(fresh(1))
    inherited.flush()
    kept = []

    def work() -> None:
        inherited.record(fresh(2))
        kept.append(Guardrails(store.path, Settings()))
        kept[0].record(fresh(3))

    process = multiprocessing.get_context("fork").Process(target=work)
    process.start()
    process.join()
    inherited.close()
    assert sorted(logged(store)) == ["r1", "r2", "r3"]


def test_settings_decide_whether_anything_is_logged(tmp_path: Path) -> None:
    assert isinstance(load_guard(Settings(guard_log=False, home=tmp_path / "home")), NoGuard)
    assert not (tmp_path / "home").exists()
    guard = load_guard(Settings(home=tmp_path / "home"))
    assert isinstance(guard, Guardrails)
    guard.close()
    assert request_log.LONGEST_QUEUE == 10_000
