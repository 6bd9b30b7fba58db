"""The report of a training: turns, verdict, activation, interruption."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from convgate.gate.thresholds import Absolute, MaxMissed
from convgate.training.comparison import compare_gates, match_tokens
from convgate.training.episodes import read_episodes
from convgate.training.gate_module import GateModule
from convgate.training.report import CaseDecisions, Misses, list_changes, make_verdict
from convgate.training.run import Run
from convgate.training.sets import Plan
from convgate.training.split import MIN_COMPARED
from convgate.training.train import CROSS_VALIDATED, HELD_OUT, why_not_active
from convgate.transcripts.cases import Case, RelevanceSet
from convgate.versions import Draft, Versions
from tests.planted_sets import (
    QUICK,
    add_first,
    make_relevance_set,
    small_encoder,
    small_gate,
    write_planted_set,
)
from tests.test_training_version import RecordingListener, trained

ONCE = replace(QUICK, epochs=1)


@pytest.fixture
def versions(versions: Versions) -> Versions:
    return add_first(versions)


def case_decisions(id: str, group: str, *rows: tuple[int, bool, bool, bool]) -> CaseDecisions:
    """Rows of turn, relevant, kept by the parent, kept by the child."""
    turns, relevant, parent_kept, child_kept = (np.array(column) for column in zip(*rows, strict=True))
    tokens = np.full(len(turns), 10)
    kept = parent_kept, child_kept
    return CaseDecisions(
        id, group, group, "", 20, turns, tokens, relevant, relevant, *kept, *(1.0 * each for each in kept)
    )


def case_decisions_of(*right: int) -> list[CaseDecisions]:
    """Conversations of ten turns with one needed: the parent puts it fifth, the child ten less so many."""

    def order(rank: int) -> np.ndarray:
        return np.array([1.05 - 0.1 * rank, *np.linspace(0.9, 0.1, 9)])

    rows = [(turn, turn == 0, True, True) for turn in range(10)]
    return [
        replace(
            case_decisions(f"c{place}", f"talk-{place}", *rows),
            parent_reach=order(5), child_reach=order(10 - ranks),
        )
        for place, ranks in enumerate(right)
    ]  # fmt: skip


def test_each_turn_is_fixed_broken_right_or_wrong() -> None:
    fixed, broken = (0, True, False, True), (1, False, False, True)
    right, wrong, dropped = (3, True, True, True), (2, True, False, False), (3, False, True, False)
    cases = [case_decisions("c", "talk", fixed, broken, right), case_decisions("q", "talk", wrong, dropped)]
    verdict, _ = make_verdict(cases)
    assert (verdict.cases, verdict.conversations, verdict.fixed, verdict.broken) == (2, 1, 2, 1)
    assert (verdict.gain_low, verdict.gain_high) == (None, None), "one conversation shows no spread"
    assert verdict.misses == Misses(
        2, 2, 1, missed_before=0.75, missed_after=0.5, tokens_before=0.4, tokens_after=0.6
    )
    changes = [(change.turn, change.kept, change.relevant) for change in list_changes(cases)]
    assert changes == [(1, True, False), (0, True, True), (3, False, False)], "the worse first"


@pytest.mark.parametrize(
    ("right", "certain"),
    [((7, 8, 9, 7, 8), True), ((9, 2, 8, 3, 9), False), ((7, 8, 9, 7), False), ((5, 5, 5, 5, 5), False)],
)
def test_a_gain_has_an_interval_that_may_include_zero(right: tuple[int, ...], certain: bool) -> None:
    verdict, _ = make_verdict(case_decisions_of(*right))
    assert verdict.gain.excludes_0 == certain
    assert verdict.gain.value == pytest.approx(np.mean(right) / 10 - 0.5)


def in_order(*conversations: tuple[list[float], list[float]]) -> list[CaseDecisions]:
    """Cases in which turns 0 and 1 of four are needed, by what the parent and the child put first."""
    rows = [(turn, turn < 2, turn < 3, True) for turn in range(4)]
    return [
        replace(
            case_decisions(f"c{place}", f"talk-{place}", *rows),
            parent_reach=np.array(before), child_reach=np.array(after),
        )
        for place, (before, after) in enumerate(conversations)
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("before", "after", "takes", "headline"),
    [
        ([0.9, 0.1, 0.5, 0.4], [0.9, 0.8, 0.5, 0.4], (1.0, 0.5), "Helped: "),
        ([0.9, 0.8, 0.5, 0.4], [0.9, 0.45, 0.5, 0.4], (0.5, 0.75), "Did not help: "),
        ([0.9, 0.8, 0.5, 0.4], [0.3, 0.2, 0.1, 0.0], (0.5, 0.5), "No difference yet: "),
    ],
)
def test_the_tokens_that_all_needed_turns_take_decide(
    before: list[float], after: list[float], takes: tuple[float, float], headline: str
) -> None:
    verdict, _ = make_verdict(in_order(*[(before, after)] * 5))
    assert (verdict.takes_before, verdict.takes_after) == pytest.approx(takes)
    assert verdict.better == (headline == "Helped: ")
    assert verdict.headline("A").startswith(headline)
    assert "sending all that a message needs" in verdict.sentence
    assert verdict.headline("its parent") in verdict.sentence


def test_a_difference_that_may_be_chance_is_no_verdict() -> None:
    for before, after in (
        ([0.9, 0.1, 0.5, 0.4], [0.9, 0.8, 0.5, 0.4]),
        ([0.9, 0.8, 0.5, 0.4], [0.9, 0.45, 0.5, 0.4]),
    ):
        verdict, _ = make_verdict(in_order(*[(before, after)] * 3))
        assert verdict.takes_before != verdict.takes_after
        assert verdict.headline("A") == "No difference yet: 3 conversations are too few to tell"
    verdict, _ = make_verdict(in_order((before, after)))
    assert "1 conversation is too few to tell" in verdict.headline("A")
    verdict, _ = make_verdict(in_order(*[(before, before)] * 25))
    assert verdict.headline("A") == "No difference to be seen on 25 conversations"


def test_equally_good_gates_are_seldom_called_surely_better() -> None:
    rng = np.random.default_rng(0)
    surely = 0
    for _ in range(60):
        scores = rng.uniform(size=(2, 30, 4))
        verdict, _ = make_verdict(in_order(*zip(*scores, strict=True)))
        surely += verdict.better and verdict.gain.excludes_0
    assert surely <= 6, "2.5% are due"


def test_a_promise_takes_its_parents_levels_for_as_many_tokens() -> None:
    parent = MaxMissed(0.02, levels="0.02:0.2 0.1:0.6")
    (case,) = in_order(([0.5, 0.7, 0.3, 0.1], [0.25, 0.35, 0.15, 0.05]))  # the parent keeps three
    rule, (matched,) = match_tokens(MaxMissed(0.02), parent, [case])
    assert matched.child_kept.tolist() == [True, True, True, False]
    assert rule == MaxMissed(0.02, levels="0.02:0.15 0.1:0.45")
    assert match_tokens(Absolute(), Absolute(), [case]) == (Absolute(), [case])
    always = np.array([True, False, False, False])
    reach = np.where(always, np.inf, case.child_reach)
    rule, (matched,) = match_tokens(
        MaxMissed(0.02), parent, [replace(case, child_reach=reach, parent_kept=case.parent_kept | always)]
    )
    assert rule == MaxMissed(0.02, levels="0.02:0.15 0.1:0.45"), "what is always sent has no part in it"
    assert matched.child_kept.tolist() == [True, True, True, False]


def test_copies_and_beginnings_of_a_conversation_are_one_in_the_figures() -> None:
    conversation = make_relevance_set(conversations=1).conversations["own-0"]
    turns = {f"copy-{number}": conversation.turns[: 10 + number % 2] for number in range(5)}
    copies = {id: replace(conversation, id=id, turns=some) for id, some in turns.items()}
    cases = tuple(Case(id, id, 8, None, frozenset({2})) for id in copies)
    known = read_episodes(small_gate(), small_encoder(), RelevanceSet("own", copies, cases))
    modules = (GateModule.of(small_gate(seed=seed)) for seed in (0, 1))
    verdict, _ = make_verdict(compare_gates(*modules, {"own": known}))
    assert (verdict.cases, verdict.conversations) == (5, 1)
    assert (verdict.gain_low, verdict.gain_high) == (None, None)


def test_a_version_is_activated_only_when_it_is_surely_better_on_enough_conversations(
    versions: Versions,
) -> None:
    def why_not(*right: int, parent: str = "first", folds: int = 0) -> str:
        verdict, _ = make_verdict(case_decisions_of(*right), folds=folds)
        return why_not_active(verdict, versions.get(parent), versions, "made", "better")

    assert MIN_COMPARED == 25
    assert why_not(*([7, 8, 9, 7, 8] * 5)) == ""
    assert "cross-validation" in why_not(*([7, 8, 9, 7, 8] * 5), folds=5)
    assert "24" in why_not(*([7, 8, 9, 7, 8] * 5)[1:])
    assert "chance" in why_not(*([9, 2, 8, 3, 5] * 5))
    assert "not better" in why_not(*([4] * 25))
    versions.add(small_gate(seed=4), Draft(threshold_rule="absolute"), name="newer")
    versions.activate("newer", who="Ben")
    assert "newer" in why_not(*([7, 8, 9, 7, 8] * 5))


def test_a_training_leaves_its_result(tmp_path: Path, versions: Versions) -> None:
    run = tmp_path / "run"
    plan = Plan((write_planted_set(tmp_path, conversations=150),), QUICK, parent="first")
    outcome = trained(plan, versions, run, name="second", activate="better")
    assert outcome.verdict.fixed > 0
    measured = outcome.version.card.metrics[HELD_OUT]
    assert measured.conversations == outcome.verdict.conversations
    assert outcome.active
    assert versions.active == "second"
    done = Run(run)
    assert (done.state, done.epochs, done.version) == ("done", 3, "second")
    assert done.outcome["sentence"] == outcome.verdict.sentence
    assert done.outcome["why_not_active"] == ""


def test_below_25_conversations_each_is_held_out_once_in_a_cross_validation(
    tmp_path: Path, versions: Versions
) -> None:
    plan = Plan((write_planted_set(tmp_path, conversations=12),), QUICK, parent="first")
    heard = RecordingListener()
    outcome = trained(plan, versions, tmp_path / "run", heard, activate="better")
    assert (outcome.verdict.folds, outcome.verdict.conversations, outcome.verdict.cases) == (5, 12, 12 * 6)
    assert "cross-validation" in outcome.sentence
    assert list(outcome.version.card.metrics) == [CROSS_VALIDATED]
    assert not outcome.active
    assert sum(stage.startswith("Cross-validation") for stage in heard.stages) == 5


def test_a_kill_after_the_version_was_saved_does_not_double_it(
    tmp_path: Path, versions: Versions, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = Plan((write_planted_set(tmp_path, conversations=2),), ONCE, parent="first")

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
        outcome = trained(plan, versions, run, name=name)
        assert versions.names() == before
        assert outcome.version.name in before
