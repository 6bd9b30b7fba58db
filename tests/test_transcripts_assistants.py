"""Exports of Grok, DeepSeek and VS Code, and the three forms of Gemini."""

from __future__ import annotations

import pytest

from convgate.transcripts import BadLinesError, read_conversations, write_conversation
from tests.transcript_files import FOLDER, said


@pytest.mark.parametrize(
    ("name", "turns", "omitted"),
    [
        ("grok.json", [("user", "When is high tide?\n[attachment]"), ("assistant", "At six.")], {}),
        (
            "deepseek.json",
            [("user", "Which pump?\n[attachment: plan.pdf]"), ("assistant", "Hm.\nThe small one.")],
            {"message of another branch": 1, "part without text": 1},
        ),
        (
            "vscode.json",
            [
                ("user", "Rename foo\n[attachment: file:a.py]"),
                ("assistant", "Let me look\nI rename foo now."),
                ("tool", "Read a.py"),
                ("assistant", "Done."),
                ("user", "And bar"),
                ("assistant", "Done too."),
            ],
            {"part without text": 2},
        ),
        (
            "gemini_cli.json",
            [
                ("user", "List the files"),
                ("assistant", "Listing\nI look."),
                ("tool", "a.txt"),
                ("assistant", "There is a.txt."),
                ("user", "Thanks"),
            ],
            {"system message": 1},
        ),
        (
            "gemini_request.json",
            [
                ("system", "Be brief."),
                ("user", "When is high tide?\n[image]"),
                ("assistant", ""),
                ("tool", '{"at": 6}'),
                ("assistant", "Hm.\nAt six."),
            ],
            {},
        ),
        ("ai_studio.json", [("user", "Hi"), ("assistant", "Hm\nHello")], {}),
    ],
)
def test_turns_are_read_and_what_is_left_out_is_counted(
    name: str, turns: list[tuple[str, str]], omitted: dict[str, int]
) -> None:
    transcript = read_conversations(FOLDER / name)
    (conversation,) = transcript
    assert said(conversation) == turns
    assert dict(transcript.summary.omitted) == omitted


@pytest.mark.parametrize(
    ("name", "first", "last"),
    [
        ("grok.json", "2026-03-02 08:00:00+00:00", "2026-03-02 08:00:05+00:00"),
        ("deepseek.json", "2026-03-02 08:00:01.100000+08:00", "2026-03-02 08:00:03+08:00"),
        ("gemini_cli.json", "2026-03-02 08:00:00+00:00", "2026-03-02 08:00:09+00:00"),
        ("vscode.json", "2026-03-02 08:00:00+00:00", "None"),
    ],
)
def test_times_are_read(name: str, first: str, last: str) -> None:
    (conversation,) = read_conversations(FOLDER / name)
    times = [str(turn.timestamp) for turn in conversation.turns]
    assert (times[0], times[-1]) == (first, last)


@pytest.mark.parametrize("name", ["vscode.json", "gemini_cli.json", "gemini_request.json"])
def test_calls_of_tools_have_their_results(name: str) -> None:
    (conversation,) = read_conversations(FOLDER / name)
    calls = [call.id for turn in conversation.turns for call in turn.tool_calls]
    assert calls == [turn.tool_call_id for turn in conversation.turns if turn.tool_call_id] != []


@pytest.mark.parametrize(
    ("name", "old", "field"),
    [
        ("grok.json", '"sender": "ASSISTANT"', "conversations[0].responses[1].response.sender"),
        ("vscode.json", '"message": "And bar"', "requests[1].message"),
    ],
)
def test_a_bad_message_is_reported_by_its_field(name: str, old: str, field: str) -> None:
    content = (FOLDER / name).read_text().replace(old, f"{old.partition(':')[0]}: 5")
    with pytest.raises(BadLinesError) as caught:
        read_conversations(content.encode())
    assert caught.value.field == field


def test_a_checkpoint_of_gemini_cli_is_read() -> None:
    content = (FOLDER / "gemini_request.json").read_text().replace('"contents"', '"history"')
    (conversation,) = read_conversations(content.encode())
    assert [turn.role for turn in conversation.turns] == ["system", "user", "assistant", "tool", "assistant"]
    assert '"history": [' in write_conversation(conversation)
