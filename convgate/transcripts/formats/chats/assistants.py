"""Conversations with Gemini in their three forms."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from convgate.core.conversation import ContentPart, Conversation, Turn
from convgate.transcripts.blocks import Content, Item
from convgate.transcripts.characters import writable
from convgate.transcripts.dialects.gemini import part_items
from convgate.transcripts.exports import join_turns, objects_in, read_messages
from convgate.transcripts.fields import mapping_of, text_of
from convgate.transcripts.formats.append_logs import (
    LoggedExport,
    is_gemini_log,
    read_gemini_log,
)
from convgate.transcripts.identity import given_id
from convgate.transcripts.json_text import Place
from convgate.transcripts.roles import role_of
from convgate.transcripts.timestamps import time_of


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
