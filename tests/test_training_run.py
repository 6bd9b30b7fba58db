"""The folder of a run: state, record, lock, progress."""

from __future__ import annotations

import errno
import json
import os
import signal
import time
from collections.abc import Callable
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any, get_args

import pytest
import torch

from convgate.core.errors import TrainingError
from convgate.training import progress
from convgate.training import run as run_module
from convgate.training.episodes import read_episodes
from convgate.training.records import Ended, RunRecord, RunRequest, Status
from convgate.training.run import LOCK, RECORD, STATE, STATUS, STOP, Run, Runs
from convgate.training.trainer import Trainer
from convgate.versions import DataSet
from tests.planted_sets import QUICK, make_relevance_set, small_encoder, small_gate, write_record
from tests.processes import fork, needs_fork

DATA = (DataSet("own", "a" * 64, {"conversations": 8, "cases": 48}, "CC0", "Ada"),)


@pytest.fixture
def run(convgate_home: Path) -> Run:
    folder = convgate_home / "runs" / "one"
    folder.mkdir(parents=True)
    return Run(folder)


def reload(run: Run) -> Run:
    """The run as it is now."""
    return Runs(run.folder.parent.parent).get(run.id)


def request(**changes: Any) -> RunRequest:
    words = ("train", "--from", "first", "--epochs", "8")
    return RunRequest(**{"arguments": words, "parent": "first", "sets": ("own",), **changes})


def make_trainer(*, preset: str = "full", **changes: Any) -> Trainer:
    gate = small_gate(preset=preset)
    training = read_episodes(gate, small_encoder(), make_relevance_set())
    return Trainer(
        gate,
        {"own": training[:6]},
        {"own": training[6:]},
        replace(QUICK, **{"episodes": 8, "cases": 4, **changes}),
    )


def make_record(trainer: Trainer, *, parent: str | None = "first") -> RunRecord:
    return RunRecord.new(trainer.gate.config, trainer.settings, DATA, parent=parent)


def save_epochs(run: Run, *, epochs: int = 1, preset: str = "full") -> tuple[Trainer, RunRecord]:
    """A trainer and its record, saved after each of its epochs."""
    trainer = make_trainer(preset=preset)
    record = make_record(trainer)
    for _ in range(epochs):
        trainer.epoch()
        record = run.save(record, trainer)
    return trainer, record


def edit(run: Run, change: Callable[[dict[str, Any]], object]) -> None:
    values = json.loads((run.folder / RECORD).read_text())
    change(values)
    (run.folder / RECORD).write_text(json.dumps(values))


# Resuming


@pytest.mark.parametrize("preset", ["full", "reference"])
@pytest.mark.parametrize("epochs", [1, 2])
def test_a_run_resumes_from_its_files_as_if_nothing_had_happened(run: Run, epochs: int, preset: str) -> None:
    whole, resumed = make_trainer(preset=preset), make_trainer(preset=preset)
    whole.run()
    save_epochs(run, epochs=epochs, preset=preset)
    run.resume(make_record(resumed), resumed)
    assert len(resumed.history) == epochs
    resumed.run()
    assert resumed.history == whole.history
    expected, resumed_state = whole.state(), resumed.state()
    assert resumed_state.keys() == expected.keys()
    for name, tensor in expected.items():
        assert resumed_state[name].dtype == tensor.dtype, name
        assert torch.equal(resumed_state[name], tensor), name


def test_only_the_newest_state_stays_and_what_a_kill_left_is_swept(run: Run) -> None:
    (run.folder / ".0123456789abcdef.partial").write_bytes(b"half")
    (run.folder / "mine.txt").write_text("mine")
    trainer, record = save_epochs(run, epochs=3)
    names = {path.name for path in run.folder.iterdir()}
    assert names == {RECORD, f"{record.state_sha256[:16]}.{STATE}", "mine.txt"}
    assert run.read_record() == replace(record, epochs=tuple(trainer.history))


def test_a_run_is_not_resumed_with_another_plan(run: Run) -> None:
    trainer, _ = save_epochs(run)
    other = replace(DATA[0], sha256="b" * 64)
    for wanted, names in [
        (make_record(trainer, parent="second"), ["parent"]),
        (make_record(make_trainer(seed=3, learning_rate=0.05)), ["learning_rate", "seed"]),
        (replace(make_record(trainer), data=(other,)), ["set own"]),
        (replace(make_record(trainer), data=()), ["set own"]),
        (replace(make_record(trainer), config=small_gate(preset="reference").config), ["preset"]),
        (replace(make_record(trainer), config=replace(trainer.gate.config, encoder=None)), ["encoder model"]),
    ]:
        with pytest.raises(TrainingError) as raised:
            run.resume(wanted, make_trainer())
        assert all(f"{name} (" in str(raised.value) for name in names)


