"""Do more labels help? What the curve is made of, how sure it is, and what it may claim."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from convgate.gate.thresholds import Absolute
from convgate.training.comparing import compare_items
from convgate.training.curve_training import CurveTraining
from convgate.training.dividing import divide
from convgate.training.episodes import read_episodes
from convgate.training.errors import TrainingError
from convgate.training.learning_curve import (
    FEWEST_COMPARED,
    FEWEST_TRAINED,
    LEARNING_CURVE,
    SHARES,
    CurvePoint,
    LearningCurve,
    nested,
)
from convgate.training.plan import Plan
from convgate.training.progress import StoppedError
from convgate.training.report import ItemReport
from convgate.training.session import train_version
from convgate.versions import Draft, Versions
from tests.planted import QUICK, planted, planted_file, small_encoder, small_gate
from tests.test_training_session import Heard

ONCE = replace(QUICK, epochs=1)


def test_parts_are_nested_and_fixed_by_the_seed() -> None:
    ids = [f"talk-{number}" for number in range(20)]
    parts = nested(ids, seed=3)
    assert [len(part) for part in parts] == [5, 10, 15, 20]
    for small, large in pairwise(parts):
        assert set(small) < set(large)
    assert parts == nested(ids[::-1], seed=3) != nested(ids, seed=4)
    assert [len(part) for part in nested(["a"], seed=0)] == [1, 1, 1, 1]


# What it says


def curve(half: list[int], last: list[int], *, trained: int = 20) -> LearningCurve:
    """Of each conversation compared on, how many of 10 turns that matter are kept, and none besides."""

    def point(share: float, kept: list[int]) -> CurvePoint:
        terms = np.array([[[2.0 * one], [one + 10.0]] for one in kept])
        return CurvePoint.of(share, int(trained * share), terms)

    points = (point(0.25, half), point(0.5, half), point(0.75, last), point(1.0, last))
    return LearningCurve(0.5, len(half), points)


@pytest.mark.parametrize(
    ("drawn", "begins"),
    [
        (curve([4, 5, 4, 5, 4], [7, 7, 6, 8, 7]), "More labels probably help. F1 is 0.61 with half of the"),
        (curve([4, 5, 4, 5, 4], [9, 2, 8, 3, 7]), "Too few to tell. "),
        (curve([7, 7, 7, 7, 7], [7, 7, 7, 7, 7]), "No gain seen. "),
        (curve([7, 8, 9, 7, 8], [5, 5, 6, 5, 6]), "No gain seen. "),
        (curve([4] * 4, [7] * 4), "Too few conversations to tell: 20 to learn from, 4 to compare on."),
        (curve([4] * 5, [7] * 5, trained=4), "Too few conversations to tell: 4 to learn from, 5 to compare"),
        (
            replace(curve([4] * 5, [7] * 5), points=curve([4] * 5, [7] * 5).points[:3]),
            "The curve was stopped",
        ),
    ],
)
def test_it_claims_no_more_than_its_interval_supports(drawn: LearningCurve, begins: str) -> None:
    assert drawn.sentence.startswith(begins)
    assert ("between" in drawn.sentence) == begins.endswith((". ", "of the"))


def test_a_point_has_an_interval_over_conversations() -> None:
    wide, narrow = curve([1, 9, 5, 2, 8], [5] * 5).points[1:3]
    assert wide.low is not None
    assert wide.high is not None
    assert wide.low < wide.f1 - 0.1 < wide.f1 + 0.1 < wide.high
    assert (narrow.low, narrow.high) == (narrow.f1, narrow.f1)
    alone = curve([5], [5]).points[0]
    assert (alone.low, alone.high) == (None, None)


# What it is made of


@pytest.fixture(scope="module")
def training() -> CurveTraining:
    episodes = read_episodes(small_gate(), small_encoder(), planted(conversations=12, turns=10))
    return CurveTraining(small_gate, divide({"own": episodes}, further=True), ONCE, Absolute(), Heard())


@pytest.fixture(scope="module")
def whole(training: CurveTraining) -> ItemReport:
    """What the training itself is taken to have given."""
    report = compare_items(small_gate(), small_gate(seed=1), training.parts.compared)
    assert report is not None
    return report


def test_points_are_kept_one_by_one_and_not_made_again(
    tmp_path: Path, training: CurveTraining, whole: ItemReport
) -> None:
    heard = Heard()
    made = replace(training, listener=heard).run(tmp_path, whole)
    assert made == LearningCurve.read(tmp_path)
    assert [stage[:19] for stage in heard.stages] == [f"Learning curve: {part}%" for part in (25, 50, 75)]
    assert tuple(point.share for point in made.points) == SHARES
    before, after = whole.f1
    assert (made.parent_f1, made.points[-1].f1) == (before.value, after.value)
    counts = [point.conversations for point in made.points]
    assert counts == sorted(counts)
    assert made.points[0].f1 != made.points[2].f1
    assert {len(point.terms) for point in made.points} == {whole.conversations}
    replace(made, points=made.points[:2]).write(tmp_path)
    again = Heard()
    assert replace(training, listener=again).run(tmp_path, whole) == made
    assert again.stages == ["Learning curve: 75% of the conversations, epoch 1"]


def test_a_curve_that_cannot_be_saved_is_told(
    tmp_path: Path, training: CurveTraining, whole: ItemReport
) -> None:
    with pytest.raises(TrainingError, match="the learning curve cannot be saved"):
        training.run(tmp_path / "nowhere", whole)


class Stopped(Heard):
    def stage(self, what: str) -> None:
        raise StoppedError


def test_one_that_an_earlier_version_made_is_shown_without_an_interval_and_not_gone_on_with(
    tmp_path: Path, training: CurveTraining, whole: ItemReport
) -> None:
    parent = whole.f1[0].value
    points = [{"share": share, "conversations": 9, "labels": 20, "f1": 0.25 + share / 2} for share in SHARES]
    earlier = {"parent_f1": parent, "cases": 40, "conversations": 9, "points": points}
    (tmp_path / LEARNING_CURVE).write_text(json.dumps(earlier))
    read = LearningCurve.read(tmp_path)
    assert read is not None
    assert [(one.share, one.f1) for one in read.points] == [(one["share"], one["f1"]) for one in points]
    assert {(one.low, one.high) for one in read.points} == {(None, None)}
    assert read.sentence == (
        "An earlier version of convgate made this curve, without an interval. F1 is 0.50 with half of the"
        " conversations and 0.75 with all 9, which may be chance; a new training tells more."
    )
    earlier |= {"conversations": whole.conversations, "points": points[:3]}
    (tmp_path / LEARNING_CURVE).write_text(json.dumps(earlier))
    made = replace(training, listener=Stopped()).run(tmp_path, whole)
    assert [point.share for point in made.points] == [1], "each is measured anew"
    assert made.has_intervals


def test_a_damaged_one_is_none(tmp_path: Path) -> None:
    (tmp_path / LEARNING_CURVE).write_text("{")
    assert LearningCurve.read(tmp_path) is None


@pytest.mark.parametrize("conversations", [2, 6])
def test_a_training_draws_one_when_something_is_compared_and_is_the_same_with_it(
    tmp_path: Path, conversations: int
) -> None:
    versions = Versions(tmp_path / "home")
    versions.add(small_gate(), Draft(threshold_rule="absolute"), name="first")
    file = planted_file(tmp_path, conversations=conversations)
    plan = Plan((file,), ONCE, parent="first", learning_curve=True)
    drawn, plain = (
        train_version(
            one, encoder=small_encoder(), versions=versions, run=tmp_path / name, listener=Heard(), name=name
        )
        for name, one in (("drawn", plan), ("plain", replace(plan, learning_curve=False)))
    )
    assert drawn.version.card.weights_sha256 == plain.version.card.weights_sha256
    assert plain.curve is None
    if conversations == 2:
        assert drawn.curve is None
        return
    assert drawn.curve is not None
    assert drawn.verdict is not None
    assert drawn.curve.points[-1].f1 == drawn.verdict.child_f1
    assert drawn.curve.conversations == drawn.verdict.conversations < FEWEST_COMPARED < FEWEST_TRAINED
