"""Monitor: how the guards stand, the period, the baseline, files, the end of the log; and speed."""

from __future__ import annotations

import csv
import io
import re
import sqlite3
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from convgate.context.guardrails import Guardrails
from convgate.context.guardrails.limits import Limits
from convgate.context.guardrails.report import report
from convgate.context.guardrails.report_records import ModeErrors
from convgate.settings import load_settings
from convgate.store import Store
from convgate.store.guard_states import GuardStates
from convgate.store.request_records import Outcomes
from convgate.store.request_rows import RequestRows
from convgate.store.requests import Requests
from convgate.ui import services
from convgate.ui.monitor.files import figures_csv, requests_csv
from convgate.ui.monitor.guards import standing
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


def test_switched_off_it_says_so(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CONVGATE_GUARD_LOG", "false")
    told = said(opened())
    assert "no guard is at work" in told
    assert "No request is logged yet" not in told


def test_all_is_normal_and_the_period_can_be_changed(store: Store) -> None:
    put_baseline(store)
    log(store, USUAL, end=now())
    log(store, {"GENERAL": 40}, end=ago(days=3), low=True, fallbacks=("breach",), breaches=1)
    Requests(store).tell_outcomes([(f"r{number}", number % 30 != 0) for number in range(340)], now())
    app = opened()
    told = said(app)
    assert "Drift of modes and Low confidence: normal. Errors: nothing can be told yet" in told
    assert "nats from the baseline, limit 0.1; 300 requests in the last hour" in told
    assert re.search(r"\*\*0%\*\* of 1\d\d requests of the last 30 minutes were unsure, limit 30%", told)
    assert (metric(app, "Requests"), metric(app, "Tokens saved")) == ("300", "75%")
    assert (metric(app, "Fell back"), metric(app, "Breaches")) == ("0", "0")

    sound(app.button_group(key="monitor.period").set_value("7d").run())
    assert address(app) == {"period": "7d"}
    assert (metric(app, "Requests"), metric(app, "Unsure")) == ("340", "12%")
    assert (metric(app, "Fell back"), metric(app, "Breaches")) == ("40", "40")
    assert list(app.dataframe[0].value["request"])[:2] == ["r339", "r338"]
    assert set(app.dataframe[0].value["because of"]) == {"a breach"}
    assert len(app.get("plotly_chart")) == 7

    sound(app.toggle(key="monitor.live").set_value(True).run())
    assert address(app) == {"period": "7d", "live": "1"}


def test_too_few_requests_are_told_with_how_many_there_have_to_be(store: Store) -> None:
    put_baseline(store)
    log(store, {"TASK": 20}, end=now(), minutes=20)
    told = said(opened(period="1h"))
    assert "Nothing can be told yet" in told
    assert "**20 of 200** requests in the last hour" in told
    assert "**20 of 50** requests without an intent in the last 30 minutes" in told
    assert "**0 of 100** outcomes for an overall rate" in told


def test_what_has_tripped_comes_first_with_what_it_does(store: Store) -> None:
    put_baseline(store)
    log(store, DRIFTED, end=now())
    put_drift(store, raised=ago(hours=2))
    app = opened()
    assert "**Drift** since" in app.error[0].value
    assert "(2 hours ago): every request is built as GENERAL." in app.error[0].value
    told = said(app)
    assert "Every request is built as GENERAL, until it is below 0.05." in told
    assert "The modes <b>differ</b> by 0.200 nats." in told
    assert not app.success
    charts = " ".join(one.proto.spec for one in app.get("plotly_chart"))
    assert "ends 0.05" in charts
    assert "ends 24%" in charts

    log(store, USUAL, end=now(), minutes=1)
    click(app, "monitor.refresh")
    assert "It ends with the next request of a running program" not in said(app), "it is above 0.05 still"
    log(store, {mode: 8 * count for mode, count in USUAL.items()}, end=now(), minutes=1)
    click(app, "monitor.refresh")
    assert "It ends with the next request of a running program. The modes of the last hour are" in said(app)


def test_a_limit_that_nobody_has_looked_at_since_is_told(store: Store) -> None:
    put_baseline(store)
    log(store, DRIFTED, end=now())
    told = said(opened())
    assert "**Nothing has tripped yet,** but Drift of modes will" in told
    assert "It trips with the next request of a running program." in told


def test_a_rate_above_its_limit_that_may_be_chance_is_told_as_that(store: Store) -> None:
    for failures, told in ((0, "limit 2.0%"), (3, "limit 2.0%; so few may be chance"), (9, "limit 2.0%")):
        newest = Outcomes(50, failures)
        found = report(store, load_settings())
        seen = replace(found.seen, outcomes={"TASK": newest}, overall=Outcomes(998, 9))
        one = ModeErrors("TASK", newest, newest, 0.02, False, False)
        (state,) = standing(replace(found, seen=seen, errors=(one,)), Limits()).errors
        assert (state.state, state.figure.split(", ")[1]) == ("normal", told)
        assert bool(state.soon) == (failures == 9)


def test_failing_modes_and_those_on_probation_are_told_apart(store: Store) -> None:
    put_baseline(store)
    log(store, USUAL, end=ago(hours=30))
    log(store, USUAL, end=now())
    Requests(store).tell_outcomes([(f"r{number}", number % 25 != 0) for number in range(300)], now())
    bad = range(480, 540)  # of DEBUGGING
    Requests(store).tell_outcomes([(f"r{number}", number % 3 != 0) for number in bad], now())
    app = opened()
    assert "DEBUGGING will: no program has looked at the log" in said(app)
    Guardrails(store, load_settings(), threaded=False, quiet=True).close()
    click(app, "monitor.refresh")
    assert "**Errors in DEBUGGING** since" in app.error[0].value
    assert "Its requests are built as GENERAL until it is tried again." in app.error[0].value
    (alert,) = GuardStates(store).open_alerts()
    GuardStates(store).put_alerts([replace(alert, phase="probation", since=now())])
    click(app, "monitor.refresh")
    assert "to see whether it still fails" in app.warning[0].value
    assert not app.error


def test_a_baseline_is_set_from_the_period_undone_and_cleared(store: Store) -> None:
    log(store, USUAL, end=now())
    app = opened()
    states = GuardStates(store)
    assert "There is none, so drift is not watched." in said(app)
    click(app, "monitor.set")
    assert states.baseline() is None, "asked first"
    assert "**Take the 300 requests of " in said(app)
    click(app, "monitor.leave")
    assert "monitor.set_now" not in keys(app)
    click(click(app, "monitor.set"), "monitor.set_now")
    first = states.baseline()
    assert first is not None
    assert dict(first.counts) == USUAL
    assert "300 requests are the baseline now." in said(app)
    assert "nats from the baseline, limit 0.1" in said(app), "drift is watched at once"

    click(app, "monitor.undo")
    assert states.baseline() is None
    click(app, "monitor.undo")
    assert states.baseline() == first, "undoing is undone"
    click(app, "monitor.clear")
    assert states.baseline() is None
    assert "“Undo” brings it back" in said(app)
    click(app, "monitor.undo")
    assert states.baseline() == first


def test_a_period_with_too_few_requests_makes_no_baseline(store: Store) -> None:
    log(store, {"TASK": 30}, end=now())
    app = opened()
    assert app.button(key="monitor.set").disabled
    assert "This period has 30 requests; a baseline needs 200" in said(app)


def test_earlier_periods_are_reached_and_an_empty_one_leads_to_the_last_request(store: Store) -> None:
    log(store, USUAL, end=ago(hours=30))
    put_drift(store, raised=ago(days=9), cleared=ago(days=8))
    app = opened()
    assert "No request was logged in this period; the last one of all 1 day ago" in said(app)
    click(app, "monitor.newest")
    assert metric(app, "Requests") == "300"
    assert "until" in address(app)
    assert not app.button(key="monitor.later").disabled
    click(app, "monitor.now")
    assert address(app) == {"period": "24h"}
    click(app, "monitor.earlier")
    assert metric(app, "Requests") == "300"
    assert "None in this period." in said(app)
    sound(app.button_group(key="monitor.period").set_value("30d").run())
    assert "Ended: All as usual." in said(app)


def test_an_address_that_means_nothing_is_told_and_left_out(store: Store) -> None:
    log(store, {"TASK": 3}, end=now())
    app = opened(period="1y", until="yesterday")
    assert "period=1y, which is not one of 1h, 24h, 7d, 30d" in said(app)
    assert "until=yesterday, which is not a time in UTC" in said(app)
    assert address(app) == {"period": "24h"}
    assert metric(app, "Requests") == "3"


def test_the_log_is_deleted_when_that_is_confirmed(store: Store) -> None:
    put_baseline(store)
    log(store, USUAL, end=now())
    put_drift(store, raised=ago(hours=3), cleared=ago(hours=2))
    put_drift(store, raised=ago(hours=1))
    app = opened()
    click(app, "monitor.delete")
    click(app, "monitor.keep")
    assert Requests(store).count() == 300
    click(click(app, "monitor.delete"), "monitor.delete_now")
    assert Requests(store).count() == 0
    assert "Deleted 300 requests." in said(app)
    states = GuardStates(store)
    assert states.baseline() is not None
    assert [alert.open for alert in states.alerts(ago(days=1), now())] == [True]


def test_a_locked_database_is_told_and_nothing_is_changed(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    log(store, USUAL, end=now())
    monkeypatch.setattr(services, "store", lambda path: Store(path, busy_timeout=0.01))
    app = click(opened(), "monitor.set")
    other = sqlite3.connect(store.path)
    other.execute("BEGIN IMMEDIATE")
    try:
        click(app, "monitor.set_now")
    finally:
        other.close()
    assert "is in use by another program" in said(app)
    assert GuardStates(store).baseline() is None
    assert "Set it from this period" in "".join(one.label for one in app.button)


def test_figures_and_requests_go_into_files(store: Store) -> None:
    log(store, {"TASK": 4, "DEBUGGING": 2}, end=now(), tokens_total=900)
    Requests(store).add([logged(99, ago(minutes=1), "GENERAL", id="=cmd()", fallbacks=("drift", "errors"))])
    Requests(store).tell_outcomes([("r0", False)], now())
    told = report(store, load_settings())
    rows = list(csv.DictReader(io.StringIO(figures_csv(told.bins))))
    assert sum(int(row["requests"]) for row in rows) == 7
    assert sum(int(row["found_TASK"]) for row in rows) == 4
    assert sum(int(row["fallbacks_drift"]) for row in rows) == 1
    assert sum(int(row["failures"]) for row in rows) == 1
    found = RequestRows(store).everything(ago(days=1), now())
    requests = list(csv.DictReader(io.StringIO(requests_csv(found))))
    assert [row["id"] for row in requests] == [*(f"r{number}" for number in range(6)), "'=cmd()"]
    assert (requests[0]["ok"], requests[1]["ok"], requests[6]["fallbacks"]) == ("0", "", "drift errors")
    assert requests[0]["at"].endswith("+00:00")


def test_a_hundred_thousand_requests_are_quick(
    store: Store, convgate_home: Path, report_figure: Callable[[str], None]
) -> None:
    put_baseline(store)
    fill(store, 100_000)
    app = opened(period="30d")
    assert metric(app, "Requests") == "100,000"
    assert "of 50 failed" in said(app)
    again = min(timed(app) for _ in range(3))
    app.button(key="monitor.refresh").click()
    report_figure(f"Monitor, 100,000 requests: {again:.2f} s a rerun, {timed(app):.2f} s when read anew")


def fill(store: Store, count: int) -> None:
    """That many requests of the last 29 days, made by SQLite itself."""
    start, span = ago(days=29).timestamp(), timedelta(days=29).total_seconds()
    with store.write() as db:
        db.execute(
            """
            WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ? - 1)
            INSERT INTO requests (id, at, mode, classified, confidence, source, low, tokens_rules,
                tokens_task_state, tokens_recent, tokens_evidence, tokens_decisions, tokens_capsules,
                tokens_total, budget, invariants, breaches, over_budget, fallbacks, seconds, ok)
            SELECT 'r' || i, ? + i * ? / ?, m, m, 0.9, 'classifier', i % 9 = 0, 90, 0, 900, 4000, 0, 0, 20000,
                32000, 1, 0, 0, iif(i % 997 = 0, 'drift', ''), 0.01 + i % 13 * 0.001,
                iif(i % 5 = 0, i % 70 <> 0, NULL)
            FROM (SELECT i, substr('TASK     DEBUGGINGGENERAL  TASK     ', 1 + i % 4 * 9, 9) AS padded,
                rtrim(substr('TASK     DEBUGGINGGENERAL  TASK     ', 1 + i % 4 * 9, 9)) AS m FROM n)
            """,
            [count, start, span, count],
        )
