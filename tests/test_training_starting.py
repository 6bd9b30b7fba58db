"""Trainings in processes of their own: started, stopped, killed, gone on with, finished as they are."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from convgate.errors import TranscriptError
from convgate.training import starting
from convgate.training.errors import TrainingError
from convgate.training.library import SAMPLES, RelevanceSets
from convgate.training.progress import OUTCOME, STARTING, Progress, now
from convgate.training.run_list import INTERRUPTED, LOG, Run, TrainingRuns
from convgate.training.runs import locked, read_record
from convgate.training.starting import DATA, Order, finish, go_on, start_process, start_training
from convgate.transcripts.relevance_sets import RelevanceSet, read_relevance_set
from convgate.versions import Draft, Versions
from tests.conftest import CHECKOUT
from tests.planted import planted, planted_file, small_gate

# `convgate` with a fake encoder, steps that learn quickly, and perhaps an end in the middle.
PROGRAM = """
import os, signal, sys, time
import convgate.selector
from convgate.training import epochs, trainer
from dataclasses import replace
from tests.planted import small_encoder
convgate.selector.default_encoder = lambda *args, **options: small_encoder()
quick = dict(learning_rate=0.02, averaging=0.2, episodes=24, cases=8, together=2)
trainer.FURTHER = replace(trainer.FURTHER, **quick)
moment, when = os.environ.pop("DIE", ":").split(":")
step, steps, fsync, written = trainer.Trainer._step, 0, os.fsync, 0
def counted_step(self, losses, rate):
    global steps
    steps += 1
    if moment == "step" and steps == int(when):
        os.kill(os.getpid(), signal.SIGKILL)
    if moment == "slow" and len(self.history) >= int(when):
        time.sleep(0.05)
    return step(self, losses, rate)
def counted_fsync(descriptor):
    global written
    written += 1
    if moment == "write" and written == int(when):
        os.kill(os.getpid(), signal.SIGKILL)
    fsync(descriptor)
trainer.Trainer._step, os.fsync = counted_step, counted_fsync
from convgate.cli.main import main
main()
"""


@pytest.fixture
def home(convgate_home: Path) -> Path:
    """One version, `first`, which is active."""
    versions = Versions(convgate_home)
    versions.add(small_gate(), Draft(threshold_rule="absolute"), name="first")
    versions.activate("first", who="Ada")
    return convgate_home


@pytest.fixture
def program(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Has trainings run PROGRAM; tells it where to end. Kills what is left."""
    pids: list[subprocess.Popen[bytes]] = []

    def start(command: Sequence[str], output: int, environment: dict[str, str]) -> subprocess.Popen[bytes]:
        assert command[:3] == [sys.executable, "-m", "convgate"]
        path = os.pathsep.join([os.environ["PYTHONPATH"], str(CHECKOUT)])
        words = [sys.executable, "-c", PROGRAM, *command[3:]]
        pids.append(start_process(words, output, {**environment, "PYTHONPATH": path}))
        return pids[-1]

    monkeypatch.setattr(starting, "start_process", start)

    def die(when: str) -> None:
        monkeypatch.setenv("DIE", when)

    yield die  # type: ignore[misc]
    for process in pids:
        process.kill()
        process.wait()


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[list[str]]]:
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

    monkeypatch.setattr(starting, "start_process", start)
    yield words
    over.set()


def until(home: Path, id: str, *states: str, epochs: int = 0) -> Run:
    """Waits for the run to be in one of these states with so many epochs."""
    listed = TrainingRuns(home)
    for _ in range(1800):
        run = listed.get(id)
        if run.state in states and run.epochs >= epochs:
            return run
        time.sleep(0.1)
    pytest.fail(f"{run.state} after {run.epochs} epochs: {run.message}\n{(run.folder / LOG).read_text()}")


def labelled(count: int = 16) -> RelevanceSet:
    return planted("my-labels", conversations=count)


def order(**changes: Any) -> Order:
    return Order(**{"parent": "first", "labels": labelled(), "epochs": 3, **changes})


# What is written before it starts


def test_a_run_has_its_data_and_the_words_that_go_on(
    home: Path, tmp_path: Path, started: list[list[str]]
) -> None:
    sets = RelevanceSets(home)
    sets.add("my-labels", planted_file(tmp_path, "my-labels", conversations=2).read_bytes())
    id = start_training(
        home,
        order(
            sets=("my-labels", SAMPLES),
            replay=("scenarios",),
            name="second",
            note="--a note",
            who="Ada",
            learning_curve=True,
        ),
    )
    run = TrainingRuns(home).get(id)
    assert run.request is not None
    assert run.request.sets == ("my-labels-2", "my-labels", SAMPLES)
    assert (run.request.name, run.request.who, run.request.note) == ("second", "Ada", "--a note")
    (words,) = started
    assert words == [sys.executable, "-m", "convgate", *run.request.arguments]
    files = [run.folder / DATA / f"{name}.jsonl" for name in run.request.sets]
    assert words[3:7] == ["train", *map(str, files)]
    assert words[7:] == [
        *("--from", "first", "--run", str(run.folder), "--name=second", "--note=--a note", "--who=Ada"),
        *("--epochs", "3", "--replay", "scenarios", "--learning-curve", "--activate"),
    ]
    assert read_relevance_set(files[0]).cases == labelled().cases
    assert files[2].read_bytes() == sets.path(SAMPLES).read_bytes()


