"""A run in its folder: it goes on bit by bit, survives a full disk, and is worked on by one at a time."""

from __future__ import annotations

import errno
import json
import os
import signal
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from convgate.training import runs
from convgate.training.episodes import read_episodes
from convgate.training.errors import TrainingError
from convgate.training.runs import (
    LOCK,
    RECORD,
    STATE,
    RunRecord,
    Source,
    check_same,
    go_on,
    locked,
    read_record,
)
from convgate.training.trainer import Trainer
from tests.forked import fork, needs_fork
from tests.planted import QUICK, planted, small_encoder, small_gate

SOURCES = (Source("own", "a" * 64, 8, 48, "CC0", "Ada"),)


def a_trainer(**changes: Any) -> Trainer:
    training = read_episodes(small_gate(), small_encoder(), planted())
    return Trainer(
        small_gate(),
        {"own": training[:6]},
        {"own": training[6:]},
        replace(QUICK, **{"episodes": 8, "cases": 4, **changes}),
    )


def a_record(trainer: Trainer, *, parent: str | None = "first") -> RunRecord:
    return RunRecord.begun(trainer.gate.config, trainer.settings, SOURCES, parent=parent)


def run_of(folder: Path, *, epochs: int = 1) -> tuple[Trainer, RunRecord]:
    """A run that was saved after each of its epochs."""
    trainer = a_trainer()
    record = a_record(trainer)
    for _ in range(epochs):
        trainer.epoch()
        record = runs.save(folder, record, trainer)
    return trainer, record


def edit(folder: Path, change: Callable[[dict[str, Any]], object]) -> None:
    """Change the record by hand."""
    values = json.loads((folder / RECORD).read_text())
    change(values)
    (folder / RECORD).write_text(json.dumps(values))


# Going on


@pytest.mark.parametrize("epochs", [1, 2])
def test_a_run_goes_on_from_its_files_as_if_nothing_had_happened(tmp_path: Path, epochs: int) -> None:
    whole, resumed = a_trainer(), a_trainer()
    whole.run()
    run_of(tmp_path, epochs=epochs)
    go_on(tmp_path, read_record(tmp_path), resumed)
    assert len(resumed.history) == epochs
    resumed.run()
    assert resumed.history == whole.history
    expected, found = whole.state(), resumed.state()
    assert found.keys() == expected.keys()
    for name, tensor in expected.items():
        assert found[name].dtype == tensor.dtype
        assert torch.equal(found[name], tensor), name


def test_a_record_comes_back_as_it_was(tmp_path: Path) -> None:
    trainer, record = run_of(tmp_path, epochs=2)
    back = read_record(tmp_path)
    assert back == replace(record, epochs=tuple(trainer.history))
    assert back.sources == SOURCES
    assert back.libraries["torch"].startswith("2.")
    assert back.started.endswith("+00:00")


def test_only_the_newest_state_stays_and_what_a_kill_left_is_swept(tmp_path: Path) -> None:
    (tmp_path / ".0123456789abcdef.partial").write_bytes(b"half")
    (tmp_path / "mine.txt").write_text("mine")
    _, record = run_of(tmp_path, epochs=3)
    names = {path.name for path in tmp_path.iterdir()}
    assert names == {RECORD, f"{record.state_sha256[:16]}.{STATE}", "mine.txt"}


def test_a_run_is_not_gone_on_with_as_another(tmp_path: Path) -> None:
    trainer, begun = run_of(tmp_path)
    check_same(begun, a_record(trainer), tmp_path)
    other = replace(SOURCES[0], sha256="b" * 64)
    for wanted, told in [
        (a_record(trainer, parent="second"), "begun with parent first, not second;"),
        (a_record(a_trainer(seed=3, learning_rate=0.05)), "learning_rate 0.02, not 0.05, seed 0, not 3;"),
        (replace(a_record(trainer), sources=(other,)), "set own aaaaaaaaaaaa, not bbbbbbbbbbbb;"),
        (replace(a_record(trainer), sources=()), "set own aaaaaaaaaaaa, which is missing now;"),
        (
            replace(a_record(trainer), config=small_gate(preset="reference").config),
            "preset full, not reference",
        ),
        (
            replace(a_record(trainer), config=replace(trainer.gate.config, encoder=None)),
            "encoder model fake-words, which is missing now",
        ),
    ]:
        with pytest.raises(TrainingError, match=told) as raised:
            check_same(begun, wanted, tmp_path)
        assert str(tmp_path) in str(raised.value)


def test_fewer_epochs_than_have_run_end_a_run_and_more_are_another(tmp_path: Path) -> None:
    _, begun = run_of(tmp_path, epochs=2)
    for epochs in (1, 2):
        check_same(begun, a_record(a_trainer(epochs=epochs)), tmp_path)
    for epochs in (4, 30):
        with pytest.raises(TrainingError, match=f"epochs 3, not {epochs};"):
            check_same(begun, a_record(a_trainer(epochs=epochs)), tmp_path)


