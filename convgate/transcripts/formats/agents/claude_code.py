"""Sessions of Claude Code: a file of lines each, of all projects in the folder `projects`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from convgate.core.conversation import ContentPart, Conversation, ToolCall, Turn
from convgate.core.errors import TranscriptError
from convgate.transcripts.blocks import Content, Item, ToolResult, read_blocks
from convgate.transcripts.exports import BRANCH, FunctionFormat, path_to, read_objects, share_of
from convgate.transcripts.fields import text_of, value_at
from convgate.transcripts.identity import given_id
from convgate.transcripts.json_text import Place, kind
from convgate.transcripts.source import LocatedConversations, Source

_SPEAKERS = ("user", "assistant")
_OUTPUTS = ("<local-command-stdout>", "<local-command-stderr>")  # of `/model` and the like, for the user
_COMMAND = re.compile(r"<command-(name|args)>([^<>]{0,10000})</command-\1>")
_REMINDER = ("<system-reminder>", "</system-reminder>")


@dataclass(frozen=True)
class _Message:
    uuid: str
    answer_id: str | None  # of the assistant's answer, whose lines hold a block each
    turn: Turn  # without its content
    content: Content
    usage: Any  # what the provider counted, as the line has it


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
        head = text_of(line, "compactMetadata.preservedSegment.headUuid")
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


def _read(source: Source) -> LocatedConversations:
    """Yield the sessions; messages of a sub-agent only from a file of its own."""
    sessions: dict[tuple[str, str | None], _Session] = {}
    summaries: dict[str, str] = {}  # by the last message that they are about
    for value, place in read_objects(source, "a line of a session"):
        with place.skip_bad_value():
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
        source.report.omit(BRANCH, len(session.messages) - len(chosen))
        titles = (summaries[uuid] for uuid in session.parents if uuid in summaries)
        title = session.title or next(titles, None)
        yield session.line, Conversation(session.id, tuple(_turns(chosen)), title, format=CLAUDE_CODE.name)


def _is_line(value: Mapping[str, Any]) -> bool:
    type_ = text_of(value, "type")
    if type_ in _SPEAKERS:
        return isinstance(value.get("message"), Mapping) and ("sessionId" in value or "session_id" in value)
    return type_ is not None and bool({"leafUuid", "snapshot", "sessionId", "session_id"} & value.keys())


CLAUDE_CODE = FunctionFormat(
    "claude-code", "Claude Code session", lambda source: share_of(source, _is_line), _read
)


def _add(
    line: Mapping[str, Any], session_id: str, sessions: dict[tuple[str, str | None], _Session], place: Place
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
    message = line.get("message") if line.get("type") in _SPEAKERS else None
    if value_at(line, "attachment.type") == "queued_command":  # sent while the assistant was working
        message = {"role": "user", "content": value_at(line, "attachment.prompt")}
    if message is None:
        return
    if not isinstance(message, Mapping):
        raise TranscriptError(f"expected a message, got {kind(message)}", field="message")
    left_out = {
        "hidden message": line.get("isMeta"),
        "summary of earlier messages": line.get("isCompactSummary") and session.messages,
        "API error": line.get("isApiErrorMessage"),
        "output of a command of the app": str(message.get("content")).startswith(_OUTPUTS),
    }
    if what := next((what for what, is_so in left_out.items() if is_so), None):
        place.report.omit(what)
        return
    role = "system" if line.get("isCompactSummary") else text_of(message, "role") or str(line["type"])
    content = read_blocks(message.get("content"), "message.content")
    if role == "user":
        content = Content(tuple(_clean_items(content.items, place)))
    answer_id = given_id(message, "id") if role == "assistant" else None
    turn = Turn(role, id=given_id(line, "uuid"), timestamp=place.time(line))
    session.messages.append(_Message(uuid, answer_id, turn, content, message.get("usage")))


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


def _turns(messages: list[_Message]) -> Iterator[Turn]:
    """Yield the turns, with the lines of an answer as one."""
    answers: dict[str, list[_Message]] = {}
    for message in messages:
        answers.setdefault(message.answer_id or message.uuid, []).append(message)
    for lines in answers.values():
        turn = lines[0].turn
        content = Content(tuple(item for line in lines for item in line.content.items))
        turns = content.turns(turn.role, id=turn.id, timestamp=turn.timestamp)
        usage = next((line.usage for line in lines if line.usage), None)
        for place, each in enumerate(turns):
            yield each if place or usage is None else each.with_metadata("usage", usage)
