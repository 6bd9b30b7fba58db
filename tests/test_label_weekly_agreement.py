"""Weekly calibration: which turns are drawn, kappa by week, and when judging is paused."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

from convgate.core.errors import LabellingPausedError, StoreError
from convgate.labels.queue import NamedPolicy, make_queue
from convgate.labels.weekly_agreement import assess, calibration, check_week, draw_calibration, week_of
from convgate.policies.window import Everything
from convgate.store import ADJUDICATED, CurrentKey, Entry, Labels, Store
from convgate.store.label_log import AnnotatorKind
from convgate.store.queues import Queues
from tests.commands import Run
from tests.test_label_agreement import add

MONDAY = datetime(2026, 11, 16, 9, tzinfo=UTC)  # of week 47
WEEK = "2026-W47"


def judge(
    store: Store, key: str, answers: dict[int, str], at: datetime = MONDAY, kind: AnnotatorKind = "agent"
) -> None:
    """Answers of a judge about turns before the last message of a conversation of 40 turns."""
    who = "model" if kind == "agent" else "Bo"
    entries = [
        Entry(CurrentKey(key, 39), turn, who, answer, at=at.isoformat(), kind=kind)
        for turn, answer in answers.items()
    ]
    Labels(store).record(entries, by=who, kind="answer", by_kind=kind)


def answer_queue(store: Store, number: int, lead: str, answers: list[str]) -> None:
    for item, answer in zip(Queues(store).items(number), answers, strict=False):
        Labels(store).record([Entry(item.current, item.turn, lead, answer)], by=lead, kind="answer")


def drawn(store: Store, number: int | None) -> list[int]:
    assert number is not None
    return [item.turn for item in Queues(store).items(number)]


def test_20_turns_that_others_judged_in_the_week_are_drawn_once(store: Store) -> None:
    key = add(store, "talk", 40)
    judge(store, key, dict.fromkeys(range(30), "relevant"))
    judge(store, key, {30: "relevant"}, at=MONDAY - timedelta(days=7))
    judge(store, key, {31: "relevant"}, at=MONDAY + timedelta(days=7))
    judge(store, key, {32: "unsure"})
    Labels(store).answer(CurrentKey(key, 39), dict.fromkeys(range(10), "relevant"), by="Ada")
    number = draw_calibration(store, "Ada", week=WEEK)
    turns = drawn(store, number)
    assert len(turns) == len(set(turns)) == 20
    assert set(turns) == set(range(10, 30))
    assert turns != sorted(turns)
    assert draw_calibration(store, "Ada", week=WEEK, seed=1) == number
    other = draw_calibration(store, "Cy", week=WEEK, size=5)
    assert len(drawn(store, other)) == 5
    assert draw_calibration(store, "Ada", week="2026-W40") is None


def test_the_draw_depends_on_the_seed_alone(tmp_path_factory: pytest.TempPathFactory) -> None:
    def draw(seed: int) -> list[int]:
        store = Store(tmp_path_factory.mktemp("seed") / "convgate.db")
        judge(store, add(store, "talk", 40), dict.fromkeys(range(39), "relevant"))
        turns = drawn(store, draw_calibration(store, "Ada", week=WEEK, seed=seed))
        store.close()
        return turns

    assert draw(1) == draw(1) != draw(2)


def test_kappa_of_a_week_is_that_of_lead_and_judges(store: Store) -> None:
    key = add(store, "talk", 40)
    judge(store, key, {turn: "relevant" if turn % 2 else "not_relevant" for turn in range(39)})
    judge(store, key, {0: "relevant"}, kind="person")  # a person counts before the model
    Labels(store).adjudicate(CurrentKey(key, 39), dict.fromkeys(range(39), "relevant"), by="Bo")
    number = draw_calibration(store, "Ada", week=WEEK, size=30)
    assert number is not None
    assert calibration(store).state == "few"
    lead = ["relevant", "relevant", "not_relevant"] * 10
    answer_queue(store, number, "Ada", lead)
    others = ["relevant" if turn % 2 or not turn else "not_relevant" for turn in drawn(store, number)]
    [week] = calibration(store).weeks
    assert (week.week, week.lead, week.drawn, week.answered) == (WEEK, "Ada", 30, 30)
    assert week.agreement.value == pytest.approx(cohen_kappa_score(lead, others))


@pytest.mark.parametrize(("unsure", "answered", "state"), [(5, 20, "good"), (5, 19, "few"), (6, 20, "few")])
def test_a_week_counts_when_all_is_answered_and_15_turns_are_decided(
    store: Store, unsure: int, answered: int, state: str
) -> None:
    judge(
        store,
        add(store, "talk", 40),
        {turn: "relevant" if turn % 2 else "not_relevant" for turn in range(39)},
    )
    number = draw_calibration(store, "Ada", week=WEEK)
    same = ["relevant" if turn % 2 else "not_relevant" for turn in drawn(store, number)]
    assert number is not None
    answer_queue(store, number, "Ada", [*["unsure"] * unsure, *same[unsure:answered]])
    result = calibration(store)
    [week] = result.weeks
    assert (week.answered, week.agreement.shared, result.state) == (answered, answered - unsure, state)


def test_two_lead_annotators_of_one_week_are_one_week(store: Store) -> None:
    judge(
        store,
        add(store, "talk", 40),
        {turn: "relevant" if turn % 2 else "not_relevant" for turn in range(39)},
    )
    for lead in ("Ada", "Cy"):
        number = draw_calibration(store, lead, week=WEEK)
        other = ["not_relevant" if turn % 2 else "relevant" for turn in drawn(store, number)]
        assert number is not None
        answer_queue(store, number, lead, other)
    result = calibration(store)
    assert [week.is_complete for week in result.weeks] == [True, True]
    assert result.state == "warning", "one low week never pauses"


@given(st.lists(st.floats(-1, 1), max_size=12))
def test_one_low_week_never_pauses_and_a_good_week_always_ends_it(kappas: list[float]) -> None:
    weeks = [(kappa, f"{row:02}") for row, kappa in enumerate(kappas)]
    state, _ = assess(weeks)
    if state == "paused":
        assert any(max(pair) < 0.6 for pair in pairwise(kappas))
    assert assess([*weeks, (0.7, "99")]) == ("good", 0)
    assert (state == "few") == (not kappas)
    if len(kappas) > 1 and max(kappas[-2:]) < 0.6:
        assert state == "paused"


def test_after_20_settled_turns_only_two_further_low_weeks_pause_again() -> None:
    low = [(0.5, "1"), (0.5, "2")]
    assert assess([*low, (0.5, "4")], ["3"] * 20)[0] == "warning"
    assert assess([*low, (0.5, "4"), (0.5, "5")], ["3"] * 20 + ["6"] * 7) == ("paused", 7)


def pause(store: Store) -> str:
    """Two low weeks of Ada and Bo, answered now; return the conversation, whose turns 30… are not drawn."""
    key = add(store, "talk", 80)
    for week, start in (("2026-W46", 0), ("2026-W47", 20)):
        at = MONDAY - timedelta(days=7 if start == 0 else 0)
        answers = {turn: "relevant" if turn % 2 else "not_relevant" for turn in range(start, start + 20)}
        entries = [
            Entry(CurrentKey(key, 79), turn, "Bo", answers[turn], at=at.isoformat()) for turn in answers
        ]
        Labels(store).record(entries, by="Bo", kind="answer")
        number = draw_calibration(store, "Ada", week=week)
        assert number is not None
        opposite = ["not_relevant" if turn % 2 else "relevant" for turn in drawn(store, number)]
        answer_queue(store, number, "Ada", opposite)
    return key


def test_labelling_pauses_until_20_shared_turns_are_settled(store: Store) -> None:
    key = pause(store)
    gate = NamedPolicy("all", Everything())
    assert calibration(store).state == "paused"
    with pytest.raises(LabellingPausedError):
        make_queue(store, gate, size=5, seed=1)
    current = CurrentKey(key, 79)
    later = datetime.now(UTC) + timedelta(seconds=1)

    def settle(who: str, turns: range, value: str, kind: AnnotatorKind = "person") -> None:
        entries = [Entry(current, turn, who, value, at=later.isoformat(), kind=kind) for turn in turns]
        Labels(store).record(entries, by="Ada", kind="answer")

    settle(ADJUDICATED, range(12), "relevant", "adjudication")
    for who in ("Ada", "Bo"):
        settle(who, range(40, 47), "relevant")
        settle(who, range(50, 55), "unsure")
    settle("Ada", range(60, 70), "relevant")
    for who in ("model", "other"):
        settle(who, range(70, 79), "relevant", "agent")
    result = calibration(store)
    assert (result.state, result.settled) == ("paused", 19)
    assert "19" in result.summary
    settle(ADJUDICATED, range(12, 13), "relevant", "adjudication")
    assert calibration(store).state == "warning"
    assert make_queue(store, gate, size=5, seed=1)


@pytest.mark.parametrize("week", ["2026-W54", "2026-48", "", "2026-W1", "W48"])
def test_a_wrong_week_is_an_error(store: Store, week: str) -> None:
    with pytest.raises(StoreError):
        check_week(week)


def test_the_command_draws_and_reports(run: Run, store: Store) -> None:
    now = datetime.now(UTC) - timedelta(days=7)
    answers = {turn: "relevant" if turn % 2 else "not_relevant" for turn in range(39)}
    judge(store, add(store, "talk", 40), answers, at=now)
    words = ("labels", "calibration", "--draw", "--lead", "Ada", "--week", "2020-W01")
    assert json.loads(run(*words, "--json")[1])["queue"] is None
    assert run(*words)[0] == 0, "a weekly job that finds nothing has not failed"
    assert Queues(store).named("Calibration ") == []
    run("labels", "calibration", "--draw", "--lead", "Ada")
    [queue] = Queues(store).named("Calibration ")
    turns = drawn(store, queue.number)
    answer_queue(store, queue.number, "Ada", [answers[turn] for turn in turns])
    shown = json.loads(run("labels", "calibration", "--json")[1])
    assert shown["state"] == "good"
    [week] = shown["weeks"]
    assert (week["week"], week["kappa"], week["answered"]) == (week_of(now), 1.0, 20)
    assert "0.70" in run("labels", "calibration")[1]
