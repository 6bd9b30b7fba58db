"""Messages of Amazon Bedrock's Converse API: blocks that are named by their only field."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from convgate.core.conversation import ContentPart, Turn
from convgate.core.errors import TranscriptError
from convgate.transcripts.blocks import Item, ToolResult, call_of, json_parts
from convgate.transcripts.dialects.base import Dialect, Message, Part, parts_of, turn_of
from convgate.transcripts.identity import given_id
from convgate.transcripts.json_text import kind

_BLOCKS = frozenset(
    {"text", "toolUse", "toolResult", "reasoningContent", "image", "document", "video", "audio"}
    | {"cachePoint", "guardContent", "citationsContent", "searchResult"}
)


class BedrockConverse(Dialect):
    """Results are blocks of a user's message, and roles have to alternate."""

    name = "bedrock"
    label = "Bedrock Converse"
    alternates = user_first = True

    def mark(self, message: Message) -> str | None:
        """Return the first block without a type."""
        for place, part in parts_of(message):
            if "type" not in part and not _BLOCKS.isdisjoint(part):
                return f"content[{place}]"
        return None

    def read(self, message: Message, field: str) -> Turn:
        """Return a message as a turn."""
        role = message.get("role")
        if role not in ("user", "assistant"):
            raise TranscriptError(f"a role is user or assistant, got {role!r}", field=f"{field}.role")
        content = message.get("content")
        if not isinstance(content, list | tuple):
            raise TranscriptError(
                f"content is a list of blocks, got {kind(content)}", field=f"{field}.content"
            )
        items: list[Item] = []
        for place, block in enumerate(content):
            if not isinstance(block, Mapping):
                raise TranscriptError(
                    f"a block is an object, got {kind(block)}", field=f"{field}.content[{place}]"
                )
            items += _items(block, f"{field}.content[{place}]")
        return turn_of(message, role, items)

    def _with_text(self, part: Part, call_id: str, text: str) -> Part | None:
        result = part.get("toolResult")
        if not isinstance(result, Mapping) or result.get("toolUseId") != call_id:
            return None
        return {**part, "toolResult": {**result, "content": [{"text": text}]}}

    def message(self, role: str, text: str) -> Message:
        """Return a new message."""
        return {"role": "assistant" if role == "assistant" else "user", "content": [{"text": text}]}


def _items(block: Mapping[str, Any], field: str) -> list[Item]:
    use, result = block.get("toolUse"), block.get("toolResult")
    if isinstance(use, Mapping):
        return [call_of(use.get("toolUseId"), use.get("name"), use.get("input"), f"{field}.toolUse")]
    if isinstance(result, Mapping):
        parts = tuple(_result(result.get("content"), f"{field}.toolResult.content"))
        return [ToolResult(given_id(result, "toolUseId"), parts)]
    return [*_part(block)]


def _part(block: Mapping[str, Any]) -> list[ContentPart]:
    if isinstance(text := block.get("text"), str):
        return [ContentPart("text", text)]
    thought = block.get("reasoningContent")
    if isinstance(thought, Mapping):
        text = thought.get("reasoningText")
        text = text.get("text") if isinstance(text, Mapping) else None
        return [ContentPart("thinking", text if isinstance(text, str) else "[thinking]")]
    cited = block.get("citationsContent")
    if isinstance(cited, Mapping):
        return [part for _, each in parts_of(cited) for part in _part(each)]
    return [ContentPart(key, f"[{key}]") for key in block if key != "cachePoint"]


def _result(content: Any, field: str) -> list[ContentPart]:
    parts: list[ContentPart] = []
    for place, block in parts_of({"content": content}):
        if "json" in block:
            parts += json_parts(block["json"], f"{field}[{place}].json")
        else:
            parts += _part(block)
    return parts
