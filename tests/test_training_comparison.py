"""Where the threshold is put, and whether a child does better than its parent."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest
import torch

from convgate.gate.config import GateConfig
from convgate.gate.model import Gate
from convgate.gate.thresholds import Anchored, Rule
from convgate.training.comparison import compare_gates, fit_threshold_on
from convgate.training.episodes import Episode, Question, read_episodes
from convgate.training.report import Verdict, make_verdict
from tests.planted import planted, small_encoder, small_gate


def scored(*cases: list[tuple[float, bool]], typed: bool = False) -> Episode:
    """An episode whose turns score these values with `plain_gate`; whether each matters."""
    longest = max(map(len, cases))
    turns = np.zeros((longest, 4), np.float16)
    questions = []
    for number, case in enumerate(cases):
        assert len(cases) <= 4, "a dimension a case"
        for place, (score, _) in enumerate(case):
            turns[place, number] = np.log(score / (1 - score))
        relevant = np.array([place for place, (_, matters) in enumerate(case) if matters], dtype=np.int64)
        questions.append(
            Question(
                np.eye(4, dtype=np.float16)[number],
                np.zeros((len(case), 0), np.float16),
                len(case),
                relevant,
                typed=typed,
            )
        )
    return Episode("scored", turns, np.zeros((longest, 0, 0), np.float16), tuple(questions))


def plain_gate() -> Gate:
    """A gate whose logit is the product of turn and message, and nothing else."""
    gate = Gate(GateConfig("reference", 4, hidden=4)).eval()
    with torch.no_grad():
        gate.tiers.bilinear.decay_rate.fill_(-50)  # type: ignore[union-attr]
        gate.tiers.attention.residual_gate.fill_(-50)  # type: ignore[union-attr]
    return gate


def compared(parent: Gate, child: Gate, sets: Any, *, rule: Rule | None = None) -> Verdict | None:
    report = compare_gates(parent, child, sets, rule=rule)
    return None if report is None else make_verdict(report)


# The threshold


def test_the_threshold_is_put_where_the_planted_best_is() -> None:
    gate = plain_gate()
    known = [scored([(0.30, False), (0.45, False), (0.62, True), (0.70, True), (0.64, True)])]
    best = fit_threshold_on(gate, {"own": known})
    assert best == pytest.approx(0.54, abs=0.011), "the middle between 0.45 and 0.62"
    assert gate.learned_threshold == pytest.approx(best)


def test_a_trade_off_is_settled_by_f1() -> None:
    # At 0.25 it keeps 4 with 3 right: F1 6/7. At 0.5 it keeps 2, both right: F1 4/5.
    known = [scored([(0.25, False), (0.35, True), (0.6, True), (0.7, True), (0.21, False)])]
    assert fit_threshold_on(plain_gate(), {"own": known}) == pytest.approx(0.3, abs=0.051)


def test_every_set_counts_alike_in_the_threshold() -> None:
    low, high = scored([(0.3, True), (0.31, True)]), scored([(0.28, False), (0.35, False), (0.5, True)])
    few = fit_threshold_on(plain_gate(), {"low": [low], "high": [high]})
    assert few == fit_threshold_on(plain_gate(), {"low": [low], "high": [high] * 20})
    assert few == pytest.approx(0.29, abs=0.011)
    assert fit_threshold_on(plain_gate(), {"high": [high]}) == pytest.approx(0.43, abs=0.011)


def test_sets_of_questions_from_outside_count_only_by_themselves() -> None:
    typed = scored([(0.3, True), (0.22, False)], typed=True)
    flow = scored([(0.5, False), (0.7, True)])
    assert fit_threshold_on(plain_gate(), {"typed": [typed], "flow": [flow]}) == pytest.approx(0.6, abs=0.011)
    assert fit_threshold_on(plain_gate(), {"typed": [typed]}) == pytest.approx(0.26, abs=0.011)


def test_nothing_to_fit_on_leaves_the_threshold() -> None:
    gate = plain_gate()
    gate.threshold_logit.data.fill_(1.0)
    before = gate.learned_threshold
    assert fit_threshold_on(gate, {}) is None
    assert fit_threshold_on(gate, {"none": [], "empty": [scored([(0.5, False)])]}) is None
    assert gate.learned_threshold == before


@pytest.mark.parametrize("preset", ["full", "reference"])
def test_it_is_fitted_for_either_preset(preset: str) -> None:
    gate = small_gate(preset=preset)
    episodes = read_episodes(gate, small_encoder(), planted())
    assert fit_threshold_on(gate, {"own": episodes}) is not None


def test_with_an_anchor_a_case_without_any_sure_turn_does_not_count_as_kept() -> None:
    unsure = [(0.45, False)] * 3
    sets = {"own": [scored([(0.9, True), (0.3, True)], unsure)]}
    # Up to 0.3 all five are kept, F1 4/7; above 0.45 only one, F1 2/3. With the anchor the three never are.
    without = fit_threshold_on(plain_gate(), sets)
    assert without is not None
    assert without > 0.45
    assert fit_threshold_on(plain_gate(), sets, anchor=0.5) == pytest.approx(0.25, abs=0.011)


# Child and parent


def test_a_verdict_counts_turns_and_takes_each_gates_own_threshold() -> None:
    parent = plain_gate()
    child = copy.deepcopy(parent)
    with torch.no_grad():
        child.threshold_logit.fill_(float(np.log(0.35 / 0.65)))
    sets = {
        "one": [scored([(0.4, True), (0.6, True), (0.1, False)], [(0.7, False), (0.2, True)])],
        "two": [scored([(0.38, False), (0.55, True)])],
    }
    verdict = compared(parent, child, sets)
    # Above 0.5: 0.6 and 0.55 are right, 0.7 is wrong, 0.4 and 0.2 are missed. Above 0.35: 0.4 too, and 0.38.
    assert verdict == Verdict(3, 1, pytest.approx(2 * 2 / (3 + 4)), pytest.approx(2 * 3 / (5 + 4)), 1, 1)
    assert verdict is not None
    assert verdict.better
    back = compared(child, parent, sets)
    assert back is not None
    assert not back.better


def test_only_a_higher_f1_is_better() -> None:
    worse, same, better = (Verdict(7, 2, 0.5, f1, 3, 3, -0.1, 0.15) for f1 in (0.4, 0.5, 0.6))
    assert [verdict.better for verdict in (worse, same, better)] == [False, False, True]
    assert "0.600" in better.sentence


def test_a_version_that_breaks_more_than_it_mends_is_no_better() -> None:
    assert not Verdict(7, 2, 0.404, 0.412, 2, 6).better


def test_a_verdict_is_by_the_rule_that_decides() -> None:
    gate = plain_gate()
    sets = {"own": [scored([(0.45, True), (0.1, False)])]}
    with torch.no_grad():
        gate.threshold_logit.fill_(float(np.log(0.35 / 0.65)))
    kept, nothing = compared(gate, gate, sets), compared(gate, gate, sets, rule=Anchored())
    assert kept is not None
    assert nothing is not None
    assert (kept.child_f1, nothing.child_f1) == (1.0, 0.0)


def test_without_cases_there_is_no_verdict() -> None:
    assert compared(plain_gate(), plain_gate(), {"own": []}) is None


def test_nothing_relevant_and_nothing_kept_is_right() -> None:
    gate = plain_gate()
    assert compared(gate, gate, {"own": [scored([(0.1, False)])]}) == Verdict(1, 1, 1.0, 1.0, 0, 0)
