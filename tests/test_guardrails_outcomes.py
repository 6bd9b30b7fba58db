"""Outcomes of requests, the figures of a period, and the monitor command."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from typer import BadParameter

import convgate
from convgate.cli.monitor import beginning
from convgate.core.errors import RequestError, StoreError
from convgate.core.settings import Settings
from convgate.guardrails.guardrails import Guardrails
from convgate.guardrails.request import Fallback
from convgate.store import Store
from tests.commands import Run
from tests.guardrails import open_guardrails, put_baseline, request
from tests.selectors import chat, make_selector
from tests.session_agents import Clock


def outcomes(store: Store) -> dict[str, int | None]:
    with store.read() as db:
        return dict(db.execute("SELECT id, ok FROM requests ORDER BY number").fetchall())


def logged(store: Store, *ids: str) -> None:
    with open_guardrails(store, Clock()) as guard:
        for id in ids:
            guard.record(request(id=id))
        guard.flush()


def test_the_last_recorded_outcome_counts(store: Store) -> None:
    logged(store, "a", "b")
    convgate.record_outcome("a", ok=False)
    assert outcomes(store) == {"a": 0, "b": None}
    convgate.record_outcome("a", ok=True)
    convgate.record_outcome("b", ok=False, place=store)
    assert outcomes(store) == {"a": 1, "b": 0}


def test_a_selection_is_logged_and_overruled_while_modes_drift(store: Store) -> None:
    put_baseline(store, {"GENERAL": 1_000})
    with Guardrails(store.path, Settings(guard={"drift_min_requests": 3})) as guard:
        selector = make_selector(guard=guard)
        messages = chat("TASK build a shed", "fine", "TASK now paint it")
        selections = [selector.select(messages) for _ in range(3)]
        assert guard.flush()
        drifting = selector.select(messages)
        guard.flush()
    assert [one.mode for one in selections] == ["TASK"] * 3
    assert (drifting.mode, drifting.budgeted.mode_decision.mode) == ("GENERAL", "TASK")
    assert [one.cause for one in drifting.fallbacks] == ["drift"]
    convgate.record_outcome(drifting.request_id, ok=True)
    assert outcomes(store) == {one.request_id: None for one in selections} | {drifting.request_id: 1}
    with store.read() as db:
        rows = db.execute("SELECT mode, classified, fallbacks FROM requests").fetchall()
    assert rows == [("TASK", "TASK", "")] * 3 + [("GENERAL", "TASK", "drift")]


def test_an_outcome_is_of_the_newest_request_with_its_id(store: Store) -> None:
    logged(store, "a", "a")
    convgate.record_outcome("a", ok=True)
    with store.read() as db:
        assert db.execute("SELECT ok FROM requests ORDER BY number").fetchall() == [(None,), (1,)]


def test_an_outcome_may_come_before_its_request_is_written(store: Store) -> None:
    with Guardrails(store.path, Settings()) as guard:
        guard.record(request(id="quick", at=datetime.now(UTC)))
        convgate.record_outcome("quick", ok=True)
    assert outcomes(store) == {"quick": 1}


def test_an_invalid_outcome_is_refused(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("convgate.store.database.BUSY_TIMEOUT", 0.01)
    logged(store, "a")
    for id, ok in (("b", True), ("a", "yes")):
        with pytest.raises(RequestError):
            convgate.record_outcome(id, ok=ok)
    assert outcomes(store) == {"a": None}
    with store.write(), pytest.raises(StoreError):
        convgate.record_outcome("a", ok=True, place=Store(store.path))


def test_the_command_records_an_outcome(run: Run, store: Store) -> None:
    logged(store, "a")
    code, out, errors = run("record-outcome", "a", "--failed", "--json")
    assert (code, errors) == (0, "")
    assert json.loads(out) == {"recorded": [{"request_id": "a", "ok": False}]}
    assert outcomes(store) == {"a": 0}
    assert run("record-outcome", "a")[0] == 2
    assert run("record-outcome", "b", "--ok")[0] == 1


def test_the_monitor_command_prints_the_figures_and_sets_the_baseline(run: Run, store: Store) -> None:
    code, out, _ = run("monitor")
    assert code == 0
    assert "total: " in out
    clock = Clock()
    clock.now = datetime.now(UTC) - timedelta(minutes=10)
    with open_guardrails(store, clock) as guard:
        for number in range(220):
            guard.record(
                request(
                    number, ("TASK", "LEARNING")[number % 2], at=clock.now, breaches=number == 0,
                    fallbacks=(Fallback("breach", "x"),) if number == 0 else (),
                )
            )  # fmt: skip
        guard.flush()
    for number in range(4):
        convgate.record_outcome(f"r{number}", ok=number > 0)

    code, out, errors = run("monitor", "--since", "2h", "--set-baseline")
    assert (code, errors) == (0, "")
    text = " ".join(out.split())
    for part in ("Baseline set from 220 requests.", "requests 220", "TASK 110 110 2 1"):
        assert part in text, text

    report = json.loads(run("monitor", "--since", "2h", "--json")[1])
    totals = report["totals"]
    assert totals["requests"] == 220
    assert totals["classified"] == {
        "TASK": 110, "EXPLORATION": 0, "DEBUGGING": 0, "LEARNING": 110, "GENERAL": 0,
    }  # fmt: skip
    assert totals["by_cause"] == {"drift": 0, "misclassified": 0, "errors": 0, "breach": 1}
    assert totals["latency"] == [0.01, 0.01, 0.01]
    assert report["divergence"] == 0
    assert sum(report["latest"]["baseline"]["counts"].values()) == 220
    assert report["errors"][0]["period"] == {"count": 2, "failures": 1}
    assert sum(one["totals"]["requests"] for one in report["bins"]) == 220
    assert [one["kind"] for one in report["alerts"]] == ["breach"]

    assert run("monitor", "--clear-baseline")[0] == 0
    assert json.loads(run("monitor", "--json")[1])["latest"]["baseline"] is None
    code, _, errors = run("monitor", "--since", "1m", "--set-baseline")
    assert (code, "guard.drift_min_requests" in errors) == (1, True)


def test_the_monitor_lists_an_alert(run: Run, store: Store, convgate_home: Path) -> None:
    clock = Clock()
    clock.now = datetime.now(UTC) - timedelta(seconds=5)
    put_baseline(store, {"GENERAL": 1_000})
    with open_guardrails(store, clock) as guard:
        for number in range(200):
            guard.record(request(number, at=clock.now))
        guard.flush()
    assert ", more than 0.1" in " ".join(run("monitor")[1].split())
    (alert,) = json.loads(run("monitor", "--json")[1])["alerts"]
    assert (alert["kind"], alert["cleared"], alert["figures"]["requests"]) == ("drift", None, 200)
    (convgate_home / "convgate.toml").write_text("guard.log = false\n")
    assert "guard.log is off" in run("monitor")[1]


def test_a_beginning_is_a_length_of_time_or_a_time(run: Run) -> None:
    now = datetime(2026, 3, 5, 9, tzinfo=UTC)
    assert beginning("90m", now) == now - timedelta(minutes=90)
    assert beginning("1.5 D", now) == now - timedelta(hours=36)
    assert beginning("2026-03-01T00:00:00+02:00", now) == datetime(2026, 2, 28, 22, tzinfo=UTC)
    for text in ("24", "99999999999w", "-3h"):
        with pytest.raises(BadParameter, match=text):
            beginning(text, now)
    assert run("monitor", "--since", "yesterday")[0] == 2
    assert run("monitor", "--set-baseline", "--clear-baseline")[0] == 2
