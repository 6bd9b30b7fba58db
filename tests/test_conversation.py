"""The nouns: turns, situations, histories."""

from __future__ import annotations

import pytest

from convgate.conversation import ContentPart, Conversation, ToolCall, Turn
from convgate.errors import ConversationError

TALK = Conversation(id="t", turns=tuple(Turn.of("user", str(i)) for i in range(5)))


def test_history_ends_before_the_situation_and_starts_at_the_window():
    situation, history = TALK.at(3)
    assert (situation.turn.text, situation.index) == ("3", 3)
    assert [turn.text for turn in history] == ["0", "1", "2"]
    assert [turn.text for turn in TALK.at(3, window=2)[1]] == ["1", "2"]
    assert len(TALK.at(3, window=0)[1]) == 0
    assert len(TALK.at(3, window=99)[1]) == 3
    assert history[-1].text == "2"
    assert [turn.text for turn in history[:2]] == ["0", "1"]


def test_question_sees_the_whole_conversation():
    situation, history = TALK.asked("why?")
    assert (situation.turn.role, situation.turn.text, situation.index) == ("user", "why?", None)
    assert len(history) == 5
    assert TALK.asked(Turn.of("tool", "42"), window=1)[0].turn.role == "tool"


@pytest.mark.parametrize("index", [-1, 5])
def test_turn_that_is_not_there_is_told(index: int):
    with pytest.raises(
        ConversationError, match=f"turn {index} asked for, but the conversation has turns 0 to 4"
    ):
        TALK.at(index)


def test_empty_conversation_says_so():
    empty = Conversation(id="e", turns=())
    with pytest.raises(ConversationError, match="has no turns"):
        empty.at(0)
    with pytest.raises(ConversationError, match="has no turns"):
        empty.current_index()


def test_negative_window_is_refused():
    with pytest.raises(ConversationError, match="0 or more; got -2"):
        TALK.at(3, window=-2)


@pytest.mark.parametrize(
    ("roles", "current"),
    [
        (["user", "assistant"], 0),
        (["user", "assistant", "tool"], 2),
        (["assistant", "assistant"], 1),
        (["user", "assistant", "user", "system"], 2),
    ],
)
def test_current_turn_is_the_last_that_a_model_would_answer(roles: list[str], current: int):
    conversation = Conversation(id="c", turns=tuple(Turn.of(role, "x") for role in roles))
    assert conversation.current_index() == current


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
def test_a_model_answers_users_and_tools_or_whoever_is_no_model(
    roles: list[str], answered: list[int]
) -> None:
    talk = Conversation("talk", tuple(Turn.of(role, "said") for role in roles))
    assert talk.answerable() == answered
