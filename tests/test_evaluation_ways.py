"""The rule that is offered where another cannot reach a goal does reach it, and is the best of its kind."""

from __future__ import annotations

import numpy as np
import pytest

from convgate.evaluation.calibration import WantedPrecision, WantedRecall
from convgate.evaluation.tuning import Figures, ScoredCase, ScoredCases
from convgate.evaluation.ways import nearest_way, ways
from convgate.gate.thresholds import Absolute, Anchored
from convgate.transcripts import Case

Cases = dict[tuple[float, ...], tuple[bool, ...]]  # which turns are relevant, by their scores

RELEVANT: Cases = {(0.9, 0.3): (True, True), (0.41, 0.2): (True, False), (0.35, 0.3): (False, False)}


def scored(cases: Cases) -> ScoredCases:
    """Cases by their scores, of one conversation each, a token a turn."""
    made = [
        ScoredCase(
            "a set", Case(str(number), str(number), len(scores), None, frozenset()), 0, np.array(scores),
            np.ones(len(scores), dtype=np.int64), np.arange(len(scores)), np.array(relevant),
        )
        for number, (scores, relevant) in enumerate(cases.items())
    ]  # fmt: skip
    return ScoredCases(tuple(made), np.arange(len(made)), len(made), 0.3)


def test_a_recall_that_an_anchor_forbids_is_reached_without_it_and_better_by_a_lower_one() -> None:
    fixed, guarded = ways(scored(RELEVANT), WantedRecall(1.0))
    assert (fixed.rule, fixed.recall, fixed.precision) == (Absolute(threshold=0.3), 1.0, 0.6)
    assert (guarded.rule, guarded.precision) == (Anchored(anchor=0.41, threshold=0.3), 1.0)
    assert fixed.reaches
    assert guarded.reaches


def test_an_anchor_that_gains_nothing_is_not_offered() -> None:
    (only,) = ways(scored(RELEVANT), WantedRecall(0.3))
    assert only.rule == Absolute(threshold=0.9)


def test_a_precision_that_nothing_reaches_gives_the_nearest() -> None:
    (nearest,) = ways(scored({(0.9, 0.8, 0.5): (False, True, False)}), WantedPrecision(0.9))
    assert not nearest.reaches
    assert (nearest.rule, nearest.precision, nearest.recall) == (Absolute(threshold=0.8), 0.5, 1.0)


def test_without_a_relevant_turn_there_is_no_way() -> None:
    assert ways(scored({(0.9, 0.1): (False, False)}), WantedRecall(0.5)) == []


def test_the_nearest_with_the_rule_itself_keeps_its_anchor() -> None:
    cases, rule = scored(RELEVANT), Anchored(anchor=0.5)
    curve = cases.curve(rule)
    assert curve is not None
    way = nearest_way(curve, rule, WantedRecall(1.0))
    assert (way.rule, way.reaches) == (Anchored(anchor=0.5, threshold=0.3), False)
    assert way.recall == pytest.approx(2 / 3)


def worth_of(figures: Figures, goal: WantedRecall | WantedPrecision) -> float | None:
    """Of a wanted recall how little is kept, of a wanted precision the recall; None where it is missed."""
    if isinstance(goal, WantedRecall):
        return -figures.kept / figures.turns if (figures.recall.value or 0) >= goal.recall else None
    return figures.recall.value if (figures.precision.value or 0) >= goal.precision else None


@pytest.mark.parametrize("goal", [WantedRecall(0.8), WantedRecall(0.95), WantedPrecision(0.4)], ids=repr)
def test_what_is_offered_is_as_good_as_any_pair_of_hundredths(goal: WantedRecall | WantedPrecision) -> None:
    random = np.random.default_rng(3)
    cases = {tuple(random.random(9)): tuple(random.random(9) < 0.3) for _ in range(12)}
    made = scored(cases)
    offered = ways(made, goal)
    assert all(way.reaches for way in offered)
    best = -1.0
    for anchor in range(0, 101, 4):
        for threshold in range(0, 101, 4):
            kept = made.kept(Anchored(anchor=anchor / 100, threshold=threshold / 100))
            figures = made.figures(kept)
            worth = worth_of(figures, goal)
            best = best if worth is None else max(best, worth)
    found = [made.figures(made.kept(way.rule)) for way in offered]
    assert [one.recall.value for one in found] == [way.recall for way in offered]
    worths = [worth_of(one, goal) for one in found]
    assert None not in worths
    assert max(worth for worth in worths if worth is not None) >= best
