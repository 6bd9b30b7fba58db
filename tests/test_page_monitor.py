"""The page Monitor, one test per task."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial

import pytest

from convgate.core.conversation import Turn
from convgate.core.settings import Settings
from convgate.guardrails.request import Fallback
from convgate.rollouts.phases import PHASES
from convgate.rollouts.rollout import Rollout
from convgate.store import Store
from convgate.store.edits import ModeCorrection, ModeCorrections
from convgate.store.guard_states import Alert, Baseline, GuardStates
from convgate.store.requests import Requests
from tests.guardrails import USUAL, add_requests, open_guardrails, record
from tests.page_app import (
    add_conversation,
    address,
    check,
    click,
    click_in_fragment,
    metric,
    open_page,
    page_text,
)
from tests.rollouts import log_requests
from tests.session_agents import Clock

DRIFTED = {"TASK": 60, "EXPLORATION": 10, "DEBUGGING": 220, "LEARNING": 10}
open_monitor = partial(open_page, "Monitor")


def now() -> datetime:
    return datetime.now(UTC)


def ago(**time: float) -> datetime:
    return now() - timedelta(**time)


def put_baseline(store: Store, counts: Mapping[str, int] = USUAL) -> None:
    GuardStates(store).put_baseline(Baseline(ago(days=3), dict(counts)))


def put_drift(store: Store, *, raised: datetime, cleared: datetime | None = None) -> None:
    GuardStates(store).put_alerts(
        [
            Alert(
                "drift", "", raised, "The modes <b>differ</b> by 0.200 nats.", {"limit": 0.1},
                cleared, "All as usual." if cleared else "",
            )
        ]
    )  # fmt: skip


def test_it_opens_without_requests_and_without_a_log(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    app = open_monitor()
    assert "convgate.load()" in app.code[0].value
    assert "##### No request is logged yet" in page_text(app)
    (link,) = [each.proto.query_string for each in app.get("page_link") if each.proto.query_string]
    assert link == "show=chats"
    text = page_text(app)
    assert "No message was reviewed in 30 days" in text
    assert (
        "no alert is open; 2 alerts of this period cleared, Errors in Debugging and Change of modes" in text
    )
    failures = re.search(r"(\d+) of the last 50 requests in \w+ failed; alert from (\d+) on", text)
    assert failures is not None
    assert int(failures[1]) < int(failures[2]), "what is normal is below what raises an alert"
    assert metric(app, "Requests") == "5,760"
    alerts = app.dataframe[0].value
    assert [*zip(alerts["alert"], alerts["mode"], strict=True)] == [
        ("Errors", "Debugging"),
        ("Change of modes", ""),
    ]
    assert "DEBUGGING" not in text + str(alerts["message"].tolist())
    assert Requests(store).newest() is None, "nothing of it is logged"
    assert "monitor.set" not in {button.key for button in app.button}
    monkeypatch.setenv("CONVGATE_GUARD_LOG", "false")
    assert "guard.log" in page_text(open_monitor())


def test_a_period_shows_its_figures(store: Store) -> None:
    put_baseline(store)
    add_requests(store, USUAL, end=now())
    add_requests(
        store,
        {"GENERAL": 40},
        end=ago(days=3),
        source="low confidence",
        fallbacks=(Fallback("breach", ""),),
        breaches=1,
    )
    Requests(store).record_outcomes([(f"r{number}", number % 30 != 0) for number in range(340)], now())
    app = open_monitor()
    assert not app.error
    assert [each.label for each in app.metric] == ["Tokens saved", "Requests", "Build time"]
    assert (metric(app, "Requests"), metric(app, "Tokens saved")) == ("300", "75%")
    assert "lost invariant" not in page_text(app)
    check(app.button_group(key="monitor.period").set_value("7d").run())
    assert address(app) == {"period": "7d"}
    assert metric(app, "Requests") == "340"
    assert app.metric[1].delta == "40 sent by a fallback"
    assert "40 lost invariants, sent after all" in page_text(app)
    assert len(app.get("plotly_chart")) == 6
    assert "| Task | 2.0% :small[0.4%–10%] | 50 | 3.3% of 150 |" in page_text(app)


def test_too_few_requests_are_not_enough_data(store: Store) -> None:
    put_baseline(store)
    add_requests(store, {"TASK": 20}, end=now(), minutes=20)
    app = open_monitor(period="1h")
    assert "20 of 200 requests in the last hour" in page_text(app)
    assert not app.error
    assert app.button(key="monitor.set").disabled, "nor for a baseline"


def test_an_open_alert_comes_first(store: Store) -> None:
    put_baseline(store)
    add_requests(store, DRIFTED, end=now())
    put_drift(store, raised=ago(hours=2))
    app = open_monitor()
    assert "**Change of modes**" in app.error[0].value
    assert "##### Look first at Change of modes: 1 open alert" in page_text(app)
    assert "<b>" in app.dataframe[0].value["message"][0], "as text"


def test_the_misclassification_rate_counts_what_people_reviewed(store: Store) -> None:
    key = add_conversation(*[Turn.of("user", f"message {number}") for number in range(25)])
    add_requests(store, {"TASK": 20}, end=now())
    modes = {turn: ModeCorrection("TASK", "DEBUGGING" if turn < 4 else "TASK") for turn in range(25)}
    modes[0] = replace(modes[0], at=ago(days=31))
    ModeCorrections(store).change(key, {turn: modes[turn] for turn in range(11)})
    assert "30% of 10 messages reviewed in 30 days; alert above 10%, of 20 or more" in page_text(
        open_monitor()
    )
    ModeCorrections(store).change(key, modes)
    clock = Clock()
    with open_guardrails(store, clock) as guard:
        record(guard, clock, 1)
        assert guard.overruled("TASK").cause == "misclassified"
    app = open_monitor(period="7d")
    assert "of 24 messages reviewed" in page_text(app)
    assert "People corrected the mode" in app.error[0].value


def test_a_baseline_is_set_from_the_period_undone_and_cleared(store: Store) -> None:
    add_requests(store, USUAL, end=now())
    app = click_in_fragment(open_monitor(), "monitor.set")  # drawn anew with the report
    states = GuardStates(store)
    first = states.baseline()
    assert first is not None
    assert dict(first.counts) == USUAL
    assert "alert above 0.1" in page_text(app), "drift is watched at once"
    click(app, "monitor.undo")
    assert states.baseline() is None
    click(app, "monitor.undo")
    assert states.baseline() == first, "undoing is undone"
    click(app, "monitor.clear")
    assert states.baseline() is None
    click(app, "monitor.undo")
    assert states.baseline() == first


def test_an_empty_period_names_the_last_request(store: Store) -> None:
    add_requests(store, USUAL, end=ago(hours=30))
    assert "No requests in this period." in page_text(open_monitor())


def test_a_rollout_shows_both_arms_and_is_decided_by_a_person(store: Store) -> None:
    assert "convgate rollout start" in open_monitor(on="rollout").code[0].value
    clock = Clock()
    clock.now = ago(hours=23)
    rollout = Rollout(store, Settings(), clock=clock)
    rollout.start("new *weights*", owners=["Ada"])
    log_requests(store, "candidate", 100, end=now(), failed=20, seconds=2.5)
    log_requests(store, "control", 300, end=now(), failed=30)

    app = open_monitor(on="rollout")
    text = page_text(app).replace("\u00a0", " ")
    assert "Owner: Ada" in text
    assert "| Completion | 80% | 90% |" in text
    assert "median latency 2.5 s vs. 2 s, 1.25 ×, limit 1.5 ×" in text
    check(app.checkbox[0].check().run())
    assert [item.item for item in rollout.status().checked] == [PHASES[0].checklist[0]]

    assert app.button(key="monitor.stop").disabled, "without a reason"
    check(app.text_input(key="monitor.reason.stop").set_value("Odd answers.").run())
    click(app, "monitor.stop")
    assert rollout.status().rollout.state == "stopped"
    assert app.dataframe[0].value["reason"][0] == "Odd answers."
    check(app.text_input(key="monitor.reason.back").set_value("Wrong answers.").run())
    click(app, "monitor.back")
    assert rollout.status().rollout.state == "rolled back"
    assert "Wrong answers." in page_text(app), "the reason of the last decision"
    assert "monitor.advance" not in {button.key for button in app.button}


def test_a_rollback_is_among_the_alerts(store: Store) -> None:
    rollout = Rollout(store, Settings(), clock=lambda: ago(hours=1))
    rollout.start("new weights", owners=["Ada"])
    log_requests(store, "candidate", 10, end=now(), hours=0.5, breaches=1)
    assert Rollout(store, Settings()).review() is not None
    (row,) = open_monitor().dataframe[0].value.to_dict("records")
    assert (row["alert"], row["severity"]) == ("Rollback", "critical")
