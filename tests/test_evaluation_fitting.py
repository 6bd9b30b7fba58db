"""Thresholds fitted on relevance sets."""

from __future__ import annotations

import json
from dataclasses import dataclass, field

import numpy as np
import pytest

from convgate.conversation import Conversation, Turn
from convgate.errors import EvaluationError, PolicyError
from convgate.evaluation.calibration import BestFBeta, LeastCost, WantedPrecision, WantedRecall
from convgate.evaluation.evaluate import evaluate
from convgate.evaluation.fitting import EVERYTHING, FOUND, NOTHING, NOW, fit_threshold
from convgate.gate.thresholds import Rule, Stricter
from convgate.policies.base import history_indices
from convgate.policies.scored import decide_by_rule
from convgate.transcripts import Case, RelevanceSet


@dataclass
class Told:
    """Scores a turn by the number that is its text."""

    rule: Rule = field(default_factory=Stricter)
    name: str = "told"
    ranks: bool = True

    def decide(self, situation, history):
        scores = np.array([float(turn.text) for turn in history])
        return decide_by_rule(self.name, history_indices(history), scores, self.rule, learned=0.5)


def labelled(*talks, name="tiny"):
    """A set of one case a talk; a talk is its turns' scores, relevant where they are in `relevant`."""
    conversations, cases = {}, []
    for number, (scores, relevant) in enumerate(talks):
        id = f"c{number:03}"
        texts = [*map(str, scores), str(number)]  # no talk is there twice
        conversations[id] = Conversation(id, tuple(Turn.of("user", text) for text in texts))
        cases.append(Case(f"{id}-case", id, len(scores), None, frozenset(relevant)))
    return RelevanceSet(name, conversations, tuple(cases))


HALF = ((0.9, 0.4), {0})  # found at 0.9
LOW = ((0.4, 0.1), {0})  # found at 0.4
ALL = ((0.6, 0.5), {0, 1})
NONE = ((0.3, 0.2), set())


def noisy(count: int, seed: int = 0, name: str = "noisy"):
    """Talks of ten turns whose scores tell relevance more or less."""
    rng = np.random.default_rng(seed)
    talks = []
    for _ in range(count):
        relevant = rng.random(10) < 0.4
        scores = np.clip(0.5 + 0.25 * (relevant - 0.5) + 0.15 * rng.standard_normal(10), 0.01, 0.99)
        talks.append((scores.round(6).tolist(), set(np.flatnonzero(relevant).tolist())))
    return labelled(*talks, name=name)


def value(fitted, rule, metric, tag=None):
    result = fitted.result.policies[rule]
    return (result.by_tag[tag] if tag else result.overall)[metric].value


def test_the_found_rule_and_the_one_in_use_by_hand():
    fitted = fit_threshold([labelled(HALF, ALL, NONE)], Told(), WantedPrecision(1.0), scored_by="gate v1")
    assert fitted.rule.threshold == 0.5
    assert fitted.rule.goal == "precision 1.00"
    assert fitted.rule.fitted_on == "3 cases of tiny, gate v1"
    assert fitted.curve.thresholds[fitted.row] == 0.5
    assert [value(fitted, FOUND, metric) for metric in ("precision", "recall", "exact_empty")] == [1, 1, 1]
    assert fitted.rule_now == "stricter"
    assert value(fitted, NOW, "recall") == 2 / 3  # of ALL, only 0.6 is above the mean


def test_cases_where_everything_or_nothing_is_relevant_stand_apart():
    fitted = fit_threshold([labelled(HALF, ALL, NONE)], Told(), WantedRecall(1.0))
    assert value(fitted, NOW, "recall", EVERYTHING) == 1 / 2
    assert value(fitted, FOUND, "recall", EVERYTHING) == 1
    assert value(fitted, FOUND, "exact_empty", NOTHING) == 1
    assert list(fit_threshold([labelled(HALF, HALF)], Told(), BestFBeta()).result.tags) == []


def test_a_case_without_a_history_has_neither_everything_nor_nothing_relevant():
    fitted = fit_threshold([labelled(HALF, ALL, NONE, ((), set()))], Told(), BestFBeta())
    tags = fitted.result.tags
    assert {tag: has.sum() for tag, has in tags.items()} == {NOTHING: 1, EVERYTHING: 1}
    assert fitted.rule.fitted_on == "4 cases of tiny"


