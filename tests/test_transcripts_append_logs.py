"""Sessions that are written on, line by line: what they end up as."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest

from convgate.transcripts import Transcript, read_conversations, read_text
from tests.transcript_files import FOLDER, read_value, said


def spoken(transcript: Transcript) -> list[tuple[str, str]]:
    (session,) = transcript
    return said(session)


def lines_of(name: str) -> list[Any]:
    return [json.loads(line) for line in (FOLDER / name).read_text(encoding="utf-8").splitlines()]


def joined(lines: Sequence[Any]) -> str:
    return "\n".join(map(json.dumps, lines))


def test_a_message_of_gemini_cli_counts_once_and_not_when_it_was_taken_back() -> None:
    transcript = read_conversations(FOLDER / "gemini_cli.jsonl")
    assert spoken(transcript) == [
        ("user", "Which boats are there?"),
        ("assistant", ""),
        ("tool", "two boats"),
        ("assistant", "Two."),
        ("user", "Sell the red one."),
        ("assistant", "Sold it."),
    ]
    assert transcript.conversations[0].id == "9c"
    assert dict(transcript.summary.omitted) == {"message that was taken back": 2}
    lines = [
        line if "$rewindTo" not in line else {"$rewindTo": "lost"} for line in lines_of("gemini_cli.jsonl")
    ]
    assert len(spoken(read_text(joined(lines)))) == 8, (
        "nothing is taken back up to a message that is not there"
    )


def test_a_session_of_vs_code_is_what_its_changes_make_of_it() -> None:
    transcript = read_conversations(FOLDER / "vscode_log.jsonl")
    assert spoken(transcript) == [
        ("user", "Where is the port set?"),
        ("assistant", "In a.toml, line 3."),
        ("user", "Change it."),
        ("assistant", "Done."),
    ]
    assert (transcript.conversations[0].id, transcript.conversations[0].title) == ("s-1", "Port")
    assert dict(transcript.summary.omitted) == {"line that changes nothing that is known": 1}
    first, *_, last = lines_of("vscode_log.jsonl")
    whole = {**first, "v": {**first["v"], "requests": last["v"]}}
    assert spoken(read_text(json.dumps(whole))) == [("user", "Change it."), ("assistant", "Done.")]


@pytest.mark.parametrize(
    "path", [[], ["requests", -1], ["requests", True], "requests", [{}], ["customTitle", "x"]]
)
def test_a_change_at_no_place_changes_nothing(path: Any) -> None:
    first, *others = lines_of("vscode_log.jsonl")
    before = spoken(read_text(joined([first, *others])))
    assert spoken(read_text(joined([first, *others, {"kind": 2, "k": path, "v": [1]}]))) == before


def test_the_last_branch_of_a_pi_session_is_read() -> None:
    transcript = read_conversations(FOLDER / "pi.jsonl")
    assert spoken(transcript) == [
        ("user", "Where is the port set?"),
        ("assistant", "Search."),
        ("tool", "a.toml:3"),
        ("assistant", "In a.toml."),
        ("user", "Change it."),
        ("assistant", "Done."),
    ]
    _, asked, answer, *_ = transcript.conversations[0].turns
    assert ([call.id for call in asked.tool_calls], answer.tool_call_id, answer.name) == (
        ["c1"],
        "c1",
        "bash",
    )
    assert asked.parts[0].kind == "thinking"
    assert dict(transcript.summary.omitted) == {"message of another branch": 1}


def event(type_: str, text: str) -> dict[str, Any]:
    item = {"type": type_, "id": text, "content": [{"type": "Text", "text": text}]}
    payload = {"type": "item_completed", "item": item}
    return {"timestamp": "2026-03-02T10:00:00Z", "type": "event_msg", "payload": payload}


def test_events_of_codex_are_read_where_a_session_has_nothing_else() -> None:
    meta = {"timestamp": "2026-03-02T10:00:00Z", "type": "session_meta", "payload": {"id": "s1", "cwd": "/w"}}
    events = [event("UserMessage", "Where?"), event("Reasoning", "hm"), event("AgentMessage", "In a.toml.")]
    transcript = read_text(joined([meta, *events]))
    assert spoken(transcript) == [("user", "Where?"), ("assistant", "In a.toml.")]
    assert dict(transcript.summary.omitted) == {"item without a message": 1}
    message = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Where?"}]}
    items = [{"timestamp": "2026-03-02T10:00:00Z", "type": "response_item", "payload": message}]
    transcript = read_text(joined([meta, *items, *events]))
    assert spoken(transcript) == [("user", "Where?")], "they repeat what the items say"
    assert not transcript.summary.omitted


def test_the_stream_of_codex_exec_is_read() -> None:
    command = {"id": "i1", "type": "command_execution", "command": "ls"}
    lines = [
        {"type": "thread.started", "thread_id": "t1"},
        {"type": "turn.started"},
        {"type": "item.completed", "item": {"id": "i0", "type": "reasoning", "text": "hm"}},
        {"type": "item.started", "item": command},
        {"type": "item.completed", "item": {**command, "aggregated_output": "a.py", "exit_code": 0}},
        {"type": "item.completed", "item": {"id": "i2", "type": "agent_message", "text": "One file."}},
        {"type": "turn.completed", "usage": {}},
    ]
    transcript = read_text(joined(lines))
    assert (transcript.format, transcript.conversations[0].id) == ("codex", "t1")
    assert spoken(transcript) == [("assistant", ""), ("tool", "a.py"), ("assistant", "One file.")]
    assert transcript.conversations[0].turns[0].tool_calls[0].arguments == "ls"


def test_an_export_of_opencode_has_calls_with_their_results() -> None:
    transcript = read_conversations(FOLDER / "opencode.json")
    (session,) = transcript
    assert (session.id, session.title) == ("ses_1", "Port")
    assert said(session) == [
        ("user", "Where is the port set?"),
        ("assistant", "Search."),
        ("tool", "a.toml:3"),
        ("assistant", "In a.toml, line 3."),
        ("user", "And the host?\n[file: a.png]"),
    ]
    assert session.turns[1].tool_calls[0].name == "grep"
    assert dict(transcript.summary.omitted) == {"note of the app": 1}


def test_events_of_copilot_cli_are_turns() -> None:
    transcript = read_conversations(FOLDER / "copilot_cli.jsonl")
    assert spoken(transcript) == [
        ("user", "Where is the port set?"),
        ("assistant", ""),
        ("tool", "a.toml:3"),
        ("assistant", "In a.toml, line 3."),
    ]
    _, asked, tool_result, _ = transcript.conversations[0].turns
    assert (transcript.conversations[0].id, asked.tool_calls[0].name, tool_result.tool_call_id) == (
        "s-7",
        "grep",
        "c1",
    )


def test_each_start_of_aider_is_a_conversation() -> None:
    transcript = read_conversations(FOLDER / "aider.md")
    first, second = transcript.conversations
    assert first.title == "aider, 2026-03-02 10:00:00"
    assert said(first) == [
        ("user", "Where is the port set?\nLook in all files."),
        ("assistant", "It is set in `a.toml`:\n\n```\nport = 80\n```"),
        ("user", "Change it to 90."),
        ("assistant", "Done."),
    ]
    assert [turn.text for turn in second.turns] == ["Add a test.", "I added one."]
    assert dict(transcript.summary.omitted) == {"note of the app": 4}


def test_a_pi_session_without_ids_is_read_in_order() -> None:
    first, *_ = lines_of("pi.jsonl")
    messages = [
        {"type": "message", "message": {"role": role, "content": role}}
        for role in ("user", "assistant", "user")
    ]
    assert spoken(read_text(joined([first, *messages]))) == [("user",) * 2, ("assistant",) * 2, ("user",) * 2]


def test_files_of_a_message_to_copilot_cli_are_counted() -> None:
    data = {"content": "Look.", "attachments": [{"type": "file", "path": "boat.py"}]}
    transcript = read_value({"type": "user.message", "id": "1", "data": data})
    assert dict(transcript.summary.omitted) == {"attachment": 1}
