"""`convgate sessions`, and the policy that keeps the current conversation."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from convgate.core.conversation import Conversation
from convgate.policies.sessions.policy import SessionPolicy
from tests.commands import Run
from tests.session_days import turns_of_day

SAMPLE = Path(__file__).parent.parent / "sample_conversations" / "purple_button_one_day.json"


def test_the_command_prints_the_stable_json(run: Run, tmp_path: Path) -> None:
    code, out, errors = run("sessions", SAMPLE, "--json")
    result = json.loads(out)
    assert (code, errors) == (0, "")
    assert list(result) == ["conversation_starts", "session_starts", "reasons"]
    assert (result["conversation_starts"], result["session_starts"]) == ([0, 6], [0])
    assert [reason["index"] for reason in result["reasons"]] == [0, 6]
    assert result["reasons"][1] == {
        "index": 6,
        "kind": "conversation",
        "rule": "workflow_complete",
        "reason": "The workflow reached COMPLETE at message 5, which closed the conversation before.",
    }
    assert run("sessions", SAMPLE, "--out", tmp_path / "out.json")[1] == ""
    assert json.loads((tmp_path / "out.json").read_text()) == result


@pytest.mark.parametrize(
    ("words", "conversations", "sessions"),
    [
        (["--no-continue-overrides-gap"], [0, 6, 12], [0, 12]),
        (["--no-continue-overrides-gap", "--idle-gap", "inf"], [0, 6], [0]),
        (["--no-continue-overrides-gap", "--idle-gap", 8100], [0, 6], [0]),
        (["--no-close-on-complete"], [0], [0]),
        (["--idle-gap", 3600], [0, 4, 6, 8, 10], [0, 4, 8, 10]),
    ],
)
def test_the_rules_are_options(
    run: Run, words: list[object], conversations: list[int], sessions: list[int]
) -> None:
    result = json.loads(run("sessions", SAMPLE, "--json", *words)[1])
    assert (result["conversation_starts"], result["session_starts"]) == (conversations, sessions)


LINES = ("9:00 u a", "9:01 a b", "9:02 u new topic: tea", "9:03 a c", "12:00 u d", "12:01 a e", "12:02 u f")


def kept(policy: SessionPolicy, *lines: str, at: int = -1) -> list[int]:
    conversation = Conversation("c", tuple(turns_of_day(*lines)))
    return policy.decide(*conversation.at(at % len(conversation))).kept_indices


def test_the_policy_keeps_what_was_said_since_the_conversation_began() -> None:
    conversation = Conversation("c", tuple(turns_of_day(*LINES)))
    decisions = SessionPolicy().decide(*conversation.at(6))
    assert decisions.kept_indices == [4, 5]
    dropped = decisions.of(3)
    assert (dropped.rule, dropped.score, dropped.forced) == ("idle_gap", None, False)


def test_the_message_to_answer_may_begin_another() -> None:
    assert kept(SessionPolicy(), *LINES, at=4) == kept(SessionPolicy(), *LINES, at=2) == []
    conversation = Conversation("c", tuple(turns_of_day(*LINES)))
    assert SessionPolicy().decide(*conversation.with_question("Start fresh. What is tea?")).kept_indices == []
    assert SessionPolicy().decide(*conversation.with_question("and what is tea?")).kept_indices == [4, 5, 6]
    assert SessionPolicy().decide(*conversation.at(3, window=2)).kept_indices == [2]
