"""Train as a person uses it: choose, start, watch, stop, go on, read what came of it."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from convgate.app_files import app_root
from convgate.errors import StoreError
from convgate.settings import load_settings
from convgate.store import Conversations, NewConversation, Store
from convgate.training import starting
from convgate.training.learning_curve import CurvePoint, LearningCurve
from convgate.training.library import RelevanceSets
from convgate.training.progress import OUTCOME, STOP, Progress, now
from convgate.training.report import ItemReport
from convgate.training.request import Request
from convgate.training.run_list import TrainingRuns
from convgate.training.runs import locked
from convgate.training.session import Plan, train_version
from convgate.training.starting import DATA
from convgate.transcripts.relevance_sets import read_relevance_set
from convgate.ui import services
from convgate.ui.train import order
from convgate.ui.train.report import PER_PAGE
from convgate.versions import Draft, Versions
from tests.planted import QUICK, planted, planted_file, small_encoder, small_gate
from tests.test_training_session import Heard

TRAIN = "pages/4_Train.py"

Open = Callable[..., AppTest]


@pytest.fixture
def home(convgate_home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """One version, `first`, which is active."""
    monkeypatch.setattr(services, "warm_up", lambda: None)
    versions = Versions(convgate_home)
    versions.add(small_gate(), Draft(threshold_rule="absolute"), name="first")
    versions.activate("first", who="Ada")
    return convgate_home


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The words of the commands that would have been started."""
    words: list[list[str]] = []

    class Ended:
        def wait(self) -> int:
            return -9

    def start(command: Sequence[str], output: int, environment: dict[str, str]) -> Any:
        words.append(list(command[3:]))
        return Ended()

    monkeypatch.setattr(starting, "start_process", start)
    return words


@pytest.fixture
def opened(home: Path) -> Open:
    def open_page(**query: str) -> AppTest:
        app = AppTest.from_file(str(app_root() / "app.py"), default_timeout=60).run()
        for name, value in query.items():
            app.query_params[name] = value
        return sound(app.switch_page(TRAIN).run())

    return open_page


def sound(app: AppTest) -> AppTest:
    assert not app.exception, app.exception[0].value
    return app


def texts(app: AppTest) -> str:
    kinds = (app.markdown, app.caption, app.info, app.warning, app.error, app.success, app.subheader)
    return "\n".join(str(one.value) for some in kinds for one in some).replace("\\", "").replace("\u2060", "")


def add_set(home: Path, tmp_path: Path, name: str = "own", **how: Any) -> None:
    RelevanceSets(home).add(name, planted_file(tmp_path, name, **how).read_bytes())


def a_run(home: Path, tmp_path: Path, id: str = "one", *, conversations: int = 16, **changes: Any) -> str:
    """A training that is done, as a terminal would have made it."""
    folder = home / "runs" / id
    file = planted_file(tmp_path, "own", conversations=conversations)
    Request(("train", str(file)), "first", ("own",), epochs=3, started=now()).write(folder)
    plan = replace(Plan((file,), QUICK, parent="first"), **changes)
    train_version(
        plan,
        encoder=small_encoder(),
        versions=Versions(home),
        run=folder,
        listener=Heard(),
        activate="better",
    )
    return id


def started_run(
    home: Path, id: str = "one", *, epochs: int = 2, outcome: dict[str, Any] | None = None
) -> Path:
    folder = home / "runs" / id
    Request(("train", "own.jsonl", "--from", "first"), "first", ("own",), epochs=8, started=now()).write(
        folder
    )
    Progress("Epoch 3 of at most 8", 5, 20, epochs, now()).write(folder)
    if outcome:
        (folder / OUTCOME).write_text(json.dumps(outcome))
    return folder


# Choosing and starting


def test_without_labels_it_says_what_to_do(opened: Open) -> None:
    app = opened()
    assert app.toggle(key="train.labels").disabled
    assert "No turn is labelled yet." in texts(app)
    assert "Without labels or sets it only repeats" in texts(app)
    app.button_group(key="train.replay").set_value([]).run()
    assert app.button(key="train.start").disabled
    assert "Choose something to learn from" in texts(app)