@pytest.mark.parametrize("goal", [WantedPrecision(0.8), WantedRecall(0.8), BestFBeta(2), LeastCost(0.5)])
def test_evaluating_with_the_found_rule_gives_the_figures_that_the_fit_told(goal):
    given = noisy(60)
    fitted = fit_threshold([given], Told(), goal, seed=3)
    measured = evaluate([given], [Told(fitted.rule)], seed=3).sets["noisy"].policies["told"].overall
    told = fitted.result.policies[FOUND].overall
    for metric in ("precision", "recall", "f1", "exact_empty", "kept_token_share"):
        assert told[metric] == measured[metric]
    assert fitted.curve.precision[fitted.row] == pytest.approx(measured["precision"].value)
    assert fitted.curve.kept_token_share[fitted.row] == pytest.approx(measured["kept_token_share"].value)


def test_the_interval_of_the_threshold_is_narrower_with_more_conversations():
    few, many = (fit_threshold([noisy(count)], Told(), WantedRecall(0.8)) for count in (20, 500))
    for fitted in (few, many):
        assert fitted.threshold.low < fitted.rule.threshold < fitted.threshold.high
        assert fitted.notes == ()
    assert many.threshold.high - many.threshold.low < few.threshold.high - few.threshold.low


def test_the_seed_fixes_the_intervals():
    one, same, other = (fit_threshold([noisy(30)], Told(), BestFBeta(), seed=seed) for seed in (1, 1, 2))
    assert one.to_json() == same.to_json()
    assert one.threshold.interval != other.threshold.interval
    assert one.rule == other.rule


def test_a_large_set_outweighs_a_small_one_unless_sets_weigh_alike():
    large, small = labelled(*[LOW] * 9, name="large"), labelled(HALF, NONE, name="small")
    by_cases = fit_threshold([large, small], Told(), LeastCost(1.5), pool="cases")
    by_sets = fit_threshold([large, small], Told(), LeastCost(1.5), pool="sets")
    assert by_cases.curve.recall[by_cases.curve.thresholds == 0.9] == pytest.approx(1 / 10)
    # Of 18 turns of `large` 9 are relevant, of 4 turns of `small` 1.
    assert by_sets.curve.recall[by_sets.curve.thresholds == 0.9] == pytest.approx((1 / 4) / (1 / 2 + 1 / 4))
    assert "each set weighing alike" in by_sets.rule.fitted_on
    assert value(by_cases, NOW, "recall") == pytest.approx(1 / 10)
    assert value(by_sets, NOW, "recall") == pytest.approx(1 / 3)


def test_a_set_given_with_all_its_cases_twice_weighs_no_more_when_sets_weigh_alike():
    one, other = noisy(20, name="one"), noisy(30, seed=1, name="other")
    twice = RelevanceSet(
        "one",
        one.conversations,
        one.cases
        + tuple(
            Case(f"{case.id}-again", case.conversation, case.turn, None, case.relevant) for case in one.cases
        ),
    )
    alike, alike_twice = (fit_threshold([a, other], Told(), BestFBeta(), pool="sets") for a in (one, twice))
    by_cases, by_cases_twice = (fit_threshold([a, other], Told(), BestFBeta()) for a in (one, twice))
    np.testing.assert_allclose(alike.curve.precision, alike_twice.curve.precision)
    assert not np.allclose(by_cases.curve.precision[:-1], by_cases_twice.curve.precision[:-1])


def test_a_single_case_has_a_threshold_without_intervals_and_says_why():
    fitted = fit_threshold([labelled(HALF)], Told(), BestFBeta())
    assert fitted.rule.threshold == 0.9
    assert fitted.rule.fitted_on == "1 case of tiny"
    assert fitted.threshold.interval is None
    assert fitted.to_json()["found"]["ci"]["precision"] is None
    (note,) = fitted.notes
    assert "One conversation cannot show" in note


