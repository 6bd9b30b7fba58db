"""Every policy: one decision a turn, with a reason; hand values of each; the edges all share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from convgate.conversation import Conversation, Turn
from convgate.errors import PolicyError
from convgate.gate.model import Gate
from convgate.gate.thresholds import Absolute, Limits, TokenBudget, TopK
from convgate.messages.tokens import TOKENS_PER_MESSAGE
from convgate.parameters import Checked, one_of, parameter_names, switch
from convgate.policies.gate import GatePolicy
from convgate.policies.hybrid import reciprocal_rank_fusion
from convgate.policies.registry import make_policy, policy_labels, policy_names
from convgate.policies.window import LastK, TokenWindow
from tests.fakes import FakeEncoder
from tests.gates import trained_gate

TEXTS = [
    "my training loss becomes nan",
    "lower the learning rate",
    "write a fibonacci function",
    "here is a fibonacci function",
    "the training loss is nan again",
]


def talk(texts=TEXTS) -> Conversation:
    roles = ("user", "assistant")
    return Conversation(id="talk", turns=tuple(Turn.of(roles[i % 2], text) for i, text in enumerate(texts)))


def test_names_are_those_of_the_stable_interface():
    assert policy_names() == (
        "gate", "everything", "last_k", "token_window", "cosine", "cosine_top_k", "bm25", "hybrid",
        "retention", "pruning", "gatekeeper", "session", "pipeline",
    )  # fmt: skip
    assert set(policy_labels()) == set(policy_names())


@pytest.mark.parametrize("name", policy_names())
@pytest.mark.parametrize("n", [0, 1, 4])
def test_one_decision_a_turn_each_with_a_reason(name: str, n: int):
    policy = make_policy(name, encoder=FakeEncoder())
    decisions = policy.decide(*talk(TEXTS[: n + 1]).at(n))
    assert len(decisions) == n
    assert decisions.policy == name == policy.name
    for index, decision in enumerate(decisions):
        assert decision.item == index
        assert decision.reason.startswith("Kept" if decision.kept else "Dropped")
        assert decision.reason.endswith(".")
        assert "{" not in decision.reason
        assert not decision.forced


@pytest.mark.parametrize("name", policy_names())
def test_window_keeps_the_conversations_own_indices(name: str):
    decisions = make_policy(name, encoder=FakeEncoder()).decide(*talk().at(4, window=2))
    assert decisions.indices.tolist() == [2, 3]
    assert decisions.of(3).item == 3
    with pytest.raises(KeyError, match="1"):
        decisions.of(1)


@pytest.mark.parametrize("name", policy_names())
def test_blank_and_huge_turns_are_decided_too(name: str):
    texts = ["", "   ", "word " * 20_000, "question?"]
    policy = make_policy(name, encoder=FakeEncoder())
    decisions = policy.decide(*talk(texts).at(3))
    assert len(decisions) == 3
    if policy.ranks:
        assert np.isfinite(decisions.scores).all()


@pytest.mark.parametrize("name", ["everything", "last_k", "token_window", "bm25"])
def test_policies_without_embeddings_never_ask_for_an_encoder(name: str):
    def never():
        raise AssertionError("an encoder was loaded")

    assert make_policy(name, encoder=never).decide(*talk().at(4)).kept_indices


def test_everything_keeps_everything_and_does_not_rank():
    policy = make_policy("everything")
    assert policy.decide(*talk().at(4)).kept_indices == [0, 1, 2, 3]
    assert not policy.ranks


def test_last_k_keeps_the_newest():
    assert LastK(2).decide(*talk().at(4)).kept_indices == [2, 3]
    assert LastK(0).decide(*talk().at(4)).kept_indices == []
    assert LastK(99).decide(*talk().at(4)).kept_indices == [0, 1, 2, 3]


def test_token_window_closes_at_the_first_turn_that_does_not_fit():
    each = 6 + TOKENS_PER_MESSAGE
    for budget, kept in ((3 * each, [1, 2, 3]), (3 * each - 1, [2, 3])):
        policy = TokenWindow(budget=budget, counter=lambda text: 6)
        assert policy.decide(*talk().at(4)).kept_indices == kept
    assert TokenWindow(budget=0).decide(*talk().at(4)).kept_indices == []


def test_cosine_keeps_what_is_similar():
    decisions = make_policy("cosine", encoder=FakeEncoder()).decide(*talk().at(4))
    assert decisions.kept_indices == [0]
    assert decisions.threshold == 0.35


def test_cosine_top_k_keeps_k_whatever_the_score():
    assert (
        len(make_policy("cosine_top_k", encoder=FakeEncoder(), k=3).decide(*talk().at(4)).kept_indices) == 3
    )


def test_bm25_keeps_only_turns_that_share_a_word():
    decisions = make_policy("bm25").decide(*talk().asked("fibonacci, please"))
    assert decisions.kept_indices == [2, 3]
    assert make_policy("bm25").decide(*talk().asked("chocolate cake")).kept_indices == []


def test_bm25_ranks_rare_words_above_common_ones():
    texts = ["the cat", "the dog", "the bird", "zeppelin", "the zeppelin?"]
    scores = make_policy("bm25").decide(*talk(texts).at(4)).scores
    assert scores[3] > scores[0] > 0


def test_reciprocal_rank_fusion_by_hand():
    fused = reciprocal_rank_fusion(np.array([0.9, 0.1, 0.5]), np.array([0.0, 3.0, 0.0]))
    assert fused == pytest.approx([1 / 61 + 1 / 62.5, 1 / 63 + 1 / 61, 1 / 62 + 1 / 62.5])


def test_gate_gives_every_column_of_the_explanation():
    policy = GatePolicy(trained_gate(), FakeEncoder())
    decisions = policy.decide(*talk().at(4))
    for row, decision in enumerate(decisions):
        assert sum(decision.parts.values()) == pytest.approx(decision.logit, abs=1e-12)
        assert decision.score == pytest.approx(1 / (1 + np.exp(-decision.logit)))
        assert decision.margin == pytest.approx(decision.score - decision.threshold)
        assert decision.kept == (decision.margin >= 0)
        g = decisions.gate_activation
        assert decision.logit == pytest.approx((1 - g) * decisions.tier1[row] + g * decisions.attention[row])


def test_rule_changes_without_encoding_anything_again():
    encoder = FakeEncoder()
    policy = GatePolicy(Gate(), encoder)
    scored = policy.score(*talk().at(4))
    calls = len(encoder.calls)
    assert len(policy.with_rule(TopK(1)).decide_scored(scored).kept_indices) == 1
    assert policy.with_rule(Absolute(1.0)).decide_scored(scored).kept_indices == []
    assert len(encoder.calls) == calls


def test_limits_are_told_as_what_decided():
    policy = GatePolicy(Gate(), FakeEncoder(), rule=Absolute(1.0), limits=Limits(min_turns=1))
    decisions = policy.decide(*talk().at(4))
    (index,) = decisions.kept_indices
    record = decisions.of(index)
    assert record.forced
    assert record.rule == "limits"
    assert "at least 1 turns are kept" in record.reason


def test_token_budget_counts_the_turns():
    policy = GatePolicy(Gate(), FakeEncoder(), rule=TokenBudget(100), counter=lambda text: 40)
    assert len(policy.decide(*talk().at(4)).kept_indices) == 2


def test_reason_tells_of_missing_text():
    decisions = GatePolicy(Gate(), FakeEncoder()).decide(*talk(["one two three four", "", "now"]).at(2))
    assert "has no text" in decisions[1].reason
    assert "has no text" not in decisions[0].reason


def test_reason_tells_how_much_of_a_very_long_turn_was_encoded():
    decisions = GatePolicy(Gate(), FakeEncoder(longest=2)).decide(*talk(["one " * 300, "now"]).at(1))
    assert "128 of its 150 passages" in decisions[0].reason
    assert "128 of its 150 passages" in decisions[0].to_json()["reason"]


def test_situation_leans_on_what_came_before_when_the_gate_says_so():
    from convgate.gate.config import GateConfig

    texts = ["the loss is nan", "lower the rate", "why?"]
    plain, leaning = FakeEncoder(), FakeEncoder()
    GatePolicy(Gate(), plain).decide(*talk(texts).at(2))
    GatePolicy(Gate(GateConfig(situation="leaning")), leaning).decide(*talk(texts).at(2))
    assert plain.texts[-1] == "why?"
    assert leaning.texts[-1] == "the loss is nan\nlower the rate\nwhy?"


@settings(max_examples=20, deadline=None)
@given(st.lists(st.text(max_size=30), min_size=1, max_size=12), st.floats(0, 1), st.floats(0, 1))
def test_a_higher_absolute_threshold_keeps_a_part_of_what_a_lower_one_keeps(texts, first, second):
    low, high = sorted((first, second))
    policy, conversation = GatePolicy(trained_gate(), FakeEncoder()), talk([*texts, "now"])
    scored = policy.score(*conversation.at(len(texts)))
    loose = policy.with_rule(Absolute(low)).decide_scored(scored)
    strict = policy.with_rule(Absolute(high)).decide_scored(scored)
    assert set(strict.kept_indices) <= set(loose.kept_indices)


@pytest.mark.parametrize(
    ("name", "settings", "message"),
    [
        ("magic", {}, "no policy 'magic'; there are gate, everything"),
        ("last_k", {"n": 3}, "last_k has no setting n; it has k"),
        ("last_k", {"k": -1}, "k must be from 0 to 10000; got -1"),
        ("token_window", {"budget": -5}, "budget must be from 0 to 1000000; got -5"),
        ("last_k", {"k": 2.5}, "k must be a whole number; got 2.5"),
        ("cosine", {"threshold": 2}, "threshold must be from -1.0 to 1.0; got 2"),
        ("gate", {}, "needs an encoder"),
    ],
)
def test_wrong_names_and_settings_are_told(name: str, settings: dict, message: str):
    with pytest.raises(PolicyError, match=message):
        make_policy(name, **settings, **({"encoder": FakeEncoder()} if name == "cosine" else {}))


def test_switches_and_words_are_checked_like_numbers():
    @dataclass(frozen=True)
    class Odd(Checked):
        name: ClassVar[str] = "odd"
        estimate: bool = switch(False, "estimate")
        scope: str = one_of("day", ("day", "week"), "how long")

    assert parameter_names(Odd) == ["estimate", "scope"]
    assert Odd(estimate=True, scope="week")
    with pytest.raises(PolicyError, match="odd: estimate must be true or false; got 1"):
        Odd(estimate=1)
    with pytest.raises(PolicyError, match="odd: scope must be one of day, week; got 'year'"):
        Odd(scope="year")
    with pytest.raises(PolicyError, match="odd: scope must be one of day, week; got \\['day'\\]"):
        Odd(scope=["day"])
