"""A session that is interrupted, killed or out of luck: what is left of it, and that it goes on."""

from __future__ import annotations

import errno
import math
import os
import signal
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from convgate.errors import GateError, TrainingError
from convgate.training import run as run_module
from convgate.training.epochs import Epoch
from convgate.training.run import Run
from convgate.training.sets import Plan
from convgate.training.train import Outcome
from convgate.training.trainer import Trainer
from convgate.versions import Versions, version
from tests import training_program
from tests.forked import fork, needs_fork
from tests.planted import QUICK
from tests.test_training_version import BRIEF, ONCE, Heard, plan, run, trained, untouched, versions, whole

__all__ = ["plan", "run", "untouched", "versions", "whole"]  # fixtures


# Interrupted


class StopError(Exception):
    """Something happens between two epochs."""


@pytest.mark.parametrize("after", [1, 3])
def test_an_interrupted_run_gives_the_version_of_an_uninterrupted_one(
    plan: Plan,
    versions: Versions,
    run: Path,
    untouched: Callable[[], None],
    whole: Outcome,
    after: int,
) -> None:
    plan = replace(plan, settings=BRIEF)

    def stop(epoch: Epoch) -> None:
        if epoch.number == after:
            raise StopError

    with pytest.raises(StopError):
        trained(plan, versions, run, Heard(stop))
    untouched()
    heard = Heard()
    resumed = trained(plan, versions, run, heard)
    assert [epoch.number for epoch in heard.epochs] == list(range(after + 1, 4))
    assert resumed.record.epochs == whole.record.epochs
    assert resumed.version.card.weights_sha256 == whole.version.card.weights_sha256
    assert resumed.verdict == whole.verdict


def test_fewer_epochs_make_a_version_of_what_a_run_has(plan: Plan, versions: Versions, run: Path) -> None:
    plan = replace(plan, settings=BRIEF)

    def stop(epoch: Epoch) -> None:
        if epoch.number == 2:
            raise StopError

    with pytest.raises(StopError):
        trained(plan, versions, run, Heard(stop))
    heard = Heard()
    made = trained(replace(plan, settings=replace(BRIEF, epochs=2)), versions, run, heard)
    assert heard.epochs == []
    assert len(made.record.epochs) == 2
    assert made.record.settings == BRIEF


@needs_fork
@pytest.mark.parametrize(
    ("moment", "epochs"),
    [
        pytest.param("step:6", 1, id="in the middle of the second epoch"),
        pytest.param("write:3", 1, id="while the state of the second is written"),
        pytest.param("write:4", 1, id="between its state and its record"),
        pytest.param("write:8", 3, id="while the version is written"),
    ],
)
def test_a_kill_leaves_a_run_to_go_on_with_and_no_version(
    plan: Plan,
    versions: Versions,
    run: Path,
    whole: Outcome,
    tmp_path: Path,
    moment: str,
    epochs: int,
) -> None:
    plan = replace(plan, settings=BRIEF)

    def train_and_die() -> None:
        training_program.die_when(moment)
        trained(plan, versions, run)

    said = tmp_path / "said.txt"
    assert fork(train_and_die, output=said).wait() == -signal.SIGKILL, said.read_text()
    assert len(Run(run).read_record().epochs) == epochs
    assert versions.names() == ["first"]
    heard = Heard()
    resumed = trained(plan, versions, run, heard)
    assert len(heard.epochs) == 3 - epochs
    assert resumed.version.card.weights_sha256 == whole.version.card.weights_sha256
    assert not [*run.glob(".*.partial"), *versions.root.glob(".*.partial")]


# Losses that are no number, full disks, names that are gone


def test_a_loss_that_is_no_number_keeps_the_best_weights_in_the_run(
    plan: Plan,
    versions: Versions,
    run: Path,
    untouched: Callable[[], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    step = Trainer._step

    def diverges(self: Trainer, losses: list[torch.Tensor], rate: float) -> float:
        if len(self.history) == 2:
            losses[0] = losses[0] * math.nan
        return step(self, losses, rate)

    heard = Heard()
    with monkeypatch.context() as patch:
        patch.setattr(Trainer, "_step", diverges)
        with pytest.raises(TrainingError, match="the loss became nan in epoch 3"):
            trained(plan, versions, run, heard)
        untouched()
        assert [epoch.number for epoch in heard.epochs] == [1, 2]
        made = trained(replace(plan, settings=replace(QUICK, epochs=2)), versions, run, name="saved")
    assert made.record.epochs == tuple(heard.epochs)
    assert made.verdict is not None
    assert made.verdict.better


def full(path: Path, content: bytes, *, private: bool) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_a_disk_that_is_full_for_the_run_leaves_its_last_epoch(
    plan: Plan,
    versions: Versions,
    run: Path,
    untouched: Callable[[], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    plan = replace(plan, settings=BRIEF)
    with monkeypatch.context() as patch:
        fill = Heard(lambda epoch: patch.setattr(run_module, "write_whole", full))
        with pytest.raises(TrainingError, match="No space left on device"):
            trained(plan, versions, run, fill)
    untouched()
    assert len(Run(run).read_record().epochs) == 1
    assert len(trained(plan, versions, run).record.epochs) == 3


def test_a_disk_that_is_full_for_the_version_leaves_the_run_and_what_is_active(
    plan: Plan,
    versions: Versions,
    run: Path,
    untouched: Callable[[], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    plan = replace(plan, settings=ONCE)
    with monkeypatch.context() as patch:
        patch.setattr(version, "write_whole", full)
        with pytest.raises(
            GateError, match=r"cannot be written: .*No space left on device; nothing was kept"
        ):
            trained(plan, versions, run, name="second")
    untouched()
    heard = Heard()
    assert trained(plan, versions, run, heard, name="second").version.name == "second"
    assert heard.epochs == []


def test_of_two_trainings_at_once_the_first_gets_the_name_and_the_other_keeps_its_run(
    plan: Plan, versions: Versions, run: Path
) -> None:
    plan = replace(plan, settings=BRIEF)

    def overtake(epoch: Epoch) -> None:
        if epoch.number == 2:
            trained(
                replace(plan, settings=replace(BRIEF, seed=9)),
                versions,
                run.with_name("other"),
                name="second",
            )

    with pytest.raises(GateError, match="second"):
        trained(plan, versions, run, Heard(overtake), name="second")
    first = versions.get("second").card
    assert first.training is not None
    assert first.training.seed == 9
    heard = Heard()
    assert trained(plan, versions, run, heard, name="third").version.name == "third"
    assert heard.epochs == []
    assert versions.get("second").card == first
