"""Sessions of Claude Code: a file of lines each, of all projects in the folder `projects`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from convgate.core.conversation import ContentPart, Conversation, ToolCall, Turn
from convgate.core.errors import TranscriptError
from convgate.transcripts.blocks import Content, Item, ToolResult, read_blocks
from convgate.transcripts.characters import writable
from convgate.transcripts.exports import path_to, text_of
from convgate.transcripts.identity import given_id
from convgate.transcripts.json_text import Place, kind
from convgate.transcripts.source import LocatedConversations, Source
from convgate.transcripts.timestamps import time_of

_SPEAKERS = ("user", "assistant")
_OUTPUTS = (
    "<local-command-stdout>",
    "<local-command-stderr>",
)  # of `/model` and the like, for the user alone
_COMMAND = re.compile(r"<command-(name|args)>([^<>]{0,10000})</command-\1>")
_REMINDER = ("<system-reminder>", "</system-reminder>")


@dataclass(frozen=True)
class _Message:
    uuid: str
    answer_id: str | None  # of the assistant's answer, whose lines hold a block each
    turn: Turn  # without its content
    content: Content


@dataclass
class _Session:
    line: int | None  # the first one
    id: str
    is_agent: bool
    title: str | None = None
    parents: dict[str, str | None] = field(default_factory=dict)  # of every line, by its uuid
    messages: list[_Message] = field(default_factory=list)

    def parent_of(self, line: Mapping[str, Any]) -> str | None:
        """Return the line that a line follows: where its parent is not in the file, the one before it."""
        parent = text_of(line, "logicalParentUuid") or line.get("parentUuid")
        starts_anew = "parentUuid" in line and parent is None and not line.get("isCompactSummary")
        if starts_anew or not self.parents:
            return None
        if not isinstance(parent, str) or parent not in self.parents:
            parent = next(reversed(self.parents))
        # Of a compaction, what goes on after it may hang on a line that was written again.
        kept = line.get("compactMetadata")
        kept = kept.get("preservedSegment") if isinstance(kept, Mapping) else None
        head = text_of(kept, "headUuid") if isinstance(kept, Mapping) else None
        return parent if head not in self.parents or head in path_to(parent, self.parents) else head

    def find_branch(self) -> list[_Message]:
        """Return the messages of the branch that ends at the last one.

        All lines of an answer belong to it, and all results of its calls, for those are beside each other.
        """
        path = set(path_to(self.messages[-1].uuid, self.parents) if self.messages else ())
        answers = {message.answer_id for message in self.messages if message.uuid in path} - {None}
        is_chosen = [message.uuid in path or message.answer_id in answers for message in self.messages]
        calls = {
            item.id
            for message, chosen in zip(self.messages, is_chosen, strict=True)
            for item in message.content.items
            if chosen and isinstance(item, ToolCall)
        }
        return [
            message
            for message, chosen in zip(self.messages, is_chosen, strict=True)
            if chosen or any(isinstance(i, ToolResult) and i.call_id in calls for i in message.content.items)
        ]


class ClaudeCodeFormat:
    """Messages in lines with a `sessionId`; those of a sub-agent only in a file of its own."""

    name = "claude-code"
    label = "Claude Code session"

    def match_share(self, source: Source) -> float:
        """Return the share of the first lines that are of a session, 0…1."""
        if source.json is None:
            return 0.0
        values = [value for value in source.json.sample if isinstance(value, Mapping)]
        return sum(map(_is_line, values)) / max(1, len(source.json.sample))

    def read(self, source: Source) -> LocatedConversations:
        """Yield the sessions; bad places go to the source's report."""
        sessions: dict[tuple[str, str | None], _Session] = {}
        summaries: dict[str, str] = {}  # by the last message that they are about
        for value, place in source.need_json().values():
            with place.skip_bad_value():
                if not isinstance(value, Mapping):
                    raise TranscriptError(f"expected a line of a session, got {kind(value)}")
                if (leaf := text_of(value, "leafUuid")) and (summary := text_of(value, "summary")):
                    summaries[leaf] = summary
                elif session_id := given_id(value, "sessionId", "session_id"):
                    _add(value, session_id, sessions, place)
        has_main = any(session.messages and not session.is_agent for session in sessions.values())
        for session in sessions.values():
            if session.is_agent and has_main:
                source.report.omit("message of a sub-agent", len(session.messages))
                continue
            chosen = session.find_branch()
            source.report.omit("message of another branch", len(session.messages) - len(chosen))
            titles = (summaries[uuid] for uuid in session.parents if uuid in summaries)
            title = session.title or next(titles, None)
            yield session.line, Conversation(session.id, tuple(_turns(chosen)), title, format=self.name)


