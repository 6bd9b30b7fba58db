"""The gatekeeper as a policy: exchanges leave whole, what is still going on stays."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from convgate.building import build_policy
from convgate.conversation import Conversation, Turn
from convgate.decisions import TurnDecisions
from convgate.errors import PolicyError, SettingsError
from convgate.gatekeeper.checks import check
from convgate.gatekeeper.gatekeeper import Gatekeeper
from convgate.gatekeeper.rules_file import parse_rules
from convgate.policies.gatekeeper import GatekeeperPolicy
from convgate.policies.registry import make_policy
from convgate.settings import Settings
from tests.fakes import FakeEncoder

LONG = "The service logs to a file of its own, rotates it every night and keeps the last seven of them."


def talk(*said: str) -> Conversation:
    """Turns written as "u: …", "a: …", "t: …" or "s: …"."""
    roles = {"u": "user", "a": "assistant", "t": "tool", "s": "system"}
    return Conversation("talk", tuple(Turn.of(roles[one[0]], one[3:]) for one in said))


def told(decisions: TurnDecisions) -> list[tuple[str, str]]:
    return [(one.outcome, one.rule) for one in decisions]


def test_exchange_leaves_with_all_that_answers_it_and_instructions_stay():
    said = talk(
        "s: Be brief.", "a: Welcome!", "u: Hi", "a: Hello!", "u: We always use TypeScript", f"a: {LONG}",
        "u: Fix it", "t: ok", "a: Done", "u: and now?",
    )  # fmt: skip
    decisions = GatekeeperPolicy().decide(*said.at(9))
    assert told(decisions) == [
        ("kept", "instruction"), ("kept", "opening"),
        ("dropped", "greeting"), ("dropped", "greeting"),
        ("kept", "policy"), ("kept", "policy"),
        ("dropped", "short exchange"), ("dropped", "short exchange"), ("dropped", "short exchange"),
    ]  # fmt: skip
    assert decisions.of(2).reason == "Dropped: a greeting and nothing else (“Hi”)."
    assert decisions.of(3).reason == (
        "Dropped: with the message that it answers: a greeting and nothing else (“Hi”)."
    )
    assert decisions.of(0).reason == "Kept: an instruction, which is part of no exchange."
    window = GatekeeperPolicy().decide(*said.at(9, window=2))
    assert [(one.item, one.outcome) for one in window] == [(7, "dropped"), (8, "dropped")]


@pytest.mark.parametrize(
    ("said", "rules"),
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
def test_what_is_still_going_on_stays_whatever_its_length(said, rules):
    decisions = GatekeeperPolicy().decide(*talk(*said).at(len(said) - 1))
    assert [one.rule for one in decisions] == rules
    kept = {"open", "question", "answer"}
    assert [one.kept for one in decisions] == [one.rule in kept for one in decisions]


def test_own_rule_that_skips_is_not_overruled_by_a_question():
    rules = parse_rules("skip_patterns: [{pattern: 'port'}]")
    policy = GatekeeperPolicy(gatekeeper=Gatekeeper(rules=rules))
    assert not policy.decide(*talk("u: Which port?", "a: Which service?", "u: api").at(2)).kept.any()


def test_growing_conversation_is_decided_about_only_where_it_grew(monkeypatch):
    asked = []
    monkeypatch.setattr(
        Gatekeeper, "decide", lambda self, exchange, *, item=0: asked.append(exchange.user) or check(exchange)
    )
    said = talk(*(f"{'ua'[n % 2]}: message {n}" for n in range(12)))
    policy = GatekeeperPolicy()
    for index in (4, 6, 10, 2, 6):
        policy.decide(*said.at(index))
    assert asked == [f"message {n}" for n in (0, 2, 4, 6, 8)]
    copied = replace(said, turns=tuple(replace(turn) for turn in said.turns))
    policy.decide(*copied.at(10))
    assert len(asked) == 5, "a copy of the turns is the same conversation"
    other = replace(said, turns=(Turn.of("user", "other"), *said.turns[1:]))
    policy.decide(*other.at(4))
    assert asked[5:] == ["other", "message 2"]


def test_only_what_was_looked_at_last_is_known(monkeypatch):
    asked = []
    monkeypatch.setattr(
        Gatekeeper, "decide", lambda self, exchange, *, item=0: asked.append(exchange.user) or check(exchange)
    )
    policy, talks = GatekeeperPolicy(), [talk(f"u: message {n}", "a: yes", "u: ok") for n in range(5)]
    for said in [*talks, *talks[1:], talks[0]]:
        policy.decide(*said.at(2))
    assert asked == [f"message {n}" for n in (0, 1, 2, 3, 4, 0)]


texts = st.sampled_from(
    ["u: Hi", "u: ok", "u: 80", "u: We never use jQuery", "a: Done", "a: Which?", "t: ok"]
)


@given(st.lists(texts, min_size=2, max_size=9))
def test_what_is_known_of_a_conversation_changes_no_decision(said):
    policy, conversation = GatekeeperPolicy(), talk(*said)
    for index in [*range(1, len(said)), 1]:
        one, anew = policy.decide(*conversation.at(index)), GatekeeperPolicy().decide(*conversation.at(index))
        assert list(one) == list(anew)


def test_changed_rules_change_decisions_that_were_made_already(tmp_path: Path):
    said = talk("u: The lake house is blue, with a red roof", f"a: {LONG}", "u: and?")
    settings = Settings(home=tmp_path, gatekeeper_debug_log=tmp_path / "log.jsonl")
    policy = build_policy("gatekeeper", settings, FakeEncoder())
    assert isinstance(policy, GatekeeperPolicy)
    before = policy.fingerprint
    assert policy.decide(*said.at(2)).kept.all()
    (tmp_path / "gatekeeper.yaml").write_text("skip_patterns: [{pattern: 'lake'}]\n")
    assert not policy.decide(*said.at(2)).kept.any()
    assert policy.fingerprint != before
    assert not (tmp_path / "log.jsonl").exists(), "choosing turns stores nothing, so it logs nothing"


def test_no_language_model_is_asked_unless_the_policy_is_told_so(tmp_path: Path):
    settings = Settings(home=tmp_path, gatekeeper_mode="hybrid", gatekeeper_short_user=0)
    quiet = build_policy("gatekeeper", settings, FakeEncoder())
    said = talk("u: Fix it", "a: Done", "u: and?")
    assert quiet.gatekeeper.model is None
    assert told(quiet.decide(*said.at(2))) == [("kept", "default")] * 2, (
        "the lengths are those of the settings"
    )
    with pytest.raises(SettingsError, match="gatekeeper_model"):
        build_policy("gatekeeper", settings, FakeEncoder(), mode="settings")
    disabled = settings.model_copy(update={"gatekeeper_mode": "disabled"})
    switched_off = build_policy("gatekeeper", disabled, FakeEncoder(), mode="settings")
    assert told(switched_off.decide(*said.at(2))) == [("kept", "disabled")] * 2
    with pytest.raises(PolicyError, match="gatekeeper: mode must be one of pattern, settings; got 'llm'"):
        make_policy("gatekeeper", mode="llm")