def test_where_one_conversation_alone_has_relevant_turns_the_threshold_has_no_interval():
    fitted = fit_threshold([labelled(HALF, NONE, NONE)], Told(), BestFBeta())
    assert fitted.threshold.interval is None
    assert fitted.to_json()["found"]["ci"]["exact_empty"] == [1, 1]
    assert "One conversation alone has relevant turns" in fitted.notes[0]


def test_resamples_that_miss_the_goal_are_told():
    # Drawn more than once (7 times in 27), the third talk has too much that is irrelevant above the rest.
    fitted = fit_threshold([labelled(HALF, HALF, ((0.95, 0.4), {1}))], Told(), WantedPrecision(0.6))
    (note,) = fitted.notes
    assert "no threshold reaches precision 0.60" in note
    assert float(note.split("%")[0].removeprefix("In ")) == pytest.approx(100 * 7 / 27, abs=4)
    assert fitted.threshold.interval is not None


def test_where_false_keeps_cost_most_nothing_is_kept_and_that_is_told():
    given = labelled(((0.9, 0.4), {1}), ((0.8, 0.3), {1}))
    fitted = fit_threshold([given], Told(), LeastCost(10))
    assert fitted.rule.threshold == 1
    assert fitted.notes[0] == "Keeping nothing costs least here."
    assert value(fitted, FOUND, "kept_token_share") == 0


def test_the_json_holds_the_rule_the_figures_and_the_whole_curve():
    fitted = fit_threshold([labelled(HALF, ALL, NONE)], Told(), BestFBeta())
    printed = json.loads(json.dumps(fitted.to_json(), allow_nan=False))
    assert printed["threshold_rule"] == "calibrated"
    assert printed["threshold_parameters"] == {
        "threshold": 0.5, "goal": "the best F1", "fitted_on": "3 cases of tiny",
    }  # fmt: skip
    assert (printed["cases"], printed["conversations"], printed["pool"]) == (3, 3, "cases")
    assert (printed["found"]["rule"], printed["now"]["rule"]) == ("calibrated", "stricter")
    assert set(printed["found"]) == {
        "rule", "precision", "recall", "f1", "exact_empty", "kept_token_share", "ci", "by_tag",
    }  # fmt: skip
    assert printed["found"]["by_tag"][NOTHING]["cases"] == 1
    curve = printed["curve"]
    assert curve["thresholds"] == [0.2, 0.3, 0.4, 0.5, 0.6, 0.9, 1.0]
    assert curve["precision"][-2:] == [1.0, None]
    assert curve["recall"] == [1, 1, 1, 1, 2 / 3, 1 / 3, 0]
    assert curve["false_keep_share"][0] == curve["kept_share"][0] - 1 / 2


def test_what_cannot_be_fitted_is_told():
    with pytest.raises(EvaluationError, match="no turn is relevant in 2 cases of tiny"):
        fit_threshold([labelled(NONE, NONE)], Told(), BestFBeta())
    with pytest.raises(
        EvaluationError, match=r"no threshold reaches precision 0\.90 on 1 case of tiny; 0\.400"
    ):
        fit_threshold([labelled(((0.9, 0.4), {1}))], Told(), WantedPrecision(0.9))
    with pytest.raises(EvaluationError, match="no turn is relevant in 0 cases of tiny"):
        fit_threshold([labelled()], Told(), BestFBeta())
    with pytest.raises(EvaluationError, match="none was given"):
        fit_threshold([], Told(), BestFBeta())
    with pytest.raises(EvaluationError, match="two relevance sets are named 'tiny'"):
        fit_threshold([labelled(HALF), labelled(ALL)], Told(), BestFBeta())
    with pytest.raises(EvaluationError, match="told does not score turns"):
        fit_threshold([labelled(HALF)], Told(ranks=False), BestFBeta())
    with pytest.raises(PolicyError, match=r"threshold must be from 0\.0 to 1\.0; got 7\.0"):
        fit_threshold([labelled(((7, 3), {0}))], Told(), BestFBeta())


def test_names_of_sets_cannot_steer_a_terminal():
    fitted = fit_threshold([labelled(HALF, name="a\x1b[2Jb\n")], Told(), BestFBeta())
    assert "\x1b" not in fitted.rule.fitted_on
    assert "\n" not in fitted.rule.fitted_on
