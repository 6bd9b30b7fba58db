"""Messages of Anthropic's API."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from convgate.transcripts import BadLinesError, read_text, write_conversation
from tests.transcript_files import read_value, said

REQUEST = json.loads(Path(__file__).with_name("transcripts").joinpath("anthropic.json").read_text())
TURNS = [
    ("system", "You plan train journeys."),
    ("user", "When do trains leave for Ghent and Bruges?"),
    ("assistant", "Two look-ups.\nI look both up."),
    ("tool", "09:12\nno such station\n[image]\nHere is the map."),
    ("assistant", "To Ghent at 09:12."),
]


def read_turns(value: Any) -> list[tuple[str, str]]:
    transcript = read_text(json.dumps(value))
    assert transcript.format == "openai"
    return said(transcript.conversations[0])


def test_system_calls_results_and_the_response_are_read() -> None:
    assert read_turns(REQUEST) == TURNS
    (conversation,) = read_text(json.dumps(REQUEST))
    answer, results = conversation.turns[2:4]
    assert [(call.id, call.name, call.arguments) for call in answer.tool_calls] == [
        ("toolu_1", "timetable", '{"to": "Ghent"}'),
        ("toolu_2", "timetable", '{"to": "Bruges"}'),
    ]
    assert [part.kind for part in answer.parts] == ["thinking", "text"]
    assert (results.tool_call_id, results.also_answers) == ("toolu_1", ("toolu_2",))
    assert results.users_text == "Here is the map."
    assert conversation.turns[-1].id == "msg_1"


def test_lists_and_lines_are_read() -> None:
    messages = [*REQUEST["messages"], REQUEST["response"]]
    assert read_turns(messages) == TURNS[1:]
    (conversation,) = read_text("\n".join(map(json.dumps, messages)))
    assert said(conversation) == TURNS[1:]
    assert len(read_text("\n".join([json.dumps(REQUEST)] * 2))) == 2
    plain = {"messages": [{"role": "user", "content": "Hi"}]}
    assert read_turns({**plain, "system": "Be brief."}) == [("system", "Be brief."), ("user", "Hi")]


def test_chosen_turns_are_written_as_the_api_takes_them() -> None:
    (conversation,) = read_text(json.dumps(REQUEST))
    assert json.loads(write_conversation(conversation)) == REQUEST
    written = json.loads(write_conversation(conversation, indices=[0, 1]))
    assert written == {**REQUEST, "messages": REQUEST["messages"][:1]}
    (conversation,) = read_text(json.dumps(REQUEST["messages"]))
    assert json.loads(write_conversation(conversation)) == REQUEST["messages"]


def test_unsigned_thinking_is_thought_and_not_said() -> None:
    blocks = [{"type": "thinking", "thinking": "Hm."}, {"type": "text", "text": "Yes."}]
    (conversation,) = read_text(json.dumps([{"role": "assistant", "content": blocks}]))
    assert [(part.kind, part.text) for part in conversation.turns[0].parts] == [
        ("thinking", "Hm."),
        ("text", "Yes."),
    ]


def test_bad_places_are_named() -> None:
    bad = {**REQUEST, "messages": [*REQUEST["messages"], {"content": "x"}, 5]}
    with pytest.raises(BadLinesError) as caught:
        read_text(json.dumps(bad))
    assert caught.value.field == "messages[3].role"
    transcript = read_text(json.dumps(bad), skip_bad=True)
    assert [problem.field for problem in transcript.problems] == ["messages[3].role", "messages[4]"]
    assert [turn.text for turn in transcript.conversations[0].turns] == [text for _, text in TURNS]
    with pytest.raises(BadLinesError) as caught:
        read_value({**REQUEST, "system": 5})
    assert caught.value.field == "system"
