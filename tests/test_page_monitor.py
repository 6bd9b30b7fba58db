"""Monitor: what a person does there, a test each."""

from __future__ import annotations

import csv
import io
import sqlite3
from collections.abc import Callable, Mapping
from datetime import timedelta

import pytest

from convgate.store import Store
from convgate.store.guard_states import GuardStates
from convgate.store.requests import Requests
from convgate.ui import services
from convgate.ui.monitor.page import requests_csv
from tests.costs import timed
from tests.monitor_page import (
    USUAL,
    address,
    ago,
    click,
    keys,
    log,
    logged,
    metric,
    now,
    opened,
    put_baseline,
    put_drift,
    said,
    sound,
    store,
)

__all__ = ["store"]
DRIFTED = {"TASK": 60, "EXPLORATION": 10, "DEBUGGING": 220, "LEARNING": 10}
OWN = {"on": "simulation", "from": "own", "rate": "240", "minutes": "60"}


def test_it_opens_without_requests_and_without_a_log(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    app = opened()
    assert "convgate.load_context()" in app.code[0].value
    assert "monitor.set" not in keys(app)
    monkeypatch.setenv("CONVGATE_GUARD_LOG", "false")
    assert "guard_log" in said(opened())


def test_a_period_is_looked_at(store: Store) -> None:
    put_baseline(store)
    log(store, USUAL, end=now())
    log(store, {"GENERAL": 40}, end=ago(days=3), low=True, fallbacks=("breach",), breaches=1)
    Requests(store).record_outcomes([(f"r{number}", number % 30 != 0) for number in range(340)], now())
    app = opened()
    assert len(app.success) == 1
    assert (metric(app, "Requests"), metric(app, "Tokens saved"), metric(app, "Fallbacks")) == (
        "300", "75%", "0",
    )  # fmt: skip
    sound(app.button_group(key="monitor.period").set_value("7d").run())
    assert address(app) == {"period": "7d"}
    assert (metric(app, "Requests"), metric(app, "Unsure")) == ("340", "12%")
    assert (metric(app, "Fallbacks"), metric(app, "Lost invariants")) == ("40", "40")
    assert list(app.dataframe[0].value["request"])[:2] == ["r339", "r338"]
    assert len(app.get("plotly_chart")) == 7
    sound(app.toggle(key="monitor.live").set_value(True).run())
    assert address(app) == {"period": "7d", "live": "1"}


def test_too_few_requests_are_not_enough_data(store: Store) -> None:
    put_baseline(store)
    log(store, {"TASK": 20}, end=now(), minutes=20)
    app = opened(period="1h")
    assert "**20 of 200** requests in the last hour" in said(app)
    assert not app.success
    assert not app.error
    assert app.button(key="monitor.set").disabled, "nor for a baseline"


def test_an_open_alert_comes_first(store: Store) -> None:
    put_baseline(store)
    log(store, DRIFTED, end=now())
    app = opened()
    assert "The next request raises an alert." in said(app)
    put_drift(store, raised=ago(hours=2))
    click(app, "monitor.refresh")
    assert "**Drift**" in app.error[0].value
    assert not app.success
    assert "until it is below 0.05" in said(app)
    assert "<b>" in app.dataframe[0].value["message"][0], "as text"


def test_a_baseline_is_set_from_the_period_undone_and_cleared(store: Store) -> None:
    log(store, USUAL, end=now())
    app = click(opened(), "monitor.set")
    states = GuardStates(store)
    first = states.baseline()
    assert first is not None
    assert dict(first.counts) == USUAL
    assert "nats from the baseline, limit 0.1" in said(app), "drift is watched at once"
    click(app, "monitor.undo")
    assert states.baseline() is None
    click(app, "monitor.undo")
    assert states.baseline() == first, "undoing is undone"
    click(app, "monitor.clear")
    assert states.baseline() is None
    click(app, "monitor.undo")
    assert states.baseline() == first


def test_earlier_periods_are_reached(store: Store) -> None:
    log(store, USUAL, end=ago(hours=30))
    app = opened()
    assert "No requests in this period." in said(app)
    click(app, "monitor.earlier")
    assert metric(app, "Requests") == "300"
    assert "until" in address(app)
    click(app, "monitor.now")
    assert address(app) == {"period": "24h"}


def test_an_address_that_means_nothing_is_named_and_left_out(store: Store) -> None:
    log(store, {"TASK": 3}, end=now())
    app = opened(period="1y", until="yesterday")
    assert "period=1y" in said(app)
    assert "until=yesterday" in said(app)
    assert address(app) == {"period": "24h"}


def test_the_log_is_deleted(store: Store) -> None:
    put_baseline(store)
    log(store, USUAL, end=now())
    put_drift(store, raised=ago(hours=3), cleared=ago(hours=2))
    put_drift(store, raised=ago(hours=1))
    click(opened(), "monitor.delete")
    assert Requests(store).count() == 0
    states = GuardStates(store)
    assert states.baseline() is not None
    assert [alert.open for alert in states.alerts(ago(days=1), now())] == [True]


def test_a_locked_database_is_named_and_nothing_is_changed(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    log(store, USUAL, end=now())
    monkeypatch.setattr(services, "store", lambda path: Store(path, busy_timeout=0.01))
    app = opened()
    other = sqlite3.connect(store.path)
    other.execute("BEGIN IMMEDIATE")
    try:
        click(app, "monitor.set")
    finally:
        other.close()
    assert "is in use by another program" in said(app)
    assert GuardStates(store).baseline() is None


def test_requests_go_into_a_file(store: Store) -> None:
    log(store, {"TASK": 4, "DEBUGGING": 2}, end=now())
    Requests(store).add([logged(99, ago(minutes=1), "GENERAL", id="=cmd()", fallbacks=("drift", "errors"))])
    Requests(store).record_outcomes([("r0", False)], now())
    rows = list(csv.DictReader(io.StringIO(requests_csv(store, ago(days=1), now()))))
    assert [row["id"] for row in rows] == [*(f"r{number}" for number in range(6)), "'=cmd()"]
    assert (rows[0]["ok"], rows[1]["ok"], rows[6]["fallbacks"]) == ("0", "", "drift errors")
    assert rows[0]["at"].endswith("+00:00")


def test_the_simulation_opens_at_its_peak_and_leaves_the_log_alone(store: Store) -> None:
    put_baseline(store)
    log(store, USUAL, end=now())
    before = GuardStates(store).baseline()
    app = opened(**OWN)
    assert "step" not in address(app)
    assert "every request is built as GENERAL" in app.error[0].value
    assert "**0.148** nats" in said(app), "0.15, but for the smoothing of 240 requests"
    for step, has_tripped in ((6, False), (24, True), (48, False)):
        sound(app.select_slider(key="monitor.step").set_value(step).run())
        assert address(app)["step"] == str(step)
        assert bool(app.error) == has_tripped
        assert bool(app.success) != has_tripped
    assert app.dataframe[0].value["cleared"][0] != "open"
    assert Requests(store).count() == 300
    assert GuardStates(store).baseline() == before
    assert GuardStates(store).alerts(ago(days=3650), now()) == []


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ({"rate": "120"}, "**120 of 200** requests in the last hour"),
        ({"shares": "100,0,0,0,0", "toward": "TASK"}, "at most 0.01 nats"),
        ({"shares": "1,2,3", "nats": "9"}, "five numbers up to 100, not all 0"),
        ({"rate": "1000000"}, "a number between 10 and 3,000"),
    ],
)
def test_a_simulation_that_cannot_trip_or_run_says_why(
    store: Store, query: Mapping[str, str], text: str
) -> None:
    assert text in said(opened(**(OWN | query)))


