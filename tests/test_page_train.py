"""The page Train: choose, start, watch, stop, resume, read the result."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from convgate.core.errors import StoreError
from convgate.core.settings import load_settings
from convgate.core.validation import dump
from convgate.labels.gold import GoldCounts
from convgate.labels.weekly_agreement import Calibration
from convgate.training import process as process_module
from convgate.training.epochs import FURTHER
from convgate.training.library import RelevanceSets
from convgate.training.records import RECORD_TYPE, RunRequest, Status
from convgate.training.report import read_verdict
from convgate.training.run import DATA, LOG, RECORD, STOP, Run, Runs
from convgate.training.sets import Plan
from convgate.training.train import train_version
from convgate.transcripts.relevance_sets import read_relevance_set, write_relevance_set
from convgate.ui.shared import improvement, services
from convgate.ui.train import page
from convgate.versions import DataSet, Draft, Versions
from tests.page_app import (
    check,
    click_in_fragment,
    go_back,
    open_page,
    page_text,
    use_encoder,
)
from tests.planted_sets import (
    QUICK,
    make_relevance_set,
    small_encoder,
    small_gate,
    write_planted_set,
    write_record,
)
from tools.agent_runs import make_run
from tools.corpora.agents import read_agents

open_train = partial(open_page, "Train")
ONCE = replace(QUICK, epochs=1)


@pytest.fixture
def home(convgate_home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """One version, `first`, which is active."""
    use_encoder(small_encoder(), monkeypatch)
    versions = Versions(convgate_home)
    versions.add(small_gate(), Draft(threshold_rule="absolute"), name="first")
    versions.activate("first", who="Ada")
    return convgate_home


@pytest.fixture(scope="module")
def trained_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with two trainings from `first`: `better`, which is in use, and `unknown`."""
    folder = tmp_path_factory.mktemp("trained")
    home = folder / "home"
    versions = Versions(home)
    versions.add(small_gate(), Draft(threshold_rule="absolute"), name="first")
    versions.activate("first", who="Ada")
    for name, conversations, settings in (("better", 150, QUICK), ("unknown", 2, ONCE)):
        run, file = Run(home / "runs" / name), write_planted_set(folder, "own", conversations=conversations)
        run.write_request(RunRequest(("train", str(file)), "first", ("own",), epochs=3))
        train_version(
            Plan((file,), settings, parent="first"),
            encoder=small_encoder(),
            versions=versions,
            run=run,
            name=name,
            activate="better",
        )
    assert versions.active == "better"
    return home


@pytest.fixture
def finished_home(home: Path, trained_home: Path) -> Path:
    """The same as the data folder of the app."""
    shutil.rmtree(home)
    shutil.copytree(trained_home, home)
    return home


