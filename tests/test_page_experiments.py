"""The page Experiments: create, read the report, rate answers."""

from __future__ import annotations

import csv
import json
import re
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from convgate.core.settings import load_settings
from convgate.experiments.arms import create_experiment, load_experiment
from convgate.experiments.power import BASELINE, TARGET, PowerPlan
from convgate.experiments.replay import ReplayRow, load_arms, replay
from convgate.experiments.report import report
from convgate.experiments.trials import rate_trial
from convgate.store import CurrentKey, Labels, Store
from convgate.store.experiments import Experiments, Rating
from convgate.training.library import RelevanceSets
from convgate.ui.experiments.replay import summary_sentence
from convgate.ui.shared.annotator import NAME
from convgate.versions.card import Metric
from tests.experiments import CONTROL, GATE, add_trials, new_experiment, new_success, rating
from tests.page_app import (
    HOSTILE,
    TURNS,
    add_conversation,
    address,
    check,
    choose,
    click,
    go_back,
    open_page,
    page_text,
)
from tests.page_data import add_relevance_set

open_experiments = partial(open_page, "Experiments")


def open_queue(rater: str = "Ada") -> AppTest:
    app = open_experiments(experiment="pilot", rate="1")
    app.session_state[NAME] = rater
    return check(app.run())


def press(app: AppTest, *keys: str) -> AppTest:
    for key in keys:
        click(app, f"experiments.choice.{key}")
    return app


def ratings(store: Store) -> list[Rating]:
    return [rating for of_trial in Experiments(store).ratings("pilot").values() for rating in of_trial]


def test_the_report_shows_the_verdict_and_the_experiment_can_be_deleted(store: Store) -> None:
    [comparison] = report(store, new_success(store)).comparisons
    assert comparison.verdict.kind == "success"
    assert re.search(r"\d+% of [\d,]+ (requests|answers), \w+ \d+% of [\d,]+ \(", comparison.verdict.sentence)
    app = open_experiments()
    assert re.search(r"gate is better than \w+: \d+% completed instead of \d+%, ", page_text(app))
    click(app, "experiments.open.pilot")
    assert address(app) == {"experiment": "pilot"}
    assert comparison.verdict.sentence in app.success[0].value.replace("\\", "").replace("\u2060", "")
    assert re.search(r"gate \| \d+% \| \+\d", page_text(app)), "the gain stands beside the rate"
    click(app, "experiments.delete")
    assert Experiments(store).names() == []
    assert address(app) == {}


def test_the_report_has_rows_for_the_signals_that_are_known(store: Store) -> None:
    chat = tuple({"role": role, "content": "What?"} for role in ("user", "assistant", "user"))
    add_trials(store, new_experiment(store), GATE, 1, messages=chat, sent=(0, 2))
    shown = page_text(open_experiments(experiment="pilot"))
    assert "assistant's turns sent | – | 0%" in shown
    assert "user's turns sent | – | 100%" in shown
    assert "tokens of needed turns" not in shown


def test_the_list_says_what_is_not_decided_yet(store: Store) -> None:
    made = new_experiment(store)
    add_trials(store, made, GATE, 3, answer_test="pass")
    assert f"not decided yet: 3 of {2 * made.planned:,} answers rated." in page_text(open_experiments())


