"""Messages of Anthropic's API."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from convgate.transcripts import BadLinesError, read_conversations, read_text

REQUEST = json.loads(Path(__file__).with_name("transcripts").joinpath("anthropic.json").read_text())
TURNS = [
    ("system", "You plan train journeys."),
    ("user", "When do trains leave for Ghent and Bruges?"),
    ("assistant", "Two look-ups.\nI look both up."),
    ("tool", "09:12"),
    ("tool", "no such station"),
    ("user", "[image]\nHere is the map."),
    ("assistant", "To Ghent at 09:12."),
]


def said(value: Any) -> list[tuple[str, str]]:
    transcript = read_text(json.dumps(value))
    assert transcript.format == "anthropic"
    return [(turn.role, turn.text) for turn in transcript.conversations[0].turns]


def test_system_calls_results_and_the_response_are_read() -> None:
    assert said(REQUEST) == TURNS
    (conversation,) = read_text(json.dumps(REQUEST))
    answer, *results = conversation.turns[2:5]
    assert [(call.id, call.name, call.arguments) for call in answer.tool_calls] == [
        ("toolu_1", "timetable", '{"to": "Ghent"}'),
        ("toolu_2", "timetable", '{"to": "Bruges"}'),
    ]
    assert [part.kind for part in answer.parts] == ["thinking", "text"]
    assert [turn.tool_call_id for turn in results] == ["toolu_1", "toolu_2"]
    assert conversation.turns[-1].id == "msg_1"


def test_lists_and_lines_are_read() -> None:
    messages = [*REQUEST["messages"], REQUEST["response"]]
    assert said(messages) == TURNS[1:]
    (conversation,) = read_text("\n".join(map(json.dumps, messages)))
    assert [(turn.role, turn.text) for turn in conversation.turns] == TURNS[1:]
    assert len(read_text("\n".join([json.dumps(REQUEST)] * 2))) == 2
    plain = {"messages": [{"role": "user", "content": "Hi"}]}
    assert said({**plain, "system": "Be brief."}) == [("system", "Be brief."), ("user", "Hi")]
    assert read_text(json.dumps([plain, REQUEST])).format == "anthropic"


@pytest.mark.parametrize(
    "messages",
    [
        [{"role": "user", "content": "Hi"}],
        [{"role": "user", "content": [{"type": "text", "text": "Hi"}]}],
        [{"role": "tool", "tool_call_id": "c", "content": [{"type": "tool_result", "content": "1"}]}],
    ],
)
def test_messages_without_its_fields_are_openais(messages: list[Any]) -> None:
    assert read_text(json.dumps(messages)).format == "openai"


def test_bad_places_are_named() -> None:
    bad = {**REQUEST, "messages": [*REQUEST["messages"], {"content": "x"}, 5]}
    with pytest.raises(BadLinesError) as caught:
        read_text(json.dumps(bad))
    assert caught.value.field == "messages[3].role"
    transcript = read_text(json.dumps(bad), skip_bad=True)
    assert [problem.field for problem in transcript.problems] == ["messages[3].role", "messages[4]"]
    assert [turn.text for turn in transcript.conversations[0].turns] == [text for _, text in TURNS]
    with pytest.raises(BadLinesError) as caught:
        read_conversations(json.dumps({**REQUEST, "system": 5}).encode())
    assert caught.value.field == "system"
