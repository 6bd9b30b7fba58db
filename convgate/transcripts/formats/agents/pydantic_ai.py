"""The message history of pydantic-ai, as `ModelMessagesTypeAdapter` and `all_messages_json()` write it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from convgate.core.conversation import SUMMARY_PART, ContentPart, ToolCall, Turn
from convgate.core.errors import TranscriptError
from convgate.transcripts.blocks import Content, Item, ToolResult, json_parts, placeholder
from convgate.transcripts.characters import writable
from convgate.transcripts.exports import text_of
from convgate.transcripts.formats.agents.framework_messages import FrameworkMessages, no_message
from convgate.transcripts.formats.openai_messages import arguments_text
from convgate.transcripts.identity import given_id
from convgate.transcripts.json_text import Place
from convgate.transcripts.timestamps import time_of

_KINDS = {"request": "user", "response": "assistant"}
_INSTRUCTIONS = ("system-prompt", "instruction-delta", SUMMARY_PART)
_MEDIA = {"image-url": "image", "audio-url": "audio", "video-url": "video", "document-url": "document"}


class PydanticAIFormat(FrameworkMessages):
    """Each part of a request is a turn; a response is one, apart from the results of the provider's tools."""

    name = "pydantic-ai"
    label = "pydantic-ai messages"

    def is_message(self, value: Any) -> bool:
        """Return whether it is a request or a response with typed parts."""
        if not isinstance(value, Mapping) or value.get("kind") not in ("request", "response"):
            return False
        parts = value.get("parts")
        return isinstance(parts, list) and all(
            isinstance(part, Mapping) and "part_kind" in part for part in parts
        )

    def turns(self, message: Any, field: str, place: Place) -> Iterator[Turn]:
        """Yield the turns of a request or a response."""
        parts = message.get("parts") if isinstance(message, Mapping) else None
        kind = text_of(message, "kind") if isinstance(parts, list) else None
        if not isinstance(parts, list) or kind not in _KINDS:
            raise no_message(message, self.label, field)
        moment = time_of(message, field, place.warn)[1]
        if instructions := text_of(message, "instructions"):
            yield Turn.of("system", writable(instructions), timestamp=moment)
        said: list[Item] = []
        for index, part in enumerate(parts):
            name = f"{field}.parts[{index}]"
            items = _items(part, name)
            if not items:
                place.report.omit("empty part")
            if kind == "response" and part["part_kind"] != SUMMARY_PART:
                said += items
                continue
            role = "system" if part["part_kind"] in _INSTRUCTIONS else "user"
            time = time_of(part, name, place.warn)[1] or moment
            yield from Content(items).turns(role, timestamp=time)
        id = given_id(message, "provider_response_id")
        yield from Content(tuple(said)).turns("assistant", id=id, timestamp=moment)

    def link_turns(self, turns: Sequence[Turn]) -> tuple[Turn, ...]:
        """Return the turns without instructions that an earlier request has too."""
        instructions: set[str] = set()
        kept = []
        for turn in turns:
            if turn.role != "system" or turn.text not in instructions:
                kept.append(turn)
            if turn.role == "system":
                instructions.add(turn.text)
        return tuple(kept)


def _items(part: Any, field: str) -> tuple[Item, ...]:
    """Return what a part says, calls or gives back."""
    type_ = text_of(part, "part_kind") if isinstance(part, Mapping) else None
    if not type_:
        raise TranscriptError("there is no kind of part", field=f"{field}.part_kind")
    content, tool = part.get("content"), text_of(part, "tool_name")
    id = given_id(part, "tool_call_id")
    if type_.endswith("tool-call"):
        if not tool:
            raise TranscriptError("the called tool has no name", field=f"{field}.tool_name")
        return (
            ToolCall(id or "", writable(tool), writable(arguments_text(part.get("args"), f"{field}.args"))),
        )
    if type_.endswith("tool-return") or (type_ == "retry-prompt" and tool):
        return (ToolResult(id, _parts(content, f"{field}.content"), writable(tool) if tool else None),)
    if type_ == "thinking":
        return (ContentPart("thinking", text_of(part, "content") or "[thinking]"),)
    if type_ == SUMMARY_PART:  # it stands for earlier messages, and may be encrypted
        return (ContentPart(SUMMARY_PART, writable(text_of(part, "content") or "[compaction]")),)
    if type_ == "speech":
        return (ContentPart("audio", writable(text_of(part, "transcript") or "[audio]")),)
    return _parts(content, f"{field}.content")


def _parts(content: Any, field: str) -> tuple[ContentPart, ...]:
    """Return the text of a content, with media as placeholders, and as JSON what is neither."""
    if content is None:
        return ()
    kind = text_of(content, "kind") if isinstance(content, Mapping) else None
    if kind == "text-content":
        return _parts(text_of(content, "content"), field)
    if kind == "cache-point":
        return ()
    if isinstance(content, Mapping) and kind in (*_MEDIA, "binary", "uploaded-file"):
        media_type = text_of(content, "media_type") or "file"
        what = _MEDIA.get(kind) or media_type.partition("/")[0].replace("application", "file")
        return (ContentPart(writable(what), placeholder(what, content)),)
    if isinstance(content, list) and any(_is_content(item) for item in content):
        return tuple(part for item in content for part in _parts(item, field))
    return json_parts(content, field)


def _is_content(item: Any) -> bool:
    return isinstance(item, str) or (isinstance(item, Mapping) and text_of(item, "kind") is not None)
