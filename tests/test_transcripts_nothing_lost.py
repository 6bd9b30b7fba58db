"""Every text of a file is in its turns, or what it is in was left out and counted."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from convgate.core.errors import ConvgateError
from convgate.transcripts import Transcript, read_conversations
from tests.transcript_files import FILES, FOLDER

MARK = "Marked words that stand nowhere else"
# What a benchmark asks is in its cases, not in its conversations.
ELSEWHERE = {"locomo.json", "longmemeval.json"}
NO_TEXT = {"responderUsername", "role", "type", "name", "cwd", "input.value", "output.value"}


def texts(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the paths to texts of several words."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        if (
            isinstance(item, str)
            and " " in item
            and len(item) > 11
            and key not in NO_TEXT
            and item[0] not in "[{"
        ):
            yield (*path, key)
        yield from texts(item, (*path, key))


def marked(value: Any, path: tuple[Any, ...]) -> Any:
    """Return a value with the mark at a path."""
    if not path:
        return MARK
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[path[0]] = marked(value[path[0]], path[1:])
    return copy


def has_mark(transcript: Transcript) -> bool:
    return any(
        MARK in f"{conversation.title} {turn.scored_text} {turn.name} {dict(turn.metadata)}"
        for conversation in transcript
        for turn in conversation.turns
    )


@pytest.mark.parametrize("name", sorted(name for name in FILES if ".json" in name and name not in ELSEWHERE))
def test_a_text_is_read_or_what_holds_it_is_counted(name: str) -> None:
    content = (FOLDER / name).read_text(encoding="utf-8")
    is_lines = name.endswith(".jsonl")
    values = [json.loads(line) for line in content.splitlines()] if is_lines else json.loads(content)
    omitted, lost = read_conversations(FOLDER / name).summary.omitted, []
    for path in texts(values):
        value = marked(values, path)
        text = "\n".join(map(json.dumps, value)) if is_lines else json.dumps(value)
        try:
            transcript = read_conversations(text.encode())
        except ConvgateError:
            continue
        if not has_mark(transcript) and not transcript.problems and transcript.summary.omitted == omitted:
            lost.append(path)
    assert len(lost) <= 2 * omitted.total(), lost  # what is left out has a text or two
