"""What became of each held-out turn, which conversations are used for what, and the learning curve."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from convgate.conversation import Turn
from convgate.store.openings import chain
from convgate.training.curve_training import CurveTraining
from convgate.training.dividing import divide
from convgate.training.episodes import Episode, read_episodes
from convgate.training.epochs import FEWEST, TrainingSettings
from convgate.training.errors import TrainingError
from convgate.training.learning_curve import LEARNING_CURVE, CurvePoint, LearningCurve, nested
from convgate.training.progress import OUTCOME, STOP, StoppedError
from convgate.training.replay import PREFIX, REPLAYS, replay_counts, replay_sets
from convgate.training.report import REPORT, ItemReport, ReportedCase, item_report
from convgate.training.session import Plan, train_version
from convgate.training.trainer import Trainer
from convgate.training.verdict import compare_items, verdict_of
from convgate.transcripts.relevance_sets import Case, RelevanceSet, write_relevance_set
from convgate.versions import Draft, Versions
from tests.planted import QUICK, planted, planted_file, small_encoder, small_gate, with_cases
from tests.test_training_session import Heard


def episodes(name: str = "own", **how: Any) -> list[Episode]:
    return read_episodes(small_gate(), small_encoder(), planted(name, **how))


@pytest.fixture
def versions(tmp_path: Path) -> Versions:
    made = Versions(tmp_path / "home")
    made.add(small_gate(), Draft(threshold_rule="absolute"), name="first")
    made.activate("first", who="Ada")
    return made


def trained(plan: Plan, versions: Versions, run: Path, heard: Heard | None = None, **named: Any) -> Any:
    named.setdefault("encoder", small_encoder())
    return train_version(plan, versions=versions, run=run, listener=heard or Heard(), **named)


REPORTED = item_report(
    [ReportedCase("c", "talk", 4), ReportedCase("q", "talk", None)],
    [
        (0, 0, True, 0.2, 0.8, False, True),  # fixed
        (0, 1, False, 0.2, 0.8, False, True),  # broken
        (0, 3, True, 0.9, 0.8, True, True),  # right
        (1, 2, True, 0.1, 0.2, False, False),  # wrong
        (1, 3, False, 0.7, 0.2, True, False),  # fixed
    ],
)


# By item


def test_each_turn_is_fixed_broken_right_or_wrong() -> None:
    assert REPORTED.changes.tolist() == [0, 1, 2, 3, 0]
    assert [REPORTED.count(change) for change in ("fixed", "broken", "right", "wrong")] == [2, 1, 1, 1]
    verdict = verdict_of(REPORTED)
    assert (verdict.cases, verdict.conversations, verdict.fixed, verdict.broken) == (2, 1, 2, 1)
    assert (verdict.parent_f1, verdict.child_f1) == (2 * 1 / (2 + 3), 2 * 2 / (3 + 3))


def test_a_report_comes_back_from_its_file(tmp_path: Path) -> None:
    talk = planted(conversations=1).conversations["own-0"]
    told = REPORTED.with_texts({"talk": talk}, {"q": "Who  was\nthat?"})
    told.write(tmp_path)
    back = ItemReport.read(tmp_path)
    assert back is not None
    assert back.cases == told.cases
    assert back.said == told.said == {"talk": (chain(talk.turns)[-1].hex(), 14)}
    assert [case.question for case in back.cases] == ["", "Who  was\nthat?"]
    assert [case.text for case in back.cases] == [talk.turns[4].text, "Who was that?"]
    assert back.texts == {"talk": {place: talk.turns[place].text for place in (0, 1, 2, 3)}}
    for name in ("case", "turn", "relevant", "parent_kept", "child_kept"):
        assert getattr(back, name).tolist() == getattr(REPORTED, name).tolist()
    assert np.allclose(back.child_score, REPORTED.child_score)
    assert ItemReport.read(tmp_path / "nowhere") is None


@pytest.mark.parametrize(
    "damage",
    [
        lambda values: values.pop("turn"),
        lambda values: values["turn"].pop(),
        lambda values: values.update(case=[9] * 5),
        lambda values: values["cases"].append({"id": 5}),
        lambda values: values.update(texts=[]),
    ],
)
def test_a_damaged_report_is_told(tmp_path: Path, damage: Any) -> None:
    REPORTED.write(tmp_path)
    values = json.loads((tmp_path / REPORT).read_text())
    damage(values)
    (tmp_path / REPORT).write_text(json.dumps(values))
    with pytest.raises(TrainingError, match=r"report\.json cannot be read"):
        ItemReport.read(tmp_path)


def test_an_empty_report_is_one(tmp_path: Path) -> None:
    empty = item_report([], [])
    empty.write(tmp_path)
    back = ItemReport.read(tmp_path)
    assert back is not None
    assert len(back) == 0
    assert back.f1 == (1, 1)


def test_items_point_at_the_turns_of_the_conversation() -> None:
    sets = planted(conversations=1, turns=400)
    turn = Case("t", "own-0", 390, None, frozenset({385}), window=20)
    typed = Case("q", "own-0", None, Turn.of("user", "about apples"), frozenset({395}), window=10)
    known = read_episodes(small_gate(), small_encoder(), with_cases(sets, turn, typed))
    report = compare_items(small_gate(), small_gate(seed=1), {"own": known})
    assert report is not None
    assert {case.id: case.turn for case in report.cases} == {"t": 390, "q": None}
    place = [case.id for case in report.cases].index("t")
    rows = report.case == place
    assert report.turn[rows].tolist() == list(range(370, 390))
    assert report.turn[rows & report.relevant].tolist() == [385]
    assert report.turn[~rows].tolist() == list(range(390, 400))


def test_a_training_leaves_its_report_and_what_it_came_to(tmp_path: Path, versions: Versions) -> None:
    run = tmp_path / "run"
    plan = Plan((planted_file(tmp_path, conversations=16),), QUICK, parent="first")
    made = trained(plan, versions, run, name="second", activate="better")
    report = ItemReport.read(run)
    assert report is not None
    assert verdict_of(report) == made.verdict
    assert report.count("fixed") == made.verdict.fixed > 0
    assert all(case.text for case in report.cases)
    assert made.active
    assert versions.active == "second"
    outcome = json.loads((run / OUTCOME).read_text())
    assert (outcome["state"], outcome["ran"], outcome["version"]) == ("done", 3, "second")
    assert outcome["sentence"] == made.verdict.sentence
    assert outcome["why_not_active"] == ""


# What is used for what


@pytest.mark.parametrize("count", [1, 2, FEWEST, 8])
def test_few_conversations_are_all_trained_on(count: int) -> None:
    parts = divide({"own": episodes(conversations=count)}, further=True)
    if count < FEWEST:
        assert len(parts.training["own"]) == count
        assert not parts.validation["own"]
        assert not parts.compared.get("own")
        assert "too few conversations to hold any out" in parts.why_not_compared
        assert parts.fitted == {"own": parts.training["own"]}
    else:
        assert parts.compared["own"]
        assert parts.why_not_compared == ""


def test_what_comes_with_convgate_is_not_compared_on_when_there_is_something_else() -> None:
    sets = {"own": episodes(conversations=8), "replay-x": episodes("x", conversations=30)}
    parts = divide(sets, replayed={"replay-x"}, further=True)
    assert "replay-x" not in parts.compared
    assert len(parts.training["replay-x"]) + len(parts.validation["replay-x"]) == 30
    assert parts.validation["replay-x"]
    alone = divide({"replay-x": sets["replay-x"]}, replayed={"replay-x"}, further=True)
    assert alone.compared["replay-x"]
    assert alone.replayed == frozenset()


def test_what_is_replayed_does_not_outweigh_the_labels() -> None:
    training = {"own": episodes(conversations=10), "replay-x": episodes("x", conversations=100, turns=8)}
    settings = TrainingSettings(epochs=1, episodes=300)

    def drawn(replayed: set[str], some: dict[str, list[Episode]] = training) -> tuple[int, int]:
        order = Trainer(small_gate(), some, {}, settings, replayed=replayed)._order(np.random.default_rng(0))
        own = sum(one.conversation.startswith("own") for one in order)
        return own, len(order) - own

    assert drawn({"replay-x"}) == (60, 60)
    assert drawn(set()) == (60, 300)
    assert drawn({"replay-x"}, {**training, "own": training["own"][:1]}) == (6, 40)
    assert drawn({"replay-x"}, {"replay-x": training["replay-x"]}) == (0, 300), "there is nothing else"


def test_texts_to_replay_are_there_by_name_and_the_same_for_a_seed() -> None:
    for replay in REPLAYS:
        (made,) = replay_sets([replay.name], seed=1)
        assert made.name == f"{PREFIX}{replay.name}"
        assert replay_counts(replay.name) == (len(made.conversations), len(made.cases))
        assert any(case.relevant for case in made.cases)
    assert replay_sets(["scenarios"], seed=1)[0].cases == replay_sets(["scenarios"], seed=1)[0].cases
    with pytest.raises(TrainingError, match="nothing to replay called 'tales'; there are scenarios"):
        replay_sets(["tales"], seed=0)


def test_a_few_labels_are_trained_on_beside_written_texts(
    tmp_path: Path, versions: Versions, monkeypatch: pytest.MonkeyPatch
) -> None:
    again = planted("replay-scenarios", conversations=20, seed=3)
    monkeypatch.setattr("convgate.training.recipe.replay_sets", lambda names, seed: [again] if names else [])
    plan = Plan((planted_file(tmp_path, conversations=2),), QUICK, parent="first", replay=("scenarios",))
    made = trained(plan, versions, tmp_path / "run", activate="better")
    assert [source.name for source in made.record.sources] == ["own", "replay-scenarios"]
    assert made.record.sources[1].licence == "MIT"
    assert made.verdict is None
    assert made.record.epochs[-1].loss < made.record.epochs[0].loss
    assert versions.active == "first"
    assert "nobody knows yet whether it is better" in made.sentence
    assert "nothing shows that it is better" in made.why_not_active
    taken = Plan((planted_file(tmp_path, "replay-scenarios"),), QUICK, parent="first", replay=("scenarios",))
    with pytest.raises(TrainingError, match="replay-scenarios is a set that comes with convgate"):
        trained(taken, versions, tmp_path / "other")


def test_sets_that_number_their_conversations_alike_are_told_apart(
    tmp_path: Path, versions: Versions
) -> None:
    one = planted("own", conversations=6)
    short = {id: replace(talk, turns=talk.turns[1:4]) for id, talk in one.conversations.items()}
    asked = Turn.of("user", "about what?")
    other = RelevanceSet(
        "other", short, tuple(Case(f"{id}-8", id, None, asked, frozenset({1})) for id in short)
    )
    files = (tmp_path / "own.jsonl", tmp_path / "other.jsonl")
    for sets, file in zip((one, other), files, strict=True):
        write_relevance_set(sets, file)
    run = tmp_path / "run"
    trained(Plan(files, QUICK, parent="first"), versions, run)
    report = ItemReport.read(run)
    assert report is not None
    for case, turn in zip(report.case.tolist(), report.turn.tolist(), strict=True):
        found = report.cases[case]
        name, _, id = found.conversation.rpartition("/")
        talk = (short if name else one.conversations)[id]
        assert report.texts[found.conversation][turn] == talk.turns[turn].text
        assert found.question == ("about what?" if name else "")


def test_a_version_is_not_made_active_over_one_that_it_was_not_compared_with(
    tmp_path: Path, versions: Versions
) -> None:
    versions.add(small_gate(seed=4), Draft(threshold_rule="absolute"), name="newer")
    versions.activate("newer", who="Ben")
    plan = Plan((planted_file(tmp_path, conversations=16),), QUICK, parent="first")
    made = trained(plan, versions, tmp_path / "run", activate="better")
    assert made.verdict.better
    assert versions.active == "newer"
    assert "newer is in use, and the two were not compared" in made.why_not_active


def test_a_kill_after_the_version_was_saved_does_not_double_it(
    tmp_path: Path, versions: Versions, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = Plan((planted_file(tmp_path, conversations=16),), QUICK, parent="first")

    class KilledError(Exception):
        pass

    def killed(*words: object, **named: object) -> str:
        raise KilledError

    for name, run in (("second", tmp_path / "named"), (None, tmp_path / "dated")):
        with monkeypatch.context() as patch:
            patch.setattr("convgate.training.session._why_not", killed)
            with pytest.raises(KilledError):
                trained(plan, versions, run, name=name)
        before = versions.names()
        made = trained(plan, versions, run, name=name)
        assert versions.names() == before
        assert made.version.name in before


def test_a_stop_while_it_reads_or_trains_leaves_the_epochs_that_are_over(
    tmp_path: Path, versions: Versions
) -> None:
    plan = Plan((planted_file(tmp_path, conversations=16),), QUICK, parent="first")
    run = tmp_path / "run"
    stopping = Heard(lambda epoch: (run / STOP).touch() if epoch.number == 2 else None)
    with pytest.raises(StoppedError):
        trained(plan, versions, run, stopping)
    assert json.loads((run / OUTCOME).read_text())["ran"] == 2
    whole = trained(plan, versions, tmp_path / "whole")
    resumed = trained(plan, versions, run)
    assert resumed.version.card.weights_sha256 == whole.version.card.weights_sha256


# The learning curve


def test_parts_are_nested_and_fixed_by_the_seed() -> None:
    ids = [f"talk-{number}" for number in range(20)]
    parts = nested(ids, seed=3)
    assert [len(part) for part in parts] == [5, 10, 15, 20]
    for small, large in pairwise(parts):
        assert set(small) < set(large)
    assert parts == nested(ids[::-1], seed=3) != nested(ids, seed=4)
    assert [len(part) for part in nested(["a"], seed=0)] == [1, 1, 1, 1]


def curve(*f1: float, trained: int = 20, compared: int = 5) -> LearningCurve:
    points = tuple(
        CurvePoint(share, int(trained * share), 100, value)
        for share, value in zip((0.25, 0.5, 0.75, 1), f1, strict=False)
    )
    return LearningCurve(0.5, 30, compared, points)


@pytest.mark.parametrize(
    ("drawn", "begins"),
    [
        (curve(0.5, 0.6, 0.65, 0.7), "Still rising: F1 is 0.600 with half of the conversations and 0.700"),
        (curve(0.5, 0.7, 0.7, 0.705), "Flat: "),
        (curve(0.5, 0.7, 0.7, 0.65), "Falling: "),
        (curve(0.5, 0.6, 0.65, 0.7, trained=4), "Too few conversations to say whether more labels help: 4"),
        (curve(0.5, 0.6, 0.65, 0.7, compared=2), "Too few conversations"),
        (curve(), "Too few conversations"),
    ],
)
def test_a_sentence_reads_the_curve(drawn: LearningCurve, begins: str) -> None:
    assert drawn.sentence.startswith(begins)


def test_a_curve_is_made_of_trainings_on_parts_and_kept(
    tmp_path: Path, versions: Versions, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = Plan((planted_file(tmp_path, conversations=16),), QUICK, parent="first", learning_curve=True)
    run = tmp_path / "run"
    heard = Heard()
    made = trained(plan, versions, run, heard)
    assert made.curve == LearningCurve.read(run)
    assert [point.share for point in made.curve.points] == [0.25, 0.5, 0.75, 1]
    assert made.curve.points[-1].f1 == made.verdict.child_f1
    assert made.curve.parent_f1 == made.verdict.parent_f1
    counts = [point.conversations for point in made.curve.points]
    assert counts == sorted(counts)
    assert made.curve.points[0].f1 != made.curve.points[-1].f1
    assert all(point.labels > point.conversations for point in made.curve.points)
    assert "Learning curve: 25% of the conversations, epoch 1" in heard.stages
    plain = trained(replace(plan, learning_curve=False), versions, tmp_path / "plain")
    assert plain.version.card.weights_sha256 == made.version.card.weights_sha256
    # Points that are there are not made again.
    stopped = tmp_path / "stopped"

    class AfterHalf(Heard):
        def stage(self, what: str) -> None:
            super().stage(what)
            if what.startswith("Learning curve: 75%"):
                (stopped / STOP).touch()

    with pytest.raises(StoppedError):
        trained(plan, versions, stopped, AfterHalf())
    assert [point.share for point in (LearningCurve.read(stopped) or curve()).points] == [0.25, 0.5]
    again = Heard()
    assert trained(plan, versions, stopped, again).curve == made.curve
    assert not [stage for stage in again.stages if "25%" in stage or "50%" in stage]


def test_without_anything_to_compare_on_there_is_no_curve(tmp_path: Path, versions: Versions) -> None:
    plan = Plan((planted_file(tmp_path, conversations=2),), QUICK, parent="first", learning_curve=True)
    assert trained(plan, versions, tmp_path / "run").curve is None
    (tmp_path / LEARNING_CURVE).write_text("{")
    assert LearningCurve.read(tmp_path) is None


def test_a_curve_that_cannot_be_saved_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parts = divide({"own": episodes(conversations=8)}, further=True)
    training = CurveTraining(
        small_gate, parts, replace(QUICK, epochs=1), Draft(threshold_rule="absolute").rule, Heard()
    )
    report = compare_items(small_gate(), small_gate(), parts.compared)
    assert report is not None
    with pytest.raises(TrainingError, match="the learning curve cannot be saved"):
        training.run(tmp_path / "nowhere", verdict_of(report))
