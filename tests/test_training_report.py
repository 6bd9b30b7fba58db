"""What became of each held-out turn, what the card says of it, and what a kill or a stop leaves."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from convgate.store.openings import chain
from convgate.training.comparison import compare_gates
from convgate.training.episodes import read_episodes
from convgate.training.report import (
    MIN_COMPARED,
    ItemReport,
    ReportedCase,
    make_report,
    make_verdict,
    measured_f1,
)
from convgate.training.run import OUTCOME, Run
from convgate.training.sets import Plan
from convgate.training.train import HELD_OUT, train_version, why_not_active
from convgate.transcripts.relevance_sets import Case, RelevanceSet
from convgate.versions import Draft, Versions
from tests.planted import QUICK, planted, planted_file, small_encoder, small_gate
from tests.test_training_version import Heard


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
