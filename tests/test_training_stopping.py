"""Stopped while the learning curve is made: the version is there, and the points that are known by then."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from convgate.training.learning_curve import LearningCurve
from convgate.training.plan import Plan
from convgate.training.progress import OUTCOME, STOP
from convgate.training.session import train_version
from convgate.versions import Draft, Versions
from tests.planted import QUICK, planted_file, small_encoder, small_gate
from tests.test_training_session import Heard

SETTINGS = replace(QUICK, epochs=2, episodes=12, cases=4)


class AtHalf(Heard):
    """Somebody does something while the second point of the curve is trained."""

    def __init__(self, does: object) -> None:
        super().__init__()
        self._does = does

    def stage(self, what: str) -> None:
        super().stage(what)
        if what.startswith("Learning curve: 50%"):
            if isinstance(self._does, Path):
                (self._does / STOP).touch()
            else:
                raise self._does  # type: ignore[misc]


class KilledError(Exception):
    """The process ends here."""


@pytest.fixture
def versions(tmp_path: Path) -> Versions:
    made = Versions(tmp_path / "home")
    made.add(small_gate(), Draft(threshold_rule="absolute"), name="first")
    made.activate("first", who="Ada")
    return made


@pytest.fixture
def plan(tmp_path: Path) -> Plan:
    return Plan((planted_file(tmp_path),), SETTINGS, parent="first", learning_curve=True)


def shares(run: Path) -> list[float]:
    curve = LearningCurve.read(run)
    return [] if curve is None else [point.share for point in curve.points]


@pytest.mark.parametrize("how", ["file", "Ctrl-C"])
def test_a_stop_in_the_learning_curve_leaves_out_the_rest_of_it(
    plan: Plan, versions: Versions, tmp_path: Path, how: str
) -> None:
    run = tmp_path / "run"
    heard = AtHalf(run if how == "file" else KeyboardInterrupt)
    made = train_version(
        plan, encoder=small_encoder(), versions=versions, run=run, listener=heard, activate="better"
    )
    assert shares(run) == [0.25, 1]
    assert made.curve == LearningCurve.read(run)
    outcome = json.loads((run / OUTCOME).read_text())
    assert (outcome["state"], outcome["version"]) == ("done", made.version.name)
    assert versions.active == made.version.name
    assert not (run / STOP).exists()
    assert not [stage for stage in heard.stages if "75%" in stage]


def test_who_finishes_a_run_that_was_killed_in_its_curve_gets_the_points_that_it_had(
    plan: Plan, versions: Versions, tmp_path: Path
) -> None:
    run = tmp_path / "run"

    def train(plan: Plan, listener: Heard) -> str:
        return train_version(
            plan, encoder=small_encoder(), versions=versions, run=run, listener=listener, activate="better"
        ).version.name

    with pytest.raises(KilledError):
        train(plan, AtHalf(KilledError))
    assert shares(run) == [0.25]
    name = versions.active
    assert name in versions.names()
    versions.rollback(who="Ada")

    heard = Heard()
    assert train(replace(plan, learning_curve=False), heard) == name
    assert not [stage for stage in heard.stages if stage.startswith(("Epoch", "Learning curve"))]
    outcome = json.loads((run / OUTCOME).read_text())
    assert [point["share"] for point in outcome["learning_curve"]["points"]] == [0.25]
    assert versions.active == "first", "who went back meanwhile is not overruled"
    assert outcome["why_not_active"] == "It was made active; another version is in use since."
