"""The policy of sessions reads a conversation that grows on from where it ended, and decides no otherwise."""

from __future__ import annotations

import math
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

import convgate.policies.session as module
from convgate.conversation import Conversation, Turn
from convgate.policies.session import SessionPolicy
from convgate.sessions import segment

SAID = st.tuples(
    st.sampled_from(["user", "assistant"]),
    st.sampled_from(["new topic", "continue", "all is well", "next"]),
    st.sampled_from([0, 60, 3 * 3_600]),  # seconds since the message before
    st.sampled_from([None, "COMPLETE"]),
)


def talk(said: list[tuple[str, str, int, str | None]]) -> Conversation:
    now, turns = datetime(2026, 1, 1, tzinfo=UTC), []
    for role, text, seconds, workflow in said:
        now += timedelta(seconds=seconds)
        metadata = {"workflow_state": workflow} if workflow else {}
        turns.append(Turn.of(role, text, timestamp=now, metadata=metadata))
    return Conversation("talk", tuple(turns))


@given(st.lists(SAID, min_size=2, max_size=9), st.lists(st.integers(1, 8), max_size=6))
def test_what_is_known_of_a_conversation_changes_no_decision(said, places) -> None:
    policy, conversation = SessionPolicy(), talk(said)
    for index in [place for place in places if place < len(said)]:
        found = policy.decide(*conversation.at(index))
        anew = segment(conversation.turns[: index + 1]).begun(index)
        assert found.kept.tolist() == [turn >= anew.item for turn in range(index)]
        assert found.rule == anew.rule


def test_growing_conversation_is_read_on(monkeypatch: pytest.MonkeyPatch) -> None:
    conversation, policy, steps, step = (
        talk([("user", "hello", 60, None)] * 40),
        SessionPolicy(),
        [],
        module.step,
    )
    monkeypatch.setattr(module, "step", lambda *asked: steps.append(asked) or step(*asked))
    for index in range(30, 40):
        policy.decide(*conversation.at(index))
    assert len(steps) == 30 + 9 + 10, "each turn before once, and each message"


def test_what_is_known_of_one_conversation_or_setting_is_not_taken_for_another() -> None:
    policy = SessionPolicy()
    plain = talk(
        [("user", "hello", 60, None), ("user", "hello", 3 * 3_600, None), ("user", "hello", 60, None)]
    )
    asked = talk([("user", "hello", 60, None), ("user", "hello", 60, None), ("user", "hello", 60, None)])
    kept = [policy.decide(*one.at(2)).kept_indices for one in (plain, asked, plain)]
    assert kept == [[1], [0, 1], [1]]
    assert replace(policy, idle_gap=math.inf).decide(*plain.at(2)).kept_indices == [0, 1]


def test_only_what_was_looked_at_last_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    policy, steps, step = SessionPolicy(), [], module.step
    talks = [talk([("user", f"hello {n}", 60, None)] * 3) for n in range(5)]
    monkeypatch.setattr(module, "step", lambda *asked: steps.append(asked) or step(*asked))
    for conversation, read in [*((one, 2) for one in talks), (talks[4], 0), (talks[1], 0), (talks[0], 2)]:
        steps.clear()
        policy.decide(*conversation.at(2))
        assert len(steps) == read + 1, "the turns that are not known, and the message"
