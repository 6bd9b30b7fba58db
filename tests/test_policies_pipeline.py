"""Pipelines, and policies as text."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from convgate.core.conversation import CurrentMessage, Turn
from convgate.core.errors import PolicyError
from convgate.core.settings import Settings
from convgate.policies.agent_settings import AgentSettings
from convgate.policies.base import Policy, WholeHistoryPolicy
from convgate.policies.build import build_policy
from convgate.policies.pipeline import Pipeline
from convgate.policies.spec import PolicySpec, read_policies, to_text
from tests.fakes import FakeEncoder
from tests.test_policies import make_conversation

ENCODER = FakeEncoder()
WORDS = ("loss", "nan", "fibonacci", "function", "rate", "hello", "")
texts = st.lists(st.lists(st.sampled_from(WORDS), max_size=3).map(" ".join), min_size=1, max_size=9)


def build(name: str, **parameters) -> Policy:
    return build_policy(name, Settings(), ENCODER, version="untrained", **parameters)


def pipeline(*policies: Policy) -> Pipeline:
    """A pipeline of policies that are there already."""
    return Pipeline(" > ".join(policy.name for policy in policies), policies)


CONVERSATION = make_conversation(
    ["loss is nan", "lower the rate", "a fibonacci function", "here it is", "hello", "loss nan again"]
)


def test_settings_name_the_stages_of_a_pipeline_as_text():
    text = "last_k(k=3) > bm25(k=1)"
    pipeline = build_policy("last_k(k=3) > bm25(k=1)", Settings(), ENCODER)
    assert isinstance(pipeline, Pipeline)
    by_settings = build_policy(text, Settings(policy=text), ENCODER)
    asked = CONVERSATION.with_question("fibonacci function, hello")
    assert by_settings.decide(*asked).kept_indices == pipeline.decide(*asked).kept_indices == [4]
    assert AgentSettings.of(pipeline, Settings()).values["policy"] == text
    assert build_policy("last_k(k=2)", Settings(), ENCODER).decide(*asked).kept_indices == [4, 5]


def test_every_turn_names_the_stage_that_decided_it():
    decisions = build("pipeline", stages="last_k(k=4) > bm25(k=2) > gate(rule=absolute, threshold=1)").decide(
        *CONVERSATION.with_question("fibonacci function, hello")
    )
    rows = [
        (decision.index, decision.stage, decision.rule, decision.outcome_text, decision.score)
        for decision in decisions
    ]
    assert [row[:4] for row in rows] == [
        (0, "last_k", "last_k", "Dropped by the last_k stage"),
        (1, "last_k", "last_k", "Dropped by the last_k stage"),
        (2, "gate", "absolute", "Dropped by the gate"),
        (3, "bm25", "top_k", "Dropped by the bm25 stage"),
        (4, "gate", "absolute", "Dropped by the gate"),
        (5, "bm25", "top_k", "Dropped by the bm25 stage"),
    ]
    assert [score is None for *_, score in rows] == [True, True, False, True, False, True]
    assert decisions.threshold == 1.0
    assert not any(decision.forced for decision in decisions)
    assert json.dumps([decision.to_json() for decision in decisions], allow_nan=False)


def test_stage_sees_a_conversation_of_what_was_left_and_nothing_of_what_comes():
    class Watching:
        name, label, ranks = "watching", "", False

        def decide(self, current, history):
            self.seen = (current, [turn.text for turn in history], history.conversation.turns)
            return build("everything").decide(current, history)

    watching = Watching()
    pipeline(build("last_k", k=2), watching).decide(*CONVERSATION.at(3))
    current, seen, turns = watching.seen
    assert seen == ["lower the rate", "a fibonacci function"]
    assert (current.turn, current.index) == (CONVERSATION.turns[3], 2)
    assert len(turns) == 3, "nothing of what comes after the message"
    pipeline(build("last_k", k=2), watching).decide(*CONVERSATION.with_question("why?"))
    assert watching.seen[0] == CurrentMessage(Turn.of("user", "why?"))
    pipeline(build("everything"), watching).decide(*CONVERSATION.at(5, window=3))
    assert watching.seen[2] is CONVERSATION.turns, "where nothing is dropped, nothing is made anew"


def test_a_whole_history_policy_sees_all_turns_and_restores_none():
    class Greetings(WholeHistoryPolicy):
        name, label, ranks = "greetings", "", False

        def decide(self, current, history):
            assert history.turns == CONVERSATION.turns[2:5]
            decisions = build("everything").decide(current, history)
            return replace(decisions, kept=np.array([True, False, True]), why_dropped="no greeting.")

    decisions = pipeline(build("last_k", k=2), Greetings(), build("token_window", budget=0)).decide(
        *CONVERSATION.at(5, window=3)
    )
    assert [(decision.index, decision.outcome, decision.stage) for decision in decisions] == [
        (2, "dropped", "last_k"),
        (3, "dropped", "greetings"),
        (4, "dropped", "token_window"),
    ]


@given(texts, st.integers(0, 9))
def test_one_stage_is_that_policy_alone(texts, window):
    moment = make_conversation(texts).at(len(texts) - 1, window=window)
    for name in ("gate", "last_k", "everything"):
        one, alone = build("pipeline", stages=name).decide(*moment), build(name).decide(*moment)
        assert one.kept.tolist() == alone.kept.tolist()
        assert one.indices.tolist() == alone.indices.tolist()
        for ours, theirs in zip(one, alone, strict=True):
            plain = ours.reason.replace(f"Dropped by the {name} stage", "Dropped")
            assert plain.replace("Dropped by the gate", "Dropped") == theirs.reason
            assert (ours.score, ours.logit, ours.parts, ours.margin) == (
                theirs.score, theirs.logit, theirs.parts, theirs.margin
            )  # fmt: skip
            assert (ours.rule, ours.forced) == (theirs.rule, theirs.forced)


SAID = ("Hi", "ok", "we always use loss", "new topic: nan", "fibonacci function", "why?")


@given(st.lists(st.sampled_from(SAID), min_size=1, max_size=9))
def test_gatekeeper_and_sessions_decide_in_a_pipeline_as_they_do_alone(texts):
    moment = make_conversation(texts).at(len(texts) - 1)
    alone = [build(name).decide(*moment) for name in ("gatekeeper", "session")]
    piped = build("pipeline", stages="gatekeeper > session").decide(*moment)
    assert piped.kept.tolist() == (alone[0].kept & alone[1].kept).tolist()
    for gone, left in zip(alone[0], piped, strict=True):
        if not gone.kept:
            assert left.reason == gone.reason.replace("Dropped:", "Dropped by the gatekeeper:")
    whole = build("pipeline").decide(*moment)
    assert not (whole.kept & ~piped.kept).any()
    assert [decision.stage for decision in whole if not decision.kept and decision.score is None] == [
        decision.stage for decision in piped if not decision.kept
    ]


names = st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,8}", fullmatch=True)
values = (
    st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text() | st.sampled_from(["true", "inf"])
)
written = st.builds(
    PolicySpec,
    names,
    st.dictionaries(names, values, max_size=3),
    st.none() | st.from_regex(r"[a-z0-9]([a-z0-9._-]{0,8}[a-z0-9])?", fullmatch=True),
)


@given(st.lists(written, min_size=1, max_size=4), st.sampled_from([">", ","]))
def test_what_is_written_is_read_back(policies, separator):
    again = read_policies(to_text(policies, separator), separator)
    assert again == tuple(policies)
    kinds = [[type(value) for value in policy.parameters.values()] for policy in again]
    assert kinds == [[type(value) for value in policy.parameters.values()] for policy in policies]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "gate >",
        "> gate",
        "gate > > bm25",
        "gate bm25",
        "last_k(k)",
        "last_k(k=)",
        "last_k(k=5",
        "last_k(k=5, k=6)",
        'pipeline(stages="gate',
        "gate@",
        "gate@..",
        "gate(5)",
    ],
)
def test_what_cannot_be_read_is_reported_with_its_place(text):
    with pytest.raises(PolicyError):
        read_policies(text)
