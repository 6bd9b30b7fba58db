"""Message histories of agent frameworks: LangChain and LangGraph, LlamaIndex, pydantic-ai."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from convgate.core.errors import TranscriptError
from convgate.messages.validity import make_valid
from convgate.transcripts import BadLinesError, read_conversations
from tests.transcript_files import FOLDER, read_sample, read_value, said

WALK = [
    ("system", "You plan walks."),
    ("user", "Which path is dry?\n[image]"),
    ("assistant", "Ask the gauge.\nI will look."),
    ("tool", "wet"),
    ("assistant", "The ridge path is dry."),
]


@pytest.mark.parametrize(
    "name",
    [
        *("langchain_messages.json", "langchain_dumpd.json", "langgraph_messages.json"),
        *("langgraph_state.json", "langgraph_history.json"),
    ],
)
def test_each_form_of_langchain_messages_is_read_alike(name: str) -> None:
    (conversation,) = read_conversations(FOLDER / name)
    assert said(conversation)[:5] == WALK
    _, question, call, result, answer, *_ = conversation.turns
    assert (question.id, question.name) == ("h1", "Ines")
    assert [(c.id, c.name, c.arguments) for c in call.tool_calls] == [
        ("toolu_1", "gauge", '{"place": "moor"}')
    ]
    assert [part.kind for part in call.parts] == ["thinking", "text"]
    assert (result.tool_call_id, result.name) == ("toolu_1", "gauge")
    assert str(answer.timestamp) == "2026-04-01 09:30:00+00:00"


def test_other_roles_invalid_calls_and_empty_results_of_langchain_are_kept() -> None:
    transcript = read_conversations(FOLDER / "langchain_messages.json")
    *_, ranger, call, result = transcript.conversations[0].turns
    assert (ranger.role, ranger.text) == ("ranger", "Mind the wind.")
    assert [(c.id, c.arguments) for c in call.tool_calls] == [("toolu_2", '{"place":')]
    assert (result.role, result.text, result.tool_call_id) == ("tool", "", "toolu_2")
    assert dict(transcript.summary.omitted) == {"tool artifact": 1}


def test_the_newest_state_of_a_thread_is_the_conversation() -> None:
    states = read_sample("langgraph_history.json")
    for order in (states, states[::-1]):
        transcript = read_value(order)
        assert transcript.conversations[0].id == "walks"
        assert said(transcript.conversations[0]) == WALK
        assert transcript.summary.omitted["earlier thread state"] == 3
    other = {**states[0], "checkpoint": {"thread_id": "rides"}}
    assert [conversation.id for conversation in read_value([*states, other])] == ["walks", "rides"]


def test_older_langchain_messages_have_openai_calls_and_reasoning_among_other_fields() -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "gauge", "arguments": "{}"}}
    extra = {"reasoning_content": "Hm.", "tool_calls": [call]}
    lines = [
        {"type": "human", "data": {"content": "Dry?"}},
        {"type": "AIMessageChunk", "data": {"content": "", "additional_kwargs": extra}},
        {"type": "system", "data": {"content": "S", "additional_kwargs": {"__openai_role__": "developer"}}},
        {"type": "remove", "data": {"content": "", "id": "x"}},
    ]
    transcript = read_conversations("\n".join(map(json.dumps, lines)).encode())
    (conversation,) = transcript
    assert said(conversation) == [("user", "Dry?"), ("assistant", "Hm."), ("developer", "S")]
    assert [call.id for call in conversation.turns[1].tool_calls] == ["c1"]
    assert dict(transcript.summary.omitted) == {"message removal": 1}


def test_each_key_of_a_chat_store_is_a_conversation() -> None:
    first, second = read_conversations(FOLDER / "llama_index_store.json")
    assert (first.id, second.id) == ("ines", "tomo")
    question = ("user", "Which path is dry?\n[document: map.pdf]\n[image]")
    assert said(first) == [WALK[0], question, *WALK[2:]]
    assert [(c.id, c.arguments) for c in first.turns[2].tool_calls] == [("call_1", '{"place": "moor"}')]
    assert (first.turns[3].tool_call_id, first.turns[3].name) == ("call_1", "gauge")
    assert said(second) == [
        ("user", "And tomorrow?"), ("assistant", ""), ("tool", "sun"), ("assistant", "Sunny."),
    ]  # fmt: skip
    assert [call.name for call in second.turns[1].tool_calls] == ["forecast"]


def test_citations_and_calls_of_other_providers_are_read_from_llama_index() -> None:
    cited = {"block_type": "citable", "title": "t", "content": [{"block_type": "text", "text": "quoted"}]}
    call = {"id": "c1", "name": "gauge", "input": {"place": "moor"}, "type": "tool_use"}
    messages = [
        {"role": "user", "blocks": [cited, {"block_type": "cache"}]},
        {"role": "model", "content": "", "additional_kwargs": {"tool_calls": [call]}},
        {"role": "assistant", "content": "", "additional_kwargs": {}},
    ]
    transcript = read_value(messages)
    assert said(transcript.conversations[0]) == [("user", "quoted"), ("assistant", "")]
    assert transcript.conversations[0].turns[1].tool_calls[0].arguments == '{"place": "moor"}'
    assert dict(transcript.summary.omitted) == {"empty message": 1}


def test_requests_and_responses_of_pydantic_ai_become_turns() -> None:
    transcript = read_conversations(FOLDER / "pydantic_ai.json")
    (conversation,) = transcript
    assert said(conversation) == [
        ("system", "Answer briefly."),
        WALK[0],
        ("user", "Which path is dry?\n[image]\n[file]"),
        WALK[2],
        ("tool", '{"level": 3}'),
        ("tool", "place is a name"),
        ("assistant", ""),
        ("tool", '[{"title": "Ridge"}]'),
        ("assistant", "The ridge path is dry.\n[image]"),
    ]
    calls, results = conversation.turns[3].tool_calls, conversation.turns[4:6]
    assert [(c.id, c.arguments) for c in calls] == [
        ("call_1", '{"place": "moor"}'), ("call_2", '{"place": 4}'),
    ]  # fmt: skip
    assert [(turn.tool_call_id, turn.name) for turn in results] == [("call_1", "gauge"), ("call_2", "gauge")]
    assert conversation.turns[6].tool_calls[0].id == conversation.turns[7].tool_call_id == "b1"
    assert str(conversation.turns[3].timestamp) == "2026-04-01 09:30:02+00:00"
    assert dict(transcript.summary.omitted) == {"empty part": 1}


def test_a_summary_of_langchain_is_always_sent() -> None:
    summary = {
        "type": "human",
        "data": {"content": "They met.", "additional_kwargs": {"lc_source": "summarization"}},
    }
    (conversation,) = read_value([summary, {"type": "human", "data": {"content": "Which path?"}}])
    assert said(conversation) == [("system", "They met."), ("user", "Which path?")]


def test_a_compaction_of_pydantic_ai_is_always_sent() -> None:
    def message(kind: str, **part: Any) -> dict[str, Any]:
        return {"kind": kind, "parts": [part]}

    messages = [
        message(
            "response", part_kind="compaction", content="They walk to the moor.", provider_name="anthropic"
        ),
        message(
            "response", part_kind="compaction", content=None, provider_details={"encrypted_content": "x"}
        ),
        message("request", part_kind="compaction", content="It may rain."),
        message("request", part_kind="user-prompt", content="Which path?"),
        message("response", part_kind="text", content="The ridge."),
        message("request", part_kind="user-prompt", content="Thanks."),
    ]
    (conversation,) = read_value(messages)
    summaries = ["They walk to the moor.", "[compaction]", "It may rain."]
    assert said(conversation)[:3] == [("system", text) for text in summaries]
    assert make_valid(conversation.turns, [], 5).indices == [0, 1, 2, 5]


@pytest.mark.parametrize(
    ("name", "path", "field"),
    [
        ("langgraph_messages.json", ("messages", 1, "content"), "messages[1].content"),
        (
            "llama_index_store.json",
            ("store", "ines", 1, "blocks", 0, "block_type"),
            "store.ines[1].blocks[0]",
        ),
        ("pydantic_ai.json", (1, "parts", 2, "tool_name"), "[1].parts[2].tool_name"),
    ],
)
def test_a_bad_message_is_named_and_left_out(name: str, path: tuple[Any, ...], field: str) -> None:
    document = read_sample(name)
    value = document
    for key in path[:-1]:
        value = value[key]
    value[path[-1]] = 5
    with pytest.raises(BadLinesError) as error:
        read_value(document)
    assert str(error.value.field).startswith(field)
    assert read_value(document, skip_bad=True).summary.n_skipped == 1


def test_a_list_of_messages_has_the_conversation_id_of_its_messages() -> None:
    messages = read_sample("pydantic_ai.json")
    messages[1]["conversation_id"] = "walks"
    assert [conversation.id for conversation in read_value(messages)] == ["walks"]


def test_an_object_without_messages_is_refused_by_name() -> None:
    with pytest.raises(TranscriptError, match="expected a message of LangChain"):
        read_value({"a": 1}, format="langchain")


def test_the_messages_of_a_strands_session_are_one_conversation(tmp_path: Path) -> None:
    folder = tmp_path / "session_boats" / "agents" / "agent_default" / "messages"
    folder.mkdir(parents=True)
    contents: list[tuple[str, dict[str, Any]]] = [
        ("user", {"text": "Which boat is it?"}),
        ("assistant", {"toolUse": {"toolUseId": "1", "name": "look", "input": {}}}),
        ("user", {"toolResult": {"toolUseId": "1", "content": [{"json": {"colour": "red"}}]}}),
        *[("assistant", {"text": "The red one."}), ("user", {"text": "And when?"})] * 4,
    ]
    for number, (role, content) in enumerate(contents):
        line = {"message": {"role": role, "content": [content]}, "message_id": number}
        (folder / f"message_{number}.json").write_text(json.dumps(line), encoding="utf-8")
    (tmp_path / "session_boats" / "session.json").write_text('{"session_id": "boats"}', encoding="utf-8")
    (session,) = read_conversations(tmp_path)
    assert (session.id, len(session), session.format) == ("boats", len(contents), "strands")
    assert [turn.role for turn in session.turns[:4]] == ["user", "assistant", "tool", "assistant"]
    assert (session.turns[2].tool_call_id, session.turns[2].text) == ("1", '{"colour": "red"}')
    assert session.turns[10].text == "And when?", "in the order of their numbers"