def test_judged_turns_reach_the_run(home: Path, started: list[list[str]]) -> None:
    sets = labelled(3)
    part = RelevanceSet(
        "my-labels",
        sets.conversations,
        tuple(
            type(case)(case.id, case.conversation, case.turn, None, case.relevant, judged=case.relevant)
            for case in sets.cases
        ),
    )
    id = start_training(home, order(labels=part))
    (file,) = (TrainingRuns(home).get(id).folder / DATA).iterdir()
    assert read_relevance_set(file).cases == part.cases


def test_what_cannot_be_trained_on_starts_nothing(
    home: Path, tmp_path: Path, started: list[list[str]]
) -> None:
    sets = RelevanceSets(home)
    sets.add("locomo", planted_file(tmp_path, "locomo-x", conversations=2).read_bytes())
    sets.add("bad", planted_file(tmp_path, "bad").read_bytes())
    sets.path("bad").write_text("{")
    empty = RelevanceSet("my-labels", {}, ())
    for changes, error, told in [
        ({"sets": ("locomo",)}, TrainingError, "locomo: .*for measuring only.* It is not trained on"),
        ({"sets": ("bad",)}, TranscriptError, r"bad\.jsonl, line 1"),
        ({"sets": ("nobody",)}, TranscriptError, "there is no relevance set 'nobody'"),
        ({"labels": None}, TrainingError, "there is nothing to learn from"),
        ({"labels": empty}, TrainingError, "there is nothing to learn from"),
    ]:
        with pytest.raises(error, match=told):
            start_training(home, order(**changes))
    assert started == []
    assert TrainingRuns(home).all() == []


def test_a_run_that_is_at_work_or_done_is_not_started_again(home: Path, started: list[list[str]]) -> None:
    id = start_training(home, order())
    folder = TrainingRuns(home).get(id).folder
    with locked(folder):
        for again in (go_on, finish):
            with pytest.raises(TrainingError, match="another training is at work"):
                again(home, id)
    (folder / OUTCOME).write_text('{"state": "stopped", "ran": 0}')
    with pytest.raises(TrainingError, match="has no whole epoch yet"):
        finish(home, id)
    (folder / OUTCOME).write_text('{"state": "done", "ran": 3}')
    with pytest.raises(TrainingError, match="cannot go on: it is done"):
        go_on(home, id)
    assert len(started) == 1


def test_a_system_that_starts_nothing_is_told(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*words: object) -> None:
        raise OSError(11, "Resource temporarily unavailable")

    monkeypatch.setattr(starting, "start_process", refuse)
    with pytest.raises(TrainingError, match="could not be started: Resource temporarily unavailable"):
        start_training(home, order())
    (run,) = TrainingRuns(home).all()
    assert (run.state, run.can_go_on) == ("failed", True), "not for minutes one that starts"
    assert "Resource temporarily unavailable" in run.message


class Over:
    """A process that ended with an exit code."""

    def __init__(self, code: int) -> None:
        self.code = code

    def wait(self) -> int:
        return self.code


def test_the_end_of_a_process_says_nothing_about_the_one_after_it(
    home: Path, started: list[list[str]]
) -> None:
    id = start_training(home, order())
    folder = TrainingRuns(home).get(id).folder
    process: Any = Over(130)
    mine = Progress(STARTING, 0, 0, 1, "2026-01-01T00:00:00+00:00")
    later = [replace(mine, updated="2026-01-01T00:01:00+00:00"), replace(mine, stage="Epoch 2")]
    for now_there in later:
        now_there.write(folder)
        starting._await(process, folder, mine)
        assert not (folder / OUTCOME).exists()
        assert Progress.read(folder) == now_there
    mine.write(folder)
    (folder / LOG).write_text("convgate: no such thing\n\n")
    starting._await(process, folder, mine)
    run = TrainingRuns(home).get(id)
    assert (run.state, run.epochs) == ("failed", 1)
    assert run.message == "The training ended with exit code 130: convgate: no such thing"


