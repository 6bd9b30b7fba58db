"""Thresholds fitted to a goal, parameter sweeps, and rules on scored cases."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from convgate.core.conversation import Conversation, Turn
from convgate.core.errors import PolicyError
from convgate.evaluation.curves import CurveSums
from convgate.evaluation.evaluate import evaluate
from convgate.evaluation.fitting import FOUND, NOTHING, NOW, fit_threshold
from convgate.evaluation.goals import Goal, calibrate
from convgate.evaluation.judged_cases import judge
from convgate.evaluation.metrics import METRICS
from convgate.evaluation.tuning import ScoredCases, score_cases
from convgate.gate.rule import ROUNDING, Rule, TurnLimits
from convgate.gate.thresholds import (
    RULES,
    Absolute,
    Anchored,
    Blended,
    Calibrated,
    Expected,
    MaxMissed,
    Relative,
    Stricter,
    TokenBudget,
    TopK,
    make_rule,
)
from convgate.policies.base import NO_LIMITS, decide_by_rule, history_indices
from convgate.policies.gate import GatePolicy
from convgate.transcripts import Case, RelevanceSet
from tests.fakes import FakeEncoder
from tests.gates import trained_gate


@dataclass
class TextScorePolicy:
    """Scores a turn by the number that is its text."""

    rule: Rule = field(default_factory=Stricter)
    name: str = "told"
    ranks: bool = True
    gate: Any = field(default_factory=lambda: SimpleNamespace(learned_threshold=0.5))

    def decide(self, current, history):
        scores = np.array([float(turn.text) for turn in history])
        return decide_by_rule(self.name, history_indices(history), scores, self.rule, learned=0.5)


def labelled(*talks, name="tiny"):
    """Return a set of one case per conversation, which is given by its scores and relevant turns."""
    conversations, cases = {}, []
    for number, (scores, relevant) in enumerate(talks):
        id = f"c{number:03}"
        texts = [*map(str, scores), str(number)]  # no talk is there twice
        conversations[id] = Conversation(id, tuple(Turn.of("user", text) for text in texts))
        cases.append(Case(f"{id}-case", id, len(scores), None, frozenset(relevant)))
    return RelevanceSet(name, conversations, tuple(cases))


HALF = ((0.9, 0.4), {0})  # found at 0.9
ALL = ((0.6, 0.5), {0, 1})
NONE = ((0.3, 0.2), set())


def noisy_set(count: int, seed: int = 0, name: str = "noisy"):
    """Conversations of ten turns whose scores tell relevance more or less."""
    rng = np.random.default_rng(seed)
    conversations = []
    for _ in range(count):
        relevant = rng.random(10) < 0.4
        scores = np.clip(0.5 + 0.25 * (relevant - 0.5) + 0.15 * rng.standard_normal(10), 0.01, 0.99)
        conversations.append((scores.round(6).tolist(), set(np.flatnonzero(relevant).tolist())))
    return labelled(*conversations, name=name)


def value(fitted, rule, metric, tag=None):
    result = fitted.result.policies[rule]
    return (result.by_tag[tag] if tag else result.overall)[metric].value


def test_the_found_rule_and_the_active_one_by_hand():
    fitted = fit_threshold(
        [labelled(HALF, ALL, NONE)], TextScorePolicy(), Goal.min_precision(1.0), scored_by="gate v1"
    )
    assert fitted.rule.threshold == 0.5
    assert fitted.rule.goal == "precision 1.00"
    assert fitted.rule.fitted_on == "3 cases of tiny, gate v1"
    assert fitted.curve.thresholds[fitted.row] == 0.5
    assert [value(fitted, FOUND, metric) for metric in ("precision", "recall", "exact_empty")] == [1, 1, 1]
    assert fitted.rule_now == "stricter"
    assert value(fitted, NOW, "recall") == 2 / 3  # of ALL, only 0.6 is above the mean


@pytest.mark.parametrize(
    "goal", [Goal.min_precision(0.8), Goal.min_recall(0.8), Goal.best_f_beta(2), Goal.min_cost(0.5)]
)
def test_evaluating_with_the_found_rule_gives_the_figures_of_the_fit(goal):
    given = noisy_set(60)
    fitted = fit_threshold([given], TextScorePolicy(), goal)
    measured = evaluate([given], [TextScorePolicy(fitted.rule)]).sets["noisy"].policies["told"].overall
    overall = fitted.result.policies[FOUND].overall
    for metric in ("precision", "recall", "f1", "exact_empty", "kept_token_share"):
        assert overall[metric] == measured[metric]
    assert fitted.curve.precision[fitted.row] == pytest.approx(measured["precision"].value)
    assert fitted.curve.kept_token_share[fitted.row] == pytest.approx(measured["kept_token_share"].value)


def test_the_json_holds_the_rule_the_figures_and_the_whole_curve():
    fitted = fit_threshold([labelled(HALF, ALL, NONE)], TextScorePolicy(), Goal.best_f_beta())
    printed = json.loads(json.dumps(fitted.to_json(), allow_nan=False))
    assert printed["threshold_rule"] == "calibrated"
    assert printed["threshold_parameters"] == {
        "threshold": 0.5, "goal": "the best F1", "fitted_on": "3 cases of tiny",
    }  # fmt: skip
    assert (printed["cases"], printed["conversations"]) == (3, 3)
    assert (printed["found"]["rule"], printed["now"]["rule"]) == ("calibrated", "stricter")
    assert set(printed["found"]) == {
        "rule", "answerable", "missed", "precision", "recall", "f1", "exact_empty", "kept_token_share",
        "ci", "by_tag",
    }  # fmt: skip
    assert printed["found"]["by_tag"][NOTHING]["cases"] == 1
    curve = printed["curve"]
    assert curve["thresholds"] == [0.0, 0.2, 0.3, 0.4, 0.5, 0.6, 0.9, 1.0]
    assert curve["precision"][-2:] == [1.0, None]
    assert curve["recall"] == [1, 1, 1, 1, 1, 2 / 3, 1 / 3, 0]
    assert curve["false_keep_share"][0] == curve["kept_share"][0] - 1 / 2


def test_names_of_sets_cannot_steer_a_terminal():
    fitted = fit_threshold([labelled(HALF, name="a\x1b[2Jb\n")], TextScorePolicy(), Goal.best_f_beta())
    assert "\x1b" not in fitted.rule.fitted_on
    assert "\n" not in fitted.rule.fitted_on


# precision at .1 to .9 is .60, .50, .67, .50, 1.0; recall 1, .67, .67, .33, .33
RELEVANT = np.array([True, False, True, False, True])
SCORES = np.array([0.9, 0.7, 0.5, 0.3, 0.1])
CURVE = CurveSums.of(RELEVANT, SCORES).curve()

labelled_rows = st.lists(st.tuples(st.booleans(), st.integers(0, 9)), min_size=1, max_size=30).filter(
    lambda rows: any(relevant for relevant, _ in rows)
)


@pytest.mark.parametrize(
    ("goal", "threshold"),
    [
        (Goal.min_precision(0.6), 0.1),
        (Goal.min_precision(0.65), 0.5),
        (Goal.min_precision(0.9), 0.9),
        (Goal.min_recall(1.0), 0.1),
        (Goal.min_recall(0.6), 0.5),
        (Goal.best_f_beta(), 0.1),
        (Goal.best_f_beta(0.25), 0.9),
        (Goal.min_cost(0.25), 0.1),  # costs .5 there, 1.25 at .5, 2 at .9
        (Goal.min_cost(0.9), 0.1),  # 1.8, 1.9, 2
        (Goal.min_cost(4), 0.9),  # 8, 5, 2
    ],
)
def test_threshold_serves_the_goal(goal, threshold: float):
    rule = calibrate(CURVE, goal, fitted_on="5 labels")
    assert rule.threshold == threshold
    assert (rule.goal, rule.fitted_on) == (goal.label, "5 labels")


@given(labelled_rows, st.floats(0.01, 100))
def test_no_threshold_costs_less_than_the_one_of_least_cost(rows, cost: float):
    relevant, scores = (np.array(column) for column in zip(*rows, strict=True))
    curve = CurveSums.of(relevant, scores / 10).curve()

    def costs(threshold: float) -> float:
        kept = scores / 10 >= threshold
        return cost * (kept & ~relevant).sum() + (relevant & ~kept).sum()

    fitted = calibrate(curve, Goal.min_cost(cost)).threshold
    assert costs(fitted) <= min(costs(threshold) for threshold in scores / 10) + 1e-6


SCORE_LISTS = st.lists(st.integers(0, 20).map(lambda n: n / 20), max_size=8).map(np.array)
SHARES = st.integers(0, 20).map(lambda n: n / 20)
RULE: st.SearchStrategy[Rule] = st.one_of(
    st.just(Absolute()),
    st.just(Calibrated()),
    st.builds(Anchored, anchor=SHARES),
    st.just(Expected()),
    st.just(Relative()),
    st.just(Stricter()),
    st.builds(Blended, weight=SHARES),
    st.builds(MaxMissed, levels=st.sampled_from(["", "0.02:0.01 0.1:0.2", "0.1:0.3"])),
)


@given(RULE, SCORE_LISTS, SHARES, st.floats(0, 1))
def test_the_rule_keeps_what_reaches_its_parameter(
    rule: Rule, scores: np.ndarray[Any, Any], learned: float, share: float
) -> None:
    sweep = rule.sweep
    value = sweep.low + share * (sweep.high - sweep.low)
    reached = rule.reach(scores, learned=learned)
    finite = reached[np.isfinite(reached)]
    assume(not (np.abs(finite - value) < 1e-6).any() or value in finite)
    cut = rule.at(value).cut(scores, learned=learned)
    assert (reached >= value - ROUNDING).tolist() == cut.kept.tolist()


@given(RULE, SCORE_LISTS, SHARES)
def test_a_turn_is_kept_at_the_very_value_that_it_reaches(
    rule: Rule, scores: np.ndarray[Any, Any], learned: float
) -> None:
    sweep = rule.sweep
    reached = rule.reach(scores, learned=learned)
    for row in np.flatnonzero(np.isfinite(reached)):
        if sweep.low <= reached[row] <= sweep.high:
            assert rule.at(float(reached[row])).cut(scores, learned=learned).kept[row]


@pytest.mark.parametrize(
    ("rule", "reached"),
    [
        (Anchored(anchor=0.8), [0.9, 0.4]),
        (Anchored(anchor=0.95), [-np.inf, -np.inf]),
        (Stricter(), [1, -np.inf]),
        (Relative(), [1, -1]),
        (Blended(weight=0.5), [np.inf, -1.4]),  # (0.9 − 0.25) / 0.5 is above 1; (0.4 − 0.25) / 0.5 = 0.3
        (Blended(weight=0.0), [np.inf, -np.inf]),
    ],
    ids=repr,
)
def test_reach_by_hand(rule: Rule, reached: list[float]) -> None:
    """The mean is 0.65, the deviation 0.25, the learned threshold 0.5."""
    assert rule.reach(np.array([0.9, 0.4]), learned=0.5) == pytest.approx(reached)


def test_every_rule_is_swept_or_fills_a_number() -> None:
    assert {name for name, rule in RULES.items() if rule().sweep is None} == {"top_k", "token_budget"}
    for rule in (TopK(), TokenBudget()):
        assert rule.value(learned=0.4) is None
        with pytest.raises(PolicyError):
            rule.reach(np.array([0.5]))
        with pytest.raises(PolicyError):
            rule.at(0.5)
    assert Anchored().value(learned=0.4) == 0.4
    assert Stricter(0.7).value(learned=0.4) == 0.7


WORDS = ["lake", "house", "boat", "bread", "tea", "rain", "router", "invoice", "parcel", "late"]


def make_set(name: str, talks: int, seed: int = 0) -> RelevanceSet:
    """Return conversations of ten turns with windows, judged turns and typed questions."""
    random = np.random.default_rng(seed)
    conversations, cases = {}, []
    for number in range(talks):
        id = f"{name}-{number}"
        texts = [" ".join(random.choice(WORDS, 4)) for _ in range(10)]
        conversations[id] = Conversation(
            id, tuple(Turn.of("user" if i % 2 == 0 else "assistant", text) for i, text in enumerate(texts))
        )
        some = frozenset(np.flatnonzero(random.random(8) < 0.4).tolist())
        cases += [
            Case(f"{id}-8", id, 8, None, some),
            Case(f"{id}-w", id, 9, None, frozenset({6}), window=4),
            Case(f"{id}-j", id, 9, None, frozenset({1}), judged=frozenset({1, 3, 8})),
            Case(f"{id}-q", id, None, Turn.of("user", "the lake house"), frozenset()),
            Case(f"{id}-0", id, 0, None, frozenset()),
        ]
    return RelevanceSet(name, conversations, tuple(cases))


SETS = [make_set("one", 4), make_set("two", 3, seed=5)]


@pytest.fixture(scope="module")
def policy() -> GatePolicy:
    return GatePolicy(trained_gate(seed=5), FakeEncoder(), make_rule("anchored", anchor=0.52))


@pytest.fixture(scope="module")
def score(policy: GatePolicy) -> ScoredCases:
    return score_cases(SETS, policy)


TUNED_RULES: list[Rule] = [
    make_rule("absolute"),
    make_rule("anchored", anchor=0.52, threshold=0.42),
    make_rule("anchored", anchor=0.5),
    make_rule("calibrated", threshold=0.4),
    make_rule("relative", deviations=0.2),
    make_rule("stricter", deviations=-0.3),
    make_rule("blended", weight=0.3, deviations=0.4),
    make_rule("top_k", k=2),
    make_rule("top_k", k=4, above=0.45),
    make_rule("token_budget", budget=14),
    make_rule("max_missed", max_missed=0.2, levels="0.1:0.2"),
]


@pytest.mark.parametrize("limits", [NO_LIMITS, TurnLimits(2, 3), TurnLimits(0, 1), TurnLimits(1)], ids=str)
@pytest.mark.parametrize("rule", TUNED_RULES, ids=str)
def test_what_is_kept_is_what_the_gate_decides(
    policy: GatePolicy, score: ScoredCases, rule: Rule, limits: TurnLimits
) -> None:
    deciding = policy.with_rule(rule, limits)
    expected, turns = [], []
    for one in SETS:
        tokens = {
            id: np.ones(len(conversation), dtype=np.int64) for id, conversation in one.conversations.items()
        }
        for judged in judge(one, deciding, tokens=tokens):
            decided = {decision.index: decision.kept for decision in judged.decisions}
            expected += [decided[int(index)] for index in judged.indices]
            turns += judged.indices.tolist()
    assert score.turn.tolist() == turns
    assert score.kept(rule, limits).tolist() == expected


def test_figures_are_those_of_an_evaluation(policy: GatePolicy, score: ScoredCases) -> None:
    rule = make_rule("anchored", anchor=0.52, threshold=0.42)
    kept = score.kept(rule)
    results = evaluate(SETS, [policy.with_rule(rule)]).sets
    for name, (conversations, summary) in score.summaries(kept).items():
        expected = results[name].policies["gate"].overall
        assert conversations == results[name].conversations
        for metric in METRICS:
            assert summary[metric] == expected[metric]
    alone = score_cases(SETS[:1], policy)
    figures, overall = alone.figures(alone.kept(rule)), results["one"].policies["gate"].overall
    assert figures.precision.value == pytest.approx(overall["precision"].value)
    assert figures.recall.interval == pytest.approx(overall["recall"].interval)
    assert figures.tokens_kept / figures.tokens == pytest.approx(overall["kept_token_share"].value)
    assert figures.answered == sum(
        bool(case.needed.any() and kept[case.needed].all())
        for case, kept in zip(alone.cases, alone.split(alone.kept(rule)), strict=True)
    )
    assert figures.answerable.value == pytest.approx(figures.answered / figures.asked)
    assert figures.turns == len(alone.relevant)


def test_every_stage_of_the_progress_is_reported_from_its_start_to_its_end(policy: GatePolicy) -> None:
    reports: dict[str, list[tuple[int, int]]] = {}
    for _ in range(2):  # the second time nothing is left to encode
        reports.clear()
        score_cases(
            SETS, policy, progress=lambda *report: reports.setdefault(report[0], []).append(report[1:])
        )
        assert len(reports) == 3 * len(SETS)
        for counts in reports.values():
            assert counts[0][0] == 0 < counts[0][1]
            assert counts[-1][0] == counts[-1][1]
