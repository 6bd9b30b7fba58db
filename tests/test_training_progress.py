"""What a training writes down while it goes on, how it stops, and what the list of runs makes of it."""

from __future__ import annotations

import json
import shutil
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from convgate.training import runs
from convgate.training.epochs import Epoch
from convgate.training.errors import TrainingError
from convgate.training.progress import (
    OUTCOME,
    PROGRESS,
    STARTING,
    STOP,
    Progress,
    Reporting,
    StoppedError,
    now,
)
from convgate.training.request import REQUEST, Request, new_id
from convgate.training.run_list import INTERRUPTED, TrainingRuns
from convgate.training.runs import LOCK, is_at_work, locked

EPOCH = Epoch(2, 0.5, 0.6, 0.7, 0.8, 0.3, best=True)
WORDS = ("train", "own.jsonl", "--from", "first", "--epochs", "8", "--learning-curve")


class Told:
    def __init__(self) -> None:
        self.heard: list[object] = []

    def stage(self, what: str) -> None:
        self.heard.append(what)

    def progress(self, done: int, total: int) -> None:
        self.heard.append((done, total))

    def epoch(self, epoch: Epoch) -> None:
        self.heard.append(epoch)


def outcome(folder: Path) -> dict[str, object]:
    values: dict[str, object] = json.loads((folder / OUTCOME).read_text())
    return values


def request(**changes: object) -> Request:
    return Request(**{"arguments": WORDS, "parent": "first", "sets": ("own",), "started": now(), **changes})  # type: ignore[arg-type]


@pytest.fixture
def home(convgate_home: Path) -> Path:
    return convgate_home


@pytest.fixture
def folder(home: Path) -> Path:
    made = home / "runs" / "one"
    made.mkdir(parents=True)
    return made


# Reporting


def test_what_is_told_is_handed_on_and_written_down(folder: Path) -> None:
    told = Told()
    with Reporting(folder, told) as heard:
        heard.stage("Epoch 2 of at most 8")
        found = Progress.read(folder)
        assert found is not None
        assert (found.stage, found.epochs) == ("Epoch 2 of at most 8", 0)
        heard.progress(1, 4)
        heard.epoch(EPOCH)
        again = Progress.read(folder)
        assert again is not None
        assert again.epochs == 2
        heard.done({"version": "second"})
    assert told.heard == ["Epoch 2 of at most 8", (1, 4), EPOCH]
    assert {key: outcome(folder)[key] for key in ("state", "ran", "version")} == {
        "state": "done",
        "ran": 2,
        "version": "second",
    }


