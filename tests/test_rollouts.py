"""Rollouts: arms of sessions, and decisions from logged requests on a clock that is set by hand."""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

import convgate
from convgate.core.errors import RolloutError, StoreError
from convgate.core.settings import Settings
from convgate.rollouts.phases import PHASES
from convgate.rollouts.rollout import WATCH_INTERVAL, Rollout
from convgate.store import Store
from convgate.store.guard_states import Alert, GuardStates
from convgate.store.requests import Requests
from convgate.store.rollouts import Rollouts
from tests.commands import Run
from tests.guardrails import open_guardrails
from tests.llm_server import ChatServer, raw_reply
from tests.rollouts import do_checklist, log_both, log_requests, review_modes
from tests.selectors import chat, make_selector
from tests.session_agents import NINE, Clock

SESSIONS = [f"session {number}" for number in range(2_000)]


@pytest.fixture
def alerts() -> list[Alert]:
    return []


@pytest.fixture
def rollout(store: Store, clock: Clock, alerts: list[Alert]) -> Rollout:
    """A rollout that has just started."""
    started = Rollout(store, Settings(), alert=alerts.append, clock=clock)
    started.start("new weights", owners=["Ada"])
    return started


def set_phase(rollout: Rollout, number: int) -> None:
    while rollout.status().rollout.phase < number:
        rollout.advance(who="Ada", reason="For the test.")


def actions(rollout: Rollout) -> list[str]:
    return [decision.action for decision in rollout.status().decisions][::-1]


# Decisions


