"""Sessions of Pi and OpenClaw: a message a line, each with the line that it follows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from convgate.core.conversation import Conversation, Turn
from convgate.transcripts.blocks import read_blocks
from convgate.transcripts.exports import (
    BRANCH,
    EMPTY,
    FunctionFormat,
    path_to,
    read_messages,
    read_objects,
)
from convgate.transcripts.fields import mapping_of, text_of
from convgate.transcripts.identity import given_id
from convgate.transcripts.json_text import Place
from convgate.transcripts.roles import role_of
from convgate.transcripts.source import LocatedConversations, Source


def _match(source: Source) -> float:
    """Return 1 when the first line is a session."""
    sample = source.json.sample if source.json and source.json.is_lines else ()
    return float(
        any(text_of(line, "type") == "session" and {"version", "cwd"} <= line.keys() for line in sample[:1])
    )


def _read(source: Source) -> LocatedConversations:
    """Yield the branch that ends at the last message."""
    parents: dict[str, Any] = {}
    messages: dict[str, Mapping[str, Any]] = {}
    id = ""
    for value, place in read_objects(source, "a line of a session"):
        own = given_id(value, "id") or f"line {place.line}"
        if value.get("type") == "session":
            id = given_id(value, "id") or ""
        else:  # in the first version, lines without ids follow each other
            parents[own] = value.get("parentId", next(reversed(parents), None))
        if value.get("type") == "message":
            messages[own] = value
    leaf = next(reversed(messages), None)
    path = [messages[own] for own in path_to(leaf, parents) if own in messages]
    source.report.omit(BRANCH, len(messages) - len(path))
    turns = tuple(read_messages(path, "line", Place(source.report), _turns))
    yield 1, Conversation(id, turns, format=PI.name)


def _turns(line: Mapping[str, Any], field: str, place: Place) -> Iterator[Turn]:
    message = mapping_of(line, "message")
    named, content = text_of(message, "role") or "", message.get("content")
    if isinstance(content, list):
        content = [
            {**each, "type": "tool_use", "input": each.get("arguments")}
            if text_of(each, "type") == "toolCall"
            else each
            for each in content
        ]
    read = read_blocks(content, f"{field}.message.content")
    moment, id = place.time(line, field), given_id(line, "id")
    if named == "toolResult":
        name, call = text_of(message, "toolName"), given_id(message, "toolCallId")
        yield Turn("tool", read.parts, id, name, moment, tool_call_id=call)
    elif role := role_of(named):
        if not read.items:
            place.report.omit(EMPTY)
        yield from read.turns(role, id=id, timestamp=moment)
    else:
        place.report.omit("note of the app")


PI = FunctionFormat("pi", "Pi or OpenClaw session", _match, _read)
