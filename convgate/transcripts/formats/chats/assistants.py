"""Conversations with Gemini in their three forms."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from convgate.core.conversation import ContentPart, Conversation, ToolCall, Turn
from convgate.transcripts.blocks import Content, ToolResult, json_parts, placeholder
from convgate.transcripts.characters import writable
from convgate.transcripts.exports import join_turns, objects_in, read_messages
from convgate.transcripts.fields import mapping_of, text_of
from convgate.transcripts.formats.append_logs import (
    LoggedExport,
    is_gemini_log,
    read_gemini_log,
)
from convgate.transcripts.formats.openai_messages import arguments_text
from convgate.transcripts.identity import given_id
from convgate.transcripts.json_text import Place
from convgate.transcripts.roles import role_of
from convgate.transcripts.timestamps import time_of

Item = ContentPart | ToolCall | ToolResult


class GeminiFormat(LoggedExport):
    """Sessions of Gemini CLI, requests of the Gemini API with `contents`, and prompts of AI Studio."""

    name = "gemini"
    label = "Gemini conversation"

    def is_conversation(self, value: Mapping[str, Any]) -> bool:
        """Return whether it has messages in one of these forms."""
        return _gemini_messages(value) is not None

    is_log, read_log = staticmethod(is_gemini_log), staticmethod(read_gemini_log)

    def conversation(self, value: Mapping[str, Any], place: Place) -> Conversation:
        """Return the conversation of an object, with the instructions of a request or a prompt."""
        field, messages = _gemini_messages(value) or ("messages", [])
        turns = list(read_messages(messages, field, place, _gemini_turns))
        for key in ("systemInstruction", "system_instruction"):
            if instruction := value.get(key):
                parts = tuple(_gemini_items(instruction, key))
                turns[:0] = Content(parts).turns("system")
        return Conversation(given_id(value, "sessionId") or "", tuple(join_turns(turns)), format=self.name)


def _gemini_messages(value: Mapping[str, Any]) -> tuple[str, Sequence[Any]] | None:
    """Return the field with the messages of an object, and the messages; None without any."""
    forms = (
        ("contents", value.get("contents"), {"parts"}),
        ("history", value.get("history"), {"parts"}),
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
    for part in said if isinstance(said, list) else [said]:
        yield from _gemini_part(part if isinstance(part, Mapping) else {"text": part}, field)
    for call in objects_in(message, "toolCalls", field):
        yield from _gemini_part({"functionCall": call}, field)
        results = call.get("result")
        for part in results if isinstance(results, list) else ():
            yield from _gemini_part(part if isinstance(part, Mapping) else {"text": part}, field)


def _gemini_part(part: Mapping[str, Any], field: str) -> Iterator[Item]:
    if text := text_of(part, "text"):
        is_thought = part.get("thought") is True or part.get("isThought") is True
        yield ContentPart("thinking" if is_thought else "text", writable(text))
    if name := text_of(call := mapping_of(part, "functionCall"), "name"):
        arguments = arguments_text(call.get("args"), f"{field}.args")
        yield ToolCall(given_id(call, "id") or "", writable(name), writable(arguments))
    if "functionResponse" in part:
        answer = mapping_of(part, "functionResponse")
        response = mapping_of(answer, "response")
        result = json_parts(response.get("output", response), f"{field}.response")
        yield ToolResult(given_id(answer, "id"), result, writable(text_of(answer, "name") or "") or None)
    for key in ("inlineData", "inline_data", "fileData", "file_data", "driveImage", "driveDocument"):
        if isinstance(data := part.get(key), Mapping):
            mime = text_of(data, "mimeType") or text_of(data, "mime_type") or key
            kinds = ("image", "audio", "video")
            what = next((kind for kind in kinds if kind in mime.lower()), "file")
            yield ContentPart(what, placeholder(what, data))
