"""The export of Claude.ai."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from convgate.transcripts import BadLinesError, read_conversations
from tests.transcript_files import read_value, said

EXPORT = Path(__file__).with_name("transcripts") / "claude_ai.json"


def test_tools_thinking_files_and_the_chosen_branch_are_read() -> None:
    transcript = read_conversations(EXPORT)
    (conversation,) = transcript
    assert (conversation.title, conversation.id) == ("Tide tables", "3f0c0b1e-0000-4000-8000-000000000001")
    assert said(conversation) == [
        (
            "user",
            "When is high tide on Friday?\n[attachment: harbour.txt]\nBerth 4, draught 2.1 metres\n"
            "[image: chart.png]",
        ),
        ("assistant", "The table gives two tides."),
        ("tool", "05:12 and 17:40"),
        ("assistant", "At 05:12 and at 17:40."),
        ("user", "Then we leave at 17:00."),
    ]
    call, result = conversation.turns[1].tool_calls[0], conversation.turns[2]
    assert (call.id, call.name, call.arguments) == ("toolu_1", "tides", '{"day": "2026-03-06"}')
    assert (result.tool_call_id, result.name) == ("toolu_1", "tides")
    assert [turn.timestamp.minute for turn in conversation.turns if turn.timestamp] == [0, 2, 2, 2, 6]
    assert dict(transcript.summary.omitted) == {
        "message of another branch": 1,
        "conversation without messages": 1,
    }
    assert str(transcript.summary) == (
        "5 turns, 3 speakers, 1 image as placeholder, 0 lines skipped,"
        " 1 message of another branch left out, 1 conversation without messages left out"
    )


def test_a_call_without_an_id_has_its_result_and_notes_of_the_app_are_no_text() -> None:
    blocks = [
        {"type": "tool_use", "name": "artifacts", "input": {"command": "create"}},
        {"type": "tool_result", "name": "artifacts", "content": [{"type": "text", "text": "OK"}]},
        {"type": "text", "text": "Here it is."},
        {"type": "token_budget"},
    ]
    messages = [{"sender": "human", "text": "Write"}, *({"sender": "assistant", "content": blocks},) * 2]
    (conversation,) = read_value([{"uuid": "c", "chat_messages": messages}])
    assert [turn.text for turn in conversation.turns] == ["Write", *("", "OK", "Here it is.") * 2]
    calls = [call.id for turn in conversation.turns for call in turn.tool_calls]
    assert calls == ["call-1", "call-2"]
    assert [turn.tool_call_id for turn in conversation.turns if turn.role == "tool"] == calls


def test_conversations_in_an_object_are_read() -> None:
    export = json.loads(EXPORT.read_text(encoding="utf-8"))
    transcript = read_value({"conversations": export, "n": 1})
    assert transcript.format == "claude.ai"
    assert [conversation.title for conversation in transcript] == ["Tide tables"]
    bad = json.dumps({"conversations": [*export, 5]}).encode()
    with pytest.raises(BadLinesError) as caught:
        read_conversations(bad)
    assert caught.value.field == "conversations[2]"
