"""What became of each held-out turn, what the card says of it, and what a kill or a stop leaves."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from convgate.conversation import Turn
from convgate.errors import TrainingError
from convgate.store.openings import chain
from convgate.training.comparison import compare_gates
from convgate.training.episodes import Episode, read_episodes
from convgate.training.progress import StoppedError
from convgate.training.report import (
    MIN_COMPARED,
    ItemReport,
    ReportedCase,
    make_report,
    make_verdict,
    measured_f1,
)
from convgate.training.run import OUTCOME, REPORT, STOP, Run
from convgate.training.sets import Plan
from convgate.training.train import HELD_OUT, train_version, why_not_active
from convgate.transcripts.relevance_sets import Case, RelevanceSet, write_relevance_set
from convgate.versions import Draft, Versions
from tests.planted import QUICK, planted, planted_file, small_encoder, small_gate, with_cases
from tests.test_training_version import Heard


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
    return train_version(plan, versions=versions, run=Run(run), listener=heard or Heard(), **named)


ONCE = replace(QUICK, epochs=1)

REPORTED = make_report(
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
    verdict = make_verdict(REPORTED)
    assert (verdict.cases, verdict.conversations, verdict.fixed, verdict.broken) == (2, 1, 2, 1)
    assert (verdict.parent_f1, verdict.child_f1) == (2 * 1 / (2 + 3), 2 * 2 / (3 + 3))
    assert (verdict.gain_low, verdict.gain_high) == (None, None), "one conversation shows no spread"


def several(*right: int) -> ItemReport:
    """Conversations of ten relevant turns: the parent keeps 5 of each, the child so many."""
    cases = [ReportedCase(f"c{place}", f"talk-{place}", 10) for place in range(len(right))]
    rows = [
        (case, turn, True, 0.5, 0.5, turn < 5, turn < kept)
        for case, kept in enumerate(right)
        for turn in range(10)
    ]
    return make_report(cases, rows)


@pytest.mark.parametrize(
    ("right", "certain"),
    [((7, 8, 9, 7, 8), True), ((9, 2, 8, 3, 9), False), ((7, 8, 9, 7), False), ((5, 5, 5, 5, 5), False)],
)
def test_a_gain_says_whether_it_may_be_chance(right: tuple[int, ...], certain: bool) -> None:
    report = several(*right)
    verdict = make_verdict(report)
    assert verdict.certain == certain
    assert report.gain.value == pytest.approx(verdict.child_f1 - verdict.parent_f1)


def test_copies_and_beginnings_of_a_conversation_are_one_in_the_figures(tmp_path: Path) -> None:
    talk = planted(conversations=1).conversations["own-0"]
    turns = {f"copy-{number}": talk.turns[: 10 + number % 2] for number in range(5)}
    copies = {id: replace(talk, id=id, turns=some) for id, some in turns.items()}
    cases = tuple(Case(id, id, 8, None, frozenset({2})) for id in copies)
    known = read_episodes(small_gate(), small_encoder(), RelevanceSet("own", copies, cases))
    report = compare_gates(small_gate(), small_gate(seed=1), {"own": known})
    assert report is not None
    report.write(tmp_path)
    for one in (report, ItemReport.read(tmp_path)):
        assert one is not None
        assert (len(one.cases), one.conversations) == (5, 1)
        assert (one.gain.low, one.gain.high) == (None, None)


def test_a_card_tells_both_on_the_very_same_cases() -> None:
    report = several(7, 8, 9, 7, 8)
    told, verdict = measured_f1(report), make_verdict(report)
    assert (told.metrics["f1"].value, told.parent["f1"].value) == (verdict.child_f1, verdict.parent_f1)
    assert (told.gain["f1"].low, told.gain["f1"].high) == (verdict.gain_low, verdict.gain_high)
    others = (
        several(7, 8, 9, 7, 8),
        several(9, 8, 7, 9, 9),
        several(7, 8),
        replace(report, relevant=~report.relevant),
    )
    assert [told.sha256 == measured_f1(one).sha256 for one in others] == [True, True, False, False]


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
    empty = make_report([], [])
    empty.write(tmp_path)
    back = ItemReport.read(tmp_path)
    assert back is not None
    assert len(back) == 0
    assert [measure.value for measure in back.f1] == [1, 1]


def test_items_point_at_the_turns_of_the_conversation() -> None:
    sets = planted(conversations=1, turns=400)
    turn = Case("t", "own-0", 390, None, frozenset({385}), window=20)
    typed = Case("q", "own-0", None, Turn.of("user", "about apples"), frozenset({395}), window=10)
    known = read_episodes(small_gate(), small_encoder(), with_cases(sets, turn, typed))
    report = compare_gates(small_gate(), small_gate(seed=1), {"own": known})
    assert report is not None
    assert {case.id: case.turn for case in report.cases} == {"t": 390, "q": None}
    place = [case.id for case in report.cases].index("t")
    rows = report.case == place
    assert report.turn[rows].tolist() == list(range(370, 390))
    assert report.turn[rows & report.relevant].tolist() == [385]
    assert report.turn[~rows].tolist() == list(range(390, 400))


def test_a_version_is_activated_only_when_it_is_surely_better_on_enough_conversations(
    versions: Versions,
) -> None:
    def why_not(*right: int, parent: str = "first") -> str:
        verdict = make_verdict(several(*right))
        return why_not_active(verdict, versions.get(parent), versions, "made", "better")

    assert MIN_COMPARED == 25
    assert why_not(*([7, 8, 9, 7, 8] * 5)) == ""
    assert "24" in why_not(*([7, 8, 9, 7, 8] * 5)[1:])
    assert "chance" in why_not(*([9, 2, 8, 3, 5] * 5))
    assert "not better" in why_not(*([4] * 25))
    versions.add(small_gate(seed=4), Draft(threshold_rule="absolute"), name="newer")
    versions.activate("newer", who="Ben")
    assert "newer" in why_not(*([7, 8, 9, 7, 8] * 5))


def test_a_training_leaves_its_report_and_what_it_came_to(tmp_path: Path, versions: Versions) -> None:
    run = tmp_path / "run"
    plan = Plan((planted_file(tmp_path, conversations=150),), QUICK, parent="first")
    made = trained(plan, versions, run, name="second", activate="better")
    report = ItemReport.read(run)
    assert report is not None
    assert make_verdict(report) == made.verdict
    assert report.count("fixed") == made.verdict.fixed > 0
    assert all(case.text for case in report.cases)
    assert made.version.card.metrics == {HELD_OUT: measured_f1(report)}
    assert made.active
    assert versions.active == "second"
    outcome = json.loads((run / OUTCOME).read_text())
    assert (outcome["state"], outcome["ran"], outcome["version"]) == ("done", 3, "second")
    assert outcome["sentence"] == made.verdict.sentence
    assert outcome["why_not_active"] == ""


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
    trained(Plan(files, ONCE, parent="first"), versions, run)
    report = ItemReport.read(run)
    assert report is not None
    for case, turn in zip(report.case.tolist(), report.turn.tolist(), strict=True):
        found = report.cases[case]
        name, _, id = found.conversation.rpartition("/")
        talk = (short if name else one.conversations)[id]
        assert report.texts[found.conversation][turn] == talk.turns[turn].text
        assert found.question == ("about what?" if name else "")


def test_a_kill_after_the_version_was_saved_does_not_double_it(
    tmp_path: Path, versions: Versions, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = Plan((planted_file(tmp_path, conversations=6),), ONCE, parent="first")

    class KilledError(Exception):
        pass

    def killed(*words: object, **named: object) -> str:
        raise KilledError

    for name, run in (("second", tmp_path / "named"), (None, tmp_path / "dated")):
        with monkeypatch.context() as patch:
            patch.setattr("convgate.training.train.why_not_active", killed)
            with pytest.raises(KilledError):
                trained(plan, versions, run, name=name)
        before = versions.names()
        made = trained(plan, versions, run, name=name)
        assert versions.names() == before
        assert made.version.name in before


def test_a_stop_while_it_reads_or_trains_leaves_the_epochs_that_are_over(
    tmp_path: Path, versions: Versions
) -> None:
    plan = Plan((planted_file(tmp_path, conversations=4),), QUICK, parent="first")
    run = tmp_path / "run"
    stopping = Heard(lambda epoch: (run / STOP).touch() if epoch.number == 2 else None)
    with pytest.raises(StoppedError):
        trained(plan, versions, run, stopping)
    assert json.loads((run / OUTCOME).read_text())["ran"] == 2
    assert [Run(run).read_record().epochs[-1].number, versions.names()] == [2, ["first"]]
