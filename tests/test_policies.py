"""Every policy: one decision per turn; hand values; gatekeeper and sessions as policies."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from convgate.core.conversation import Conversation, Turn
from convgate.core.decisions import TurnDecisions
from convgate.core.settings import Settings
from convgate.gate.model import Gate
from convgate.gate.thresholds import Absolute, TopK
from convgate.gatekeeper.decision import GatekeeperDecision
from convgate.messages.tokens import TOKENS_PER_MESSAGE
from convgate.policies.base import Policy
from convgate.policies.build import build_policy
from convgate.policies.gate import GatePolicy
from convgate.policies.gatekeeper import GatekeeperPolicy
from convgate.policies.registry import policy_labels, policy_names
from convgate.policies.search import reciprocal_rank_fusion
from convgate.policies.sessions import segment
from convgate.policies.sessions.policy import SessionPolicy
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


def make_conversation(texts=TEXTS) -> Conversation:
    roles = ("user", "assistant")
    return Conversation(id="talk", turns=tuple(Turn.of(roles[i % 2], text) for i, text in enumerate(texts)))


def build(name: str, encoder: object) -> Policy:
    return build_policy(name, Settings(), encoder, version="untrained")


def test_names_are_those_of_the_stable_interface():
    assert policy_names() == (
        "gate", "everything", "last_k", "token_window", "user_first", "cosine", "cosine_top_k", "bm25",
        "hybrid", "retention", "pruning", "gatekeeper", "session", "pipeline",
    )  # fmt: skip
    assert set(policy_labels()) == set(policy_names())


@pytest.mark.parametrize("name", policy_names())
@pytest.mark.parametrize("n", [0, 1, 4])
def test_one_decision_a_turn_each_with_a_reason(name: str, n: int):
    policy = build(name, FakeEncoder())
    decisions = policy.decide(*make_conversation(TEXTS[: n + 1]).at(n))
    assert len(decisions) == n
    assert decisions.policy == name == policy.name
    for index, decision in enumerate(decisions):
        assert decision.index == index
        assert decision.reason.startswith("Kept" if decision.kept else "Dropped")
        assert decision.reason.endswith(".")
        assert "{" not in decision.reason
        assert not decision.forced


@pytest.mark.parametrize("name", policy_names())
def test_blank_and_huge_turns_are_decided_too(name: str):
    texts = ["", "   ", "word " * 20_000, "question?"]
    policy = build(name, FakeEncoder())
    decisions = policy.decide(*make_conversation(texts).at(3))
    assert len(decisions) == 3
    if policy.ranks:
        assert np.isfinite(decisions.scores).all()


@pytest.mark.parametrize("name", ["everything", "last_k", "token_window", "bm25"])
def test_policies_without_embeddings_never_ask_for_an_encoder(name: str):
    assert build(name, None).decide(*make_conversation().at(4)).kept_indices


def test_last_k_keeps_the_newest():
    assert LastK(2).decide(*make_conversation().at(4)).kept_indices == [2, 3]
    assert LastK(0).decide(*make_conversation().at(4)).kept_indices == []
    assert LastK(99).decide(*make_conversation().at(4)).kept_indices == [0, 1, 2, 3]


def test_token_window_closes_at_the_first_turn_that_does_not_fit():
    each = 6 + TOKENS_PER_MESSAGE
    for budget, kept in ((3 * each, [1, 2, 3]), (3 * each - 1, [2, 3])):
        policy = TokenWindow(budget=budget, counter=lambda text: 6)
        assert policy.decide(*make_conversation().at(4)).kept_indices == kept
    assert TokenWindow(budget=0).decide(*make_conversation().at(4)).kept_indices == []


@pytest.mark.parametrize(
    ("name", "names"),
    [
        ("gate", {"relevant", "dropped, low score"}),  # it is untrained
        ("cosine", {"relevant", "dropped, low score"}),
        ("token_window", {"recent", "dropped, older"}),
        ("user_first", {"kept", "dropped"}),
        ("retention", {"kept", "dropped"}),
        ("everything", {"kept"}),
    ],
)
def test_only_scores_of_relevance_are_called_relevant(name: str, names: set[str]):
    decisions = build(name, FakeEncoder()).decide(*make_conversation().at(4))
    assert {decision.outcome_name for decision in decisions} <= names


def test_kept_turns_are_likely_needed_or_sent_in_case():
    scores = np.array([0.0003, 0.499, 0.5])
    decisions = TurnDecisions(
        policy="gate", rule="max_missed", indices=np.arange(3), kept=np.array([True, True, True]),
        scores=scores, logits=np.log(scores / (1 - scores)), is_probability=True,
    )  # fmt: skip
    names = [decision.outcome_name for decision in decisions]
    assert names == ["in case", "in case", "likely needed"]
    cosine = replace(decisions, is_probability=False, threshold=0.0)
    assert {decision.outcome_name for decision in cosine} == {"relevant"}, "no probability"


def test_reciprocal_rank_fusion_by_hand():
    fused = reciprocal_rank_fusion(np.array([0.9, 0.1, 0.5]), np.array([0.0, 3.0, 0.0]))
    assert fused == pytest.approx([1 / 61 + 1 / 62.5, 1 / 63 + 1 / 61, 1 / 62 + 1 / 62.5])


def test_gate_gives_every_column_of_the_explanation():
    policy = GatePolicy(trained_gate(), FakeEncoder())
    decisions = policy.decide(*make_conversation().at(4))
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
    scored = policy.score(*make_conversation().at(4))
    calls = len(encoder.calls)
    assert len(policy.with_rule(TopK(1)).decide_scored(scored).kept_indices) == 1
    assert policy.with_rule(Absolute(1.0)).decide_scored(scored).kept_indices == []
    assert len(encoder.calls) == calls


LONG = "The service logs to a file of its own, rotates it every night and keeps the last seven of them."


def parse_conversation(*lines: str) -> Conversation:
    """Turns written as "u: …", "a: …", "t: …" or "s: …"."""
    roles = {"u": "user", "a": "assistant", "t": "tool", "s": "system"}
    return Conversation("talk", tuple(Turn.of(roles[one[0]], one[3:]) for one in lines))


def outcomes(decisions: TurnDecisions) -> list[tuple[str, str]]:
    return [(one.outcome, one.rule) for one in decisions]


def test_exchange_leaves_with_all_that_answers_it_and_instructions_stay():
    conversation = parse_conversation(
        "s: Be brief.", "a: Welcome!", "u: Hi", "a: Hello!", "u: We always use TypeScript", f"a: {LONG}",
        "u: Fix it", "t: ok", "a: Done", "u: and now?",
    )  # fmt: skip
    decisions = GatekeeperPolicy().decide(*conversation.at(9))
    assert outcomes(decisions) == [
        ("kept", "instruction"), ("kept", "opening"),
        ("dropped", "greeting"), ("dropped", "greeting"),
        ("kept", "policy"), ("kept", "policy"),
        ("dropped", "short exchange"), ("dropped", "short exchange"), ("dropped", "short exchange"),
    ]  # fmt: skip
    window = GatekeeperPolicy().decide(*conversation.at(9, window=2))
    assert [(one.index, one.outcome) for one in window] == [(7, "dropped"), (8, "dropped")]


@pytest.mark.parametrize(
    ("lines", "rules"),
    [
        (["u: Which port?", "t: 80", "a: Let me see.", "t: 81"], ["open", "open", "open"]),
        (["u: Hi", "a: Hello!", "u: Which port?", "u: hello?"], ["greeting", "greeting", "open"]),
        (["u: Which port?", "a: Which service?", "u: the api"], ["question", "question"]),
        (["u: ok", "a: Done. Shall I deploy it?", "u: yes"], ["question", "question"]),
        (
            ["u: ok", "a: Done. Shall I deploy it?", "u: yes", f"a: {LONG}", "u: and?"],
            ["question", "question", "answer", "answer"],
        ),
        (["u: Hi", "a: Hello! How can I help?", "u: Why?"], ["greeting", "greeting"]),
        (["u: Fix it", "u: Done", "u: thanks"], ["short exchange", "short exchange"]),
    ],
)  # fmt: skip
def test_the_current_session_is_kept_whatever_its_length(lines, rules):
    decisions = GatekeeperPolicy().decide(*parse_conversation(*lines).at(len(lines) - 1))
    assert [one.rule for one in decisions] == rules
    kept = {"open", "question", "answer"}
    assert [one.kept for one in decisions] == [one.rule in kept for one in decisions]


def test_changed_rules_change_decisions_that_were_made_already(tmp_path: Path):
    conversation = parse_conversation("u: The lake house is blue, with a red roof", f"a: {LONG}", "u: and?")
    settings = Settings(home=tmp_path, gatekeeper={"debug_log": tmp_path / "log.jsonl"})
    policy = build_policy("gatekeeper", settings, FakeEncoder())
    assert isinstance(policy, GatekeeperPolicy)
    before = policy.fingerprint
    assert policy.decide(*conversation.at(2)).kept.all()
    (tmp_path / "gatekeeper.yaml").write_text("skip_patterns: [{pattern: 'lake'}]\n")
    assert not policy.decide(*conversation.at(2)).kept.any()
    assert policy.fingerprint != before
    assert not (tmp_path / "log.jsonl").exists(), "choosing turns stores nothing, so it logs nothing"


class ClearedDict(dict[object, GatekeeperDecision]):
    """A cache that another thread clears as soon as anything is in it."""

    def __setitem__(self, key: object, value: GatekeeperDecision) -> None:
        self.clear()


def test_another_thread_may_clear_the_decisions_at_any_time():
    conversation = parse_conversation(
        "u: Hi", "a: Hello!", "u: We always use TypeScript", f"a: {LONG}", "u: and?"
    )
    cleared = GatekeeperPolicy(known=ClearedDict()).decide(*conversation.at(4))
    assert outcomes(cleared) == outcomes(GatekeeperPolicy().decide(*conversation.at(4)))


SAID = st.tuples(
    st.sampled_from(["user", "assistant"]),
    st.sampled_from(["new topic", "continue", "all is well", "next"]),
    st.sampled_from([0, 60, 3 * 3_600]),  # seconds since the message before
    st.sampled_from([None, "COMPLETE"]),
)


def timed_conversation(lines: list[tuple[str, str, int, str | None]]) -> Conversation:
    now, turns = datetime(2026, 1, 1, tzinfo=UTC), []
    for role, text, seconds, workflow in lines:
        now += timedelta(seconds=seconds)
        metadata = {"workflow_state": workflow} if workflow else {}
        turns.append(Turn.of(role, text, timestamp=now, metadata=metadata))
    return Conversation("talk", tuple(turns))


@given(st.lists(SAID, min_size=2, max_size=9), st.lists(st.integers(1, 8), max_size=6))
def test_what_is_known_of_a_conversation_changes_no_decision_about_sessions(lines, places) -> None:
    policy, conversation = SessionPolicy(), timed_conversation(lines)
    for index in [place for place in places if place < len(lines)]:
        decisions = policy.decide(*conversation.at(index))
        anew = segment(conversation.turns[: index + 1]).begun(index)
        assert decisions.kept.tolist() == [turn >= anew.index for turn in range(index)]
        assert decisions.rule == anew.rule