def test_start_makes_a_run_of_what_was_chosen_and_shows_it(
    opened: Open, home: Path, tmp_path: Path, started: list[list[str]]
) -> None:
    add_set(home, tmp_path, conversations=5)
    app = opened()
    app.multiselect(key="train.sets").set_value(["own"]).run()
    assert "own: " in texts(app)
    assert "30 messages of 5 conversations · no licence known" in texts(app)
    app.number_input(key="train.epochs").set_value(5).run()
    app.text_input(key="train.name").set_value("mine").run()
    app.text_input(key="train.note").set_value("Better at tea").run()
    app.toggle(key="train.curve").set_value(True).run()
    app.toggle(key="train.activate").set_value(False).run()
    sound(app.button(key="train.start").click().run())
    (run,) = TrainingRuns(home).all()
    assert app.query_params["run"] == run.id
    assert read_relevance_set(run.folder / DATA / "own.jsonl").cases == planted(conversations=5).cases
    (words,) = started
    assert words == list(run.request.arguments if run.request else ())
    assert words[2:4] == ["--from", "first"]
    assert [*words[6:8], *words[9:11]] == ["--name=mine", "--note=Better at tea", "--epochs", "5"]
    assert words[11:] == ["--replay", "scenarios", "--learning-curve", "--no-activate"]


@pytest.mark.parametrize("conversations", [2, 3])
def test_few_conversations_are_told_before_the_start(
    opened: Open, home: Path, tmp_path: Path, conversations: int
) -> None:
    add_set(home, tmp_path, conversations=conversations)
    app = opened()
    app.multiselect(key="train.sets").set_value(["own"]).run()
    told = f"These labels are of {conversations} conversations. All are learned from, but none is left"
    assert (told in texts(app)) == (conversations < 3)


def test_the_version_to_start_from_is_the_one_that_is_chosen(
    opened: Open, home: Path, tmp_path: Path, started: list[list[str]]
) -> None:
    Versions(home).add(small_gate(seed=1), Draft(), name="other")
    add_set(home, tmp_path)
    app = opened()
    assert app.selectbox(key="train.parent").value == "first"
    app.selectbox(key="train.parent").select("other").run()
    app.multiselect(key="train.sets").set_value(["own"]).run()
    app.button_group(key="train.replay").set_value(["sequences"]).run()
    sound(app.button(key="train.start").click().run())
    (words,) = started
    assert words[words.index("--from") + 1] == "other"
    assert words[words.index("--replay") + 1] == "sequences"


