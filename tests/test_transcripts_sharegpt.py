"""ShareGPT files: their entries, their tools, the names that their makers gave the keys."""

import json

import pytest

from convgate.conversation import Conversation, ToolCall, Turn
from convgate.errors import TranscriptError
from convgate.transcripts import read_conversations, to_messages, write_conversation

ENTRIES = [{"from": "human", "value": "Hi"}, {"from": "gpt", "value": "Hello!"}]


def read(value, **options):
    return read_conversations(json.dumps(value).encode(), **options)


def entry(speaker, value):
    return {"from": speaker, "value": value}


@pytest.mark.parametrize(
    "value",
    [
        {"conversations": ENTRIES},
        {"id": "x", "system": "Be brief.", "tools": "[]", "conversations": ENTRIES},
        {"messages": ENTRIES},
        {"conversation": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello!"}]},
        {"conversations": [{"role": "human", "text": "Hi"}, {"role": "bot", "text": "Hello!"}]},
        ENTRIES,
    ],
)
def test_keys_may_have_other_names_and_come_back_under_them(value):
    transcript = read(value)
    (talk,) = transcript
    assert transcript.format == "sharegpt"
    assert [(turn.role, turn.text) for turn in talk.turns] == [("user", "Hi"), ("assistant", "Hello!")]
    assert json.loads(write_conversation(talk)) == value
    new = Conversation(
        talk.id, (*talk.turns, Turn.of("user", "Bye")), metadata=talk.metadata, format=talk.format
    )
    assert read_conversations(write_conversation(new).encode()).conversations[0].turns[-1].text == "Bye"


def test_openai_messages_are_not_taken_for_entries():
    assert read({"messages": [{"role": "user", "content": "Hi"}]}).format == "openai"


def test_lines_and_lists_hold_a_conversation_each():
    line = {"conversations": ENTRIES}
    assert len(read([line, line])) == 2
    transcript = read_conversations(f"{json.dumps(line)}\n{json.dumps(line)}\n".encode())
    assert len(transcript) == 2
    assert write_conversation(transcript.conversations[1]) == json.dumps(line) + "\n"


def test_results_answer_the_calls_before_them_in_order():
    call = json.dumps([{"name": "a", "arguments": {"x": 1}}, {"name": "b", "arguments": "{}"}])
    (talk,) = read(
        {
            "conversations": [
                *ENTRIES,
                entry("function_call", call),
                entry("observation", "1"),
                entry("tool", "2"),
            ]
        }
    )
    calls, first, second = talk.turns[2:]
    assert calls.role == "assistant"
    assert calls.tool_calls == (ToolCall("call-1", "a", '{"x": 1}'), ToolCall("call-2", "b", "{}"))
    assert [(turn.role, turn.tool_call_id) for turn in (first, second)] == [
        ("tool", "call-1"),
        ("tool", "call-2"),
    ]
    assert to_messages(talk.turns)[2]["tool_calls"][0]["id"] == "call-1"


def test_calls_with_one_result_together_are_one_call():
    call = json.dumps([{"name": "a", "arguments": {}}, {"name": "b", "arguments": {}}])
    (talk,) = read({"conversations": [entry("function_call", call), entry("observation", "both")]})
    assert talk.turns[0].tool_calls == (ToolCall("call-1", "a, b", "[{}, {}]"),)
    assert talk.turns[1].tool_call_id == "call-1"


@pytest.mark.parametrize("value", ["look it up", "5", '{"tool": "x"}', "[" * 2000])
def test_a_call_that_is_no_json_keeps_its_text(value):
    (talk,) = read({"conversations": [entry("function_call", value)]})
    assert talk.turns[0].tool_calls == (ToolCall("call-1", "", value),)


def test_other_speakers_and_fields_are_kept():
    (talk,) = read({"conversations": [{**ENTRIES[0], "weight": 0}, entry("narrator", "Night fell.")]})
    assert [turn.role for turn in talk.turns] == ["user", "narrator"]
    assert talk.turns[0].metadata == {"weight": 0}


@pytest.mark.parametrize(
    ("bad", "complaint"),
    [
        (5, r"conversations\[1\]': an entry is an object"),
        ({"value": "x"}, r"conversations\[1\]\.from': there is no 'from'"),
        ({"from": "human"}, r"conversations\[1\]\.value': there is no 'value'"),
        ({"from": "human", "value": 5}, r"conversations\[1\]\.value': expected a text, got a number"),
        ({"from": "", "value": "x"}, r"conversations\[1\]\.from': expected a text"),
        ({"from": "function_call", "value": {"tool": 1}}, r"conversations\[1\]\.value': a function call"),
    ],
)
def test_a_wrong_entry_is_told_by_its_field(bad, complaint):
    with pytest.raises(TranscriptError, match=complaint):
        read({"conversations": [ENTRIES[0], bad]})


def test_the_system_text_goes_first_in_openai_messages():
    (talk,) = read({"system": "Be brief.", "conversations": ENTRIES})
    messages = json.loads(write_conversation(talk, format="openai"))["messages"]
    assert [message["role"] for message in messages] == ["system", "user", "assistant"]


def test_a_turn_that_speaks_and_calls_becomes_two_entries():
    turn = Turn.of("assistant", "Looking.", tool_calls=(ToolCall("x", "a", '{"x": 1}'),))
    written = json.loads(write_conversation(Conversation("c", (turn,)), format="sharegpt"))
    assert written["conversations"] == [
        entry("gpt", "Looking."),
        entry("function_call", '{"name": "a", "arguments": {"x": 1}}'),
    ]


def test_times_are_read_as_in_other_formats():
    timed = [
        {**ENTRIES[0], "timestamp": "2026-05-08T13:56:00Z", "mood": "fine"},
        {**entry("function_call", '{"name": "f", "arguments": {}}'), "time": 1778248620},
        {**ENTRIES[1], "sent_at": "2026-05-08 13:58:00 UTC"},
        {**ENTRIES[0], "timestamp": "yesterday"},
    ]
    (talk,) = transcript = read({"conversations": timed})
    times = [turn.timestamp.isoformat() for turn in talk.turns if turn.timestamp]
    assert times == [f"2026-05-08T13:{minute}:00+00:00" for minute in (56, 57, 58)]
    assert talk.turns[0].metadata == {"mood": "fine"}
    (problem,) = transcript.problems
    assert (problem.field, problem.severity) == ("conversations[3].timestamp", "warning")
    assert json.loads(write_conversation(talk)) == {"conversations": timed}


@pytest.mark.parametrize("note", ["_list_key", "_layout", "_one_line"])
def test_a_field_like_a_note_on_the_layout_changes_nothing(note):
    text = json.dumps({"conversations": ENTRIES, note: ["x"]})
    talk, _ = read_conversations(f"{text}\n{text}".encode())
    assert json.loads(write_conversation(talk)) == {"conversations": ENTRIES}
