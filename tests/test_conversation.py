"""Turns, current messages, histories, and decisions."""

from __future__ import annotations

import json

import numpy as np
import pytest

from convgate.core.conversation import ContentPart, Conversation, ToolCall, Turn
from convgate.core.decisions import Override, TurnDecisions, Why

CONVERSATION = Conversation(id="t", turns=tuple(Turn.of("user", str(i)) for i in range(5)))


def test_history_ends_before_the_current_message_and_starts_at_the_window():
    current, history = CONVERSATION.at(3)
    assert (current.turn.text, current.index) == ("3", 3)
    assert [turn.text for turn in history] == ["0", "1", "2"]
    assert [turn.text for turn in CONVERSATION.at(3, window=2)[1]] == ["1", "2"]
    assert len(CONVERSATION.at(3, window=0)[1]) == 0
    assert len(CONVERSATION.at(3, window=99)[1]) == 3
    assert history[-1].text == "2"


def test_scored_text_holds_what_was_said_and_what_was_called():
    turn = Turn(
        "assistant",
        parts=(ContentPart("text", "Looking."), ContentPart("image_url", "[image]")),
        tool_calls=(ToolCall("1", "search", '{"q": "nan"}'),),
        name="Ada",
    )
    assert turn.text == "Looking.\n[image]"
    assert turn.scored_text == 'Looking.\n[image]\nsearch({"q": "nan"})'
    assert turn.speaker == "Ada"
    assert Turn("assistant", tool_calls=turn.tool_calls).scored_text == 'search({"q": "nan"})'
    assert Turn.of("developer", "").is_instruction


@pytest.mark.parametrize(
    ("roles", "answered"),
    [
        (["system", "user", "assistant", "tool", "narrator", "function"], [1, 3, 5]),
        (["system", "speaker", "assistant", "narrator"], [1, 3]),
        (["system", "assistant", "assistant"], [0, 1, 2]),
        ([], []),
    ],
)
def test_answerable_turns_depend_on_roles(roles: list[str], answered: list[int]) -> None:
    conversation = Conversation("talk", tuple(Turn.of(role, "said") for role in roles))
    assert conversation.answerable() == answered


def decisions(**changes) -> TurnDecisions:
    columns = {
        "policy": "gate",
        "rule": "absolute",
        "indices": np.array([3, 4, 5]),
        "kept": np.array([True, False, False]),
        "scores": np.array([0.8, 0.4, 0.59999]),
        "threshold": 0.6,
        "why_kept": "{score}, above the threshold {threshold} by {margin}.",
        "why_dropped": "{score}, below the threshold {threshold} by {margin}.",
        "logits": np.array([1.0, -1.0, 0.0]),
        "parts": {"semantic": np.array([0.5, -0.5, 0.0]), "recency": np.array([0.5, -0.5, 0.0])},
    }
    return TurnDecisions(**{**columns, **changes})


def test_a_decision_has_a_reason_in_one_sentence():
    record = decisions(because="The threshold was set.").of(3)
    assert record.kept
    assert record.margin == pytest.approx(0.2)
    assert record.parts == {"semantic": 0.5, "recency": 0.5}
    assert not record.forced


def test_override_names_its_stage_and_rule_and_is_never_the_policys_choice():
    override = Override(kept=True, explanation="its tool call needs it.", stage="messages", rule="tool_unit")
    before = decisions()
    after = before.with_overrides({4: override})
    record = after.of(4)
    assert (record.kept, record.forced, record.stage, record.rule) == (True, True, "messages", "tool_unit")
    assert after.kept_indices == [3, 4]
    assert before.kept_indices == [3], "the first decisions stay as they were"


def test_a_decision_without_a_score_serializes_to_json():
    mixed = decisions(
        scores=np.array([0.8, np.nan, 0.2]),
        logits=np.array([1.0, np.nan, -1.0]),
        parts={"semantic": np.array([1.0, np.nan, -1.0])},
        explain=lambda index: Why("greeting", "a greeting."),
    )
    record = mixed.of(4)
    assert (record.score, record.threshold, record.margin, record.logit) == (None, None, None, None)
    assert record.parts == {}
    assert mixed.of(3).margin == pytest.approx(0.2)
    assert json.loads(json.dumps([one.to_json() for one in mixed], allow_nan=False))[1]["score"] is None


def test_unwritable_characters_never_get_into_a_conversation():
    bad = "a\ud83d\0"
    call = ToolCall(bad, bad, bad)
    turn = Turn(bad, (ContentPart(bad, bad),), id=bad, name=bad, tool_calls=(call,), tool_call_id=bad,
                also_answers=(bad, "b"), source={"content": bad})  # fmt: skip
    conversation = Conversation(bad, (turn,), title=bad)
    current, _ = conversation.with_question(bad)
    texts = [conversation.id, conversation.title, current.turn.text, turn.role, turn.id, turn.name, turn.text]
    texts += [turn.tool_call_id, turn.also_answers[0], turn.parts[0].kind, call.id, call.name, call.arguments]
    assert texts == ["a\ufffd\ufffd"] * len(texts)
    assert turn.source == {"content": bad}, "what is sent is what came"