def test_labels_of_people_are_exported_into_the_run(
    opened: Open, home: Path, started: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    from convgate.labels.gold import GoldCounts

    monkeypatch.setattr("convgate.ui.train.data.label_counts", lambda app: GoldCounts(4, 24, 60, 90, 0))
    monkeypatch.setattr(order, "gold_set", lambda store: planted("labels", conversations=4))
    app = opened()
    assert "150 labelled turns, 60 of them relevant, for 24 messages of 4 conversations" in texts(app)
    sound(app.button(key="train.start").click().run())
    (run,) = TrainingRuns(home).all()
    assert (
        read_relevance_set(run.folder / DATA / "labels.jsonl").cases
        == planted("labels", conversations=4).cases
    )


def test_labels_that_are_switched_off_are_not_learned_from(
    opened: Open, home: Path, tmp_path: Path, started: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    from convgate.labels.gold import GoldCounts

    monkeypatch.setattr("convgate.ui.train.data.label_counts", lambda app: GoldCounts(4, 24, 60, 90, 0))
    monkeypatch.setattr(order, "gold_set", lambda store: pytest.fail("they are off"))
    add_set(home, tmp_path)
    app = opened()
    app.toggle(key="train.labels").set_value(False).run()
    app.multiselect(key="train.sets").set_value(["own"]).run()
    sound(app.button(key="train.start").click().run())
    assert len(started) == 1


def test_warnings_come_before_the_start(opened: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(order, "warnings_before_training", lambda app: ["Ada and Ben agree <b>little</b>."])
    app = opened()
    assert "Ada and Ben agree <b>little</b>." in texts(app)


def test_a_set_that_is_uploaded_is_kept_and_chosen(opened: Open, home: Path, tmp_path: Path) -> None:
    file = planted_file(tmp_path, "Mine")
    app = opened()
    app.file_uploader[0].upload("Mine.jsonl", file.read_bytes(), "application/json").run()
    assert sound(app).multiselect(key="train.sets").value == ["mine"]
    assert "mine" in RelevanceSets(home).names()
    app.file_uploader[0].upload("Bad.jsonl", b"{", "application/json").run()
    assert "bad.jsonl, line 1: not valid JSON" in texts(app)
    assert RelevanceSets(home).names()[:1] == ["mine"]


def test_what_must_not_be_trained_on_is_not_offered(opened: Open, home: Path, tmp_path: Path) -> None:
    RelevanceSets(home).add("private", planted_file(tmp_path, "locomo-x").read_bytes())
    app = opened()
    assert app.multiselect(key="train.sets").options == ["samples"]
    assert "private: snap-research/LoCoMo, CC-BY-NC-4.0; for measuring only" in texts(app)


def test_a_name_that_cannot_be_had_is_a_failed_run_with_its_reason(opened: Open, home: Path) -> None:
    started_run(home, outcome={"state": "failed", "ran": 0, "message": "'Mine' cannot name a version"})
    app = opened(run="one")
    assert any("cannot name a version" in error.value for error in app.error)
    assert app.button(key="train.go_on")
    assert "train.finish" not in [button.key for button in app.button]


# Watching


def test_a_training_at_work_shows_what_it_does_and_can_be_stopped(opened: Open, home: Path) -> None:
    folder = started_run(home)
    with locked(folder):
        app = opened(run="one")
        assert "Running" in texts(app)
        assert "Epoch 3 of at most 8 · 5 of 20" in str(app.get("progress")[0].proto.text).replace("\\", "")
        sound(app.button(key="train.stop").click().run())
        assert (folder / STOP).exists()
        assert app.button(key="train.stop").disabled
        assert "Stopping" in texts(app)


@pytest.mark.parametrize(("button", "words"), [("go_on", []), ("finish", ["--epochs", "2"])])
def test_an_interrupted_one_goes_on_or_is_finished(
    opened: Open, home: Path, started: list[list[str]], button: str, words: list[str]
) -> None:
    started_run(home)
    app = opened(run="one")
    assert "Its process ended in the middle" in texts(app)
    sound(app.button(key=f"train.{button}").click().run())
    assert started == [["train", "own.jsonl", "--from", "first", *words]]


def test_a_training_that_is_deleted_is_gone_from_the_list(opened: Open, home: Path) -> None:
    folder = started_run(home)
    app = opened(run="one")
    sound(app.button(key="train.delete").click().run())
    assert not folder.exists()
    assert "run" not in app.query_params
    assert "None yet." in texts(app)


def test_an_address_of_a_run_that_there_is_not_says_so(opened: Open) -> None:
    app = opened(run="../first")
    assert any("there is no training run" in error.value.replace("\\", "") for error in app.error)
    sound(app.button(key="train.back").click().run())
    assert app.button(key="train.start")


def test_the_list_has_pages_and_opens_a_run(opened: Open, home: Path) -> None:
    for number in range(11):
        folder = started_run(
            home, f"run-{number:02}", outcome={"state": "stopped", "ran": 2, "message": "so"}
        )
        Request((), "first", ("own",), started=f"2026-01-{number + 1:02}T00:00:00+00:00").write(folder)
    app = opened()
    keys = [button.key for button in app.button if (button.key or "").startswith("train.open.")]
    assert keys == [f"train.open.run-{number:02}" for number in range(10, 2, -1)]
    app.session_state["train.runs.page"] = 2
    app.run()
    keys = [button.key for button in app.button if (button.key or "").startswith("train.open.")]
    assert keys == [f"train.open.run-{number:02}" for number in (2, 1, 0)]
    sound(app.button(key="train.open.run-01").click().run())
    assert app.query_params["run"] == "run-01"


# What came of it


def test_a_finished_one_shows_its_version_curves_and_turns(opened: Open, home: Path, tmp_path: Path) -> None:
    id = a_run(home, tmp_path)
    version = TrainingRuns(home).get(id).version or ""
    report = ItemReport.read(home / "runs" / id)
    assert report is not None
    talk = planted("own", conversations=16).conversations[report.cases[0].conversation]
    (added,) = Conversations(Store(load_settings().database)).add([NewConversation(talk)])
    app = opened(run=id)
    assert f"Version {version} was made" in texts(app).replace("*", "")
    assert "It is the version in use" in texts(app)
    charts = [chart.proto for chart in app.get("plotly_chart")]
    assert len(charts) == 2
    assert f"{report.count('fixed'):,} fixed" in texts(app)
    assert len([one for one in app.caption if "about " in one.value]) == PER_PAGE
    app.button_group(key="train.turns.only").set_value("all").run()
    links = [link.proto for link in app.get("page_link") if link.proto.label.startswith("**Turn")]
    case = report.cases[0]
    assert links, "its conversation is in the Library"
    query = links[0].query_string
    assert f"conversation={added.key}" in query
    assert f"turn={(case.turn or 0) + 1}&selected={int(report.turn[0]) + 1}" in query
    assert f"policy=gate%40{version}" in query
    assert "compare=gate%40first" in query


def test_filters_and_pages_show_other_turns(opened: Open, home: Path, tmp_path: Path) -> None:
    a_run(home, tmp_path)
    app = opened(run="one")
    fixed = [one.value for one in app.markdown if ":small" in one.value]
    assert all("fixed" in one for one in fixed)
    assert len(fixed) == PER_PAGE
    app.session_state["train.turns.page"] = 2
    app.run()
    second = [one.value for one in app.markdown if "**Turn" in one.value]
    app.button_group(key="train.turns.only").set_value("right").run()
    right = [one.value for one in app.markdown if ":small" in one.value]
    assert right
    assert all("right as before" in one for one in right)
    assert [one.value for one in app.markdown if "**Turn" in one.value] != second


def test_a_version_that_was_not_made_active_says_why_and_can_be_used(
    opened: Open, home: Path, tmp_path: Path
) -> None:
    a_run(home, tmp_path, conversations=2)
    name = TrainingRuns(home).get("one").version or ""
    app = opened(run="one")
    assert "too few conversations to hold any out" in texts(app)
    assert "because nothing shows that it is better than its parent" in texts(app)
    assert Versions(home).active == "first"
    sound(app.button(key="train.activate_now").click().run())
    assert Versions(home).active == name
    assert "It is the version in use" in texts(app)


def test_the_learning_curve_is_read_in_words(opened: Open, home: Path, tmp_path: Path) -> None:
    id = a_run(home, tmp_path)
    points = tuple(CurvePoint(share, int(20 * share), 100, 0.5 + share / 4) for share in (0.25, 0.5, 0.75, 1))
    LearningCurve(0.5, 30, 5, points).write(home / "runs" / id)
    app = opened(run=id)
    assert "Still rising: F1 is 0.625 with half of the conversations and 0.750 with all." in texts(app)
    assert len(app.get("plotly_chart")) == 3


def test_a_version_that_was_deleted_since_is_told(opened: Open, home: Path, tmp_path: Path) -> None:
    id = a_run(home, tmp_path)
    versions = Versions(home)
    versions.delete(TrainingRuns(home).get(id).version or "", who="Ada", in_use=True)
    assert "was deleted or renamed since" in texts(opened(run=id))


def test_erasing_everything_takes_runs_and_sets_along(opened: Open, home: Path, tmp_path: Path) -> None:
    opened()
    add_set(home, tmp_path)
    started_run(home)
    services.erase_everything(load_settings())
    assert not (home / "runs").exists()
    assert not (home / "sets").exists()
    assert Versions(home).names() == ["first"], "versions hold no conversation"


def test_nothing_is_erased_while_a_training_would_write_it_again(
    opened: Open, home: Path, tmp_path: Path
) -> None:
    opened()
    add_set(home, tmp_path)
    with (
        locked(started_run(home)),
        pytest.raises(StoreError, match=r"one is at work\. Stop it in Train first; nothing was erased"),
    ):
        services.erase_everything(load_settings())
    assert (home / "runs" / "one").exists()
    assert (home / "sets").exists()


def test_few_conversations_are_told_in_the_report(opened: Open, home: Path, tmp_path: Path) -> None:
    a_run(home, tmp_path, conversations=5)
    app = opened(run="one")
    assert "1 conversation is little to go by" in texts(app)
    version = Versions(home).get(TrainingRuns(home).get("one").version or "")
    told = f"its own learned threshold, {Versions(home).get('first').card.learned_threshold:.2f} before and"
    assert f"{told} {version.card.learned_threshold:.2f} now" in texts(app)


def test_a_damaged_record_or_report_is_told_and_the_rest_is_there(
    opened: Open, home: Path, tmp_path: Path
) -> None:
    id = a_run(home, tmp_path)
    (home / "runs" / id / "run.json").write_text("{")
    (home / "runs" / id / "report.json").write_text("{")
    app = opened(run=id)
    told = " ".join(error.value for error in app.error).replace("\\", "")
    assert "run.json" in told
    assert "report.json cannot be read" in told
    assert "was made" in texts(app)
