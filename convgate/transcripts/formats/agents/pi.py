"""Sessions of Pi and OpenClaw: a message a line, each with the line that it follows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from convgate.core.conversation import Conversation, Turn
from convgate.core.errors import TranscriptError
from convgate.transcripts.blocks import read_blocks
from convgate.transcripts.characters import writable
from convgate.transcripts.exports import path_to, read_messages
from convgate.transcripts.fields import mapping_of, text_of
from convgate.transcripts.identity import given_id
from convgate.transcripts.json_text import Place, kind
from convgate.transcripts.roles import role_of
from convgate.transcripts.source import LocatedConversations, Source
from convgate.transcripts.timestamps import time_of


class PiFormat:
    """The branch that ends at the last message is read."""

    name = "pi"
    label = "Pi or OpenClaw session"

    def match_share(self, source: Source) -> float:
        """Return 1 when the first line is a session, and others are of one."""
        sample = source.json.sample if source.json and source.json.is_lines else ()
        is_session = [isinstance(line, Mapping) and line.get("type") == "session" for line in sample[:1]]
        return float(bool(is_session and is_session[0] and "version" in sample[0] and "cwd" in sample[0]))

    def read(self, source: Source) -> LocatedConversations:
        """Yield the session; bad places go to the source's report."""
        parents: dict[str, Any] = {}
        messages: dict[str, Mapping[str, Any]] = {}
        id = ""
        for value, place in source.need_json().values():
            with place.skip_bad_value():
                if not isinstance(value, Mapping):
                    raise TranscriptError(f"expected a line of a session, got {kind(value)}")
                own = given_id(value, "id") or f"line {place.line}"
                if value.get("type") == "session":
                    id = given_id(value, "id") or ""
                else:  # in the first version, lines without ids follow each other
                    parents[own] = value.get("parentId", next(reversed(parents), None))
                if value.get("type") == "message":
                    messages[own] = value
        leaf = next(reversed(messages), None)
        path = [messages[own] for own in path_to(leaf, parents) if own in messages]
        source.report.omit("message of another branch", len(messages) - len(path))
        turns = tuple(read_messages(path, "line", Place(source.report), _turns))
        yield 1, Conversation(id, turns, format=self.name)


def _turns(line: Mapping[str, Any], field: str, place: Place) -> Iterator[Turn]:
    message = mapping_of(line, "message")
    named, content = text_of(message, "role") or "", message.get("content")
    if isinstance(content, list):
        content = [
            {**block, "type": "tool_use", "input": block.get("arguments")}
            if isinstance(block, Mapping) and block.get("type") == "toolCall"
            else block
            for block in content
        ]
    read = read_blocks(content, f"{field}.message.content")
    moment, id = time_of(line, field, place.warn)[1], given_id(line, "id")
    if named == "toolResult":
        name, call = text_of(message, "toolName"), given_id(message, "toolCallId")
        yield Turn("tool", read.parts, id, name and writable(name), moment, tool_call_id=call)
    elif role := role_of(named):
        if not read.items:
            place.report.omit("message without content")
        yield from read.turns(role, id=id, timestamp=moment)
    else:
        place.report.omit("note of the app")
