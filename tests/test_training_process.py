"""Training processes: started, stopped, killed, resumed, finished early."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from convgate.core.errors import TrainingError
from convgate.core.files import write_whole
from convgate.training import process as process_module
from convgate.training.library import SAMPLES, RelevanceSets
from convgate.training.process import resume_training, start_process, start_training
from convgate.training.records import Status
from convgate.training.run import DATA, LOG, Run, Runs
from convgate.transcripts.cases import RelevanceSet
from convgate.transcripts.relevance_sets import read_relevance_set
from convgate.versions import Draft, Versions
from tests import training_program
from tests.conftest import CHECKOUT
from tests.planted_sets import make_relevance_set, small_gate, write_planted_set
from tests.processes import ForkedProcess, fork, needs_fork


@pytest.fixture
def home(convgate_home: Path) -> Path:
    """One version, `first`, which is active."""
    versions = Versions(convgate_home)
    versions.add(small_gate(), Draft(threshold_rule="absolute"), name="first")
    versions.activate("first", who="Ada")
    return convgate_home


@pytest.fixture
def program(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], None]]:
    """Has trainings run the program in forked processes; tells it where to end. Kills what is left."""
    processes: list[ForkedProcess] = []

    def start(command: Sequence[str], output: int, environment: dict[str, str]) -> ForkedProcess:
        assert command[:3] == [sys.executable, "-m", "convgate"]
        words = command[3:]
        processes.append(fork(lambda: training_program.main(words), output=output, environment=environment))
        return processes[-1]

    monkeypatch.setattr(process_module, "start_process", start)
    yield lambda when: monkeypatch.setenv("DIE", when)
    for process in processes:
        process.kill()
        process.wait()


@pytest.fixture
def started_commands(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[list[str]]]:
    """The words of the commands that would have been started, and would be at it until the test is over."""
    words: list[list[str]] = []
    over = threading.Event()

    class AtIt:
        def wait(self) -> int:
            over.wait(60)
            return 0

    def start(command: Sequence[str], output: int, environment: dict[str, str]) -> Any:
        words.append(list(command))
        return AtIt()

    monkeypatch.setattr(process_module, "start_process", start)
    yield words
    over.set()


def wait_for_state(home: Path, id: str, *states: str, epochs: int = 0) -> Run:
    """Waits for the run to be in one of these states with so many epochs."""
    listed = Runs(home)
    for _ in range(9000):
        run = listed.get(id)
        if run.state in states and run.epochs >= epochs:
            return run
        time.sleep(0.02)
    pytest.fail(f"{run.state} after {run.epochs} epochs: {run.message}\n{(run.folder / LOG).read_text()}")


def labelled(count: int = 6) -> RelevanceSet:
    return make_relevance_set("my-labels", conversations=count)


def start(home: Path, **changes: Any) -> str:
    return start_training(home, "first", **{"labels": labelled(), "epochs": 3, **changes})


# What is written before it starts


def test_a_run_has_its_data_and_the_words_that_go_on(
    home: Path, tmp_path: Path, started_commands: list[list[str]]
) -> None:
    sets = RelevanceSets(home)
    sets.add("my-labels", write_planted_set(tmp_path, "my-labels", conversations=2).read_bytes())
    texts = {"name": "second", "note": "--a note", "who": "Ada"}
    id = start(home, sets=("my-labels", SAMPLES), replay=("scenarios",), **texts)
    run = Runs(home).get(id)
    assert run.request.sets == ("my-labels-2", "my-labels", SAMPLES)
    assert (run.request.name, run.request.who, run.request.note) == ("second", "Ada", "--a note")
    (words,) = started_commands
    assert words == [sys.executable, "-m", "convgate", *run.request.arguments]
    files = [run.folder / DATA / f"{name}.jsonl" for name in run.request.sets]
    assert words[3:7] == ["train", *map(str, files)]
    assert words[7:] == [
        *("--from", "first", "--run", str(run.folder), "--name=second", "--note=--a note", "--who=Ada"),
        *("--epochs", "3", "--learning-rate", "0.0005", "--seed", "0", "--replay", "scenarios", "--activate"),
    ]
    assert read_relevance_set(files[0]).cases == labelled().cases
    assert files[2].read_bytes() == sets.path(SAMPLES).read_bytes()


def test_a_run_that_is_at_work_or_done_is_not_started_again(
    home: Path, started_commands: list[list[str]]
) -> None:
    id = start(home)
    folder = Runs(home).get(id).folder
    with Run(folder).lock():
        for finish in (False, True):
            with pytest.raises(TrainingError, match="another training"):
                resume_training(home, id, finish=finish)
    Run(folder).write_status(Status(ended="stopped"))
    with pytest.raises(TrainingError, match="no whole epoch"):
        resume_training(home, id, finish=True)
    Run(folder).write_status(Status(ended="done"))
    with pytest.raises(TrainingError, match="it is done"):
        resume_training(home, id)
    assert len(started_commands) == 1


# Real processes


@needs_fork
def test_a_training_outlives_the_process_that_started_it_and_one_that_is_killed_goes_on_to_its_very_weights(
    home: Path, tmp_path: Path, program: Callable[[str], None]
) -> None:
    def start_and_die() -> None:
        # A process of its own, as a person has it: nothing of it is forked.
        process_module.start_process = lambda command, output, environment: start_process(
            [sys.executable, "-m", "tests.training_program", *command[3:]],
            output,
            {**environment, "PYTHONPATH": os.pathsep.join([environment["PYTHONPATH"], str(CHECKOUT)])},
        )
        start(home)
        os.kill(os.getpid(), signal.SIGKILL)

    assert fork(start_and_die, output=tmp_path / "said.txt").wait() == -signal.SIGKILL
    (outliving,) = Runs(home).all()

    program("step:18")  # in the middle of the third epoch
    id = start(home, name="second")
    run = wait_for_state(home, id, "interrupted")
    assert run.epochs == 2
    program(":")
    resume_training(home, id)
    done = wait_for_state(home, id, "done")
    assert done.version == "second"

    whole = wait_for_state(home, outliving.id, "done")
    assert whole.epochs == 3
    versions = Versions(home)
    weights = versions.get(whole.version or "").card.weights_sha256
    assert versions.get("second").card.weights_sha256 == weights


@needs_fork
def test_files_in_the_data_folder_are_private_whatever_its_mode(
    convgate_home: Path, tmp_path: Path, program: Callable[[str], None]
) -> None:
    convgate_home.mkdir()
    convgate_home.chmod(0o755)
    umask = os.umask(0)
    try:
        versions, sets = Versions(convgate_home), RelevanceSets(convgate_home)
        versions.add(small_gate(), Draft(threshold_rule="absolute"), name="first")
        versions.activate("first", who="Ada")
        sets.add("own", write_planted_set(tmp_path, "own", conversations=3).read_bytes())
        removed = next(iter(sets.read("own").conversations))
        sets.leave_out("own", lambda each: each.id == removed)
        id = start(convgate_home, sets=("own",))
        run = wait_for_state(convgate_home, id, "done")
        Runs(convgate_home).stop(id)
        asked_for = tmp_path / "asked-for.zip"
        write_whole(asked_for, versions.export("first"))
    finally:
        os.umask(umask)
    written = [*convgate_home.rglob("*")]
    assert {run.folder / name for name in ("run.json", LOG, "lock")} <= {*written}
    assert [path.relative_to(convgate_home) for path in written if path.stat().st_mode & 0o077] == []
    assert asked_for.stat().st_mode & 0o777 == 0o666
    assert convgate_home.stat().st_mode & 0o777 == 0o755


@needs_fork
def test_stopped_it_keeps_its_epochs_and_its_end_is_asked_for(
    home: Path, program: Callable[[str], None]
) -> None:
    program("slow:1")
    id = start(home)
    wait_for_state(home, id, "running", epochs=1)
    Runs(home).stop(id)
    run = wait_for_state(home, id, "stopped")
    assert (run.epochs, run.can_resume, run.can_finish) == (1, True, True)
    assert Versions(home).names() == ["first"]
    waiting = [thread for thread in threading.enumerate() if thread.name == f"training {id}"]
    for thread in waiting:
        thread.join(10)
    assert not any(thread.is_alive() for thread in waiting), "reaped: no zombie is left"
