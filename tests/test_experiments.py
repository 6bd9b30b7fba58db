"""Experiments: arms, assignment, outcomes, raters, report."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path

import pytest

from convgate.core.errors import ConvgateError, ExperimentError, StoreError
from convgate.core.settings import Settings, load_settings
from convgate.experiments.arms import Arm, create_experiment, load_experiment, read_arm
from convgate.experiments.outcomes import ERROR_KINDS, adjudicate, needs_rater
from convgate.experiments.report import report, to_columns
from convgate.experiments.trials import assign_session, next_trial, rate_trial, record_trials
from convgate.store import Store
from convgate.store.experiments import Experiments, NewTrial, Stratum, Trial
from convgate.versions import Versions
from convgate.versions.card import Draft
from tests.experiments import CONTROL, GATE, add_trials, new_experiment, rating
from tests.gates import trained_gate
from tests.processes import run_threads

# Arms


@pytest.mark.parametrize(
    ("text", "policy", "parameters", "alone"),
    [
        ("everything", "everything", {}, False),
        ("none", "last_k", {"k": 0}, False),
        ("last_k(k=3)", "last_k", {"k": 3}, False),
        ("alone:bm25", "bm25", {}, True),
    ],
)
def test_an_arm_is_read_from_text(text: str, policy: str, parameters: dict[str, int], alone: bool) -> None:
    arm = read_arm("a", text, "free", Settings(policy="hybrid"))
    assert (arm.settings.policy, arm.settings.policy_parameters) == (policy, parameters)
    assert arm.alone == alone


def test_an_arm_is_read_from_a_settings_file(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text('policy = "cosine"\nbudget.tokens = 900\n')
    arm = read_arm("a", str(file), "matched", Settings())
    assert (arm.settings.policy, arm.settings.budget.tokens, arm.alone) == ("cosine", 900, False)


def test_an_arm_keeps_the_version_that_was_active() -> None:
    versions = Versions(load_settings().home)
    for name in ("first", "second"):
        versions.add(trained_gate(), Draft(), name=name)
    versions.activate("first", who="Ada")
    assert read_arm("a", "gate", "free", load_settings()).settings.version == "first"
    assert read_arm("a", "gate@second", "free", load_settings()).settings.version == "second"


@pytest.mark.parametrize(
    "text", ["no_such_policy", "last_k(k=-1)", "missing.toml", "last_k(", "gate > nothing"]
)
def test_an_arm_that_cannot_be_had_is_refused(text: str) -> None:
    with pytest.raises(ConvgateError):
        read_arm("a", text, "free", Settings())


@pytest.mark.parametrize(
    "changes",
    [
        {"looks": (0.5,)},
        {"looks": (0.5, 0.5, 1.0)},
        {"looks": ()},
        {"alpha": 0.0},
        {"planned": 0},
        {"arms": (Arm("a", Settings()),)},
        {"arms": (Arm("a", Settings()), Arm("a", Settings()))},
        {"arms": (Arm("a", Settings(), "matched"), Arm("b", Settings()))},
        {"name": "../x"},
    ],
)
def test_an_impossible_experiment_is_refused(changes: dict[str, object]) -> None:
    with pytest.raises(ExperimentError):
        replace(new_experiment(), **changes)


def test_a_stored_experiment_keeps_its_settings_and_no_secret(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = Settings(
        policy="last_k", policy_parameters={"k": 3}, guard={"webhook": "https://secret.example"}
    )
    experiment = replace(
        new_experiment(), arms=(Arm("a", settings), Arm("b", Settings(max_turns=4), "matched", True))
    )
    create_experiment(store, experiment)
    assert b"secret.example" not in store.backup_bytes()
    monkeypatch.setenv("CONVGATE_POLICY", "bm25")
    monkeypatch.setenv("CONVGATE_MAX_TURNS", "9")
    monkeypatch.setenv("CONVGATE_DEVICE", "cuda")
    loaded = load_experiment(store, "pilot", load_settings())
    assert [arm.settings.policy for arm in loaded.arms] == ["last_k", "gate"]
    assert loaded.arms[0].settings.policy_parameters == {"k": 3}
    assert loaded.arms[1].settings.max_turns == 4
    assert loaded.arms[0].settings.device == "cuda", "the machine's own"
    assert replace(loaded, arms=experiment.arms) == experiment


def test_a_name_is_taken_once_and_a_missing_one_is_an_error(store: Store) -> None:
    experiment = new_experiment(store)
    with pytest.raises(ExperimentError):
        create_experiment(store, experiment)
    with pytest.raises(ExperimentError):
        load_experiment(store, "other")


def test_a_damaged_definition_is_an_error_of_the_store(store: Store) -> None:
    new_experiment(store)
    with store.write() as db:
        db.execute("UPDATE experiments SET definition = '{}'")
    with pytest.raises(StoreError):
        load_experiment(store, "pilot")


# Assignment


def test_each_block_of_a_stratum_has_every_arm_once(store: Store) -> None:
    experiment = new_experiment(store)
    strata = [Stratum("TASK", "hard"), Stratum("TASK", "easy"), Stratum("TASK", "hard", tenant="b")]
    for stratum in strata:
        names = [assign_session(store, experiment, f"{stratum}{i}", stratum).name for i in range(20)]
        blocks = [tuple(names[i : i + 2]) for i in range(0, 20, 2)]
        assert {frozenset(block) for block in blocks} == {frozenset((CONTROL, GATE))}
        assert len(set(blocks)) == 2, "the order within a block is not always the same"


def test_the_assignment_follows_from_the_seed(store: Store) -> None:
    experiment = new_experiment(store)
    names = [assign_session(store, experiment, str(i)).name for i in range(40)]
    same, other = replace(experiment, name="same"), replace(experiment, name="other", seed=4)
    for again in (same, other):
        create_experiment(store, again)
    assert [assign_session(store, same, f"s{i}").name for i in range(40)] == names
    assert [assign_session(store, other, str(i)).name for i in range(40)] != names


def test_a_session_is_never_switched(store: Store) -> None:
    experiment = new_experiment(store)
    names = {i: assign_session(store, experiment, str(i), Stratum("TASK")).name for i in range(12)}
    assert {
        i: assign_session(store, experiment, str(i), Stratum("DEBUGGING")).name for i in range(12)
    } == names
    assert Experiments(store).sessions("pilot") == {CONTROL: 6, GATE: 6}


def test_sessions_that_begin_together_stay_balanced(store: Store) -> None:
    experiment = new_experiment(store)
    names = run_threads(4, lambda i: [assign_session(store, experiment, f"{i}-{j}").name for j in range(5)])
    assert Counter(chain(*names)) == {CONTROL: 10, GATE: 10}


def test_threads_that_ask_for_the_same_session_get_the_same_arm(
    store: Store, frequent_thread_switches: None
) -> None:
    experiment = new_experiment(store)
    arms = run_threads(4, lambda _: [assign_session(store, experiment, str(j)).name for j in range(20)])
    assert arms == [arms[0]] * 4


def test_an_empty_session_is_refused(store: Store) -> None:
    with pytest.raises(ExperimentError):
        assign_session(store, new_experiment(store), "")


# Trials and outcomes


def trial(**values: object) -> Trial:
    fields = {"request_id": "r", "session_id": "s", "arm": GATE, "latency_seconds": 1.0, "tokens": 9}
    return Trial(**{**fields, "number": 1, "at": datetime(2026, 3, 5, tzinfo=UTC), **values})


@pytest.mark.parametrize(
    ("test", "votes", "completed"),
    [
        ("pass", [False, False], 1),
        ("fail", [], 0),
        (None, [], None),
        (None, [True], 1),
        (None, [None], None),
        (None, [True, False], None),
        (None, [True, False, False], 0),
        (None, [True, False, None], None),
        (None, [True, True, None], 1),
    ],
)
def test_completion_is_adjudicated(test: str | None, votes: list[bool | None], completed: int | None) -> None:
    at = datetime(2026, 3, 6, tzinfo=UTC)
    ratings = [rating(1, f"r{i}", vote, at=at) for i, vote in enumerate(votes)]
    assert adjudicate(trial(answer_test=test), ratings).completed == completed


def test_errors_are_decided_kind_by_kind_and_focus_by_the_median() -> None:
    ratings = [
        rating(1, "a", True, "hallucination", focus=5),
        rating(1, "b", True, "hallucination", "contradiction", focus=2),
    ]
    two = adjudicate(trial(), ratings)
    assert (two.errors, two.has_error, two.focus) == (None, None, 4)
    assert needs_rater(two, ratings)
    ratings.append(rating(1, "c", True, "hallucination", focus=2))
    three = adjudicate(trial(), ratings)
    assert three.errors == {kind: kind == "hallucination" for kind in ERROR_KINDS}
    assert (three.has_error, three.focus) == (True, 2)
    assert not needs_rater(three, ratings)
    unsure = [rating(1, name, None) for name in "abc"]
    assert not needs_rater(adjudicate(trial(), unsure), unsure), "a fourth would not be asked"


def test_a_judge_counts_where_nobody_rated() -> None:
    judged = rating(1, "model", None, "hallucination", is_judge=True)
    person = rating(1, "a", True)
    assert adjudicate(trial(), [judged]).errors is None, "no judge was named"
    assert adjudicate(trial(), [judged], "model").has_error
    assert adjudicate(trial(), [judged], "model").completed is None
    assert adjudicate(trial(), [judged, person], "model").has_error is False


def test_trials_are_recorded_in_the_arm_of_their_session_or_not_at_all(store: Store) -> None:
    experiment = new_experiment(store)
    arm = assign_session(store, experiment, "s1").name
    new = NewTrial("r1", "s1", "", 1.0, 5)
    with pytest.raises(ExperimentError, match="s2"):
        record_trials(store, experiment, [new, replace(new, session_id="s2")])
    with pytest.raises(ExperimentError):
        record_trials(store, experiment, [new, replace(new, arm="nobody")])
    with pytest.raises(ExperimentError):
        record_trials(store, experiment, [new, new])
    arms = [replace(new, request_id=name, session_id="s3", arm=name) for name in (CONTROL, GATE)]
    with pytest.raises(ExperimentError, match="'s3' is in the arm everything, not in gate"):
        record_trials(store, experiment, arms)
    other = GATE if arm == CONTROL else CONTROL
    with pytest.raises(ExperimentError, match=f"not in {other}"):
        record_trials(store, experiment, [replace(new, arm=other)])
    assert Experiments(store).trials("pilot") == []
    record_trials(store, experiment, [new])
    (stored,) = Experiments(store).trials("pilot")
    assert (stored.arm, stored.request_id, stored.messages) == (arm, "r1", ())


def test_deleting_an_experiment_leaves_nothing_of_it(store: Store) -> None:
    experiment = new_experiment(store)
    assign_session(store, experiment, "s1")
    (first, *_) = add_trials(store, experiment, GATE, 2)
    next_trial(store, replace(experiment, shared_raters=False), "ada")
    rate_trial(store, experiment, rating(first, "ada"))
    Experiments(store).delete("pilot")
    with store.read() as db:
        tables = ("experiments", "experiment_assignments", "trials", "raters", "ratings")
        assert [db.table(name).count for name in tables] == [0] * 5


# Raters


def test_a_rater_gets_unrated_trials_first_then_disagreements(store: Store) -> None:
    experiment = new_experiment(store)
    first, second, third = add_trials(store, experiment, GATE, 3)
    rate_trial(store, experiment, rating(first, "ada", True))
    rate_trial(store, experiment, rating(first, "bo", False))
    rate_trial(store, experiment, rating(second, "ada", True))

    def number(rater: str) -> int | None:
        shown = next_trial(store, experiment, rater)
        return shown and shown.number

    assert number("cy") == third.number
    rate_trial(store, experiment, rating(third, "cy", True))
    assert number("ada") is None, "she rated the first already"
    assert number("cy") == first.number
    rate_trial(store, experiment, rating(first, "cy", True))
    assert number("cy") is None, "nobody doubts the others"


def test_a_trial_without_an_answer_is_not_shown(store: Store) -> None:
    experiment = new_experiment(store)
    add_trials(store, experiment, GATE, 1, answer="", answer_test="pass")
    assert next_trial(store, experiment, "ada") is None
    assert report(store, experiment).unrated == 0


def test_an_undone_rating_leaves_the_one_before(store: Store) -> None:
    experiment = new_experiment(store)
    first, second = add_trials(store, experiment, GATE, 2)
    experiments = Experiments(store)
    for new in (rating(first, "ada", False), rating(second, "bo"), rating(first, "ada", True)):
        rate_trial(store, experiment, new)
    undone = experiments.undo_rating("pilot", "ada")
    assert (undone.trial, undone.completed) == (first.number, True)
    assert [each.completed for each in experiments.ratings("pilot")[first.number]] == [False]
    assert experiments.undo_rating("pilot", "ada") is not None
    assert experiments.undo_rating("pilot", "ada") is None
    assert list(experiments.ratings("pilot")) == [second.number]


def test_pools_of_raters_see_one_arm_each(store: Store) -> None:
    experiment = new_experiment(store, shared_raters=False)
    for name in (CONTROL, GATE):
        add_trials(store, experiment, name, 2)
    shown = {rater: next_trial(store, experiment, rater) for rater in ("ada", "bo", "cy", "dee")}
    arms = {rater: trial.arm for rater, trial in shown.items() if trial}
    assert Counter(arms.values()) == {CONTROL: 2, GATE: 2}
    stranger = next(rater for rater, arm in arms.items() if arm != arms["ada"])
    own = shown["ada"]
    assert own is not None
    with pytest.raises(ExperimentError):
        rate_trial(store, experiment, rating(own, stranger))
    rate_trial(store, experiment, rating(own, "ada"))


def test_a_later_rating_replaces_the_raters_earlier_one(store: Store) -> None:
    experiment = new_experiment(store)
    (one,) = add_trials(store, experiment, GATE, 1)
    rate_trial(store, experiment, rating(one, "ada", False, "hallucination"))
    before = Experiments(store).ratings("pilot")[one.number][0].at
    rate_trial(store, experiment, rating(one, "ada", True))
    (counted,) = Experiments(store).ratings("pilot")[one.number]
    assert (counted.completed, counted.errors, counted.at) == (True, (), before)


@pytest.mark.parametrize("bad", [{"errors": ("typo",)}, {"focus": 6}, {"trial": 99}])
def test_a_rating_out_of_range_is_refused(store: Store, bad: dict[str, object]) -> None:
    experiment = new_experiment(store)
    (one,) = add_trials(store, experiment, GATE, 1)
    with pytest.raises(ExperimentError):
        rate_trial(store, experiment, replace(rating(one, "ada"), **bad))


def test_a_rating_of_a_deleted_trial_is_refused(store: Store) -> None:
    experiment = new_experiment(store)
    (one,) = add_trials(store, experiment, GATE, 1)
    Experiments(store).delete("pilot")
    with pytest.raises(ExperimentError):
        rate_trial(store, experiment, rating(one, "ada"))
    with pytest.raises(ExperimentError, match="no trial"):
        Experiments(store).rate(rating(one, "model", None, is_judge=True))


# Report


def test_an_empty_experiment_has_a_report(store: Store) -> None:
    experiment = new_experiment(store)
    empty = report(store, experiment)
    assert (empty.rated, empty.unrated, empty.judge) == (0, 0, None)
    assert [arm.completion_rate for arm in empty.arms] == [None, None]
    assert [comparison.verdict.kind for comparison in empty.comparisons] == ["inconclusive"]
    assert empty.to_json()["judge"] is None


def test_the_report_has_the_figures_of_each_arm(store: Store) -> None:
    experiment = new_experiment(store)
    controls = add_trials(store, experiment, CONTROL, 4, latency_seconds=2.0, tokens=300)
    add_trials(store, experiment, GATE, 2, answer_test="pass")
    for one, errors in zip(controls, [("hallucination",), (), (), ()], strict=True):
        rate_trial(store, experiment, rating(one, "ada", bool(errors), *errors, focus=4))
    control, gate = report(store, experiment).arms
    assert (control.trials, control.rated, control.completion_rate, control.error_rate) == (4, 4, 0.25, 0.25)
    assert (control.errors["hallucination"], control.errors["contradiction"]) == (0.25, 0.0)
    assert (control.focus, control.latency_p95_seconds, control.tokens) == (4, 2.0, 300)
    assert (gate.trials, gate.rated, gate.completion_rate, gate.error_rate) == (2, 2, 1.0, None)
    assert report(store, experiment).unrated == 2, "a test says nothing of errors"


def test_trials_count_in_the_order_of_their_first_rating(store: Store) -> None:
    experiment = new_experiment(store)
    first, second = add_trials(store, experiment, GATE, 2)
    for rated in (second, first, second):
        rate_trial(store, experiment, rating(rated, "ada"))
    stored = Experiments(store).ratings("pilot")
    outcomes = [adjudicate(one, stored[one.number]) for one in (first, second)]
    assert list(to_columns(outcomes, experiment).tokens) == [second.tokens, first.tokens]


def test_nothing_is_tested_before_the_first_look_nor_between_looks(store: Store) -> None:
    experiment = new_experiment(store, planned=100, looks=(0.6, 1.0))
    add_trials(store, experiment, CONTROL, 50, answer_test="fail")
    add_trials(store, experiment, GATE, 50, answer_test="pass")
    (before,) = report(store, experiment).comparisons
    assert before.verdict.kind == "inconclusive"
    assert before.tests[0].difference is None
    assert before.tests[0].arm_rate == 1.0
    add_trials(store, experiment, CONTROL, 30, answer_test="fail")
    (at_first_look,) = report(store, experiment).comparisons
    assert at_first_look.verdict.kind == "success"
    assert at_first_look.tests[0].trials == (70, 50), "the first 120 of 130"
    add_trials(store, experiment, GATE, 40, answer_test="fail")
    assert report(store, experiment).comparisons == (at_first_look,)
    add_trials(store, experiment, GATE, 40, answer_test="fail")
    (last,) = report(store, experiment).comparisons
    assert last.tests[0].trials == (80, 120)
    assert last.tests[0].rejected_at == 0
