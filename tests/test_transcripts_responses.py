"""Items of OpenAI's Responses API, and the sessions of Codex that are made of them."""

from __future__ import annotations

import json

import pytest

from convgate.messages.validity import make_valid
from convgate.transcripts import BadLinesError, read_conversations, read_text
from tests.transcript_files import FOLDER, read_sample, said

REQUEST = read_sample("responses.json")


def test_items_are_turns() -> None:
    transcript = read_conversations(FOLDER / "responses.json")
    (conversation,) = transcript
    assert said(conversation) == [
        ("system", "You look after a greenhouse."),
        ("user", "How warm is it?"),
        ("user", "In both houses, please.\n[image]\n[file: plan.pdf]"),
        ("assistant", "Two sensors."),
        ("tool", "18"),
        ("tool", "21"),
        ("assistant", ""),
        ("tool", "[result]"),
        ("assistant", ""),
        ("tool", "3 heaters"),
        ("assistant", "18 and 21 degrees.\nI cannot order heaters."),
        ("tool", '[{"stdout": "Monday", "stderr": "", "outcome": {"type": "exit", "exit_code": 0}}]'),
        ("assistant", "[image]"),
    ]
    calls = [call for turn in conversation.turns for call in turn.tool_calls]
    assert [(call.id, call.name, call.arguments) for call in calls] == [
        ("call_1", "temperature", '{"house": 1}'),
        ("call_2", "temperature", '{"house": 2}'),
        ("ws_1", "web_search", '{"type": "search", "query": "frost"}'),
        ("mcp_1", "stock", "{}"),
        ("call_3", "shell", '{"commands": ["date"]}'),
    ]
    assert [turn.tool_call_id for turn in conversation.turns if turn.role == "tool"] == [
        call.id for call in calls
    ]
    assert conversation.turns[3].parts[0].kind == "thinking"
    assert dict(transcript.summary.omitted) == {"item without a message": 1, "encrypted reasoning": 1}


def test_lists_lines_and_responses_are_read() -> None:
    texts = [turn.text for turn in read_text(json.dumps(REQUEST)).conversations[0].turns]
    items = json.dumps(REQUEST["input"] + REQUEST["output"])
    lines = "\n".join(map(json.dumps, REQUEST["input"] + REQUEST["output"]))
    for text in (items, lines):
        transcript = read_text(text)
        assert transcript.format == "openai-responses"
        assert [turn.text for turn in transcript.conversations[0].turns] == texts[1:]
    response = {"id": "resp_1", "object": "response", "output": REQUEST["output"]}
    (conversation,) = read_text(json.dumps(response))
    assert (conversation.id, [turn.text for turn in conversation.turns]) == ("resp_1", texts[6:])
    (conversation,) = read_text(json.dumps({"input": "Hello", "response": response, **response}))
    assert conversation.turns[0].text == "Hello"
    pair = {"input": [{"role": "user", "content": "Hi"}], "response": response}
    (conversation,) = read_text(json.dumps(pair), format="openai-responses")
    assert [turn.text for turn in conversation.turns] == ["Hi", *texts[6:]]


def test_a_compaction_in_a_file_is_always_sent() -> None:
    summary = {"type": "compaction", "id": "cmp_1", "encrypted_content": "x"}
    (conversation,) = read_text(json.dumps([summary, *REQUEST["input"]]))
    assert (conversation.turns[0].role, conversation.turns[0].text) == ("developer", "[compaction]")
    assert make_valid(conversation.turns, [], 1).indices == [0, 1]


def test_a_bad_item_is_named() -> None:
    data = json.dumps({**REQUEST, "input": [*REQUEST["input"], {"type": "message", "content": "x"}, 5]})
    with pytest.raises(BadLinesError) as caught:
        read_text(data)
    assert caught.value.field == "input[8].role"
    assert [problem.field for problem in read_text(data, skip_bad=True).problems] == [
        "input[8].role",
        "input[9]",
    ]


def test_a_session_of_codex_is_read() -> None:
    transcript = read_conversations(FOLDER / "codex.jsonl")
    (session,) = transcript
    assert (transcript.format, session.id) == ("codex", "0199-a")
    assert said(session) == [
        ("system", "You are a coding agent."),
        ("developer", "Ask before you delete."),
        ("user", "Run the tests."),
        ("assistant", "**Running tests**"),
        ("tool", "2 passed"),
        ("tool", "Done!"),
        ("assistant", "Both tests pass."),
        ("user", "Thanks."),
    ]
    answer, result = session.turns[3:5]
    assert [(call.id, call.name, call.arguments) for call in answer.tool_calls] == [
        ("call_1", "shell", '{"command": ["pytest"]}'),
        ("call_2", "apply_patch", "*** Begin Patch"),
    ]
    assert result.tool_call_id == "call_1"
    assert result.timestamp.isoformat() == "2026-03-02T08:00:06+00:00"
    assert dict(transcript.summary.omitted) == {
        "summary of earlier messages": 1,
        "item without a message": 1,
        "message of another branch": 2,
        "note of the app": 2,
    }


def test_an_older_session_of_codex_is_read() -> None:
    (session,) = read_conversations(FOLDER / "codex_older.jsonl")
    assert session.id == "0198-b"
    assert [turn.role for turn in session.turns] == ["system", "user", "assistant", "tool", "assistant"]
    assert session.turns[2].tool_calls[0].arguments == '{"type": "exec", "command": ["ls"]}'
    assert session.turns[3].tool_call_id == "call_1"


def test_a_bad_line_of_a_session_is_left_out() -> None:
    lines = (FOLDER / "codex.jsonl").read_text().splitlines()
    lines[4] = '{"timestamp": "x", "type": "response_item", "payload": {"type": "message", "content": []}}'
    with pytest.raises(BadLinesError) as caught:
        read_text("\n".join(lines))
    assert (caught.value.line, caught.value.field) == (5, "payload.role")
    (session,) = read_text("\n".join(lines), skip_bad=True)
    assert "Run the tests." not in [turn.text for turn in session.turns]


def test_instructions_of_a_session_of_codex_are_the_systems() -> None:
    def message(*texts: str) -> str:
        content = [{"type": "input_text", "text": text} for text in texts]
        payload = {"type": "message", "role": "user", "content": content}
        return json.dumps({"type": "response_item", "timestamp": "2026-03-02T08:00:00Z", "payload": payload})

    lines = [
        message("# AGENTS.md instructions for sums\n\nWrite short code.", "<environment_context>x"),
        message("<div> is not closed", "See above."),
    ]
    transcript = read_text("\n".join(lines))
    assert said(transcript.conversations[0]) == [
        ("system", "# AGENTS.md instructions for sums\n\nWrite short code."),
        ("user", "<div> is not closed\nSee above."),
    ]
    assert dict(transcript.summary.omitted) == {"note of the app": 1}


def test_a_compaction_of_codex_is_left_out_beside_the_messages_that_it_stands_for() -> None:
    payload = {"type": "compaction", "encrypted_content": "x"}
    line = json.dumps({"type": "response_item", "timestamp": "2026-03-02T08:00:09Z", "payload": payload})
    transcript = read_text((FOLDER / "codex.jsonl").read_text().rstrip() + "\n" + line)
    assert len(transcript.conversations[0].turns) == 8
    assert transcript.summary.omitted["summary of earlier messages"] == 2
