"""The export of ChatGPT."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from convgate.transcripts import BadLinesError, read_conversations
from tests.transcript_files import read_value, said

EXPORT = Path(__file__).with_name("transcripts") / "chatgpt.json"


def node(id: str, parent: str | None, text: Any, role: str = "user") -> dict[str, Any]:
    message = {"id": id, "author": {"role": role}, "content": {"content_type": "text", "parts": text}}
    return {"id": id, "parent": parent, "message": message}


def export(nodes: list[dict[str, Any]], current: Any) -> bytes:
    return json.dumps([{"mapping": {n["id"]: n for n in nodes}, "current_node": current}]).encode()


def test_the_shown_branch_is_read_with_calls_results_and_files() -> None:
    transcript = read_conversations(EXPORT)
    bench, latest = transcript
    assert (bench.title, bench.id) == ("A bench for the garden", "6f1d3c1e-0000-4000-8000-000000000001")
    assert [(turn.role, turn.id, turn.text) for turn in bench.turns] == [
        ("system", "s1", "I build furniture.\nUse metric units."),
        ("user", "u1", "[image: garden.png]\nHow much wood do I need?\n[attachment: plan.pdf]"),
        ("assistant", "a2", "Measuring\nSix boards of 1.2 m."),
        ("tool", "t1", "7.2"),
        ("assistant", "a5", "You need 7.2 m. ([boards](https://example.org/boards))"),
    ]
    answer, result = bench.turns[2:4]
    assert [part.kind for part in answer.parts] == ["thinking"]
    assert [(call.id, call.name, call.arguments) for call in answer.tool_calls] == [
        ("a3", "python", "6 * 1.2")
    ]
    assert (result.tool_call_id, result.name) == ("a3", "python")
    assert bench.turns[1].timestamp.isoformat() == "2026-03-02T08:00:01.500000+00:00"
    assert [turn.text for turn in latest.turns] == ["Hello", "Hi again."]
    assert dict(transcript.summary.omitted) == {"message of another branch": 2, "hidden message": 1}


def test_a_zip_with_several_files_is_read() -> None:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("user.json", '{"id": "user-1", "email": "ann@example.org"}')
        archive.writestr("shared_conversations.json", "[]")
        archive.writestr("a_list.json", "[]")
        for number, text in enumerate("ab"):
            data = export([node(text, None, [text])], text)
            archive.writestr(f"conversations-00{number}.json", data)
    transcript = read_conversations(file.getvalue(), name="export.zip")
    assert transcript.format == "chatgpt"
    assert [conversation.turns[0].text for conversation in transcript] == ["a", "b"]


def test_markers_of_sources_become_links_once() -> None:
    marker = "\ue200cite\ue202turn0\ue201"
    message = node("a", None, [f"See {marker}."])
    message["message"]["metadata"] = {
        "content_references": 30 * [{"matched_text": marker, "alt": f"{marker}{marker}"}]
    }
    (conversation,) = read_conversations(export([message], "a"))
    assert conversation.turns[0].text == f"See {marker}{marker}."


def test_the_latest_message_ends_the_branch_even_in_the_first_year() -> None:
    nodes = [node("b", None, ["two"]), node("a", None, ["one"])]
    for message, time in zip(nodes, ("2026-05-08T13:56:00Z", "0001-01-01T00:00:00"), strict=True):
        message["message"]["create_time"] = time
    (conversation,) = read_conversations(export(nodes, None))
    assert [turn.text for turn in conversation.turns] == ["two"]


def test_parents_in_a_circle_end_the_branch() -> None:
    transcript = read_conversations(
        export([node("a", "b", ["one"]), node("b", "a", ["two"], "assistant")], "b")
    )
    assert [turn.text for turn in transcript.conversations[0].turns] == ["one", "two"]


@pytest.mark.parametrize(
    ("bad", "field"),
    [
        ({"id": "b", "parent": "a", "message": 5}, "[0].mapping.b.message"),
        ({"id": "b", "parent": "a", "message": {"author": {}}}, "[0].mapping.b.message.author.role"),
        (node("b", "a", 7), "[0].mapping.b.message.content.parts"),
    ],
)
def test_a_bad_message_is_named_and_left_out(bad: dict[str, Any], field: str) -> None:
    data = export([node("a", None, ["one"]), bad, node("c", "b", ["three"])], "c")
    with pytest.raises(BadLinesError) as caught:
        read_conversations(data)
    assert caught.value.field == field
    (conversation,) = read_conversations(data, skip_bad=True)
    assert [turn.text for turn in conversation.turns] == ["one", "three"]


def test_memory_instructs_and_a_result_without_text_stays_with_its_call() -> None:
    def message(id: str, role: str, content: dict[str, Any], **fields: Any) -> dict[str, Any]:
        author = {"role": role, "name": fields.pop("name", None)}
        parent = chr(ord(id) - 1) if id > "a" else None
        return {
            "id": id,
            "parent": parent,
            "message": {"id": id, "author": author, "content": content} | fields,
        }

    query = {"content_type": "code", "language": "unknown", "text": '{"q": "frost"}'}
    nodes = [
        node("a", None, ["Will it freeze?"]),
        message(
            "b", "assistant", {"content_type": "model_editable_context", "model_set_context": "Gardens."}
        ),
        message("c", "assistant", query, recipient="web.run", create_time=1772438400.0),
        message("d", "tool", {"content_type": "text", "parts": [""]}, name="web.run"),
        message("e", "assistant", {"content_type": "reasoning_recap", "content": "Thought for 5s"}),
        node("f", "e", ["Yes, tonight."], "assistant"),
    ]
    (conversation,) = read_conversations(export(nodes, "f"))
    assert said(conversation) == [
        ("user", "Will it freeze?"),
        ("system", "Gardens."),
        ("assistant", ""),
        ("tool", "[result]"),
        ("assistant", "Yes, tonight."),
    ]
    assert conversation.turns[2].timestamp
    assert conversation.turns[3].tool_call_id == conversation.turns[2].tool_calls[0].id == "c"


def test_a_content_of_an_unknown_type_is_counted() -> None:
    (export, *_) = json.loads(EXPORT.read_text())
    node = export["mapping"][export["current_node"]]
    node["message"]["content"] = {"content_type": "hologram", "beams": [1]}
    transcript = read_value([export])
    assert transcript.summary.omitted["message without content"] == 1
