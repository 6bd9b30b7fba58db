"""Any rule tried on cases that were scored once does what the gate would do with it."""

from __future__ import annotations

import numpy as np
import pytest

from convgate.conversation import Conversation, Turn
from convgate.evaluation.evaluate import evaluate
from convgate.evaluation.judge import judge
from convgate.evaluation.metrics import METRICS
from convgate.evaluation.sweeps import at_value
from convgate.evaluation.tuning import ScoredCases, score_cases
from convgate.gate.thresholds import Limits, Rule, make_rule
from convgate.policies.gate import GatePolicy
from convgate.policies.scored import NO_LIMITS
from convgate.transcripts import Case, RelevanceSet
from tests.fakes import FakeEncoder
from tests.gates import trained_gate

WORDS = ["lake", "house", "boat", "bread", "tea", "rain", "router", "invoice", "parcel", "late"]


def a_set(name: str, talks: int, seed: int = 0) -> RelevanceSet:
    """Talks of ten turns, with cases of a window, of some turns that are judged, of a typed question."""
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


SETS = [a_set("one", 4), a_set("two", 3, seed=5)]


@pytest.fixture(scope="module")
def policy() -> GatePolicy:
    return GatePolicy(trained_gate(seed=5), FakeEncoder(), make_rule("anchored", anchor=0.52))


@pytest.fixture(scope="module")
def scored(policy: GatePolicy) -> ScoredCases:
    return score_cases(SETS, policy)


RULES: list[Rule] = [
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
]


@pytest.mark.parametrize("limits", [NO_LIMITS, Limits(2, 3), Limits(0, 1), Limits(1)], ids=str)
@pytest.mark.parametrize("rule", RULES, ids=str)
def test_what_is_kept_is_what_the_gate_decides(
    policy: GatePolicy, scored: ScoredCases, rule: Rule, limits: Limits
) -> None:
    deciding = policy.with_rule(rule, limits)
    expected, turns = [], []
    for one in SETS:
        tokens = {id: np.ones(len(talk), dtype=np.int64) for id, talk in one.conversations.items()}
        for judged in judge(one, deciding, tokens=tokens):
            decided = {decision.item: decision.kept for decision in judged.decisions}
            expected += [decided[int(index)] for index in judged.indices]
            turns += judged.indices.tolist()
    assert scored.turn.tolist() == turns
    assert scored.kept(rule, limits).tolist() == expected


def test_the_limits_and_the_rules_tell_the_turns_apart(scored: ScoredCases) -> None:
    counts = {str(rule): int(scored.kept(rule).sum()) for rule in RULES}
    assert len(set(counts.values())) > 5, counts
    assert 0 < min(counts.values()) < max(counts.values()) < len(scored.relevant)


def test_figures_are_those_of_an_evaluation(policy: GatePolicy, scored: ScoredCases) -> None:
    rule = make_rule("anchored", anchor=0.52, threshold=0.42)
    kept = scored.kept(rule)
    found = evaluate(SETS, [policy.with_rule(rule)]).sets
    for name, (conversations, summary) in scored.summaries(kept).items():
        expected = found[name].policies["gate"].overall
        assert conversations == found[name].conversations
        for metric in METRICS:
            assert summary[metric] == expected[metric]
    alone = score_cases(SETS[:1], policy)
    figures, overall = alone.figures(alone.kept(rule)), found["one"].policies["gate"].overall
    assert figures.precision.value == pytest.approx(overall["precision"].value)
    assert figures.recall.interval == pytest.approx(overall["recall"].interval)
    assert figures.f_beta.value == pytest.approx(overall["f1"].value)
    assert figures.token_share.value == pytest.approx(overall["kept_token_share"].value)
    assert figures.hits + figures.false_drops == figures.relevant
    assert figures.hits + figures.false_keeps == figures.kept
    assert figures.turns == len(alone.relevant)


def test_f_beta_weighs_recall_as_it_is_told(scored: ScoredCases) -> None:
    few = scored.kept(make_rule("top_k", k=1))
    figures = scored.figures(few, beta=2.0)
    p, r = figures.precision.value, figures.recall.value
    assert p is not None
    assert r is not None
    assert figures.f_beta.value == pytest.approx(5 * p * r / (4 * p + r))


@pytest.mark.parametrize("rule", [one for one in RULES if one.name not in ("top_k", "token_budget")], ids=str)
def test_each_place_on_the_curve_is_what_the_rule_does_there(scored: ScoredCases, rule: Rule) -> None:
    curve = scored.curve(rule)
    assert curve is not None
    assert len(curve) > 2
    for row in range(0, len(curve), 3):
        figures = scored.figures(scored.kept(at_value(rule, float(curve.thresholds[row]))))
        assert curve.recall[row] == pytest.approx(figures.recall.value)
        assert curve.kept_token_share[row] == pytest.approx(figures.token_share.value)


def test_rules_that_fill_a_number_have_no_curve(scored: ScoredCases) -> None:
    assert scored.curve(make_rule("top_k")) is None


def test_no_cases_give_no_figures(policy: GatePolicy) -> None:
    nothing = score_cases([RelevanceSet("none", {}, ())], policy)
    figures = nothing.figures(nothing.kept(make_rule("absolute")))
    assert (figures.turns, figures.precision.value) == (0, None)
    assert nothing.summaries(nothing.kept(make_rule("absolute"))) == {}
    for rule in RULES:
        assert len(nothing.kept(rule, Limits(1))) == 0