def test_a_process_that_found_another_at_work_does_not_call_its_run_failed(
    home: Path, started: list[list[str]]
) -> None:
    id = start_training(home, order())
    folder = TrainingRuns(home).get(id).folder
    mine = Progress(STARTING, 0, 0, 0, now())
    mine.write(folder)  # and the one at work, which loads its encoder, has nothing new to report
    process: Any = Over(1)
    with locked(folder):
        starting._await(process, folder, mine)
        assert TrainingRuns(home).get(id).state == "running"
    assert not (folder / OUTCOME).exists()
    shutil.rmtree(folder)
    starting._await(process, folder, mine)
    assert not folder.exists(), "a run that was deleted meanwhile does not come back"


def test_of_two_who_go_on_with_a_run_at_the_same_moment_one_starts_it(
    home: Path, started: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    id = start_training(home, order())
    folder = TrainingRuns(home).get(id).folder
    (folder / OUTCOME).write_text('{"state": "stopped", "ran": 1}')
    seen = starting._resumable(home, id)  # by both, before either starts
    monkeypatch.setattr(starting, "_resumable", lambda home, id: seen)
    go_on(home, id)
    with pytest.raises(TrainingError, match="another training is at work"):
        go_on(home, id)
    assert len(started) == 2


def test_finishing_trains_no_more_not_even_for_the_curve(home: Path, started: list[list[str]]) -> None:
    id = start_training(home, order(learning_curve=True))
    (TrainingRuns(home).get(id).folder / OUTCOME).write_text('{"state": "stopped", "ran": 2}')
    finish(home, id)
    assert started[0][-2:] == ["--learning-curve", "--activate"]
    assert started[1][-3:] == ["--activate", "--epochs", "2"]
    assert "--learning-curve" not in started[1]


# Real processes


def test_what_is_killed_goes_on_to_the_very_weights_of_one_that_outlived_its_starter(
    home: Path, program: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    processes: list[subprocess.Popen[bytes]] = []
    start = starting.start_process

    def noted(*words: Any) -> subprocess.Popen[bytes]:
        processes.append(start(*words))
        return processes[-1]

    monkeypatch.setattr(starting, "start_process", noted)
    whole = until(home, started_by_a_process_that_is_killed(home), "done")
    assert whole.epochs == 3
    assert "epoch   1" in (whole.folder / LOG).read_text()

    program("step:25")  # in the middle of the third epoch
    id = start_training(home, order(name="second"))
    run = until(home, id, "interrupted")
    assert (run.epochs, run.message) == (2, INTERRUPTED)
    program(":")
    go_on(home, id)
    done = until(home, id, "done")
    assert done.version == "second"
    versions = Versions(home)
    weights = versions.get(whole.version or "").card.weights_sha256
    assert versions.get("second").card.weights_sha256 == weights

    for thread in threading.enumerate():
        if thread.name == f"training {id}":
            thread.join(10)
    assert processes
    assert all(process.returncode is not None for process in processes), "reaped: no zombie is left"


def test_killed_while_it_saves_it_has_the_epoch_before_and_can_be_finished_so(
    home: Path, program: Callable[[str], None]
) -> None:
    program("write:3")  # while the second epoch is saved
    id = start_training(home, order(name="second"))
    run = until(home, id, "interrupted")
    assert len(read_record(run.folder).epochs) == run.epochs == 1
    program(":")
    finish(home, id)
    assert until(home, id, "done").epochs == 1
    training = Versions(home).get("second").card.training
    assert training is not None
    assert training.epochs == 1


def test_stopped_it_keeps_its_epochs(home: Path, program: Callable[[str], None]) -> None:
    program("slow:1")
    id = start_training(home, order())
    until(home, id, "running", epochs=1)
    TrainingRuns(home).stop(id)
    run = until(home, id, "stopped")
    assert (run.epochs, run.can_go_on, run.can_finish) == (1, True, True)
    assert Versions(home).names() == ["first"]


def test_a_process_that_cannot_even_begin_is_a_failed_run(home: Path, program: Callable[[str], None]) -> None:
    run = until(home, start_training(home, order(epochs=5000)), "failed")
    assert "exit code 2" in run.message


def started_by_a_process_that_is_killed(home: Path) -> str:
    """The id of a training whose starter is no more."""
    code = f"""
import os, sys
from pathlib import Path
from convgate.training import starting
from tests.planted import planted
from tests.test_training_starting import PROGRAM
real = starting.start_process
starting.start_process = lambda command, output, environment: real(
    [sys.executable, "-c", PROGRAM, *command[3:]], output, environment
)
order = starting.Order("first", planted("my-labels", conversations=16), epochs=3)
print(starting.start_training(Path({str(home)!r}), order), flush=True)
os.kill(os.getpid(), {int(signal.SIGKILL)})
"""
    path = os.pathsep.join([os.environ["PYTHONPATH"], str(CHECKOUT)])
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == -signal.SIGKILL, done.stderr
    return done.stdout.strip()
