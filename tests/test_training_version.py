"""From files to a version: training data, interruptions, a full disk."""

from __future__ import annotations

import errno
import math
import os
import signal
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from convgate.core.errors import GateError, TrainingError
from convgate.training.epochs import Epoch
from convgate.training.run import Run
from convgate.training.sets import Plan
from convgate.training.train import HELD_OUT, TrainingOutcome, train_version
from convgate.training.trainer import Trainer
from convgate.versions import Draft, Versions, version
from convgate.versions.card import DataSet
from tests import training_program
from tests.fakes import FakeEncoder
from tests.planted_sets import QUICK, add_first, small_encoder, small_gate, write_planted_set
from tests.processes import fork, needs_fork


class RecordingListener:
    """A listener that remembers, and does something after an epoch."""

    def __init__(self, after: Callable[[Epoch], object] = lambda epoch: None) -> None:
        self.stages: list[str] = []
        self.epochs: list[Epoch] = []
        self.after = after

    def progress(self, stage: str, done: int, total: int) -> None:
        assert 0 <= done <= total
        self.stages += [stage] * (stage not in self.stages)

    def epoch(self, epoch: Epoch) -> None:
        self.epochs.append(epoch)
        self.after(epoch)


@pytest.fixture
def versions(versions: Versions) -> Versions:
    return add_first(versions)


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return tmp_path / "runs" / "one"


@pytest.fixture
def plan(tmp_path: Path) -> Plan:
    return Plan((write_planted_set(tmp_path, conversations=30),), QUICK, parent="first")


BRIEF = replace(QUICK, episodes=8, cases=4)
"""4 steps an epoch, for what needs no gate that learned much."""
ONCE = replace(BRIEF, epochs=1)


def trained(
    plan: Plan, versions: Versions, run: Path, listener: RecordingListener | None = None, **named: Any
) -> TrainingOutcome:
    named.setdefault("encoder", small_encoder())
    heard = listener or RecordingListener()
    return train_version(
        plan, versions=versions, run=Run(run), progress=heard.progress, on_epoch=heard.epoch, **named
    )


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory: pytest.TempPathFactory) -> TrainingOutcome:
    """What the plan comes to with brief settings when nothing interrupts it."""
    folder = tmp_path_factory.mktemp("whole")
    versions = add_first(Versions(folder / "home"))
    file = write_planted_set(folder, conversations=30)
    return trained(Plan((file,), BRIEF, parent="first"), versions, folder / "run")


@pytest.fixture
def untouched(versions: Versions) -> Callable[[], None]:
    """Checks that there is the first version alone, active, and as it was."""
    digest = versions.get("first").card.weights_sha256

    def check() -> None:
        assert versions.names() == ["first"]
        assert versions.active == "first"
        assert versions.get("first").card.weights_sha256 == digest
        versions.get("first").load()
        assert {path.name for path in versions.root.iterdir() if path.is_dir()} == {"first"}

    return check


# What comes out


def test_a_child_does_better_than_its_parent_and_its_card_tells_how(
    plan: Plan, versions: Versions, run: Path
) -> None:
    heard = RecordingListener()
    outcome = trained(plan, versions, run, heard, name="second", note="Better.", who="Ada")
    assert outcome.verdict.better
    card = versions.get("second").card
    assert card.parent == versions.get("first").as_parent()
    assert (card.note, card.who, card.threshold_rule) == ("Better.", "Ada", "absolute")
    assert card.learned_threshold == pytest.approx(outcome.threshold)
    (data,) = card.data
    assert (data.name, dict(data.counts)) == ("own", {"conversations": 30, "cases": 180})
    assert data.sha256 == outcome.record.data[0].sha256
    assert card.training.epochs == len(heard.epochs) == 3
    assert card.training.curves["loss"] == tuple(epoch.loss for epoch in heard.epochs)
    assert card.training.config["learning_rate"] == 0.02
    measured = card.metrics[HELD_OUT]
    assert measured.cases == outcome.verdict.cases
    assert measured.metrics["missed"].value == outcome.verdict.misses.missed_after < 0.1
    assert measured.metrics["f1"].value > 0.9
    assert heard.stages[-2:] == ["Comparing with the parent", "Saving the version"]
    assert versions.active == "first", "whether it is used is for others to say"