def review_phase_2(store: Store, clock: Clock, rollout: Rollout, candidate: int, failed: int, control: int):
    """Return the decision at the end of phase 2, a fifth of the control's requests having failed."""
    set_phase(rollout, 2)
    do_checklist(store, rollout)
    clock.advance(days=6)
    log_requests(store, "candidate", candidate, end=clock.now, hours=100, failed=failed)
    log_requests(store, "control", control, end=clock.now, hours=100, failed=control // 5)
    clock.advance(days=1)
    return rollout.review()


def test_a_good_candidate_advances_through_all_phases(
    store: Store, clock: Clock, rollout: Rollout, alerts: list[Alert]
) -> None:
    review_modes(store, clock.now + timedelta(hours=1))
    for phase in PHASES[:-1]:
        do_checklist(store, rollout)
        status = rollout.status()
        assert (status.rollout.phase, status.rollout.next_look) == (phase.number, clock.now + phase.length)
        clock.now += phase.length - timedelta(minutes=30)
        log_both(store, end=clock.now, hours=23)
        assert rollout.review() is None, "the phase is not over"
        clock.now += timedelta(minutes=30)
        decision = rollout.review()
        assert decision.action == "advance"
        assert set(decision.figures) == set(phase.conditions)
    status = rollout.status()
    assert (status.rollout.phase, status.rollout.state, status.rollout.next_look) == (4, "running", None)
    assert [decision.next_look for decision in status.decisions[::-1]] == [
        NINE + timedelta(days=days) if days else None for days in (1, 8, 22, 0)
    ]
    assert alerts == []
    assert {rollout.arm(f"late {number}") for number in range(50)} == {"candidate"}


def test_a_candidate_with_fewer_completions_is_stopped_at_the_end_of_its_phase(
    store: Store, clock: Clock, rollout: Rollout, alerts: list[Alert]
) -> None:
    decision = review_phase_2(store, clock, rollout, 1_000, 240, 2_000)
    assert (decision.action, decision.next_look, decision.phase) == ("stop", None, 2)
    assert decision.figures["completion"]["candidate"] == 0.76
    assert decision.figures["completion"]["chance"] < 0.05
    (alert,) = alerts
    assert (alert.kind, alert.severity) == ("rollout", "warning")
    assert decision.reason in alert.message
    assert GuardStates(store).alerts(NINE, clock.now + timedelta(days=1))[0].figures == decision.figures
    assert {rollout.arm(f"late {number}") for number in range(200)} == {"control"}


@pytest.mark.parametrize(
    ("hours", "candidate", "rule"),
    [
        (1, {"errors": 12}, "errors"),
        (24, {"failed": 60}, "completion"),
        (6, {"failed": 20, "seconds": 5.0}, "latency"),
        (0.5, {"breaches": 1}, "breaches"),
    ],
)
def test_a_bad_candidate_is_rolled_back(
    store: Store,
    clock: Clock,
    rollout: Rollout,
    alerts: list[Alert],
    hours: float,
    candidate: dict,
    rule: str,
) -> None:
    clock.advance(hours=hours)
    log_requests(store, "candidate", 100, end=clock.now, hours=hours, **candidate)
    log_requests(store, "control", 300, end=clock.now, hours=hours, failed=60)
    decision = rollout.review()
    assert (decision.action, decision.next_look) == ("roll back", None)
    assert [name for name, figures in decision.figures.items() if figures["state"] == "failed"] == [rule]
    assert [(alert.kind, alert.severity) for alert in alerts] == [("rollback", "critical")]
    clock.advance(days=3)
    assert rollout.review() is None, "it is over"
    assert actions(rollout) == ["start", "roll back"]


@pytest.mark.parametrize(
    ("hours", "candidate"),
    [
        (1, {"count": 3, "errors": 3}),
        (1, {"count": 100, "errors": 4}),
        (24, {"count": 100, "failed": 33}),
        (24, {"count": 1_000, "failed": 270}),
        (6, {"count": 40, "failed": 8, "seconds": 9.0}),
        (6, {"count": 100, "failed": 20, "seconds": 3.9}),
    ],
)
def test_few_requests_and_small_differences_roll_nothing_back(
    store: Store, clock: Clock, rollout: Rollout, hours: float, candidate: dict
) -> None:
    set_phase(rollout, 2)
    clock.advance(hours=30)
    log_requests(store, "candidate", end=clock.now, hours=hours, **candidate)
    log_requests(store, "control", 3_000, end=clock.now, hours=hours, failed=600)
    assert rollout.review() is None
    assert rollout.status().rollout.state == "running"


def test_a_burst_that_is_over_rolls_nothing_back(store: Store, clock: Clock, rollout: Rollout) -> None:
    clock.advance(hours=2)
    log_requests(store, "candidate", 40, end=clock.now - timedelta(minutes=45), hours=0.2, errors=30)
    log_requests(store, "candidate", 40, end=clock.now, hours=0.6)
    log_requests(store, "control", 100, end=clock.now, hours=1)
    assert rollout.review() is None


@pytest.mark.parametrize(("sessions", "state"), [(1, "running"), (4, "running"), (40, "rolled back")])
def test_requests_of_few_sessions_roll_nothing_back(
    store: Store, clock: Clock, rollout: Rollout, sessions: int, state: str
) -> None:
    """However many of them fail."""
    set_phase(rollout, 2)
    clock.advance(hours=24)
    size = 200 // sessions
    log_requests(store, "candidate", 200, end=clock.now, hours=0.9, errors=200, seconds=90, session_size=size)
    log_requests(store, "candidate", 60, end=clock.now, hours=0.9)
    log_requests(store, "control", 300, end=clock.now, hours=20, failed=10)
    rollout.review()
    assert rollout.status().rollout.state == state


def test_errors_in_a_part_of_the_requests_of_many_sessions_roll_back(
    store: Store, clock: Clock, rollout: Rollout
) -> None:
    """One request of five, in each session: 20% of the requests, and every session."""
    clock.advance(hours=2)
    log_requests(store, "candidate", 150, end=clock.now, hours=1, errors=30, session_size=5)
    log_requests(store, "control", 1_000, end=clock.now, hours=1, errors=20, session_size=5)
    rollout.review()
    assert rollout.status().rollout.state == "rolled back"


def test_a_look_is_taken_when_the_clock_was_set_back(store: Store, clock: Clock, rollout: Rollout) -> None:
    clock.advance(days=30)
    rollout.review()
    clock.advance(days=-29)
    log_requests(store, "candidate", 10, end=clock.now, hours=0.1, breaches=1)
    assert rollout.review().action == "roll back"


def test_without_data_a_phase_waits_and_is_stopped_in_the_end(
    store: Store, clock: Clock, rollout: Rollout, alerts: list[Alert]
) -> None:
    do_checklist(store, rollout)
    log_both(store, end=NINE + timedelta(hours=1), hours=0.5, count=10)
    for hours, action in ((24, "wait"), (36, "wait"), (48, "stop")):
        clock.now = NINE + timedelta(hours=hours)
        decision = rollout.review()
        assert decision.action == action
        assert decision.next_look == (clock.now + timedelta(hours=12) if action == "wait" else None)
    assert [alert.severity for alert in alerts] == ["warning"] * 3


@pytest.mark.parametrize(
    ("counts", "action", "chance"),
    [((1_000, 205, 1_000), "advance", "loss_chance"), ((100, 22, 1_000), "wait", "chance")],
)
def test_a_completion_close_to_the_control_advances_unless_it_may_be_so_by_chance(
    store: Store, clock: Clock, rollout: Rollout, counts: tuple[int, int, int], action: str, chance: str
) -> None:
    decision = review_phase_2(store, clock, rollout, *counts)
    assert decision.action == action
    assert (decision.figures["completion"][chance] < 0.05) == (action == "advance")


@pytest.mark.parametrize(
    ("candidate", "corrected", "condition"),
    [
        ({"failed": 20, "errors": 1}, 0, "errors"),
        ({"failed": 20, "seconds": 3.2}, 0, "latency"),
        ({"failed": 20}, 3, "mode agreement"),
    ],
)
def test_each_condition_of_the_first_phase_stops_it(
    store: Store, clock: Clock, rollout: Rollout, candidate: dict, corrected: int, condition: str
) -> None:
    do_checklist(store, rollout)
    clock.advance(hours=24)
    log_requests(store, "candidate", 100, end=clock.now, hours=23, **candidate)
    log_requests(store, "control", 300, end=clock.now, hours=23, failed=60)
    review_modes(store, clock.now, corrected=corrected)
    decision = rollout.review()
    assert decision.action == "stop"
    failed = [name for name, figures in decision.figures.items() if figures["state"] == "failed"]
    assert failed == [condition]


def test_an_open_checklist_waits_for_its_owner(store: Store, clock: Clock, rollout: Rollout) -> None:
    rollout.set_owner("Bo")
    review_modes(store, clock.now + timedelta(hours=1))
    clock.advance(hours=24)
    log_both(store, end=clock.now)
    decision = rollout.review()
    assert decision.action == "wait"
    assert "Bo" in decision.reason
    do_checklist(store, rollout)
    rollout.set_item(PHASES[0].checklist[0], who="Ada", is_done=False)
    clock.now += WATCH_INTERVAL
    assert rollout.review().action == "wait"
    rollout.set_item(PHASES[0].checklist[0], who="Ada")
    clock.now += WATCH_INTERVAL
    assert rollout.review() is not None
    assert actions(rollout) == ["start", "wait", "wait", "advance"]


def test_at_100_percent_the_rules_compare_with_the_earlier_control(
    store: Store, clock: Clock, rollout: Rollout
) -> None:
    clock.advance(hours=20)
    log_both(store, end=clock.now)
    set_phase(rollout, 4)
    clock.advance(hours=30)
    log_requests(store, "candidate", 200, end=clock.now, hours=24, failed=110)
    assert rollout.review().action == "roll back"


def test_a_stopped_rollout_is_watched_and_begins_its_phase_again(
    store: Store, clock: Clock, rollout: Rollout
) -> None:
    rollout.stop(who="Ada", reason="Odd answers.")
    clock.advance(hours=40)
    assert rollout.review() is None
    decision = rollout.advance(who="Ada", reason="They were right.")
    assert (decision.action, decision.next_look) == ("resume", clock.now + timedelta(hours=24))
    assert rollout.status().rollout.phase == 1
    rollout.stop(who="Ada", reason="Odd answers again.")
    clock.advance(hours=1)
    log_requests(store, "candidate", 10, end=clock.now, hours=0.1, breaches=1)
    assert rollout.review() is not None
    assert actions(rollout) == ["start", "stop", "resume", "stop", "roll back"]


def test_one_of_two_processes_takes_a_look(
    store: Store, clock: Clock, rollout: Rollout, alerts: list[Alert]
) -> None:
    other = Rollout(Store(store.path), Settings(), alert=alerts.append, clock=clock)
    clock.advance(hours=1)
    log_requests(store, "candidate", 10, end=clock.now, hours=0.1, breaches=1)
    assert [bool(one.review()) for one in (rollout, other)] == [True, False]
    assert len(alerts) == 1


def test_a_decision_of_a_person_stands(
    store: Store, clock: Clock, rollout: Rollout, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It came while the log was read."""
    from convgate.rollouts import rollout as module

    check_rules = module.check_rules

    def check_late(*arguments: object) -> object:
        rollout.roll_back(who="Ada", reason="At once.")
        return check_rules(*arguments)

    clock.advance(hours=1)
    log_requests(store, "candidate", 10, end=clock.now, hours=0.1, breaches=1)
    with monkeypatch.context() as late:
        late.setattr(module, "check_rules", check_late)
        assert rollout.review() is None
    assert actions(rollout) == ["start", "roll back"]


@pytest.mark.parametrize(
    "act",
    [
        lambda rollout: rollout.start("another", owners=["Ada"]),
        lambda rollout: rollout.stop(who="Ada", reason=" "),
        lambda rollout: rollout.set_item("Buy milk", who="Ada"),
        lambda rollout: rollout.set_owner(""),
    ],
)
def test_what_cannot_be_done_changes_nothing(rollout: Rollout, act: Callable[[Rollout], object]) -> None:
    before = rollout.status()
    with pytest.raises(RolloutError):
        act(rollout)
    assert rollout.status() == before


def test_a_finished_rollout_is_followed_by_another(store: Store, clock: Clock, rollout: Rollout) -> None:
    rollout.roll_back(who="Ada", reason="At once.")
    for act in (rollout.stop, rollout.roll_back, rollout.advance):
        with pytest.raises(RolloutError, match="rolled back"):
            act(who="Ada", reason="Again.")
    with pytest.raises(StoreError, match="another name"):
        rollout.start("new weights", owners=["Ada"])
    rollout.start("newer weights", owners=["Ada", "Bo", "Ada", "Bo"])
    set_phase(rollout, 4)
    rollout.start("newest weights", owners=["Ada"])
    assert rollout.status().rollout.name == "newest weights"


# Arms


def test_without_a_rollout_every_session_is_in_the_control(store: Store) -> None:
    assert convgate.rollout("a session") == "control"


def test_an_arm_is_in_proportion_and_never_flips(clock: Clock, rollout: Rollout) -> None:
    before: dict[str, str] = {}
    for phase, number in zip(PHASES, (0, 500, 1_000, 1_500), strict=True):
        set_phase(rollout, phase.number)
        assert {id: rollout.arm(id) for id in before} == before
        new = {id: rollout.arm(id) for id in SESSIONS[number : number + 500]}
        share = sum(arm == "candidate" for arm in new.values()) / 500
        assert share == pytest.approx(phase.share, abs=0.07)
        before |= new
    rollout.stop(who="Ada", reason="For the test.")
    assert {id: rollout.arm(id) for id in before} == before


def test_an_arm_that_another_process_has_just_stored_counts(
    rollout: Rollout, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_phase(rollout, 4)
    assert rollout.arm("a session") == "candidate"
    arm_of, reads = Rollouts.arm_of, iter([True])

    def arm_of_late(self: Rollouts, *arguments: Any) -> Any:
        return None if next(reads, False) else arm_of(self, *arguments)

    monkeypatch.setattr(Rollouts, "arm_of", arm_of_late)
    assert rollout.arm("a session") == "candidate"


def test_a_rollback_moves_every_session(rollout: Rollout) -> None:
    set_phase(rollout, 3)
    assert {rollout.arm(id) for id in SESSIONS[:50]} == {"candidate", "control"}
    rollout.roll_back(who="Ada", reason="At once.")
    assert {rollout.arm(id) for id in SESSIONS[:50]} == {"control"}


def test_a_session_in_at_1_percent_would_be_in_at_10(store: Store, clock: Clock, rollout: Rollout) -> None:
    """Whenever it asks first."""
    with store.write() as db:
        db.execute("UPDATE rollouts SET seed = 7")
    early = {id for id in SESSIONS if rollout.arm(id) == "candidate"}
    with store.write() as db:
        db.execute("DELETE FROM rollout_sessions")
    set_phase(rollout, 2)
    late = {id for id in SESSIONS if rollout.arm(id) == "candidate"}
    assert early < late


def test_ids_of_sessions_are_not_stored(store: Store, rollout: Rollout) -> None:
    rollout.arm("zebrafish \ud800")
    assert rollout.status().sessions["candidate"] + rollout.status().sessions["control"] == 1
    assert b"zebrafish" not in store.backup_bytes()


def test_asking_for_an_arm_takes_the_look_that_is_due(store: Store, clock: Clock) -> None:
    heard: list[Alert] = []
    done = threading.Event()
    rollout = Rollout(store, Settings(), alert=lambda alert: (heard.append(alert), done.set()), clock=clock)
    rollout.start("new weights", owners=["Ada"])
    clock.advance(hours=1)
    log_requests(store, "candidate", 10, end=clock.now, hours=0.1, breaches=1)
    rollout.arm("a session")
    assert done.wait(60)
    assert heard[0].kind == "rollback"
    assert rollout.arm("another session") == "control"


def test_a_database_that_fails_gives_the_control(
    store: Store, rollout: Rollout, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    set_phase(rollout, 4)

    def fail(_: Rollouts) -> None:
        raise StoreError("The disk is full.")

    monkeypatch.setattr(Rollouts, "current", fail)
    with caplog.at_level(logging.WARNING):
        assert rollout.arm("a session") == "control"
    assert "The disk is full." in caplog.text


@pytest.mark.parametrize("damage", ["phase = 9", "owners = '[1, '", "next_watch = 'soon'", "started = ''"])
def test_a_damaged_rollout_gives_the_control(store: Store, rollout: Rollout, damage: str) -> None:
    set_phase(rollout, 4)
    with store.write() as db:
        db.execute(f"UPDATE rollouts SET {damage}")
    assert rollout.arm("a session") == "control"
    for act in (rollout.status, rollout.review):
        with pytest.raises(StoreError, match="damaged"):
            act()


# The log


def test_a_selector_logs_its_arm_and_outcomes_their_latency(store: Store, clock: Clock) -> None:
    with open_guardrails(store, clock) as guard:
        selector = make_selector(guard=guard, arm="candidate")
        selections = [selector.select(chat("TASK build a shed")) for _ in range(4)]
        guard.flush()
    period = NINE - timedelta(3650), NINE + timedelta(3650)
    for selection, seconds in zip(selections, (1.0, 4.0, 3.0), strict=False):
        convgate.record_outcome(selection.request_id, ok=True, seconds=seconds)
    figures = Requests(store).arm_figures("candidate", *period)
    assert (figures.requests, figures.outcomes, figures.sessions_with_latency, figures.latency) == (
        4,
        3,
        3,
        3.0,
    )
    convgate.record_outcome(selections[3].request_id, ok=False, error=True, seconds=9.0)
    figures = Requests(store).arm_figures("candidate", *period)
    assert (figures.sessions_with_error, figures.completion, figures.error_rate) == (1, 0.75, 0.25)
    assert figures.latency == 3.5
    assert Requests(store).arm_figures("control", NINE, clock.now).latency is None


def test_a_session_counts_once(store: Store, clock: Clock) -> None:
    with open_guardrails(store, clock) as guard:
        selector = make_selector(guard=guard, arm="candidate")
        sessions = ("a \ud800", "b", "a \ud800", "a \ud800", None)
        selections = [selector.select(chat("TASK build a shed"), session=session) for session in sessions]
        make_selector(guard=guard).select(chat("TASK build a shed"), session="without an arm")
        guard.flush()
    for selection, seconds in zip(selections, (1.0, 4.0, 2.0, 6.0, None), strict=True):
        is_slow = seconds is None or seconds > 3
        convgate.record_outcome(selection.request_id, ok=not is_slow, error=is_slow, seconds=seconds)
    figures = Requests(store).arm_figures("candidate", NINE - timedelta(3650), NINE + timedelta(3650))
    assert (figures.requests, figures.outcomes) == (5, 5)
    assert (figures.sessions_with_outcome, figures.sessions_with_error) == (3, 3)
    assert figures.completion == pytest.approx(2 / 9)
    assert figures.error_rate == pytest.approx(7 / 9)
    assert (figures.sessions_with_latency, figures.latency) == (2, 3.5)
    with store.write() as db:
        assert len(list(db.query("SELECT 1 FROM requests WHERE session IS NOT NULL"))) == 4


@pytest.mark.parametrize("values", [{"ok": True, "error": True}, {"ok": True, "seconds": -1.0}])
def test_a_wrong_outcome_is_refused(store: Store, values: dict) -> None:
    with pytest.raises(convgate.ConvgateError):
        convgate.record_outcome("r0", **values)


def test_alerts_go_to_the_webhook(store: Store, clock: Clock) -> None:
    server = ChatServer()
    server.set_script(raw_reply(b"{}"))
    try:
        rollout = Rollout(store, Settings(guard={"webhook": server.url}), clock=clock)
        rollout.start("new weights", owners=["Ada"])
        clock.advance(hours=1)
        log_requests(store, "candidate", 10, end=clock.now, hours=0.1, breaches=1)
        rollout.review()
        assert [body["kind"] for body in server.requests] == ["rollback"]
    finally:
        server.close()


# The command line


def test_each_command_prints_the_status(store: Store, run: Run) -> None:
    def call(*words: str) -> dict[str, Any]:
        code, text, errors = run("rollout", *words, "--json")
        assert code == 0, errors
        values: dict[str, Any] = json.loads(text)
        return values

    values = call("start", "new weights", "--owner", "Ada")
    assert (values["name"], values["phase"], values["share"]) == ("new weights", 1, 0.01)
    values = call("checklist", "--done", "1", "--done", "2", "--undo", "2", "--owner", "Bo", "--who", "Cy")
    assert [row["done"] and row["done"]["who"] for row in values["checklist"]] == ["Cy", None, None]
    assert values["owner"] == "Bo"
    assert call("advance", "--reason", "Urgent.")["phase"] == 2
    assert call("stop", "--reason", "Odd answers.", "--who", "Bo")["decisions"][0]["who"] == "Bo"
    assert call("back", "--reason", "Wrong answers.")["state"] == "rolled back"
    assert [decision["action"] for decision in call("status")["decisions"]] == [
        "roll back", "stop", "advance", "start",
    ]  # fmt: skip


def test_the_status_is_shown_in_tables(store: Store, rollout: Rollout, run: Run) -> None:
    code, text, _ = run("rollout", "status")
    assert code == 0
    assert all(words in text for words in ("candidate", "not enough data", "rollback rule", "owner: Ada"))


@pytest.mark.parametrize(
    ("words", "status"),
    [
        (("status",), 1),
        (("start", " "), 1),
        (("start", "another", "--owner", "Ada"), 1),
        (("start", "another", "--owner", "Ada", "--owner", "Bo"), 1),
        (("checklist", "--done", "9"), 2),
        (("checklist", "--done", "0"), 2),
        (("checklist", "--done", "first"), 2),
        (("checklist", "--owner", ""), 1),
        (("stop",), 2),
        (("stop", "--reason", " "), 1),
        (("back",), 2),
        (("advance", "--reason", ""), 1),
    ],
)
def test_a_wrong_command_fails(store: Store, run: Run, words: tuple[str, ...], status: int) -> None:
    if words[0] != "status":
        Rollout(store, Settings()).start("new weights", owners=["Ada"])
    code, text, errors = run("rollout", *words)
    assert (code, text) == (status, "")
    assert errors
