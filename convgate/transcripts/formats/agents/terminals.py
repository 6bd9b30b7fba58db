"""Agents in a terminal: exports of opencode, the events of Copilot CLI, and the chat history of aider."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from convgate.core.conversation import ContentPart, Conversation, ToolCall, Turn
from convgate.core.errors import TranscriptError
from convgate.transcripts.blocks import Content, Item, ToolResult, json_parts, placeholder
from convgate.transcripts.characters import writable
from convgate.transcripts.exports import ConversationExport, mapping_of, objects_in, read_messages, text_of
from convgate.transcripts.formats.openai_messages import arguments_text, content_parts
from convgate.transcripts.identity import given_id
from convgate.transcripts.json_text import Place, kind
from convgate.transcripts.roles import role_of
from convgate.transcripts.source import LocatedConversations, Source
from convgate.transcripts.timestamps import time_of


class OpencodeFormat(ConversationExport):
    """`opencode export`: a session with messages of parts; a call has its result beside it."""

    name = "opencode"
    label = "opencode export"

    def is_conversation(self, value: Mapping[str, Any]) -> bool:
        """Return whether it has messages with an `info` and `parts`."""
        messages = value.get("messages")
        first = messages[0] if isinstance(messages, list) and messages else None
        return isinstance(first, Mapping) and isinstance(first.get("info"), Mapping) and "parts" in first

    def conversation(self, value: Mapping[str, Any], place: Place) -> Conversation:
        """Return the conversation of a session."""
        info = mapping_of(value, "info")
        turns = tuple(read_messages(value["messages"], "messages", place, _opencode_turns))
        return Conversation(given_id(info, "id") or "", turns, text_of(info, "title"), format=self.name)


def _opencode_turns(message: Mapping[str, Any], field: str, place: Place) -> Iterator[Turn]:
    info = mapping_of(message, "info")
    role = role_of(text_of(info, "role") or "")
    if role is None:
        raise TranscriptError("expected a role", field=f"{field}.info.role")
    items: list[Item] = []
    for part in objects_in(message, "parts", field):
        type_, text = part.get("type"), text_of(part, "text")
        if type_ == "text" and text and not part.get("synthetic"):
            items.append(ContentPart("text", writable(text)))
        elif type_ == "reasoning" and text:
            items.append(ContentPart("thinking", writable(text)))
        elif type_ == "tool":
            items += _opencode_use(part, f"{field}.parts")
        elif type_ == "file":
            items.append(ContentPart("file", placeholder("file", part)))
        elif text:
            place.report.omit("note of the app")
    if not items:
        place.report.omit("message without content")
    moment = time_of({"time": mapping_of(info, "time").get("created")}, field, place.warn)[1]
    yield from Content(tuple(items)).turns(role, id=given_id(info, "id"), timestamp=moment)


def _opencode_use(part: Mapping[str, Any], field: str) -> Iterator[Item]:
    state, id = mapping_of(part, "state"), given_id(part, "callID", "id") or ""
    name = writable(text_of(part, "tool") or "tool")
    yield ToolCall(id, name, writable(arguments_text(state.get("input"), f"{field}.input")))
    result = state.get("output", state.get("error"))
    if result is not None:
        yield ToolResult(id, json_parts(result, f"{field}.output"), name)


class CopilotCLIFormat:
    """A session's `events.jsonl`, one event a line."""

    name = "copilot-cli"
    label = "Copilot CLI session"

    def match_share(self, source: Source) -> float:
        """Return the share of the first lines that are events of a session, 0…1."""
        sample = source.json.sample if source.json else ()
        types = [
            str(line["type"])
            for line in sample
            if isinstance(line, Mapping) and {"type", "data"} <= line.keys()
        ]
        return sum("." in type_ for type_ in types) / len(sample) if set(types) & _EVENTS.keys() else 0.0

    def read(self, source: Source) -> LocatedConversations:
        """Yield the session; bad places go to the source's report."""
        id, turns = "", list[Turn]()
        for value, place in source.need_json().values():
            with place.skip_bad_value():
                if not isinstance(value, Mapping):
                    raise TranscriptError(f"expected an event, got {kind(value)}")
                id = id or given_id(mapping_of(value, "data"), "sessionId") or ""
                turns += _event_turns(value, place)
        yield 1, Conversation(id, tuple(turns), format=self.name)


_EVENTS = {"user.message": "user", "assistant.message": "assistant", "tool.execution_complete": "tool"}


def _event_turns(event: Mapping[str, Any], place: Place) -> Iterator[Turn]:
    data, role = mapping_of(event, "data"), _EVENTS.get(str(event.get("type")))
    moment, id = time_of(event, "", place.warn)[1], given_id(event, "id")
    if role is None:
        return
    if role == "tool":
        result = mapping_of(data, "result").get("content", data.get("result", data.get("error")))
        call = given_id(data, "toolCallId")
        yield Turn(role, json_parts(result, "data.result"), id, timestamp=moment, tool_call_id=call)
        return
    calls = tuple(
        ToolCall(
            given_id(request, "toolCallId") or "",
            writable(text_of(request, "name") or "tool"),
            writable(arguments_text(request.get("arguments"), "data.toolRequests")),
        )
        for request in objects_in(data, "toolRequests", "data")
    )
    parts = content_parts(data.get("content") or "", "data.content")
    if parts or calls:
        yield Turn(role, parts, id, timestamp=moment, tool_calls=calls)
    else:
        place.report.omit("message without content")


_STARTED = re.compile(r"# aider chat started at (\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)\s*")


class AiderFormat:
    """`.aider.chat.history.md`: each start of aider is a conversation; what aider itself says is left out."""

    name = "aider"
    label = "aider chat history"

    def match_share(self, source: Source) -> float:
        """Return 1 when a line says that aider was started."""
        lines = source.first_lines(50) if source.is_text and source.json is None else ()
        return float(any(_STARTED.fullmatch(line) for line in lines))

    def read(self, source: Source) -> LocatedConversations:
        """Yield the conversations."""
        source.check_size()
        turns: list[Turn] = []
        said: list[str] = []
        role, first, started, n_notes = "", 1, "", 0

        def end() -> None:
            text = "\n".join(said).strip()
            if role and text:
                turns.append(Turn.of(role, writable(text)))
            said.clear()

        for number, line in enumerate(source.lines(), 1):
            line = line.rstrip("\r\n")
            if match := _STARTED.fullmatch(line):
                end()
                if turns:
                    yield first, Conversation("", tuple(turns), started, format=self.name)
                turns, role, first, started = [], "", number, f"aider, {match[1]}"
            elif line.startswith("> "):
                n_notes += 1
            elif line.startswith("#### "):
                if role != "user":
                    end()
                role = "user"
                said.append(line.removeprefix("#### ").rstrip())
            else:
                if role == "user" and line.strip():
                    end()
                    role = "assistant"
                said.append(line)
        end()
        source.report.omit("note of the app", n_notes)
        if turns:
            yield first, Conversation("", tuple(turns), started or None, format=self.name)
