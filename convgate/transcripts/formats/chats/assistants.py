"""Conversations with assistants: Grok's export, Copilot Chat in VS Code, and Gemini in its three forms."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from convgate.core.conversation import ContentPart, Conversation, ToolCall, Turn
from convgate.core.errors import TranscriptError
from convgate.transcripts.blocks import Content, Item, ToolResult, placeholder
from convgate.transcripts.characters import writable
from convgate.transcripts.dialects.gemini import part_items
from convgate.transcripts.exports import (
    ConversationExport,
    join_turns,
    list_in,
    mapping_of,
    objects_in,
    read_messages,
    text_of,
)
from convgate.transcripts.formats.append_logs import (
    LoggedExport,
    is_gemini_log,
    is_vscode_log,
    read_gemini_log,
    read_vscode_log,
)
from convgate.transcripts.formats.openai_messages import content_parts
from convgate.transcripts.identity import given_id
from convgate.transcripts.json_text import Place
from convgate.transcripts.roles import role_of
from convgate.transcripts.timestamps import time_of


class GrokFormat(ConversationExport):
    """Conversations with `responses`, which are the messages of both sides."""

    name = "grok"
    label = "Grok export"

    def is_conversation(self, value: Mapping[str, Any]) -> bool:
        """Return whether it has `responses` beside a `conversation`."""
        return isinstance(value.get("conversation"), Mapping) and isinstance(value.get("responses"), list)

    def conversation(self, value: Mapping[str, Any], place: Place) -> Conversation:
        """Return the conversation of an object."""
        about = value["conversation"]
        turns = read_messages(value["responses"], "responses", place, _grok_turns)
        return Conversation(
            given_id(about, "id") or "", tuple(turns), text_of(about, "title"), format=self.name
        )


class CopilotFormat(LoggedExport):
    """Sessions with `requests`, each of which holds a message and the parts of its `response`."""

    name = "vscode"
    label = "VS Code chat export"

    def is_conversation(self, value: Mapping[str, Any]) -> bool:
        """Return whether it has `requests` with a message and a response."""
        requests = value.get("requests")
        return isinstance(requests, list) and any(
            isinstance(request, Mapping) and {"message", "response"} <= request.keys() for request in requests
        )

    is_log, read_log = staticmethod(is_vscode_log), staticmethod(read_vscode_log)

    def conversation(self, value: Mapping[str, Any], place: Place) -> Conversation:
        """Return the conversation of a session."""
        turns = read_messages(list_in(value, "requests", ""), "requests", place, _copilot_turns)
        title = text_of(value, "customTitle")
        return Conversation(given_id(value, "sessionId") or "", tuple(turns), title, format=self.name)


class GeminiFormat(LoggedExport):
    """Sessions of Gemini CLI, and prompts of AI Studio."""

    name = "gemini"
    label = "Gemini conversation"

    def is_conversation(self, value: Mapping[str, Any]) -> bool:
        """Return whether it has messages in one of these forms."""
        return _gemini_messages(value) is not None

    is_log, read_log = staticmethod(is_gemini_log), staticmethod(read_gemini_log)

    def conversation(self, value: Mapping[str, Any], place: Place) -> Conversation:
        """Return the conversation of an object, with the instructions of a prompt."""
        field, messages = _gemini_messages(value) or ("messages", [])
        turns = list(read_messages(messages, field, place, _gemini_turns))
        if instruction := value.get("systemInstruction"):
            parts = tuple(_gemini_items(instruction, "systemInstruction"))
            turns[:0] = Content(parts).turns("system")
        return Conversation(given_id(value, "sessionId") or "", tuple(join_turns(turns)), format=self.name)


def _grok_turns(item: Mapping[str, Any], field: str, place: Place) -> Iterator[Turn]:
    message, field = mapping_of(item, "response"), f"{field}.response"
    sender = text_of(message, "sender")
    if sender is None:
        raise TranscriptError("there is no sender", field=f"{field}.sender")
    files = list_in(message, "file_attachments", field)
    parts = content_parts(message.get("message") or "", f"{field}.message")
    content = Content((*parts, *(ContentPart("attachment", "[attachment]") for _ in files)))
    if not content.items:
        place.report.omit("message without content")
    moment = time_of(message, field, place.warn)[1]
    yield from content.turns(
        role_of(sender) or writable(sender), id=given_id(message, "_id", "id"), timestamp=moment
    )


def _copilot_turns(request: Mapping[str, Any], field: str, place: Place) -> Iterator[Turn]:
    message = request.get("message")
    said = text_of(request, "message") or text_of(mapping_of(request, "message"), "text")
    if said is None and not isinstance(message, str | Mapping):
        raise TranscriptError("there is no message", field=f"{field}.message")
    attached = objects_in(mapping_of(request, "variableData"), "variables", f"{field}.variableData")
    parts = [ContentPart("text", writable(said))] if said else []
    parts += [ContentPart("attachment", placeholder("attachment", item)) for item in attached]
    moment = time_of(request, field, place.warn)[1]
    yield from Content(tuple(parts)).turns("user", id=given_id(request, "requestId"), timestamp=moment)
    pieces = [
        item
        for part in list_in(request, "response", field)
        for item in _copilot_items(part if isinstance(part, Mapping) else {"value": part}, place)
    ]
    items: list[Item] = []
    for kind, run in groupby(pieces, lambda item: item.kind if isinstance(item, ContentPart) else None):
        if kind is None:
            items += run
        elif text := "".join(part.text for part in run if isinstance(part, ContentPart)).strip():
            items.append(ContentPart(kind, text))  # a sentence comes in pieces, with links between them
    yield from Content(tuple(items)).turns("assistant", id=given_id(request, "responseId"))


def _copilot_items(part: Mapping[str, Any], place: Place) -> Iterator[Item]:
    """Yield a part of a response: text, the name of what it links to, thinking, a call with its result."""
    kind, value = part.get("kind"), part.get("value", mapping_of(part, "content").get("value"))
    if kind == "toolInvocationSerialized" and (name := text_of(part, "toolId")):
        id, done = given_id(part, "toolCallId"), part.get("pastTenseMessage") or part.get("invocationMessage")
        text = text_of(done if isinstance(done, Mapping) else {"value": done}, "value")
        yield ToolCall(id or "", writable(name), "")
        result = ContentPart("text", writable(text)) if text else ContentPart("result", "[result]")
        yield ToolResult(id, (result,), writable(name))
        return
    if kind == "inlineReference":
        link = mapping_of(part, "inlineReference")
        path = text_of(mapping_of(link, "uri") or link, "path") or ""
        value = text_of(part, "name") or path.rpartition("/")[2]
    if isinstance(value, list):
        value = "".join(text for text in value if isinstance(text, str))
    if kind in (None, "markdownContent", "inlineReference", "thinking") and isinstance(value, str):
        yield ContentPart("thinking" if kind == "thinking" else "text", writable(value))
    else:
        place.report.omit("part without text")


def _gemini_messages(value: Mapping[str, Any]) -> tuple[str, Sequence[Any]] | None:
    """Return the field with the messages of an object, and the messages; None without any."""
    forms = (
        ("chunkedPrompt.chunks", mapping_of(value, "chunkedPrompt").get("chunks"), {"role"}),
        ("messages", value.get("messages") if "projectHash" in value else None, {"type", "content"}),
    )
    for field, messages, keys in forms:
        if isinstance(messages, list) and any(
            isinstance(message, Mapping) and keys <= message.keys() for message in messages[:50]
        ):
            return field, messages
    return None


def _gemini_turns(message: Mapping[str, Any], field: str, place: Place) -> Iterator[Turn]:
    name = text_of(message, "role") or text_of(message, "type") or "user"
    role = role_of(name)
    if role is None and "type" in message:  # "info", "error"
        place.report.omit("note of the app")
        return
    content = Content(tuple(_gemini_items(message, field)))
    if not content.items:
        place.report.omit("message without content")
    moment = time_of(message, field, place.warn)[1]
    yield from content.turns(role or writable(name), id=given_id(message, "id"), timestamp=moment)


def _gemini_items(message: Any, field: str) -> Iterator[Item]:
    """Yield the content of a message: thoughts, what was said, calls of tools with their results."""
    message = message if isinstance(message, Mapping) else {"text": message}
    for thought in objects_in(message, "thoughts", field):
        texts = filter(None, (text_of(thought, "subject"), text_of(thought, "description")))
        yield ContentPart("thinking", writable("\n".join(texts) or "[thinking]"))
    said = next((message[key] for key in ("content", "parts") if message.get(key)), [message])
    calls = objects_in(message, "toolCalls", field)
    parts = [*(said if isinstance(said, list) else [said])]
    for call in calls:
        results = call.get("result")
        parts += [{"functionCall": call}, *(results if isinstance(results, list) else ())]
    for part in parts:
        if isinstance(part, Mapping | str):
            yield from part_items(part, field)