def _is_line(value: Mapping[str, Any]) -> bool:
    type_ = value.get("type")
    if type_ in _SPEAKERS:
        return isinstance(value.get("message"), Mapping) and ("sessionId" in value or "session_id" in value)
    return isinstance(type_, str) and bool({"leafUuid", "snapshot", "sessionId", "session_id"} & value.keys())


def _add(
    line: Mapping[str, Any],
    session_id: str,
    sessions: dict[tuple[str, str | None], _Session],
    place: Place,
) -> None:
    """Add a line to its session, or to that of the sub-agent which it is from."""
    parent_call = text_of(line, "parent_tool_use_id")
    is_agent = bool(line.get("isSidechain") or parent_call)
    agent = (given_id(line, "agentId") or parent_call or session_id) if is_agent else None
    session = sessions.setdefault((session_id, agent), _Session(place.line, agent or session_id, is_agent))
    session.title = text_of(line, "customTitle") or session.title or text_of(line, "aiTitle")
    uuid = text_of(line, "uuid") or f"line {len(session.parents)}"
    if uuid in session.parents:
        place.report.omit("repeated line")
        return
    parent = session.parent_of(line)
    session.parents[uuid] = parent
    message = line.get("message") if line.get("type") in _SPEAKERS else _read_queued(line)
    if message is None:
        return
    if not isinstance(message, Mapping):
        raise TranscriptError(f"expected a message, got {kind(message)}", field="message")
    if line.get("isMeta"):
        place.report.omit("hidden message")
        return
    if line.get("isCompactSummary") and session.messages:
        place.report.omit("summary of earlier messages")
        return
    if line.get("isApiErrorMessage"):
        place.report.omit("API error")
        return
    if str(message.get("content")).startswith(_OUTPUTS):
        place.report.omit("output of a command of the app")
        return
    role = "system" if line.get("isCompactSummary") else text_of(message, "role") or str(line["type"])
    moment = time_of(line, "", place.warn)[1]
    content = read_blocks(message.get("content"), "message.content")
    if role == "user":
        content = Content(tuple(_clean_items(content.items, place)))
    answer_id = given_id(message, "id") if role == "assistant" else None
    turn = Turn(writable(role), id=given_id(line, "uuid"), timestamp=moment)
    session.messages.append(_Message(uuid, answer_id, turn, content))


def _clean_items(items: Iterable[Item], place: Place) -> Iterator[Item]:
    """Yield what a user wrote: commands as they were typed, and no reminders of the app."""
    for item in items:
        if isinstance(item, ContentPart) and item.text.startswith("<command-"):
            words = dict(_COMMAND.findall(item.text))
            item = replace(item, text=f"{words.get('name', '')} {words.get('args', '')}".strip() or item.text)
        elif isinstance(item, ContentPart):
            first, *others = item.text.split(_REMINDER[0])
            pieces = [other.partition(_REMINDER[1]) for other in others]
            kept = [after if end else _REMINDER[0] + before for before, end, after in pieces]
            place.report.omit("note of the app", sum(bool(end) for _, end, _ in pieces))
            item = replace(item, text="".join((first, *kept)).strip() if others else item.text)
        if not isinstance(item, ContentPart) or item.text:
            yield item


def _read_queued(line: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return the user's message that was sent while the assistant was working."""
    attachment = line.get("attachment")
    if isinstance(attachment, Mapping) and attachment.get("type") == "queued_command":
        return {"role": "user", "content": attachment.get("prompt")}
    return None


def _turns(messages: list[_Message]) -> Iterator[Turn]:
    """Yield the turns, with the lines of an answer as one."""
    answers: dict[str, list[_Message]] = {}
    for message in messages:
        answers.setdefault(message.answer_id or message.uuid, []).append(message)
    for lines in answers.values():
        turn = lines[0].turn
        content = Content(tuple(item for line in lines for item in line.content.items))
        yield from content.turns(turn.role, id=turn.id, timestamp=turn.timestamp)
