"""Agents in a terminal: opencode, Copilot CLI, Pi and OpenClaw, aider."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import groupby
from typing import Any

from convgate.core.conversation import ContentPart, Conversation, ToolCall, Turn
from convgate.transcripts.blocks import Content, Item, ToolResult, json_parts, placeholder, read_blocks
from convgate.transcripts.exports import (
    BRANCH,
    EMPTY,
    FunctionFormat,
    objects_in,
    path_to,
    read_messages,
    read_objects,
)
from convgate.transcripts.fields import mapping_of, text_of, value_at
from convgate.transcripts.formats.layouts import Layout
from convgate.transcripts.identity import given_id
from convgate.transcripts.json_text import Place
from convgate.transcripts.openai_messages import arguments_text, content_parts
from convgate.transcripts.roles import role_of
from convgate.transcripts.source import LocatedConversations, Source


def _opencode_items(message: Mapping[str, Any], field: str, place: Place) -> Iterator[Item]:
    for part in objects_in(message, "parts", field):
        type_, text = part.get("type"), text_of(part, "text")
        if type_ == "text" and text and not part.get("synthetic"):
            yield ContentPart("text", text)
        elif type_ == "reasoning" and text:
            yield ContentPart("thinking", text)
        elif type_ == "tool":
            state, id, name = mapping_of(part, "state"), given_id(part, "callID|id"), text_of(part, "tool")
            yield ToolCall(
                id or "", name or "tool", arguments_text(state.get("input"), f"{field}.parts.input")
            )
            if (result := value_at(state, "output|error")) is not None:
                yield ToolResult(id or "", json_parts(result, f"{field}.parts.output"), name or "tool")
        elif type_ == "file":
            yield ContentPart("file", placeholder("file", part))
        elif text:
            place.report.omit("note of the app")


OPENCODE = Layout(
    "opencode", "opencode export", "messages", marks="info", role="info.role", time=("info.time.created",),
    message_id="info.id", id="info.id", title="info.title", content=_opencode_items,
)  # fmt: skip


_EVENTS = {"user.message": "user", "assistant.message": "assistant", "tool.execution_complete": "tool"}


def _match_events(source: Source) -> float:
    """Return the share of the first lines that are events of a session, 0…1."""
    sample = source.json.sample if source.json else ()
    types = [str(value_at(line, "type")) for line in sample if value_at(line, "data") is not None]
    return sum("." in type_ for type_ in types) / len(sample) if set(types) & _EVENTS.keys() else 0.0


def _read_events(source: Source) -> LocatedConversations:
    """Yield the session; bad places go to the source's report."""
    id, turns = "", list[Turn]()
    for event, place in read_objects(source, "an event"):
        with place.skip_bad_value():
            id = id or given_id(event, "data.sessionId") or ""
            turns += _event_turns(event, place)
    yield 1, Conversation(id, tuple(turns), format=COPILOT_CLI.name)


def _event_turns(event: Mapping[str, Any], place: Place) -> Iterator[Turn]:
    role = _EVENTS.get(str(event.get("type")))
    if role is None:
        return
    data, id = mapping_of(event, "data"), given_id(event, "id")
    items: tuple[ContentPart | ToolCall, ...]
    if role == "tool":
        items = json_parts(value_at(data, "result.content|result|error"), "data.result")
    else:
        requests = objects_in(data, "toolRequests", "data")
        place.report.omit("attachment", len(objects_in(data, "attachments", "data")))
        items = (
            *content_parts(data.get("content") or "", "data.content"),
            *(
                ToolCall(
                    given_id(request, "toolCallId") or "",
                    text_of(request, "name") or "tool",
                    arguments_text(request.get("arguments"), "data.toolRequests"),
                )
                for request in requests
            ),
        )
    call = given_id(data, "toolCallId") if role == "tool" else None
    turns = list(Content(items).turns(role, id=id, timestamp=place.time(event), tool_call_id=call))
    if not turns:
        place.report.omit(EMPTY)
    yield from turns


COPILOT_CLI = FunctionFormat("copilot-cli", "Copilot CLI session", _match_events, _read_events)


def _match_pi(source: Source) -> float:
    """Return 1 when the first line is a session."""
    sample = source.json.sample if source.json and source.json.is_lines else ()
    return float(
        any(text_of(line, "type") == "session" and {"version", "cwd"} <= line.keys() for line in sample[:1])
    )


def _read_pi(source: Source) -> LocatedConversations:
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
    turns = tuple(read_messages(path, "line", Place(source.report), _pi_turns))
    yield 1, Conversation(id, turns, format=PI.name)


def _pi_turns(line: Mapping[str, Any], field: str, place: Place) -> Iterator[Turn]:
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


PI = FunctionFormat("pi", "Pi or OpenClaw session", _match_pi, _read_pi)


_STARTED = re.compile(r"# aider chat started at (\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)\s*")


def _match_aider(source: Source) -> float:
    """Return 1 when a line says that aider was started."""
    lines = source.first_lines(50) if source.is_text and source.json is None else ()
    return float(any(_STARTED.fullmatch(line) for line in lines))


def _read_aider(source: Source) -> LocatedConversations:
    """Yield a conversation for each start of aider, without what it says itself."""
    source.check_size()
    started: list[tuple[int, str | None, list[tuple[str, str]]]] = [
        (1, None, [])
    ]  # lines, each with its role
    role, n_notes = "", 0
    for number, line in enumerate(source.lines(), 1):
        said = started[-1][2]
        if match := _STARTED.fullmatch(line):
            started.append((number, f"aider, {match[1]}", []))
            role = ""
        elif line.startswith("> "):
            n_notes += 1
        elif line.startswith("#### "):
            role = "user"
            said.append((role, f"{line.removeprefix('#### ').rstrip()}\n"))
        else:
            role = "assistant" if role and line.strip() else role
            said.append((role, line.replace("\r\n", "\n")))
    source.report.omit("note of the app", n_notes)
    for number, title, said in started:
        runs = ((role, "".join(line for _, line in run)) for role, run in groupby(said, lambda each: each[0]))
        turns = tuple(Turn.of(role, text.strip()) for role, text in runs if role and text.strip())
        if turns:
            yield number, Conversation("", turns, title, format=AIDER.name)


AIDER = FunctionFormat("aider", "aider chat history", _match_aider, _read_aider)
