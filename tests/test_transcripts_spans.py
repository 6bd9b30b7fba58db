"""Logged calls of models: OpenTelemetry spans of several conventions, and Langfuse's exports."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from convgate.core.errors import TranscriptError
from convgate.transcripts import BadLinesError, read_conversations
from tests.transcript_files import FOLDER, read_value, said

ANSWER = ("assistant", "The ridge path is dry.")
TOMORROW = [("user", "And tomorrow?"), ("assistant", "Sunny.")]


def _span(attributes: dict[str, Any], *, trace: str = "t1", second: int = 0, **fields: Any) -> dict[str, Any]:
    times = {"start_time": f"2026-04-01T09:30:{second:02}Z", "end_time": f"2026-04-01T09:30:{second + 1:02}Z"}
    return {"context": {"trace_id": trace}, **times, "attributes": attributes, **fields}


def _chat(inputs: list[tuple[str, str]], output: str) -> dict[str, Any]:
    messages = [{"role": role, "parts": [{"type": "text", "content": text}]} for role, text in inputs]
    answer = [{"role": "assistant", "parts": [{"type": "text", "content": output}]}]
    return {"gen_ai.input.messages": messages, "gen_ai.output.messages": json.dumps(answer)}


def test_each_conversation_has_the_longest_call_of_its_traces_without_repetitions() -> None:
    transcript = read_conversations(FOLDER / "otel_spans.json")
    walk, hello = transcript
    assert (walk.id, hello.id) == ("conv-walks", "7d0cc7c4f4ea940a543e15952af8bf14")
    assert said(walk) == [
        ("system", "You plan walks."),
        ("user", "Which path is dry?\n[image]"),
        ("assistant", "Ask the gauge."),
        ("tool", '{"level": 3}'),
        ANSWER,
        *TOMORROW,
    ]
    assert said(hello) == [("user", "Hello?"), ("assistant", "Hello.")]
    (call,) = walk.turns[2].tool_calls
    assert (call.id, call.name, call.arguments) == ("call_1", "gauge", '{"place": "moor"}')
    assert walk.turns[2].parts[0].kind == "thinking"
    assert walk.turns[3].tool_call_id == "call_1"
    assert [str(turn.timestamp)[14:19] for turn in walk.turns[1:]] == [
        "30:01", "30:02", "30:04", "30:05", "31:00", "31:01",
    ]  # fmt: skip
    assert dict(transcript.summary.omitted) == {"separate model call": 1, "other answer": 1}


@pytest.mark.parametrize(
    ("name", "answers"),
    [
        ("otel_events.jsonl", [ANSWER]),
        ("openinference_spans.jsonl", [ANSWER, *TOMORROW]),
        ("langfuse_trace.json", [ANSWER]),
        ("langfuse_observations.jsonl", [ANSWER, *TOMORROW]),
    ],
)
def test_calls_results_and_later_traces_of_a_session_are_read(
    name: str, answers: list[tuple[str, str]]
) -> None:
    transcript = read_conversations(FOLDER / name)
    conversation = transcript.conversations[0]
    system, question, call, result, *rest = conversation.turns
    assert said(conversation)[4:] == answers
    assert (system.role, question.role, call.role) == ("system", "user", "assistant")
    assert question.text.startswith("Which path is dry?")
    assert [(c.id, c.name, c.arguments) for c in call.tool_calls] == [
        ("call_1", "gauge", '{"place": "moor"}')
    ]
    assert (result.role, result.text, result.tool_call_id) == ("tool", "wet", "call_1")
    assert str(rest[0].timestamp) == "2026-04-01 09:30:05+00:00"


def test_log_records_of_a_span_are_its_messages() -> None:
    (conversation,) = read_conversations(FOLDER / "otel_logs.json")
    assert said(conversation) == [("user", "Which path is dry?"), ANSWER]


def test_traces_of_a_session_are_in_the_order_of_their_times() -> None:
    (conversation,) = read_conversations(FOLDER / "langfuse_session.json")
    assert conversation.id == "s1"
    assert said(conversation) == [("user", "Which path is dry?"), ANSWER, *TOMORROW]


def test_what_is_no_chat_is_counted_and_other_shapes_of_input_are_read() -> None:
    assert dict(read_conversations(FOLDER / "langfuse_trace.json").summary.omitted) == {
        "non-chat generation": 1
    }
    *_, last = read_conversations(FOLDER / "langfuse_observations.jsonl")
    assert said(last) == [("system", "Be kind."), ("user", "Hello?"), ("assistant", "Hello.")]


def test_generations_of_langfuse_may_have_items_blocks_and_other_answers() -> None:
    call = {"type": "function_call", "id": "f", "call_id": "c", "name": "look", "arguments": "{}"}
    items = [
        {"role": "user", "content": "Hello?"},
        call,
        {**call, "type": "function_call_output", "output": "x"},
    ]
    choices = [{"message": {"role": "assistant", "content": text}} for text in ("Hello.", "Hi.")]
    of_items = {"input": items, "output": {"choices": choices}}
    blocks = [{"type": "text", "text": "Be kind."}]
    of_blocks = {"input": {"system": blocks, "messages": items[:1]}, "output": {"choices": choices[:1]}}
    common = {"type": "GENERATION", "startTime": "2026-04-01T09:30:00Z"}
    records = [{**common, **fields, "traceId": str(n)} for n, fields in enumerate((of_items, of_blocks))]
    transcript = read_value(records)
    alone = read_value(records[:1])
    assert (transcript.format, alone.format) == ("langfuse", "langfuse")
    assert [said(each) for each in transcript] == [
        [("user", "Hello?"), ("assistant", ""), ("tool", "x"), ("assistant", "Hello.")],
        [("system", "Be kind."), ("user", "Hello?"), ("assistant", "Hello.")],
    ]
    assert dict(transcript.summary.omitted) == {"other answer": 1}


def test_exports_to_blob_storage_have_other_names_of_fields() -> None:
    lines = (FOLDER / "langfuse_observations.jsonl").read_text()
    for camel in ("traceId", "sessionId", "startTime", "endTime", "parentObservationId"):
        lines = lines.replace(camel, re.sub("([A-Z])", r"_\1", camel).lower())
    expected = read_conversations(FOLDER / "langfuse_observations.jsonl")
    assert read_conversations(lines.encode()).conversations == expected.conversations


@pytest.mark.parametrize(
    "attributes",
    [
        {
            "gen_ai.prompt.0.role": "user",
            "gen_ai.prompt.0.content": "Hi",
            "gen_ai.completion.0.role": "assistant",
            "gen_ai.completion.0.content": "",
            "gen_ai.completion.0.tool_calls.0.id": "c1",
            "gen_ai.completion.0.tool_calls.0.name": "f",
            "gen_ai.completion.0.tool_calls.0.arguments": "{}",
        },
        {
            "events": json.dumps(
                [
                    {"event.name": "gen_ai.user.message", "role": "user", "content": "Hi"},
                    {
                        "event.name": "gen_ai.choice",
                        "index": 0,
                        "message": {
                            "tool_calls": [{"id": "c1", "function": {"name": "f", "arguments": "{}"}}]
                        },
                    },
                ]
            )
        },
        {
            "llm.input_messages": [{"message.role": "user", "message.content": "Hi"}],
            "llm.output_messages": [
                {
                    "message.role": "assistant",
                    "message.tool_calls": [
                        {
                            "tool_call.id": "c1",
                            "tool_call.function.name": "f",
                            "tool_call.function.arguments": "{}",
                        }
                    ],
                }
            ],
        },
    ],
)
def test_older_and_tabular_attributes_are_read(attributes: dict[str, Any]) -> None:
    columns = {f"attributes.{key}": value for key, value in attributes.items()}
    for record in (_span(attributes, events=[]), {"context.trace_id": "t1", **columns}):
        (conversation,) = read_value([record])
        assert said(conversation) == [("user", "Hi"), ("assistant", "")]
        assert [(c.id, c.name, c.arguments) for c in conversation.turns[1].tool_calls] == [("c1", "f", "{}")]


def test_a_shortened_history_is_joined_where_it_overlaps() -> None:
    first = [("user", "One"), ("assistant", "1"), ("user", "Two")]
    spans = [
        _span({**_chat(first, "2"), "session.id": "s"}, second=1),
        _span({**_chat([*first[2:], ("assistant", "2"), ("user", "Three")], "3"), "session.id": "s"},
              trace="t2", second=3),
    ]  # fmt: skip
    spans.append(_span({"gen_ai.system_instructions": '["Count."]', "session.id": "s"}, trace="t2", second=2))
    (conversation,) = read_value(spans)
    assert [turn.text for turn in conversation.turns] == ["One", "1", "Two", "2", "Three", "3"]
    assert [turn.timestamp and turn.timestamp.second for turn in conversation.turns] == [
        None, None, 1, 2, 3, 4,
    ]  # fmt: skip


def test_a_cut_message_list_names_its_attribute() -> None:
    good, bad = _span(_chat([("user", "Hi")], "Hello")), _span({"gen_ai.input.messages": '[{"role": "us'})
    with pytest.raises(BadLinesError) as error:
        read_value([good, bad])
    assert error.value.field == "[1].attributes.gen_ai.input.messages"
    assert read_value([good, bad], skip_bad=True).summary.n_skipped == 1
    with pytest.raises(TranscriptError, match="expected OpenTelemetry spans"):
        read_value({"a": 1}, format="otel-spans")


def test_spans_without_content_say_what_to_do() -> None:
    with pytest.raises(TranscriptError, match="record the content"):
        read_value([_span({"gen_ai.request.model": "demo"})])


def test_a_trace_that_says_nothing_new_is_counted() -> None:
    chat = {**_chat([("user", "Hello?")], "Hello."), "session.id": "s1"}
    transcript = read_value([_span(chat, trace=f"t{second}", second=second) for second in range(3)])
    (conversation,) = transcript
    assert said(conversation) == [("user", "Hello?"), ("assistant", "Hello.")]
    assert dict(transcript.summary.omitted) == {"repeated model call": 2}