def test_each_parameter_changes_the_simulation(store: Store) -> None:
    app = opened(**OWN)
    for control in (
        app.slider(key="monitor.nats").set_value(0.05),
        app.slider(key="monitor.minutes").set_value(30),
        app.number_input(key="monitor.rate").set_value(250),
        app.selectbox(key="monitor.toward").set_value("LEARNING"),
        app.number_input(key="monitor.share.TASK").set_value(80),
    ):
        sound(control.run())
    assert address(app) == {
        "on": "simulation", "from": "own", "shares": "80,15,20,10,15", "toward": "LEARNING", "nats": "0.05",
        "minutes": "30", "rate": "250",
    }  # fmt: skip
    assert not app.error, "0.05 nats are below the limit"


@pytest.mark.slow
def test_a_hundred_thousand_requests_are_quick(store: Store, report_figure: Callable[[str], None]) -> None:
    put_baseline(store)
    start, step = ago(days=29), timedelta(days=29) / 100_000
    Requests(store).add(
        logged(number, start + step * number, ("TASK", "GENERAL")[number % 2]) for number in range(100_000)
    )
    Requests(store).record_outcomes(
        [(f"r{number}", number % 70 != 0) for number in range(0, 100_000, 5)], now()
    )
    app = opened(period="30d")
    assert metric(app, "Requests") == "100,000"
    again = min(timed(app) for _ in range(3))
    app.button(key="monitor.refresh").click()
    report_figure(f"Monitor, 100,000 requests: {again:.2f} s a rerun, {timed(app):.2f} s when read anew")