def test_a_child_carries_the_data_of_its_parents_and_decides_as_they_do(
    plan: Plan, versions: Versions, run: Path
) -> None:
    before = DataSet("before", "b" * 64, {"cases": 3}, "CC-BY-4.0", "Ada et al.")
    draft = Draft(threshold_rule="anchored", threshold_parameters={"anchor": 0.6}, data=(before,))
    versions.add(small_gate(), draft, name="parent")
    trained(replace(plan, parent="parent", settings=ONCE), versions, run, name="child")
    card = versions.get("child").card
    assert [one.name for one in card.data] == ["before", "own"]
    assert card.data[0] == before
    assert (card.threshold_rule, dict(card.threshold_parameters)) == ("anchored", {"anchor": 0.6})


def test_the_same_plan_gives_the_same_weights(
    plan: Plan, versions: Versions, run: Path, uninterrupted: TrainingOutcome
) -> None:
    same = trained(replace(plan, settings=BRIEF), versions, run)
    other = trained(replace(plan, settings=replace(ONCE, seed=1)), versions, run.with_name("other"))
    assert same.version.card.weights_sha256 == uninterrupted.version.card.weights_sha256
    assert other.version.card.weights_sha256 != uninterrupted.version.card.weights_sha256
    assert same.threshold == uninterrupted.threshold


# Refused before anything is read


def test_invalid_arguments_are_refused_before_anything_is_encoded(
    plan: Plan, versions: Versions, run: Path, untouched: Callable[[], None]
) -> None:
    encoder, other = small_encoder(), FakeEncoder(16, model="another")
    for named, change, message in [
        ({"encoder": other}, {}, "another@1"),
        ({"encoder": FakeEncoder(8)}, {}, "8 dimensions"),
        ({"name": "first"}, {}, "first"),
        ({"name": "../out"}, {}, "out"),
        ({"name": "shipped"}, {}, "shipped"),
        ({}, {"parent": "second"}, "second"),
    ]:
        used = named.get("encoder", encoder)
        with pytest.raises(GateError, match=message):
            trained(replace(plan, **change), versions, run, **{"encoder": used, **named})
        assert isinstance(used, FakeEncoder)
        assert used.texts == []
    untouched()


# Interrupted


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
    uninterrupted: TrainingOutcome,
    tmp_path: Path,
    moment: str,
    epochs: int,
) -> None:
    plan = replace(plan, settings=BRIEF)

    def train_and_die() -> None:
        training_program.die_when(moment)
        trained(plan, versions, run)

    stderr_file = tmp_path / "said.txt"
    assert fork(train_and_die, output=stderr_file).wait() == -signal.SIGKILL, stderr_file.read_text()
    assert len(Run(run).read_record().epochs) == epochs
    assert versions.names() == ["first"]
    heard = RecordingListener()
    resumed = trained(plan, versions, run, heard)
    assert [epoch.number for epoch in heard.epochs] == list(range(epochs + 1, 4))
    assert resumed.record.epochs == uninterrupted.record.epochs
    assert resumed.verdict == uninterrupted.verdict
    assert resumed.version.card.weights_sha256 == uninterrupted.version.card.weights_sha256
    assert not [*run.glob(".*.partial"), *versions.root.glob(".*.partial")]


# Losses that are no number, full disks, names that are gone


def test_a_loss_that_is_no_number_keeps_the_best_weights_in_the_run(
    plan: Plan, versions: Versions, run: Path, untouched: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    step = Trainer._step

    def diverges(self: Trainer, losses: list[torch.Tensor], rate: float) -> float:
        if len(self.history) == 2:
            losses[0] = losses[0] * math.nan
        return step(self, losses, rate)

    heard = RecordingListener()
    with monkeypatch.context() as patch:
        patch.setattr(Trainer, "_step", diverges)
        with pytest.raises(TrainingError):
            trained(plan, versions, run, heard)
        untouched()
        assert [epoch.number for epoch in heard.epochs] == [1, 2]
        outcome = trained(replace(plan, settings=replace(QUICK, epochs=2)), versions, run, name="saved")
    assert outcome.record.epochs == tuple(heard.epochs)
    assert outcome.verdict.better


def full(path: Path, content: bytes, *, private: bool) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_a_disk_that_is_full_for_the_version_leaves_the_run_and_what_is_active(
    plan: Plan, versions: Versions, run: Path, untouched: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = replace(plan, settings=ONCE)
    with monkeypatch.context() as patch:
        patch.setattr(version, "write_whole", full)
        with pytest.raises(GateError):
            trained(plan, versions, run, name="second")
    untouched()
    heard = RecordingListener()
    assert trained(plan, versions, run, heard, name="second").version.name == "second"
    assert heard.epochs == []
