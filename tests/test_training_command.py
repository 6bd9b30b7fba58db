"""`convgate train` and `convgate pretrain` in a terminal."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest

from convgate.core.settings import load_settings
from convgate.gate.facts import Cues
from convgate.training import run as run_module
from convgate.training.run import RECORD
from convgate.training.sets import TrainingSet, make_set
from convgate.versions import Draft, Versions
from tests import training_program
from tests.commands import Run
from tests.planted_sets import add_first, make_relevance_set, small_encoder, write_planted_set
from tests.processes import fork, needs_fork
from tools.pretraining.cues import Example

EPOCH = re.compile(
    r"epoch +(\d+)  loss \d+\.\d{3}  validation \d+\.\d{3}  precision [01]\.\d{3}  recall [01]\.\d{3}"
    r"  residual gate [01]\.\d{3}(  best so far)?"
)


@pytest.fixture(autouse=True)
def fake_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("convgate.policies.build.default_encoder", lambda *args, **options: small_encoder())
    monkeypatch.setattr("convgate.training.epochs.FURTHER", training_program.QUICK)
    monkeypatch.setenv("COLUMNS", "200")


@pytest.fixture
def versions() -> Versions:
    draft = Draft(threshold_rule="top_k", threshold_parameters={"k": 3})
    return add_first(Versions(load_settings().home), draft)


@pytest.fixture
def labelled_file(tmp_path: Path) -> Path:
    return write_planted_set(tmp_path, conversations=8)


@pytest.fixture
def small_training_set(monkeypatch: pytest.MonkeyPatch) -> None:
    """From scratch, a gate is trained on a small set, and its cues on ten texts of five writers."""

    def sets(files: tuple[Path, ...], *, seed: int, skip_bad: bool) -> list[TrainingSet]:
        return [make_set(make_relevance_set())]

    examples = [
        Example(f"{writer} {answer}", dict.fromkeys(Cues._fields, answer), writer)
        for writer in "abcde"
        for answer in (False, True)
    ]
    monkeypatch.setattr("tools.pretraining.sets.pretraining_sets", sets)
    monkeypatch.setattr("tools.pretraining.cues.cue_examples", lambda: examples)


def train_words(*words: object) -> tuple[object, ...]:
    """`train` with steps that learn in an epoch or two."""
    return ("train", "--learning-rate", "0.02", "--epochs", "2", *words)


# What it prints


def test_json_is_the_only_standard_output_and_epochs_go_to_standard_error(
    run: Run, versions: Versions, labelled_file: Path
) -> None:
    code, out, err = run(*train_words(labelled_file, "--json", "--name", "second", "--seed", "3"))
    assert code == 0
    values = json.loads(out)
    assert values["version"] == "second"
    assert values["active"] is False, "two held-out conversations are not enough"
    misses = values["against_parent"]["misses"]
    assert misses["missed_after"] < misses["missed_before"]
    assert 0.2 <= values["threshold"] <= 0.8
    assert [epoch["number"] for epoch in values["epochs"]] == [1, 2]
    lines = err.splitlines()
    assert [match[1] for line in lines if (match := EPOCH.fullmatch(line))] == ["1", "2"]
    assert len(lines) == 2
    card = versions.get("second").card
    assert (card.training.seed, card.training.config["learning_rate"]) == (3, 0.02)


# What becomes active


def test_a_version_that_is_surely_better_is_activated(run: Run, versions: Versions, tmp_path: Path) -> None:
    code, out, _ = run(*train_words(write_planted_set(tmp_path, conversations=150), "--name", "second"))
    assert code == 0
    assert versions.active == "second", out
    assert run("versions", "rollback")[0] == 0
    assert versions.active == "first"


# Where to start from


@pytest.mark.usefixtures("small_training_set")
def test_what_pretrain_makes_can_be_trained_further(run: Run, labelled_file: Path) -> None:
    assert run("pretrain", "--epochs", "1", "--name", "base", "--activate")[0] == 0
    code, out, err = run(*train_words(labelled_file, "--json"))
    assert code == 0, err
    version = Versions(load_settings().home).get(json.loads(out)["version"])
    assert version.card.parent.name == "base"


# Errors


@needs_fork
@pytest.mark.parametrize(("step", "epochs"), [(2, 0), (10, 1)])
def test_ctrl_c_leaves_a_run_to_go_on_with_and_no_version(
    run: Run, versions: Versions, labelled_file: Path, tmp_path: Path, step: int, epochs: int
) -> None:
    folder = tmp_path / "run"
    words = train_words(labelled_file, "--from", "first", "--run", folder, "--name", "second")
    printed, stderr_file = tmp_path / "out.txt", tmp_path / "err.txt"
    environment = {**os.environ, "DIE": f"interrupt:{step}"}
    process = fork(
        lambda: training_program.main([*map(str, words)]),
        output=printed,
        errors=stderr_file,
        environment=environment,
    )
    assert process.wait() == 130, stderr_file.read_text()
    stderr = stderr_file.read_text()
    assert f"--run {folder}" in stderr
    assert "Traceback" not in stderr
    assert printed.read_text() == ""
    assert len(EPOCH.findall(stderr)) == epochs
    assert (folder / RECORD).exists() == bool(epochs)
    assert versions.names() == ["first"]
    assert not list(versions.root.glob(".*.partial"))
    code, out, err = run(*words, "--json")
    assert code == 0, err
    assert [epoch[0] for epoch in EPOCH.findall(err)] == ["1", "2"][epochs:]
    assert len(run_module.Run(folder).read_record().epochs) == 2
    whole = json.loads(run(*train_words(labelled_file, "--from", "first", "--json"))[1])
    assert json.loads(out)["epochs"] == whole["epochs"]
    digests = [versions.get(name).card.weights_sha256 for name in ("second", whole["version"])]
    assert digests[0] == digests[1]