@pytest.mark.parametrize(
    "change",
    [
        lambda values: values.pop("settings"),
        lambda values: values.update(more=1),
        lambda values: values.update(state_sha256="../../elsewhere"),
        lambda values: values["epochs"][0].update(loss="small"),
        lambda values: values["settings"].update(epochs=0),
        lambda values: values["config"].update(preset="huge"),
        lambda values: values["data"][0].update(sha256="?"),
    ],
)
def test_a_record_edited_by_hand_is_refused_with_the_field(
    run: Run, change: Callable[[dict[str, Any]], object]
) -> None:
    save_epochs(run)
    edit(run, change)
    with pytest.raises(TrainingError):
        run.read_record()


@pytest.mark.parametrize("damage", ["missing", "short", "changed", "other", "epoch"])
def test_a_state_that_is_not_the_records_is_refused(run: Run, damage: str) -> None:
    _, record = save_epochs(run, epochs=2)
    state = run.folder / f"{record.state_sha256[:16]}.{STATE}"
    content = state.read_bytes()
    if damage == "missing":
        state.unlink()
    elif damage == "short":
        state.write_bytes(content[:-100])
    elif damage == "changed":
        state.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    elif damage == "other":
        edit(run, lambda values: values.update(state_sha256="c" * 64))
    else:
        edit(run, lambda values: values["epochs"].pop())
    trainer = make_trainer()
    with pytest.raises(TrainingError):
        run.resume(make_record(trainer), trainer)
    assert trainer.history == []


@pytest.mark.parametrize("file", [STATE, RECORD])
def test_a_full_disk_leaves_the_epoch_before(run: Run, monkeypatch: pytest.MonkeyPatch, file: str) -> None:
    trainer, record = save_epochs(run)
    write_whole = run_module.write_whole

    def full(path: Path, content: bytes, *, private: bool) -> None:
        if path.name.endswith(file):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        write_whole(path, content, private=private)

    trainer.epoch()
    with monkeypatch.context() as patch:
        patch.setattr(run_module, "write_whole", full)
        with pytest.raises(TrainingError, match="No space left on device"):
            run.save(record, trainer)
    resumed = make_trainer()
    run.resume(record, resumed)
    assert resumed.history == trainer.history[:1]
    run.save(record, trainer)
    assert len(run.read_record().epochs) == 2


# The lock


@needs_fork
def test_a_killed_process_releases_its_lock(run: Run) -> None:
    held = run.folder / "held"

    def hold() -> None:
        with run.lock():
            held.touch()
            time.sleep(60)

    holder = fork(hold)
    for _ in range(500):
        if held.exists():
            break
        time.sleep(0.02)
    with pytest.raises(TrainingError, match="another training"), run.lock():
        pytest.fail("two at once")
    holder.kill()
    assert holder.wait() == -signal.SIGKILL
    assert (run.folder / LOCK).exists()
    with run.lock():
        pass


def test_the_share_that_is_done_never_goes_back_and_tells_how_long_it_takes(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = count(100.0, 5.0)
    monkeypatch.setattr(progress, "monotonic", lambda: next(clock))
    shares, left = [], []

    def note(*_: object) -> None:
        status = reload(run).status
        assert status is not None
        shares.append(status.share)
        left.append(status.seconds_left)

    reporter = progress.Reporter(run, note)
    for name in ("labels", "samples"):
        for done in range(3):
            reporter(f"Reading {name}", done, 2)
    reporter.expect([10, 10])
    for part, epochs in ((0, 2), (1, 4)):  # the first stops early, after two of at most four
        for before in range(epochs):
            for done in range(1, 6):
                reporter.train(part, before, 4, f"Part {part}", done, 5)
    reporter("Saving the version", 0, 0)
    assert shares == sorted(shares)
    assert shares[5] == 0.05 < shares[6] < shares[15] < 0.5 < shares[16] < shares[-1] == 0.95
    known = [seconds for seconds in left if seconds is not None]
    assert left[:8] == [None] * 8
    assert known[0] > known[len(known) // 2] > known[-1] == 0


# The list of runs


def test_the_state_follows_from_the_folder(run: Run) -> None:
    run.write_status(Status("Epoch 3"))
    write_record(run, epochs=2)
    assert not reload(run).can_resume, "nothing says how it was started"
    run.write_request(request())
    now = reload(run)
    assert (now.state, now.can_resume, now.can_finish, now.epochs) == ("interrupted", True, True, 2)
    with run.lock():
        assert reload(run).state == "running"
        Runs(run.folder.parent.parent).stop(run.id)
        assert reload(run).state == "stopping"
        assert not reload(run).can_resume
    (run.folder / STOP).unlink()
    (run.folder / RECORD).unlink()
    all_ends: tuple[Ended, ...] = get_args(Ended)
    for ended in all_ends:
        run.write_status(Status(ended=ended, result={"message": "so"}))
        assert (reload(run).state, reload(run).message) == (ended, "so")
        assert (reload(run).can_resume, reload(run).can_finish) == (ended != "done", False)
    (run.folder / STATUS).write_text("{")
    assert reload(run).state == "interrupted"