# Records and states that are not as they were


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda values: values.pop("settings"), "field settings is missing"),
        (lambda values: values.update(more=1), "field more is unknown"),
        (lambda values: values.update(state_sha256=7), "field state_sha256: "),
        (lambda values: values.update(state_sha256="../../elsewhere"), "field state_sha256: "),
        (lambda values: values.update(seconds="long"), "field seconds: "),
        (lambda values: values.update(epochs=None), "field epochs: "),
        (lambda values: values["epochs"][0].update(loss="small"), r"field epochs\.0\.loss: "),
        (lambda values: values["epochs"][0].pop("best"), r"field epochs\.0\.best is missing"),
        (lambda values: values["settings"].update(epochs=0), "epochs must be from 1 to 1000; got 0"),
        (lambda values: values["settings"].update(epochs="many"), r"field settings\.epochs: "),
        (lambda values: values["config"].update(preset="huge"), "preset must be one of"),
        (lambda values: values["sources"][0].update(sha256="?"), r"field sources\.0\.sha256: "),
    ],
)
def test_a_record_edited_by_hand_is_refused_with_the_field(
    tmp_path: Path, change: Callable[[dict[str, Any]], object], told: str
) -> None:
    run_of(tmp_path)
    edit(tmp_path, change)
    with pytest.raises(TrainingError, match=told) as raised:
        read_record(tmp_path)
    assert str(tmp_path) in str(raised.value)
    assert "name another folder" in str(raised.value)


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"null", b"\xff\xfe", b'"run"'])
def test_what_is_no_record_is_told(tmp_path: Path, content: bytes) -> None:
    (tmp_path / RECORD).write_bytes(content)
    with pytest.raises(TrainingError, match=r"run\.json"):
        read_record(tmp_path)


def test_a_folder_without_a_run_is_told(tmp_path: Path) -> None:
    with pytest.raises(TrainingError, match="there is no run to go on with in"):
        read_record(tmp_path)


def test_a_record_that_lost_an_epoch_does_not_fit_its_state(tmp_path: Path) -> None:
    run_of(tmp_path, epochs=2)
    edit(tmp_path, lambda values: values["epochs"].pop())
    with pytest.raises(TrainingError, match="ran 2 epochs, but its record has 1"):
        go_on(tmp_path, read_record(tmp_path), a_trainer())


@pytest.mark.parametrize("damage", ["gone", "short", "changed", "other"])
def test_a_state_that_is_not_the_records_is_told(tmp_path: Path, damage: str) -> None:
    _, record = run_of(tmp_path)
    state = tmp_path / f"{record.state_sha256[:16]}.{STATE}"
    content = state.read_bytes()
    if damage == "gone":
        state.unlink()
    elif damage == "short":
        state.write_bytes(content[:-100])
    elif damage == "changed":
        state.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    else:
        edit(tmp_path, lambda values: values.update(state_sha256="c" * 64))
    trainer = a_trainer()
    with pytest.raises(TrainingError, match=r"cannot be read|was changed or damaged"):
        go_on(tmp_path, read_record(tmp_path), trainer)
    assert trainer.history == []


# A full disk


@pytest.mark.parametrize("file", [STATE, RECORD])
def test_a_full_disk_leaves_the_epoch_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, file: str
) -> None:
    trainer, record = run_of(tmp_path)
    write_whole = runs.write_whole

    def full(path: Path, content: bytes, *, private: bool) -> None:
        if path.name.endswith(file):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        write_whole(path, content, private=private)

    trainer.epoch()
    with monkeypatch.context() as patch:
        patch.setattr(runs, "write_whole", full)
        with pytest.raises(TrainingError, match=r"cannot be saved in .*: No space left on device"):
            runs.save(tmp_path, record, trainer)
    resumed = a_trainer()
    go_on(tmp_path, read_record(tmp_path), resumed)
    assert resumed.history == trainer.history[:1]
    runs.save(tmp_path, record, trainer)
    assert len(read_record(tmp_path).epochs) == 2


# The lock


def test_a_second_training_in_the_folder_is_refused_until_the_first_is_done(tmp_path: Path) -> None:
    folder = tmp_path / "runs" / "one"
    with locked(folder):
        with pytest.raises(TrainingError, match="another training is at work in") as raised, locked(folder):
            pytest.fail("two at once")
        assert str(folder) in str(raised.value)
        with locked(tmp_path / "runs" / "two"):
            pass
    with locked(folder):
        pass


def test_a_training_that_fails_gives_the_folder_free(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt), locked(tmp_path):
        raise KeyboardInterrupt
    with locked(tmp_path):
        pass


def test_of_many_that_come_at_once_one_gets_the_folder(tmp_path: Path) -> None:
    together, done = threading.Barrier(8), threading.Event()
    won: list[int] = []
    lost: list[int] = []

    def come(number: int) -> None:
        together.wait()
        try:
            with locked(tmp_path):
                won.append(number)
                done.wait(10)
        except TrainingError:
            lost.append(number)
        if len(lost) == 7:
            done.set()

    threads = [threading.Thread(target=come, args=[number]) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(won), len(lost)) == (1, 7)


@needs_fork
def test_the_lock_of_a_process_that_is_killed_is_none(tmp_path: Path) -> None:
    held = tmp_path / "held"

    def hold() -> None:
        with locked(tmp_path):
            held.touch()
            time.sleep(60)

    holder = fork(hold)
    for _ in range(500):
        if held.exists():
            break
        time.sleep(0.02)
    with pytest.raises(TrainingError, match="another training"), locked(tmp_path):
        pytest.fail("two at once")
    holder.kill()
    assert holder.wait() == -signal.SIGKILL
    assert (tmp_path / LOCK).exists()
    with locked(tmp_path):
        pass


def test_a_file_that_names_a_process_which_lives_is_no_lock(tmp_path: Path) -> None:
    (tmp_path / LOCK).write_text(str(os.getppid()))  # as after a kill, when the number was given to another
    entered = False
    with locked(tmp_path):
        entered = True
    assert entered


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(TrainingError, match="no run can be kept in"), locked(tmp_path / "file" / "run"):
        pytest.fail("there is no such folder")
