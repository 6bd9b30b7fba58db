"""Messages of Anthropic's Messages API: calls and results are blocks of `content`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from convgate.core.conversation import ContentPart, ToolCall, Turn
from convgate.transcripts.blocks import ToolResult, read_blocks
from convgate.transcripts.dialects.base import (
    Dialect,
    Message,
    as_result,
    own_use,
    parts_of,
    text_role,
    turn_of,
)

_SOURCES = frozenset({"base64", "url", "file", "text", "content"})


def _is_own(part: Mapping[str, Any]) -> bool:
    type_, source = part.get("type"), part.get("source")
    if not isinstance(type_, str):
        return False
    if type_ in ("image", "document"):
        return isinstance(source, Mapping) and source.get("type") in _SOURCES and "value" not in source
    is_tool = type_.endswith(("tool_use", "tool_result"))
    return is_tool or type_ == "redacted_thinking" or (type_ == "thinking" and "signature" in part)


class AnthropicMessages(Dialect):
    """A user's message may have several results; calls of the server's tools have theirs beside them."""

    name = "anthropic"
    label = "Anthropic Messages"
    user_first = True

    def mark(self, message: Message) -> str | None:
        """Return the first block of a tool, of signed or hidden thinking, or of a file with its source."""
        own = (f"content[{place}]" for place, part in parts_of(message) if _is_own(part))
        return next(own, None)

    def read(self, message: Message, field: str) -> Turn:
        """Return a message as a turn."""
        role = text_role(message, field)
        items = read_blocks(message.get("content"), f"{field}.content").items
        results = {item.call_id: item for item in items if isinstance(item, ToolResult)}
        calls = [item for item in items if isinstance(item, ToolCall)]
        own = {call.id for call in calls}
        parts: list[ContentPart] = []
        for item in items:
            if isinstance(item, ContentPart):
                parts.append(item)
            elif isinstance(item, ToolCall) and item.id in results:
                parts.append(own_use(item, results[item.id].parts))
            elif isinstance(item, ToolResult) and item.call_id not in own:
                parts += as_result(item.parts)
        answers = [id or "" for id in results if id not in own]
        waiting = [call for call in calls if call.id not in results]
        return turn_of(message, role, parts, waiting, answers)

    def message(self, role: str, text: str) -> Message:
        """Return a new message."""
        return super().message("assistant" if role == "assistant" else "user", text)
