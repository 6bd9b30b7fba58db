"""OpenAI chat messages, live and in files."""

import json

import pytest

from convgate.core.conversation import ToolCall, Turn
from convgate.core.errors import TranscriptError
from convgate.transcripts import (
    read_conversations,
    read_text,
    to_messages,
    turns_from_messages,
    write_conversation,
)
from tests.transcript_files import read_value, said

PLAIN = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello!"}]
CALL = {"id": "a", "type": "function", "function": {"name": "weather", "arguments": '{"city": "Oslo"}'}}


def read(value, **options):
    return read_value(value, name="chat.json", **options)


def test_each_message_is_the_source_of_its_turn_and_stays_as_it_was():
    messages = [*PLAIN, {"role": "assistant", "content": None, "tool_calls": [CALL], "model": "m"}]
    before = json.dumps(messages)

    turns = turns_from_messages(messages)

    assert all(turn.source is message for turn, message in zip(turns, messages, strict=True))
    assert all(back is message for back, message in zip(to_messages(turns), messages, strict=True))
    assert json.dumps(messages) == before


def test_calls_results_and_names_are_read():
    call, result, named = turns_from_messages(
        [
            {"role": "assistant", "content": None, "tool_calls": [CALL]},
            {"role": "tool", "tool_call_id": "a", "content": "3 °C"},
            {"role": "user", "name": "Nadia", "content": "Thanks", "trace": 7},
        ]
    )
    assert call.tool_calls == (ToolCall("a", "weather", '{"city": "Oslo"}'),)
    assert call.text == ""
    assert (result.tool_call_id, result.text) == ("a", "3 °C")
    assert (named.name, named.metadata) == ("Nadia", {"trace": 7})


def test_what_goes_to_an_api_has_a_role_and_a_name_that_it_takes():
    (conversation,) = read_text(
        'role,speaker,text\nmoderator,"Anna K. <x>",Welcome\nuser,Zoë,Hi\nuser,李雷,Hello\n'
    )
    assert to_messages(conversation.turns) == [
        {"role": "user", "name": "Anna_K_x", "content": "Welcome"},
        {"role": "user", "name": "Zoe", "content": "Hi"},
        {"role": "user", "content": "李雷: Hello"},
    ]
    assert json.loads(write_conversation(conversation, format="openai"))["messages"] == [
        {"role": "moderator", "name": "Anna K. <x>", "content": "Welcome"},
        {"role": "user", "name": "Zoë", "content": "Hi"},
        {"role": "user", "name": "李雷", "content": "Hello"},
    ]


def test_who_calls_a_tool_is_the_assistant_and_who_answers_is_a_tool():
    call, result = to_messages(
        [
            Turn("bot", tool_calls=(ToolCall("a", "look up", "{}"), ToolCall("b", "調べる", "{}"))),
            Turn.of("observation", '{"found": 1}', tool_call_id="a", name="調べる"),
        ]
    )
    assert (call["role"], call["name"], call["content"]) == ("assistant", "bot", None)
    assert [tool_call["function"]["name"] for tool_call in call["tool_calls"]] == ["look_up", "tool"]
    assert result == {"role": "tool", "content": '{"found": 1}', "tool_call_id": "a"}


class Model:
    def model_dump(self):
        return {}


@pytest.mark.parametrize(
    ("message", "field"),
    [
        ("Hi", "messages[1]"),
        (Model(), "messages[1]"),
        ({"content": "Hi"}, "messages[1].role"),
        ({"role": 5, "content": "Hi"}, "messages[1].role"),
        ({"role": "user"}, "messages[1].content"),
        ({"role": "user", "content": 5}, "messages[1].content"),
        ({"role": "user", "content": {"a": 1}}, "messages[1].content"),
        ({"role": "user", "content": [5]}, "messages[1].content[0]"),
        ({"role": "user", "content": [{"type": "text"}]}, "messages[1].content[0].text"),
        ({"role": "user", "content": [{"type": 3}]}, "messages[1].content[0].type"),
        ({"role": "user", "content": "Hi", "name": 5}, "messages[1].name"),
        ({"role": "assistant", "tool_calls": "f"}, "messages[1].tool_calls"),
        ({"role": "assistant", "tool_calls": [5]}, "messages[1].tool_calls[0]"),
        ({"role": "assistant", "tool_calls": [{}]}, "messages[1].tool_calls[0].function"),
        ({"role": "assistant", "tool_calls": [{"function": {}}]}, "messages[1].tool_calls[0].function.name"),
        (
            {"role": "assistant", "tool_calls": [{"function": {"name": "f", "arguments": {1, 2}}}]},
            "messages[1].tool_calls[0].function.arguments",
        ),
        ({"role": "tool", "content": "", "tool_call_id": 5}, "messages[1].tool_call_id"),
    ],
)
def test_a_wrong_message_is_reported_by_its_field(message, field):
    with pytest.raises(TranscriptError) as raised:
        turns_from_messages([PLAIN[0], message])
    assert raised.value.field == field


