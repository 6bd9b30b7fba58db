"""Retention and pruning as policies: their decisions, their parameters, and an agent's way to them."""

from __future__ import annotations

from pathlib import Path

import pytest

from convgate import Conversation, Turn
from convgate.errors import ConfidenceError, PolicyError
from convgate.messages import make_valid
from convgate.policies.pruning import Pruning
from convgate.policies.registry import make_policy, policy_settings
from convgate.policies.retention import Retention
from convgate.retention import records
from convgate.transcripts import read_conversations

SAMPLE = Path(__file__).parent.parent / "sample_conversations" / "income_tax_confidence.json"
VALUES = (0.85, 0.62, 0.45, 0.65, 0.5, 0.3)


def talk(*values: float, length: int = 10, system: bool = False) -> Conversation:
    """Answers with those confidences, a question before each."""
    turns = [Turn.of("system", "Be brief.")] * system
    for value in values:
        turns += [
            Turn.of("user", "q" * length),
            Turn.of("assistant", "a" * length, metadata={"confidence": value}),
        ]
    return Conversation("talk", tuple(turns))


def test_the_window_is_that_of_the_function_with_a_rule_for_each_turn():
    decisions = Retention(base_window=40).decide(*talk(*VALUES).asked("And now?"))
    assert decisions.kept_indices == [0, 1, 3, 6, 8, 9, 10, 11]
    assert [decision.rule for decision in decisions] == [
        "confident", "confident", "closed", "checkpoint", "closed", "closed", "checkpoint", "closed",
        "base_window", "base_window", "base_window", "base_window",
    ]  # fmt: skip
    told = decisions.of(3)
    assert told.reason == "Kept at a checkpoint: confidence 0.62, message 9 from the newest, every 3rd."
    assert (told.score, told.threshold, told.stage, told.forced) == (0.62, None, "policy", False)
    assert decisions.of(2).reason.startswith(
        "Dropped: its answer's confidence 0.62, older than the base window"
    )


def test_the_current_message_is_not_counted_among_the_positions():
    conversation = talk(0.65, 0.65)
    at_the_last_question = Retention(base_window=0).decide(*conversation.at(2))
    assert at_the_last_question.kept_indices == []
    at_the_last_answer = Retention(base_window=0, period=2).decide(*conversation.at(3))
    assert at_the_last_answer.kept_indices == [1]
    assert at_the_last_answer.of(1).reason.endswith("message 2 from the newest, every 2nd.")


def test_the_answer_that_is_yet_to_come_says_nothing_of_its_question():
    decisions = Retention().decide(*talk(0.9).at(1))
    assert decisions.of(0).score == 0.5
    assert "(none is stated)" in decisions.of(0).reason


def test_pruning_counts_positions_from_the_conversations_start_also_under_a_window():
    policy = Pruning(keep_last=1)
    assert policy.decide(*talk(0.65, 0.65, 0.65).asked("?")).kept_indices == [2, 5]
    part = policy.decide(*talk(0.65, 0.65, 0.65).asked("?", window=5))
    assert (part.indices.tolist(), part.kept_indices) == ([1, 2, 3, 4, 5], [2, 5])
    assert part.of(2).reason == (
        "Kept at a checkpoint: its answer's confidence 0.65, message 3 from the start, every 3rd."
    )


def test_pruning_within_a_limit():
    decisions = Pruning(max_messages=2).decide(*talk(0.9, 0.4).asked("?"))
    assert decisions.kept_indices == [0, 1]
    assert decisions.of(3).rule == "size_limit"
    assert Pruning(max_characters=10).decide(*talk(0.9, 0.4).asked("?")).kept_indices == [1]


def test_an_estimate_is_asked_for_and_told():
    conversation = Conversation(
        "talk", (Turn.of("user", "Where?"), Turn.of("assistant", "Perhaps in Bergen."))
    )
    assert Retention().decide(*conversation.asked("?")).of(1).score == 0.5
    told = Retention(estimate=True).decide(*conversation.asked("?")).of(1)
    assert told.score == 0.25
    assert "estimated confidence 0.25" in told.reason
    assert Pruning(estimate=True).decide(*conversation.asked("?")).of(0).score == 0.25


def test_a_checkpoint_may_part_a_question_from_its_answer_until_the_valid_list_pairs_them():
    conversation = talk(0.65, 0.65, 0.65, system=True)
    decisions = Retention(base_window=0).decide(*conversation.asked("?"))
    assert decisions.kept_indices == [0, 1, 4]
    assert make_valid(conversation.turns, decisions.kept, None).indices == [0, 1, 4]
    assert make_valid(conversation.turns, decisions.kept, None, pair_answers=True).indices == [0, 1, 2, 3, 4]


def test_parameters_and_their_ranges():
    assert policy_settings("retention") == ["period", "base_window", "estimate"]
    assert policy_settings("pruning") == ["period", "keep_last", "max_messages", "max_characters", "estimate"]
    with pytest.raises(PolicyError, match="retention: period must be from 0 to 10000; got -1"):
        make_policy("retention", period=-1)
    with pytest.raises(PolicyError, match="pruning: estimate must be true or false; got 1"):
        make_policy("pruning", estimate=1)
    assert not make_policy("retention").ranks
    assert not make_policy("pruning").ranks


@pytest.mark.parametrize("name", ["retention", "pruning"])
def test_a_bad_confidence_is_told_by_its_place_in_the_conversation(name: str):
    conversation = talk(0.5, 0.5, 70)
    with pytest.raises(ConfidenceError, match=r"'messages\[5\].confidence': a confidence is .* got 70"):
        make_policy(name).decide(*conversation.asked("?", window=2))


def test_the_sample_shows_small_talk_leaving_and_what_a_later_turn_builds_on_staying():
    (conversation,) = read_conversations(SAMPLE).conversations
    moment = conversation.at(conversation.current_index())
    assert Pruning().decide(*moment).kept_indices == [0, 1, 2, 3, *range(18, 38)]
    whole = Retention().decide(*moment)
    assert (whole.kept_indices[:5], whole.of(4).rule) == ([0, 1, 2, 3, 5], "closed")
    narrow = Retention(base_window=1_000).decide(*moment)
    assert [index for index in narrow.kept_indices if index < 22] == [0, 1, 2, 3, 18, 19, 20]
    assert [decision.item for decision in narrow if decision.rule == "checkpoint"] == [20, 29]
    sources = {record.source for record in records(conversation.turns)}
    assert sources == {"message", "logprobs", "absent"}
    assert [record.index for record in records(conversation.turns) if record.code] == [1, 3, 19, 23, 33]