def test_reports_within_a_stage_are_few(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written = []
    monkeypatch.setattr(Progress, "write", lambda self, folder: written.append(self.done))
    clock = iter(range(1000))
    monkeypatch.setattr("convgate.training.progress.monotonic", lambda: next(clock) * 0.1)
    with Reporting(folder, Told()) as heard:
        heard.stage("Reading")
        for done in range(60):
            heard.progress(done, 60)
    assert 5 < len(written) < 25


@pytest.mark.parametrize("tell", ["stage", "progress"])
def test_a_stop_file_ends_it_at_the_next_report(folder: Path, tell: str) -> None:
    told = Told()

    def train() -> None:
        with Reporting(folder, told) as heard:
            heard.epoch(EPOCH)
            (folder / STOP).touch()
            if tell == "stage":
                heard.stage("Epoch 3")
            else:
                heard.progress(1, 2)

    with pytest.raises(StoppedError, match="2 whole epochs are kept; it can go on"):
        train()
    assert told.heard == [EPOCH]
    assert (outcome(folder)["state"], outcome(folder)["ran"]) == ("stopped", 2)
    assert not (folder / STOP).exists()


def test_a_stop_while_its_process_starts_is_not_lost(home: Path, folder: Path) -> None:
    request().write(folder)
    Progress(STARTING, 0, 0, 2, now()).write(folder)
    TrainingRuns(home).stop("one")

    def train() -> None:
        with Reporting(folder, Told()) as heard:
            heard.stage("Reading the sets")

    with pytest.raises(StoppedError, match="2 whole epochs are kept; it can go on"):
        train()
    run = TrainingRuns(home).get("one")
    assert (run.state, run.epochs, run.can_finish) == ("stopped", 2, True)


def test_a_stop_that_an_earlier_process_left_is_not_meant_for_this_one(folder: Path) -> None:
    Progress("Epoch 3 of at most 8", 5, 20, 2, now()).write(folder)
    (folder / STOP).touch()
    with Reporting(folder, Told()) as heard:
        heard.stage("Reading the sets")
    assert not (folder / STOP).exists()


def test_errors_are_written_down_and_come_out(folder: Path) -> None:
    for error, state, message in [
        (TrainingError("the loss became nan"), "failed", "the loss became nan"),
        (KeyboardInterrupt(), "stopped", "Stopped. No whole epochs are kept; it can go on."),
        (ZeroDivisionError("by 0"), "failed", "an unexpected ZeroDivisionError: by 0"),
    ]:
        with pytest.raises(type(error)), Reporting(folder, Told()):
            raise error
        assert (outcome(folder)["state"], outcome(folder)["message"]) == (state, message)


def test_what_an_earlier_try_left_is_gone_when_it_goes_on(folder: Path) -> None:
    (folder / STOP).touch()
    (folder / OUTCOME).write_text('{"state": "failed"}')
    with Reporting(folder, Told()) as heard:
        heard.resumed(3)
        heard.stage("Epoch 4")
        assert not (folder / OUTCOME).exists()
        found = Progress.read(folder)
        assert found is not None
        assert found.epochs == 3


def test_a_disk_that_is_full_for_reports_is_no_reason_to_stop(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(path: Path, values: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("convgate.training.progress.put", full)
    told = Told()
    with Reporting(folder, told) as heard:
        heard.stage("Epoch 1")
    assert told.heard == ["Epoch 1"]
    with pytest.raises(TrainingError, match="the loss"), Reporting(folder, told):
        raise TrainingError("the loss")
    with (
        pytest.raises(TrainingError, match=r"the outcome cannot be saved in .*: No space left"),
        Reporting(folder, told) as heard,
    ):
        heard.done({})


# The list


def test_states_are_told_from_what_lies_in_the_folder(home: Path, folder: Path) -> None:
    listed = TrainingRuns(home)
    request().write(folder)

    def state() -> str:
        (run,) = listed.all()
        assert run == listed.get("one")
        return run.state

    Progress("Epoch 3 of at most 8", 5, 20, 2, now()).write(folder)
    assert state() == "interrupted"
    assert listed.get("one").message == INTERRUPTED
    with locked(folder):
        assert state() == "running"
        listed.stop("one")
        assert state() == "stopping"
    (folder / STOP).unlink()
    for ended in ("done", "stopped", "failed"):
        (folder / OUTCOME).write_text(json.dumps({"state": ended, "ran": 2, "message": "so"}))
        assert state() == ended
        assert listed.get("one").message == "so"
    (folder / OUTCOME).write_text("{")
    assert state() == "interrupted"


def test_a_process_may_take_a_while_to_start_but_not_for_ever(home: Path, folder: Path) -> None:
    Progress(STARTING, 0, 0, 0, now()).write(folder)
    assert TrainingRuns(home).get("one").state == "running"
    before = (datetime.now(UTC) - timedelta(minutes=5)).isoformat()
    Progress(STARTING, 0, 0, 0, before).write(folder)
    assert TrainingRuns(home).get("one").state == "interrupted"


def test_what_can_be_done_with_a_run_follows_from_its_state(home: Path, folder: Path) -> None:
    listed = TrainingRuns(home)
    Progress("Epoch 3", 0, 0, 2, now()).write(folder)
    assert not listed.get("one").can_go_on, "nothing says how it was begun"
    request().write(folder)
    run = listed.get("one")
    assert (run.can_go_on, run.can_finish, run.is_active, run.epochs) == (True, True, False, 2)
    (folder / OUTCOME).write_text(json.dumps({"state": "failed", "ran": 0, "message": "no"}))
    run = listed.get("one")
    assert (run.can_go_on, run.can_finish) == (True, False)
    (folder / OUTCOME).write_text(json.dumps({"state": "done", "ran": 8, "version": "second"}))
    run = listed.get("one")
    assert (run.can_go_on, run.version, run.epochs) == (False, "second", 8)
    with locked(folder):
        assert not TrainingRuns(home).get("one").can_go_on


def test_the_newest_comes_first_and_strangers_are_left_out(home: Path, folder: Path) -> None:
    for place, name in enumerate(["b", "a", "c"]):
        request(started=f"2026-01-0{place + 1}T00:00:00+00:00").write(home / "runs" / name)
    shutil.rmtree(folder)
    (home / "runs" / ".hidden").mkdir()
    (home / "runs" / "file").write_text("")
    assert [run.id for run in TrainingRuns(home).all()] == ["c", "a", "b"]


@pytest.mark.parametrize("id", ["..", "a/b", "", "two", ".hidden"])
def test_a_run_that_there_is_not_is_told(home: Path, folder: Path, id: str) -> None:
    with pytest.raises(TrainingError, match="there is no training run"):
        TrainingRuns(home).get(id)


def test_a_run_is_deleted_when_nothing_is_at_work_on_it(home: Path, folder: Path) -> None:
    listed = TrainingRuns(home)
    with locked(folder), pytest.raises(TrainingError, match="is at work; stop it before it is deleted"):
        listed.delete("one")
    assert folder.exists()
    listed.delete("one")
    assert list((home / "runs").iterdir()) == []
    assert listed.all() == []


def test_without_a_data_folder_there_are_no_runs(home: Path) -> None:
    assert TrainingRuns(home).all() == []


def test_hundreds_of_runs_are_listed_quickly(home: Path) -> None:
    for number in range(300):
        folder = home / "runs" / f"run-{number}"
        request().write(folder)
        (folder / LOCK).touch()
        Progress("Epoch 3", 0, 0, 2, now()).write(folder)
        if number % 2:
            (folder / OUTCOME).write_text(json.dumps({"state": "done", "ran": 8}))
    began = time.perf_counter()
    found = TrainingRuns(home).all()
    took = time.perf_counter() - began
    assert len(found) == 300
    assert took < 2, "milliseconds each"


def test_looking_does_not_keep_a_training_out(folder: Path) -> None:
    with locked(folder):
        pass
    seen = [is_at_work(folder) for _ in range(3)]
    assert seen == [False] * 3
    with locked(folder):
        assert is_at_work(folder)
    assert runs.is_at_work(folder.with_name("nowhere")) is False


# What was asked for


def test_a_request_comes_back_and_a_damaged_one_is_none(folder: Path) -> None:
    asked = request(note="--a note", learning_curve=True, replay=("scenarios",))
    asked.write(folder)
    assert Request.read(folder) == asked
    for content in ["", "{}", '{"arguments": 5}', "[]"]:
        (folder / REQUEST).write_text(content)
        assert Request.read(folder) is None
    (folder / PROGRESS).write_text('{"stage": 5}')
    assert Progress.read(folder) is None


def test_who_finishes_a_run_asks_for_fewer_epochs_and_no_curve() -> None:
    assert request().finishing(3) == ["train", "own.jsonl", "--from", "first", "--epochs", "3"]
    assert request(arguments=("train",)).finishing(3) == ["train", "--epochs", "3"]


def test_two_runs_of_one_moment_have_different_ids() -> None:
    assert new_id() != new_id()