@pytest.mark.parametrize(
    "value", [PLAIN, {"messages": PLAIN}, {"id": "x", "tools": [{"type": "function"}], "messages": PLAIN}]
)
def test_a_document_comes_back_in_its_own_shape(value):
    transcript = read(value)
    (conversation,) = transcript
    assert (transcript.format, [turn.text for turn in conversation.turns]) == ("openai", ["Hi", "Hello!"])
    assert json.loads(write_conversation(conversation)) == value


def test_lines_hold_a_conversation_each():
    lines = [{"id": "a", "messages": PLAIN}, PLAIN, {"id": "c", "title": "T", "messages": PLAIN[:1]}]
    transcript = read_conversations("\n\n".join(map(json.dumps, lines)).encode())

    first, second, third = transcript
    assert [first.id, third.id, third.title] == ["a", "c", "T"]
    assert [write_conversation(conversation) for conversation in transcript] == [
        json.dumps(line) + "\n" for line in lines
    ]
    assert len(second) == 2


def test_lines_hold_a_message_each_and_name_their_conversation_if_there_are_several():
    text = "\n".join(map(json.dumps, PLAIN))
    (conversation,) = read_conversations(text.encode())
    assert write_conversation(conversation) == text + "\n"

    mixed = [{**PLAIN[0], "conversation_id": id} for id in "abab"]
    conversations = read_conversations("\n".join(map(json.dumps, mixed)).encode())
    assert [(conversation.id, len(conversation)) for conversation in conversations] == [("a", 2), ("b", 2)]


def test_a_bad_message_of_a_document_costs_that_message_alone():
    document = '{"messages": [\n {"role": "user", "content": "Hi"},\n {"content": "who?"},\n 5]}'
    transcript = read_conversations(document.encode(), name="chat.json", skip_bad=True)

    assert [turn.text for turn in transcript.conversations[0].turns] == ["Hi"]
    assert [(problem.line, problem.field) for problem in transcript.problems] == [
        (3, "messages[1].role"),
        (4, "messages[2]"),
    ]
    with pytest.raises(TranscriptError):
        read_conversations(document.encode(), name="chat.json")


def test_the_first_choice_of_a_completion_is_its_message():
    choices = [
        {"index": place, "message": {"role": "assistant", "content": text}} for place, text in enumerate("ab")
    ]
    transcript = read({"id": "chatcmpl-1", "object": "chat.completion", "choices": choices})
    (conversation,) = transcript
    assert (transcript.format, conversation.id) == ("openai", "chatcmpl-1")
    assert said(conversation) == [("assistant", "a")]
    assert dict(transcript.summary.omitted) == {"alternative answer": 1}
    (again,) = read_text(write_conversation(conversation))
    assert [turn.text for turn in again.turns] == ["a"]


@pytest.mark.parametrize("key", ["role", "from"])
def test_entries_of_sharegpt_with_content_are_sent_under_roles_of_apis(key):
    entries = [{key: "human", "content": "Hello?"}, {key: "gpt", "content": "Hello."}]
    (conversation,) = read({"conversations": entries})
    assert [message["role"] for message in to_messages(conversation.turns)] == ["user", "assistant"]


def test_messages_of_a_thread_are_in_the_order_of_time():
    def message(text, time):
        content = [{"type": "text", "text": {"value": text, "annotations": []}}, {"type": "image_file"}]
        return {
            "object": "thread.message",
            "created_at": time,
            "thread_id": "t",
            "role": "user",
            "content": content,
        }

    newest_first = [message("Two", 1772438405), message("One", 1772438400)]
    for value in (newest_first, newest_first[::-1], {"object": "list", "data": newest_first}):
        (thread,) = read(value)
        assert [turn.text for turn in thread.turns] == ["One\n[image]", "Two\n[image]"]
        (again,) = read_text(write_conversation(thread))
        assert again.turns == thread.turns
