"""Tasks of Cline: the history of its API, with details of the editor and calls as XML."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from convgate.core.errors import TranscriptError
from convgate.transcripts import Transcript, read_conversations
from tests.transcript_files import FOLDER, read_value, said

DETAILS = "<environment_details>\n# Open Tabs\na.py\n</environment_details>"


def _read(*messages: tuple[str, Any]) -> Transcript:
    value = [
        {"role": role, "content": [{"type": "text", "text": text} for text in texts]}
        for role, texts in [("user", ["<task>\nGo on.\n</task>", DETAILS]), *messages]
    ]
    return read_value(value)


def _turns(transcript: Transcript) -> list[tuple[str, str]]:
    return said(transcript.conversations[0])[1:]


def test_the_history_has_the_users_words_alone_and_its_calls_have_their_results() -> None:
    transcript = read_conversations(FOLDER / "cline_api_history.json")
    (task,) = transcript
    assert [(turn.role, turn.text) for turn in task.turns if turn.role == "user"] == [
        ("user", "Why does the boat leak?"), ("user", "Use wax, please."), ("user", "And the mast?"),
    ]  # fmt: skip
    calls = [(call.id, call.name) for turn in task.turns for call in turn.tool_calls]
    assert calls == [("call-1", "read_file"), ("call-2", "replace_in_file"), ("toolu_1", "list_files")]
    results = [(turn.tool_call_id, turn.name) for turn in task.turns if turn.role == "tool"]
    assert results == [("call-1", "read_file"), ("call-2", "replace_in_file"), ("toolu_1", None)]
    change = json.loads(task.turns[3].tool_calls[0].arguments)
    assert change["diff"].splitlines()[0::4] == ["<<<<<<< SEARCH", ">>>>>>> REPLACE"]
    assert [part.kind for part in task.turns[1].parts] == ["thinking", "text"]
    assert task.turns[6].text == "The seams are waxed now."
    assert "environment_details" not in str(task.turns)
    assert dict(transcript.summary.omitted) == {"note of the app": 6}
    assert transcript.alternatives == ()


@pytest.mark.parametrize(
    ("texts", "text"),
    [
        (["[ask_followup_question for 'Which?'] Result:\n<answer>\nThe red one.\n</answer>"], "The red one."),
        (["[attempt_completion] Result:", "Good, thanks."], "Good, thanks."),
        (["[TASK RESUMPTION] It was cut.\n<user_message>\nOn.\n</user_message>"], "On."),
        ([f"One text.\n\n{DETAILS}"], "One text."),
    ],
)
def test_answers_and_feedback_are_the_users(texts: list[str], text: str) -> None:
    assert _turns(_read(("user", texts))) == [("user", text)]


def test_notes_of_the_app_are_counted() -> None:
    transcript = _read(("user", ["[ERROR] You did not use a tool.", DETAILS]), ("assistant", ["Well."]))
    assert _turns(transcript) == [("assistant", "Well.")]
    assert dict(transcript.summary.omitted) == {"note of the app": 3}


@pytest.mark.parametrize(
    ("text", "turns", "arguments"),
    [
        ("Use <read_file> here.", [("assistant", "Use <read_file> here.")], []),
        ("<b>Bold</b>", [("assistant", "<b>Bold</b>")], []),
        (
            "<write_to_file><path>a</path><content><p>x</p></content></p></content></write_to_file>Done.",
            [("assistant", "Done.")],
            [{"path": "a", "content": "<p>x</p></content></p>"}],
        ),
        (
            "<ask_followup_question><question>Which?</question></ask_followup_question>",
            [("assistant", "Which?")],
            [],
        ),
        (
            "<ask_followup_question><question>Which?</question><options>[A]</options></ask_followup_question>",
            [("assistant", "Which?\n[A]")],
            [],
        ),
    ],
)
def test_only_calls_of_known_tools_are_taken_out_of_what_was_said(
    text: str, turns: list[tuple[str, str]], arguments: list[dict[str, str]]
) -> None:
    transcript = _read(("assistant", [text]))
    assert _turns(transcript) == turns
    calls = [call for turn in transcript.conversations[0].turns for call in turn.tool_calls]
    assert [json.loads(call.arguments) for call in calls] == arguments


def test_reasoning_of_roo_code_is_counted() -> None:
    value = [
        {"role": "user", "content": f"<task>Go.</task>\n{DETAILS}", "ts": 1772000000000},
        {"type": "reasoning", "summary": [], "encrypted_content": "x", "ts": 1772000001000},
    ]
    transcript = read_value(value)
    assert [turn.text for turn in transcript.conversations[0].turns] == ["Go."]
    assert dict(transcript.summary.omitted) == {"note of the app": 1, "encrypted reasoning": 1}


def test_a_folder_of_a_task_is_one_conversation(tmp_path: Path) -> None:
    (tmp_path / "api.json").write_bytes((FOLDER / "cline_api_history.json").read_bytes())
    events = json.dumps([{"ts": 1, "type": "say", "say": "task", "text": "Why does the boat leak?"}])
    (tmp_path / "ui_messages.json").write_text(events)
    transcript = read_conversations(tmp_path)
    assert len(transcript) == 1
    assert transcript.summary.omitted["file without a conversation"] == 1
    with pytest.raises(TranscriptError, match="api_conversation_history"):
        read_conversations(tmp_path / "ui_messages.json")
