"""Sessions of Claude Code."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from convgate.messages import make_valid
from convgate.transcripts import BadLinesError, read_conversations, read_text
from tests.transcript_files import FOLDER, said

SESSION = FOLDER / "claude_code.jsonl"


def line(uuid: str, parent: str | None, text: Any, **fields: Any) -> str:
    message = {"role": "user", "content": text}
    line = {"type": "user", "uuid": uuid, "parentUuid": parent, "sessionId": "s", "message": message}
    return json.dumps({**line, **fields})


def texts(*lines: str) -> list[str]:
    return [turn.text for turn in read_text("\n".join(lines)).conversations[0].turns]


def test_a_session_is_read() -> None:
    transcript = read_conversations(SESSION)
    (session,) = transcript
    assert (session.id, session.title) == ("5e551000-0000-4000-8000-000000000001", "Tests of sums")
    assert [(turn.role, turn.id, turn.text) for turn in session.turns] == [
        ("user", "u1", "Run the tests and list the files."),
        ("assistant", "a1", "Two commands."),
        ("tool", None, "2 passed"),
        ("tool", None, "sums.py"),
        ("assistant", "a4", "All pass."),
        ("user", "q1", "And the docs?"),
        ("user", "u2", "[image]\nSee the picture."),
        ("assistant", "a9", "I see two files."),
    ]
    answer, *results = session.turns[1:4]
    assert [(call.id, call.name, call.arguments) for call in answer.tool_calls] == [
        ("toolu_1", "Bash", '{"command": "pytest"}'),
        ("toolu_2", "Bash", '{"command": "ls"}'),
    ]
    assert [turn.tool_call_id for turn in results] == ["toolu_1", "toolu_2"]
    assert results[0].timestamp.isoformat() == "2026-03-02T08:00:06+00:00"
    assert dict(transcript.summary.omitted) == {
        "hidden message": 1,
        "summary of earlier messages": 1,
        "message of a sub-agent": 2,
        "message of another branch": 1,
    }


def test_a_folder_of_projects_is_read(tmp_path: Path) -> None:
    agents = tmp_path / "-home-ann-sums" / "5e55" / "subagents"
    agents.mkdir(parents=True)
    shutil.copy(SESSION, tmp_path / "-home-ann-sums" / "5e55.jsonl")
    shutil.copy(FOLDER / "claude_code_agent.jsonl", agents / "agent-ag1.jsonl")
    transcript = read_conversations(tmp_path)
    assert transcript.format == "claude-code"
    assert {conversation.id: len(conversation) for conversation in transcript} == {
        "5e551000-0000-4000-8000-000000000001": 8,
        "ag1": 2,
    }
    assert not transcript.problems


def test_sessions_of_a_file_are_conversations_with_their_titles() -> None:
    lines = [
        line("a", None, "one"),
        line("b", None, "two", sessionId="t"),
        line("a", None, "one"),
        '{"type": "summary", "summary": "Counting", "leafUuid": "b"}',
        '{"type": "custom-title", "customTitle": "First", "sessionId": "s"}',
        '{"type": "ai-title", "aiTitle": "Other", "sessionId": "s"}',
    ]
    transcript = read_text("\n".join(lines))
    assert [(conversation.id, conversation.title) for conversation in transcript] == [
        ("s", "First"),
        ("t", "Counting"),
    ]
    assert dict(transcript.summary.omitted) == {"repeated line": 1}


def test_a_summary_without_what_it_sums_up_is_kept_and_always_sent() -> None:
    lines = [line("a", None, "So far: one.", isCompactSummary=True), line("b", "a", "two")]
    (session,) = read_text("\n".join(lines))
    assert said(session) == [("system", "So far: one."), ("user", "two")]
    assert make_valid(session.turns, [], 1).indices == [0, 1]


def test_what_was_said_between_two_compactions_is_kept_where_lines_are_written_again() -> None:
    def boundary(uuid: str, after: str, head: str) -> str:
        kept = {"preservedSegment": {"headUuid": head, "anchorUuid": f"s{uuid}", "tailUuid": after}}
        metadata = {"type": "system", "subtype": "compact_boundary", "logicalParentUuid": after}
        return line(uuid, None, "", compactMetadata=kept, **metadata)

    lines = [
        line("a", None, "Use tabs."),
        line("b", "a", "Why is it slow?"),
        boundary("1", "b", "b"),
        line("s1", "1", "So far: tabs.", isCompactSummary=True),
        line("c", "s1", "Never touch the fixtures."),
        line("d", "c", "Make it fast."),
        line("a", None, "Use tabs."),
        line("h", "a", "", type="system", subtype="stop_hook_summary"),
        boundary("2", "h", "d"),
        line("s2", "2", "So far: tabs, fixtures.", isCompactSummary=True),
        line("e", "s2", "May I touch them?"),
    ]
    sentences = [
        "Use tabs.",
        "Why is it slow?",
        "Never touch the fixtures.",
        "Make it fast.",
        "May I touch them?",
    ]
    assert texts(*lines) == sentences
    assert texts(*lines[:6], boundary("2", "d", "c"), *lines[9:]) == sentences, "a segment of several lines"
    assert texts(*lines[:6], line("2", "d", "", type="system", compactMetadata="?"), *lines[9:]) == sentences


def test_parents_that_are_missing_or_its_own_end_nothing() -> None:
    assert texts(line("a", "lost", "one"), line("b", "b", "two"), line("c", "d", "three")) == [
        "one",
        "two",
        "three",
    ]


def test_calls_beside_each_other_keep_their_results() -> None:
    calls = [[{"type": "tool_use", "id": id, "name": "Bash", "input": {}}] for id in "xy"]
    results = [[{"type": "tool_result", "tool_use_id": id, "content": id}] for id in "xy"]
    answers = [{"id": "m", "role": "assistant", "content": call} for call in calls]
    lines = [
        line("a", None, "one"),
        line("b", "a", "", type="assistant", message=answers[0]),
        line("c", "b", "", type="assistant", message=answers[1]),
        line("d", "c", results[1]),
        line("e", "b", results[0]),
        line("f", "e", "two"),
    ]
    assert texts(*lines) == ["one", "", "y", "x", "two"]


def test_the_stream_of_a_headless_session_is_read() -> None:
    stream = [
        {"type": "system", "subtype": "init", "session_id": "s", "tools": []},
        {
            "type": "assistant",
            "message": {"id": "m", "role": "assistant", "content": "Hi"},
            "session_id": "s",
        },
        {"type": "result", "subtype": "success", "session_id": "s", "result": "Hi"},
    ]
    assert texts(*map(json.dumps, stream)) == ["Hi"]


@pytest.mark.parametrize(
    ("bad", "field"),
    [
        (line("b", "a", [{"type": "tool_use", "id": "t"}]), "message.content[0].name"),
        (line("b", "a", 5), "message.content"),
        (line("b", "a", "", message="two"), "message"),
    ],
)
def test_a_bad_line_is_named_and_left_out(bad: str, field: str) -> None:
    lines = [line("a", None, "one"), bad, line("c", "b", "three")]
    with pytest.raises(BadLinesError) as caught:
        read_text("\n".join(lines))
    assert (caught.value.line, caught.value.field) == (2, field)
    (conversation,) = read_text("\n".join(lines), skip_bad=True)
    assert [turn.text for turn in conversation.turns] == ["one", "three"]


def test_other_lines_with_a_session_are_not_its() -> None:
    log = (
        '{"type": "user", "sessionId": "s", "messageId": 0, "message": "Hi", "role": "user", "content": "Hi"}'
    )
    assert read_text(log).format == "openai"


def test_what_the_app_wrote_itself_is_left_out() -> None:
    output = "<local-command-stdout>Set the model</local-command-stdout>"
    transcript = read_text(
        "\n".join(
            [line("a", None, output), line("b", "a", "Hi"), line("c", "b", "529", isApiErrorMessage=True)]
        )
    )
    assert [turn.text for turn in transcript.conversations[0].turns] == ["Hi"]
    assert dict(transcript.summary.omitted) == {"output of a command of the app": 1, "API error": 1}


def test_commands_are_as_they_were_typed_and_reminders_are_left_out() -> None:
    command = "<command-message>review</command-message>\n<command-name>/review</command-name>\n"
    reminder = "<system-reminder>Use the list.</system-reminder>"
    lines = [
        line("a", None, f"{command}<command-args>the parser</command-args>"),
        line(
            "b",
            "a",
            [{"type": "text", "text": reminder}, {"type": "text", "text": f"{reminder}\nHi {reminder}"}],
        ),
        line("c", "b", "What is <system-reminder>?"),
    ]
    transcript = read_text("\n".join(lines))
    assert [turn.text for turn in transcript.conversations[0].turns] == [
        "/review the parser",
        "Hi",
        "What is <system-reminder>?",
    ]
    assert dict(transcript.summary.omitted) == {"note of the app": 3}