@pytest.fixture
def started_commands(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The words of the commands that would have been started."""
    words: list[list[str]] = []

    class Ended:
        def wait(self) -> int:
            return -9

    def start(command: Sequence[str], output: int, environment: dict[str, str]) -> Any:
        words.append(list(command[3:]))
        return Ended()

    monkeypatch.setattr(process_module, "start_process", start)
    return words


def add_set(home: Path, tmp_path: Path, name: str = "own", **how: Any) -> None:
    RelevanceSets(home).add(name, write_planted_set(tmp_path, name, **how).read_bytes())


def started_run(
    home: Path, id: str = "one", *, epochs: int = 2, outcome: dict[str, Any] | None = None
) -> Path:
    run = Run(home / "runs" / id)
    words = ("train", "own.jsonl", "--from", "first")
    run.write_request(RunRequest(words, "first", ("own",), epochs=8))
    run.write_status(Status("Epoch 3 of at most 8", 5, 20, 0.4, 400))
    (run.folder / LOG).write_text("loss 2.859")
    write_record(run, epochs=epochs)
    if outcome:
        run.write_status(Status(ended=outcome.pop("state"), result=outcome))
    return run.folder


# Choosing and starting


def test_without_a_version_it_leads_to_the_import(convgate_home: Path) -> None:
    app = open_train()
    assert "No version to start from." in page_text(app)
    assert "pretrain" not in page_text(app), "a wheel has none"
    assert "Versions" in [link.proto.page for link in app.main.get("page_link")]


def test_too_little_data_is_reported_before_the_start(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(improvement, "training_warnings", lambda store: ["Ada and Ben agree <b>little</b>."])
    monkeypatch.setattr(improvement, "calibration", lambda store: Calibration((), "paused"))
    for conversations in (2, 3, 25):
        add_set(home, tmp_path, f"of-{conversations}", conversations=conversations)
    RelevanceSets(home).add("private", write_planted_set(tmp_path, "locomo-x").read_bytes())
    app = open_train()
    assert app.button_group(key="train.data").value == []
    assert "Label 1 conversation to see where the gate contradicts you." in page_text(app)
    assert not app.warning, "no yellow box"
    assert "Ada and Ben agree <b>little</b>." in page_text(app)
    assert "20 shared turns are settled" in page_text(app)
    options = app.button_group(key="train.data").options
    offered = [option.partition(":")[0].replace("\\", "") for option in options]
    assert offered == ["of-2", "of-25", "of-3", "Samples"]
    assert "private: snap-research/LoCoMo, CC-BY-NC-4.0; for measuring only" in page_text(app)
    for conversations in (2, 3, 25):
        app.button_group(key="train.data").set_value([f"of-{conversations}"]).run()
        assert f"of {conversations} conversations" in page_text(app)
        assert ("too few to measure" in page_text(app)) == (conversations < 3)
        assert (app.button(key="train.start").label == "Train anyway, unmeasured") == (conversations < 3)
        in_options = [button.key for button in app.expander[0].button]
        assert ("train.start" in in_options) == (conversations < 3), "not offered where it cannot be judged"
        assert ("by cross-validation" in page_text(app)) == (conversations == 3)
        primary = [button.key for button in app.button if button.proto.type == "primary"]
        assert primary == ["improvement.next"], "labelling comes first"
    app.button_group(key="train.data").set_value([]).run()
    assert app.button(key="train.start").disabled, "texts of convgate alone are no training of one's own"
    assert "You have no labels yet" in page_text(app)


def test_start_makes_a_run_of_what_was_chosen_and_shows_it(
    home: Path, tmp_path: Path, started_commands: list[list[str]]
) -> None:
    Versions(home).add(small_gate(seed=1), Draft(), name="other")
    add_set(home, tmp_path, conversations=5)
    app = open_train()
    assert app.selectbox(key="train.parent").value == "first"
    app.selectbox(key="train.parent").select("other")
    app.button_group(key="train.data").set_value(["own"]).run()
    app.button_group(key="train.replay").set_value(["sequences"])
    app.number_input(key="train.epochs").set_value(5)
    app.text_input(key="train.name").set_value("mine")
    app.text_input(key="train.note").set_value("Better at tea")
    app.toggle(key="train.activate").set_value(False)
    app.session_state["annotator.name"] = "Cleo"
    # One run for all of it, as when a person types a note and clicks the button at once.
    check(app.button(key="train.start").click().run())
    (run,) = Runs(home).all()
    assert app.query_params["run"] == run.id
    assert (
        read_relevance_set(run.folder / DATA / "own.jsonl").cases == make_relevance_set(conversations=5).cases
    )
    (words,) = started_commands
    assert words == list(run.request.arguments if run.request else ())
    assert words[2:4] == ["--from", "other"]
    assert words[6:11] == ["--name=mine", "--note=Better at tea", "--who=Cleo", "--epochs", "5"]
    assert words[-3:] == ["--replay", "sequences", "--no-activate"]


def test_a_damaged_version_is_not_started_from(
    home: Path, tmp_path: Path, started_commands: list[list[str]]
) -> None:
    (home / "versions" / "first" / "gate.safetensors").unlink()
    add_set(home, tmp_path)
    app = open_train()
    app.button_group(key="train.data").set_value(["own"]).run()
    check(app.button(key="train.start").click().run())
    assert "gate.safetensors is missing" in page_text(app)
    assert (started_commands, Runs(home).all()) == ([], [])


def test_labels_of_people_are_exported_into_the_run_unless_they_are_off(
    home: Path, tmp_path: Path, started_commands: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    labels = make_relevance_set("labels", conversations=4)
    monkeypatch.setattr("convgate.ui.shared.label_sources._counts", lambda *_: GoldCounts(4, 24, 60, 90, 0))
    monkeypatch.setattr(page, "gold_set", lambda store: labels)
    monkeypatch.setattr(page, "read_labelled", lambda app, name: (labels, name))
    add_set(home, tmp_path)
    app = open_train()
    assert "Learns from 150 labelled turns of 4 conversations" in page_text(app)
    assert "Also learns from, and is validated on, texts of convgate: Six scenarios." in page_text(app)
    check(app.button(key="train.start").click().run())
    (run,) = Runs(home).all()
    assert read_relevance_set(run.folder / DATA / "labels.jsonl").cases == labels.cases
    app = open_train()
    app.button_group(key="train.data").set_value(["own"]).run()
    check(app.button(key="train.start").click().run())
    newest = Runs(home).all()[0]
    assert [file.name for file in (newest.folder / DATA).iterdir()] == ["own.jsonl"]
    assert len(started_commands) == 2


def test_a_set_that_is_uploaded_is_kept_and_chosen(home: Path, tmp_path: Path) -> None:
    file = write_planted_set(tmp_path, "Mine")
    app = open_train()
    app.file_uploader[0].upload("Mine.jsonl", file.read_bytes(), "application/json").run()
    assert check(app).button_group(key="train.data").value == ["mine"]
    assert "mine" in RelevanceSets(home).names()
    app.file_uploader[0].upload("Bad.jsonl", b"{", "application/json").run()
    assert "bad.jsonl, line 1: not valid JSON" in page_text(app)
    assert RelevanceSets(home).names()[:1] == ["mine"]


def test_converted_sessions_of_agents_are_trained_on(
    home: Path, tmp_path: Path, started_commands: list[list[str]]
) -> None:
    session = tmp_path / "session.jsonl"
    session.write_text(make_run("data", seed=1).session_lines())
    write_relevance_set(sessions := read_agents(session), tmp_path / "agents.jsonl")
    app = open_train()
    app.file_uploader[0].upload("session.jsonl", session.read_bytes(), "application/json").run()
    assert "session.jsonl, line 1: expected a line of a relevance set" in page_text(app)
    assert "`convgate corpus agents`" in app.file_uploader[0].proto.help
    assert app.button_group(key="train.data").value == []
    app.file_uploader[0].upload("agents.jsonl", (tmp_path / "agents.jsonl").read_bytes()).run()
    assert check(app).button_group(key="train.data").value == ["agents"]
    check(app.button(key="train.start").click().run())
    (run,) = Runs(home).all()
    assert read_relevance_set(run.folder / DATA / "agents.jsonl").cases == sessions.cases
    assert len(started_commands) == 1


def test_about_how_long_it_takes_is_said_before_the_start(home: Path, tmp_path: Path) -> None:
    add_set(home, tmp_path, conversations=6)
    app = open_train(data="own")
    stages = "at most 8 epochs, then as many for each of 5 parts of the cross-validation."
    assert f"About 26 minutes: {stages}" in page_text(app), "before there was any training"
    run = Run(started_run(home))
    data = (DataSet("labels", "0" * 64, {"conversations": 3}, "", ""),)
    record = replace(run.read_record(), settings=FURTHER, data=data, seconds=36)
    (run.folder / RECORD).write_bytes(dump(RECORD_TYPE, record, RECORD))
    assert run.seconds_per_conversation == 1, "two epochs of 18, as each of 3 comes six times"
    # 36 are drawn and 40 replayed, in 8 epochs, and the parts together are as much as 4 more trainings
    assert f"About 51 minutes: {stages}" in page_text(open_train(data="own"))


# Watching


def test_a_running_training_shows_progress_and_can_be_stopped(home: Path) -> None:
    folder = started_run(home)
    with Run(folder).lock():
        app = open_train(run="one")
        assert "Running" in page_text(app)
        bar = app.get("progress")[0].proto
        assert (bar.value, bar.text) == (40, "Epoch 3 of at most 8 · about 7 minutes left")
        (more,) = app.expander
        assert any("loss 2.859" in text.value for text in more.text)
        assert not more.proto.expanded
        shown = page_text(open_train())
        assert "learns from own · starts from first · 40% done · started just now" in shown
        assert app.button(key="train.stop").label == "Stop training", "Streamlit has a Stop of its own"
        check(app.button(key="train.stop").click().run())
        assert (folder / STOP).exists()
        assert app.button(key="train.stop").disabled
        assert "Stopping" in page_text(app)


def test_an_interrupted_run_is_resumed_finished_or_deleted(
    home: Path, started_commands: list[list[str]]
) -> None:
    for id in ("one", "two"):
        started_run(home, id)
    bad = {"state": "failed", "message": "'Mine' cannot name a version"}
    failed = started_run(home, "bad", epochs=0, outcome=bad)
    app = open_train(run="one")
    assert "The process ended early" in page_text(app)
    check(app.button(key="train.resume").click().run())
    check(go_back(app, run="two").button(key="train.finish").click().run())
    assert [words[:4] for words in started_commands] == [["train", "own.jsonl", "--from", "first"]] * 2
    assert (started_commands[0][4:], started_commands[1][4:6]) == ([], ["--epochs", "2"])
    go_back(app, run="bad")
    assert any("cannot name a version" in error.value for error in app.error)
    assert app.button(key="train.resume")
    assert "train.finish" not in [button.key for button in app.button]
    click_in_fragment(app, "train.delete")
    assert not failed.exists()
    assert "run" not in app.query_params
    assert "train.open.bad" not in [button.key for button in app.button]


def test_the_address_of_a_missing_run_is_reported(home: Path) -> None:
    app = open_train(run="../first")
    assert any("there is no training run" in error.value.replace("\\", "") for error in app.error)
    check(app.button(key="train.back").click().run())
    assert app.button(key="train.start")


def test_the_list_begins_with_the_newest_and_opens_a_run(home: Path) -> None:
    for number in range(3):
        folder = started_run(home, f"run-{number:02}", outcome={"state": "stopped", "message": "so"})
        started = datetime(2026, 1, number + 1, tzinfo=UTC)
        Run(folder).write_request(RunRequest((), "first", ("own",), started=started))
    app = open_train()
    keys = [button.key for button in app.button if (button.key or "").startswith("train.open.")]
    assert keys == [f"train.open.run-{number:02}" for number in (2, 1, 0)]
    click_in_fragment(app, "train.open.run-01")
    assert app.query_params["run"] == "run-01"


# What came of it


def test_a_finished_run_shows_the_verdict_with_intervals(finished_home: Path) -> None:
    verdict = read_verdict(Runs(finished_home).get("better").outcome["against_parent"])
    assert verdict is not None
    assert verdict.better
    app = open_train(run="better")
    text = page_text(app)
    assert f"{verdict.headline('first')}." in text
    assert f"✓ Better {verdict.fixed:,}" in app.button_group(key="train.only").options
    assert f"✕ Worse {verdict.broken:,}" in app.button_group(key="train.only").options
    assert text.index("By the labels, ") < text.index(verdict.misses.sentence), "cases before averages"
    assert text.count("by the labels, message") == min(10, verdict.fixed + verdict.broken)
    (row,) = (line for line in page_text(app).splitlines() if line.startswith("| F1"))
    values = [
        float(cell.split()[0].strip("*%").replace("−", "-")) / 100
        for cell in row.strip("| ").split(" | ")[1:]
    ]
    (measured,) = Versions(finished_home).get("better").card.metrics.values()
    expected = [each["f1"].value for each in (measured.parent, measured.metrics, measured.gain)]
    assert values == pytest.approx(expected, abs=0.006)
    assert row.count("small[") == 3, "an interval each"
    assert len(app.get("plotly_chart")) == 2


def test_a_trained_version_is_activated_and_rolled_back_under_the_users_name(finished_home: Path) -> None:
    versions = Versions(finished_home)
    app = open_train()
    assert "Not compared with its parent · learned from own · starts from first" in page_text(app)
    assert "of the tokens (with first: 78%) · learned from own · starts from first" in page_text(app)
    (active,) = (one.value for one in app.markdown if "active]" in one.value)
    assert "better" in active
    app.session_state["annotator.name"] = "Cleo"
    go_back(app, run="unknown")
    assert "Not compared with its parent" in page_text(app)
    assert "Not activated" in page_text(app)
    check(app.button(key="train.activate_now").click().run())
    assert (versions.active, versions.history[-1].who) == ("unknown", "Cleo")
    assert "It is the active version" in page_text(app)
    assert app.button(key="train.roll_back").label == "Roll back to better"
    check(app.button(key="train.roll_back").click().run())
    assert (versions.active, versions.history[-1].who) == ("better", "Cleo")


def test_a_missing_or_damaged_run_is_reported_and_the_rest_is_shown(finished_home: Path) -> None:
    (finished_home / "runs" / "better" / "run.json").write_text("{")
    app = open_train(run="better")
    assert "run.json" in " ".join(error.value for error in app.error).replace("\\", "")
    assert "(with first" in page_text(app)
    Versions(finished_home).delete("better", who="Ada", force=True)
    assert "was deleted." in page_text(check(app.run()))


def test_erasing_everything_takes_runs_sets_and_debug_log_along(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_train()
    monkeypatch.setenv("CONVGATE_GATEKEEPER_DEBUG_LOG", str(tmp_path / "debug.jsonl"))
    for name in ("debug.jsonl", "debug.jsonl.3"):
        (tmp_path / name).write_text("text")
    add_set(home, tmp_path)
    started_run(home)
    services.erase_everything(load_settings())
    assert not (home / "runs").exists()
    assert not (home / "sets").exists()
    assert list(tmp_path.glob("debug.jsonl*")) == []
    assert Versions(home).names() == ["first"], "versions hold no conversation"


def test_nothing_is_erased_while_a_training_would_write_it_again(home: Path, tmp_path: Path) -> None:
    open_train()
    add_set(home, tmp_path)
    with (
        Run(started_run(home)).lock(),
        pytest.raises(StoreError, match="one is running"),
    ):
        services.erase_everything(load_settings())
    assert (home / "runs" / "one").exists()
    assert (home / "sets").exists()
