"""From files to a version: what is trained on what, and what is left when something goes wrong."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from convgate.errors import GateError, TrainingError, TranscriptError
from convgate.gate.full import FullTiers
from convgate.training import train
from convgate.training.comparison import compare_gates
from convgate.training.epochs import Epoch
from convgate.training.run import RECORD, Run
from convgate.training.sets import Plan
from convgate.training.train import HELD_OUT, Outcome, train_version
from convgate.training.trainer import Trainer
from convgate.transcripts.relevance_sets import write_relevance_set
from convgate.versions import Draft, Versions
from convgate.versions.card import DataSet
from tests.fakes import FakeEncoder
from tests.planted import QUICK, planted, planted_file, small_encoder, small_gate, with_cases


class Heard:
    """A listener that remembers, and does something after an epoch."""

    def __init__(self, after: Callable[[Epoch], object] = lambda epoch: None) -> None:
        self.stages: list[str] = []
        self.epochs: list[Epoch] = []
        self.after = after

    def stage(self, name: str) -> None:
        self.stages.append(name)

    def progress(self, done: int, total: int) -> None:
        assert 0 <= done <= total

    def epoch(self, epoch: Epoch) -> None:
        self.epochs.append(epoch)
        self.after(epoch)


@pytest.fixture
def versions(tmp_path: Path) -> Versions:
    """One version, `first`, which is untrained and active."""
    made = Versions(tmp_path / "home")
    made.add(small_gate(), Draft(threshold_rule="absolute"), name="first")
    made.activate("first", who="Ada")
    return made


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return tmp_path / "runs" / "one"


@pytest.fixture
def plan(tmp_path: Path) -> Plan:
    return Plan((planted_file(tmp_path, conversations=16),), QUICK, parent="first")


BRIEF = replace(QUICK, episodes=8, cases=4)
"""4 steps an epoch, for what needs no gate that learned much."""
ONCE = replace(BRIEF, epochs=1)


def trained(
    plan: Plan, versions: Versions, run: Path, listener: Heard | None = None, **named: Any
) -> Outcome:
    named.setdefault("encoder", small_encoder())
    return train_version(plan, versions=versions, run=Run(run), listener=listener or Heard(), **named)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    """What the plan comes to with brief settings when nothing interrupts it."""
    folder = tmp_path_factory.mktemp("whole")
    versions = Versions(folder / "home")
    versions.add(small_gate(), Draft(threshold_rule="absolute"), name="first")
    file = planted_file(folder, conversations=16)
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
    heard = Heard()
    made = trained(plan, versions, run, heard, name="second", note="Better.", who="Ada")
    assert made.verdict is not None
    assert made.verdict.better
    assert made.verdict.child_f1 > 0.9
    card = versions.get("second").card
    assert card.parent == versions.get("first").as_parent()
    assert (card.note, card.who, card.threshold_rule) == ("Better.", "Ada", "absolute")
    assert card.learned_threshold == pytest.approx(made.threshold)
    (data,) = card.data
    assert (data.name, dict(data.counts)) == ("own", {"conversations": 16, "cases": 96})
    assert data.sha256 == made.record.sources[0].sha256
    assert card.training is not None
    assert card.training.epochs == len(heard.epochs) == 3
    assert card.training.curves["loss"] == tuple(epoch.loss for epoch in heard.epochs)
    assert card.training.config["learning_rate"] == 0.02
    measured = card.metrics[HELD_OUT]
    assert (measured.cases, measured.metrics["f1"].value) == (made.verdict.cases, made.verdict.child_f1)
    assert heard.stages[-2:] == ["Comparing with the parent", "Saving the version"]
    assert versions.active == "first", "whether it is used is for others to say"


def test_a_child_carries_the_data_of_its_parents_and_decides_as_they_do(
    plan: Plan, versions: Versions, run: Path
) -> None:
    before = DataSet("before", "b" * 64, {"cases": 3}, "CC-BY-4.0", "Ada et al.")
    made = Draft(threshold_rule="anchored", threshold_parameters={"anchor": 0.6}, data=(before,))
    versions.add(small_gate(), made, name="parent")
    trained(replace(plan, parent="parent", settings=ONCE), versions, run, name="child")
    card = versions.get("child").card
    assert [one.name for one in card.data] == ["before", "own"]
    assert card.data[0] == before
    assert (card.threshold_rule, dict(card.threshold_parameters)) == ("anchored", {"anchor": 0.6})


@pytest.mark.parametrize(
    ("rule", "childs"), [("calibrated", "expected"), ("absolute", "expected"), ("anchored", "anchored")]
)
def test_a_threshold_that_was_set_for_the_parent_is_not_the_childs(
    plan: Plan, versions: Versions, run: Path, rule: str, childs: str
) -> None:
    versions.add(
        small_gate(), Draft(threshold_rule=rule, threshold_parameters={"threshold": 0.9}), name="parent"
    )
    trained(replace(plan, parent="parent", settings=ONCE), versions, run, name="child")
    card = versions.get("child").card
    assert (card.threshold_rule, dict(card.threshold_parameters)) == (childs, {})


def test_a_tuned_anchor_stays_when_the_threshold_beside_it_goes(
    plan: Plan, versions: Versions, run: Path
) -> None:
    tuned = {"anchor": 0.7, "threshold": 0.3, "goal": "recall 0.90", "fitted_on": "my labels"}
    versions.add(small_gate(), Draft(threshold_rule="anchored", threshold_parameters=tuned), name="parent")
    trained(replace(plan, parent="parent", settings=ONCE), versions, run, name="child")
    assert dict(versions.get("child").card.threshold_parameters) == {"anchor": 0.7}


def test_a_child_keeps_what_its_parent_measured(plan: Plan, versions: Versions, run: Path) -> None:
    gate = small_gate()
    assert isinstance(gate.tiers, FullTiers)
    gate.tiers.standardise.usual.fill_(0.25)
    gate.tiers.whitening.mean.fill_(0.01)
    versions.add(gate, Draft(), name="measured")
    trained(replace(plan, parent="measured", settings=ONCE), versions, run, name="child")
    tiers = versions.get("child").load().tiers
    assert isinstance(tiers, FullTiers)
    assert torch.equal(tiers.standardise.usual, gate.tiers.standardise.usual)
    assert torch.equal(tiers.whitening.mean, gate.tiers.whitening.mean)


def test_no_conversation_has_two_uses(
    plan: Plan, versions: Versions, run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    uses: list[set[str]] = []

    def conversations(sets: Any) -> set[str]:
        return {episode.conversation for episodes in sets.values() for episode in episodes}

    def trainer(gate: Any, training: Any, validation: Any, settings: Any, **how: Any) -> Trainer:
        uses.extend(map(conversations, (training, validation)))
        return Trainer(gate, training, validation, settings, **how)

    def comparing(parent: Any, child: Any, sets: Any, **how: Any) -> Any:
        uses.append(conversations(sets))
        return compare_gates(parent, child, sets, **how)

    monkeypatch.setattr(train, "Trainer", trainer)
    monkeypatch.setattr(train, "compare_gates", comparing)
    trained(replace(plan, settings=ONCE), versions, run)
    training, validation, compared = uses
    assert len(training) + len(validation) + len(compared) == 16
    assert len(training | validation | compared) == 16
    assert min(map(len, uses)) >= 1


def test_the_same_plan_gives_the_same_weights(
    plan: Plan, versions: Versions, run: Path, whole: Outcome
) -> None:
    same = trained(replace(plan, settings=BRIEF), versions, run)
    other = trained(replace(plan, settings=replace(ONCE, seed=1)), versions, run.with_name("other"))
    assert same.version.card.weights_sha256 == whole.version.card.weights_sha256
    assert other.version.card.weights_sha256 != whole.version.card.weights_sha256
    assert same.threshold == whole.threshold


# Sets that little or nothing can be learned from


def test_one_conversation_is_trained_on_but_not_compared_on(
    tmp_path: Path, versions: Versions, run: Path
) -> None:
    made = trained(Plan((planted_file(tmp_path, conversations=1),), ONCE, parent="first"), versions, run)
    assert made.verdict is None
    assert 0.2 <= made.threshold <= 0.8


def test_a_single_case_is_enough_to_train_on(tmp_path: Path, versions: Versions, run: Path) -> None:
    sets = planted(conversations=1)
    case = next(case for case in sets.cases if case.relevant)
    write_relevance_set(with_cases(sets, case), tmp_path / "one.jsonl")
    made = trained(Plan((tmp_path / "one.jsonl",), ONCE, parent="first"), versions, run)
    assert made.record.sources[0].cases == 1


def test_what_cannot_be_learned_from_is_told_and_leaves_no_version(
    tmp_path: Path, versions: Versions, run: Path, untouched: Callable[[], None]
) -> None:
    sets = planted(conversations=2)
    nothing = with_cases(sets, *(replace(case, relevant=frozenset()) for case in sets.cases))
    for name, content, error, told in [
        ("nothing", nothing, TrainingError, "nothing is relevant in any case of nothing"),
        ("bare", with_cases(sets), TrainingError, "bare has no cases"),
        ("empty", None, TranscriptError, r"empty\.jsonl"),
    ]:
        file = tmp_path / f"{name}.jsonl"
        if content is None:
            file.write_text("")
        else:
            write_relevance_set(content, file)
        with pytest.raises(error, match=told):
            trained(Plan((file,), ONCE, parent="first"), versions, run)
    assert not (run / RECORD).exists()
    untouched()


# Refused before anything is read


def test_what_cannot_be_had_is_refused_before_anything_is_encoded(
    plan: Plan, versions: Versions, run: Path, untouched: Callable[[], None]
) -> None:
    encoder, other = small_encoder(), FakeEncoder(16, model="another")
    for named, change, told in [
        ({"encoder": other}, {}, "another@1"),
        ({"encoder": FakeEncoder(8)}, {}, "8 dimensions"),
        ({"name": "first"}, {}, "first"),
        ({"name": "../out"}, {}, "out"),
        ({"name": "shipped"}, {}, "shipped"),
        ({}, {"parent": "second"}, "second"),
    ]:
        used = named.get("encoder", encoder)
        with pytest.raises(GateError, match=told):
            trained(replace(plan, **change), versions, run, **{"encoder": used, **named})  # type: ignore[arg-type]
        assert isinstance(used, FakeEncoder)
        assert used.texts == []
    untouched()


def test_a_run_is_not_gone_on_with_as_another(
    plan: Plan, versions: Versions, run: Path, tmp_path: Path
) -> None:
    plan = replace(plan, settings=ONCE)
    trained(plan, versions, run)
    with pytest.raises(TrainingError, match="seed"):
        trained(replace(plan, settings=replace(ONCE, seed=1)), versions, run)
    planted_file(tmp_path, conversations=16, seed=5)
    with pytest.raises(TrainingError, match="set own"):
        trained(plan, versions, run)


def test_a_second_training_in_the_folder_is_refused(
    plan: Plan, versions: Versions, run: Path, untouched: Callable[[], None]
) -> None:
    with Run(run).lock(), pytest.raises(TrainingError, match="another training"):
        trained(plan, versions, run)
    untouched()