def test_the_report_can_be_downloaded(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    made = new_experiment(store)
    add_trials(store, made, GATE, 3, answer_test="pass")
    contents: list[str] = []
    monkeypatch.setattr("streamlit.download_button", lambda _, content, **__: contents.append(content))
    open_experiments(experiment="pilot")
    expected = json.dumps(report(store, made).to_json())
    assert [json.dumps(json.loads(content)) for content in contents] == [expected]


def test_an_experiment_is_created_from_a_name_variants_and_options(store: Store) -> None:
    app = open_experiments(on="new")
    app.text_input(key="experiments.name").set_value("pilot")
    app.multiselect(key="experiments.arms").set_value(["last_k(k=3)", "alone:gate"])
    app.selectbox(key="experiments.looks").select_index(1)
    app.button_group(key="experiments.limits").set_value(["matched", "free"])
    check(app.number_input(key="experiments.planned").set_value(300).run())
    click(app, "experiments.create")
    made = load_experiment(store, "pilot")
    assert [(arm.name, arm.limit, arm.alone) for arm in made.arms] == [
        ("Last 10 turns", "free", False),
        ("Last 3 turns matched", "matched", False),
        ("Last 3 turns free", "free", False),
        ("Gate alone matched", "matched", True),
        ("Gate alone free", "free", True),
    ]
    assert (made.planned, made.looks) == (300, (0.5, 1.0))
    assert address(app) == {"experiment": "pilot"}
    assert "load_experiment('pilot')" in app.code[0].value


def test_the_page_says_what_an_experiment_takes_and_what_there_is_without_a_model(store: Store) -> None:
    app = open_experiments()
    assert "To run one you need an agent" in page_text(app)
    click(app, "experiments.start")
    assert address(app) == {"on": "replay", "data": "samples"}
    (sentence,) = [item.value.replace("\\", "") for item in app.markdown if "##### " in item.value]
    assert "of what 29 messages need in" in sentence
    assert sentence.endswith("too few to trust (9 of 49 conversations).")
    (chart,) = app.get("plotly_chart")
    assert "Last 10 turns" in chart.proto.spec

    key = add_conversation(*TURNS)
    Labels(store).answer(CurrentKey(key, 7), {2: "relevant", 4: "not_relevant"}, by="Ada")
    app = click(open_experiments(), "experiments.start")
    assert address(app) == {"on": "replay", "data": "@labels"}


def test_without_an_experiment_a_finished_one_is_shown_as_an_example(store: Store) -> None:
    text = page_text(app := open_experiments())
    assert "Gate is better than Last 10 turns: 74% completed instead of 66%" in text
    assert "The answers are simulated" in text
    assert Experiments(store).names() == []
    new_experiment(store)
    assert "The answers are simulated" not in page_text(check(app.run()))


def test_a_new_experiment_takes_two_clicks(store: Store) -> None:
    new_experiment(store)
    app = click(click(open_experiments(), "experiments.new"), "experiments.create")
    assert address(app) == {"experiment": "Experiment 1"}
    arms = load_experiment(store, "Experiment 1").arms
    assert [arm.name for arm in arms] == ["Last 10 turns", "Gate"]
    assert "experiments.name" not in {field.key for field in click(app, "experiments.back").text_input}


def test_without_a_number_of_trials_it_is_computed(store: Store) -> None:
    app = open_experiments(on="new")
    app.text_input(key="experiments.name").set_value("pilot")
    check(app.multiselect(key="experiments.arms").set_value(["gate"]).run())
    click(app, "experiments.create")
    assert load_experiment(store, "pilot").planned == PowerPlan(BASELINE, TARGET).per_arm


@pytest.mark.parametrize("arms", [[], ["no_such_policy"]])
def test_what_cannot_be_created_says_why(store: Store, arms: list[str]) -> None:
    app = open_experiments(on="new")
    app.text_input(key="experiments.name").set_value("pilot")
    check(app.multiselect(key="experiments.arms").set_value(arms).run())
    click(app, "experiments.create")
    assert app.error
    assert Experiments(store).names() == []


def test_a_paused_judge_is_named(store: Store) -> None:
    made = new_experiment(store)
    trials = add_trials(store, made, GATE, 200)
    for trial in trials:
        Experiments(store).rate(rating(trial, "judge", None, "hallucination", is_judge=True))
    assert not open_experiments(experiment="pilot").warning
    for trial in trials:
        rate_trial(store, made, rating(trial, "Ada"))
    assert "paused" in open_experiments(experiment="pilot").warning[0].value


def test_an_answer_is_rated_undone_and_rated_again(store: Store) -> None:
    made = new_experiment(store)
    first, second = add_trials(store, made, GATE, 2, answer=HOSTILE)
    app = press(open_queue(), "N", "A", "F", "A", "2")
    [stored] = ratings(store)
    assert (stored.trial, stored.rater, stored.completed, stored.errors, stored.focus) == (
        first.number, "Ada", False, ("hallucination",), 2,
    )  # fmt: skip
    assert "<b>x</b>" in app.text[-1].value
    click(app, "experiments.undo_rating")
    assert ratings(store) == []
    press(app, "Y", "F", "5")
    press(app, "U", "G", "0")
    again, unsure = ratings(store)
    assert (again.trial, again.completed, again.errors, again.focus) == (first.number, True, (), 5)
    assert (unsure.trial, unsure.completed, unsure.errors, unsure.focus) == (second.number, None, None, None)
    assert "experiments.choice.Y" not in {button.key for button in app.button}, "nothing is left"


def test_a_rating_without_completion_is_not_stored(store: Store) -> None:
    add_trials(store, new_experiment(store), GATE, 1)
    app = press(open_queue(), "5")
    assert app.error
    assert ratings(store) == []


def test_the_queue_looks_the_same_for_every_arm(store: Store) -> None:
    screens = []
    for place, arm in enumerate((CONTROL, GATE)):
        made = replace(new_experiment(), name=f"pilot {place}")
        create_experiment(store, made)
        add_trials(store, made, arm, 1, tokens=100 + place)
        app = open_experiments(experiment=made.name, rate="1")
        app.session_state[NAME] = "Ada"
        check(app.run())
        assert "experiments.choice.Y" in {button.key for button in app.button}
        screens.append([str(element.proto) for element in app.main])
        assert address(app) == {"experiment": made.name, "rate": "1"}
    assert screens[0] == screens[1]


def test_the_report_says_the_power_and_what_to_do_next(store: Store) -> None:
    made = new_experiment(store)
    assert "in the variant of each session" in page_text(open_experiments(experiment="pilot"))
    trials = add_trials(store, made, GATE, 30)
    text = page_text(open_experiments(experiment="pilot"))
    assert "Power: 40 rated trials of each variant" in text
    assert "rate the answers that wait; the verdict is read at 80 rated trials" in text
    for trial in trials:
        rate_trial(store, made, rating(trial, "Ada"))
    assert "record more trials" in page_text(open_experiments(experiment="pilot"))
    add_trials(store, made, CONTROL, 50, answer_test="pass")
    assert "keep everything, or create an experiment with more" in page_text(
        open_experiments(experiment="pilot")
    )


REPLAYED = {
    "on": "replay",
    "data": "mine",
    "control": "last_k(k=1)",
    "arms": "everything; alone:bm25; none",
    "budgets": "free,share",
}


@pytest.fixture
def mine(convgate_home: Path) -> str:
    return add_relevance_set(convgate_home)


def test_a_replay_is_started_shown_and_exported(
    mine: str, convgate_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    contents: list[str] = []
    monkeypatch.setattr("streamlit.download_button", lambda _, content, **__: contents.append(content()))
    app = open_experiments(**REPLAYED, measure="0")
    assert not app.get("plotly_chart"), "a person has stopped it"
    click(app, "experiments.measure")
    assert address(app) == REPLAYED
    assert len(app.get("plotly_chart")) == 1
    (table,) = [line.value for line in app.markdown if "| vs. control, points |" in line.value]
    arms = {"Last 1 turn": "last_k(k=1)", "Everything": "everything", "No turns": "none"}
    loaded = load_arms({**arms, "BM25: search by words (alone)": "alone:bm25"}, load_settings())
    expected = replay(RelevanceSets(convgate_home).read(mine), loaded, ["free", 0.35]).rows()
    recalls = {(row.arm, str(row.budget)): row.measures["recall"].value for row in expected}
    exported = {(line["arm"], line["budget"]): line for line in csv.DictReader(contents[0].splitlines())}
    assert {key: float(line["recall"]) for key, line in exported.items()} == recalls
    assert exported["Last 1 turn", "free"]["gains.recall.value"] == ""
    assert exported["Everything", "free"]["gains.recall.value"] != ""
    shown = table.replace("\\", "").replace("\u2060", "")
    for (arm, budget), recall in recalls.items():
        limit = "free" if budget == "free" else "35% of the history"
        assert re.search(rf"{re.escape(arm)}\*\* \| {limit} \| {recall:.0%} ", shown)


@pytest.mark.parametrize(
    ("gain", "begin"),
    [
        (
            Metric(0.2, 0.1, 0.3),
            "gate wins by 20 points: gate sends 60% of what 29 messages need in 500 tokens",
        ),
        (Metric(-0.2, -0.3, -0.1), "last wins by 20 points: last sends 40% of what 29 messages need in 600"),
        (Metric(0.2, -0.1, 0.5), "No winner yet: gate sends 60%"),
    ],
)
def test_a_replay_names_the_winner_only_where_the_interval_does(gain: Metric, begin: str) -> None:
    last = ReplayRow("last", "free", {"recall": Metric(0.4), "tokens": Metric(600)}, {}, 29)
    gate = ReplayRow("gate", "matched", {"recall": Metric(0.6), "tokens": Metric(500)}, {"recall": gain}, 29)
    assert summary_sentence([last, gate]).startswith(begin)
    assert summary_sentence([last]) == ""


def test_another_choice_is_replayed_at_once(mine: str) -> None:
    app = open_experiments(**REPLAYED)
    choose(app, "experiments.budgets", ["matched"])
    (table,) = [line.value for line in app.markdown if "| vs. control, points |" in line.value]
    assert "as the control" in table


def test_a_replay_has_its_choices_again_after_a_look_at_the_list(mine: str) -> None:
    app = click(open_experiments(**REPLAYED), "experiments.back")
    assert "experiments.start" in {button.key for button in app.button}
    assert "on" not in address(app)
    click(app, "experiments.start")
    assert address(app) == REPLAYED
    assert app.selectbox(key="experiments.control").value == REPLAYED["control"]
    assert "; ".join(app.multiselect(key="experiments.arms").value) == REPLAYED["arms"]


@pytest.mark.parametrize(
    ("name", "value"), [("control", "short.toml"), ("arms", "gate; alone:short.toml"), ("arms", "nothing")]
)
def test_an_address_names_no_file_or_unknown_policy_as_an_arm(mine: str, name: str, value: str) -> None:
    app = open_experiments(**{**REPLAYED, name: value})
    assert "The address says" in app.warning[0].value


def test_the_back_button_returns_to_the_list(store: Store) -> None:
    new_experiment(store)
    app = click(open_experiments(), "experiments.open.pilot")
    go_back(app)
    assert address(app) == {}
    assert "experiments.open.pilot" in {button.key for button in app.button}
