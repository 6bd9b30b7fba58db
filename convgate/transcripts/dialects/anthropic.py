"""Messages of Anthropic's Messages API: calls and results are blocks of `content`."""

from __future__ import annotations

from convgate.core.conversation import ContentPart, ToolCall, Turn
from convgate.core.errors import TranscriptError
from convgate.transcripts.blocks import ToolResult, read_blocks
from convgate.transcripts.dialects.base import (
    Dialect,
    Message,
    own_use,
    parts_of,
    turn_of,
    typed_part,
)

_SOURCED = frozenset({"type", "source"})


def _is_own(type_: str) -> bool:
    return type_.endswith(("tool_use", "tool_result")) or type_ == "redacted_thinking"


class AnthropicMessages(Dialect):
    """A user's message may have several results; calls of the server's tools have theirs beside them."""

    name = "anthropic"
    label = "Anthropic Messages"
    user_first = True
    has_instructions = False

    def mark(self, message: Message) -> str | None:
        """Return the first block of a tool, of thinking that is hidden, or of a picture with its source."""
        sourced = (f"content[{place}]" for place, part in parts_of(message) if part.keys() >= _SOURCED)
        return typed_part(message, _is_own) or next(sourced, None)

    def read(self, message: Message, field: str) -> Turn:
        """Return a message as a turn."""
        role = message.get("role")
        if not isinstance(role, str) or not role:
            raise TranscriptError("there is no role", field=f"{field}.role")
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
                parts += item.parts
        answers = [id or "" for id in results if id not in own]
        waiting = [call for call in calls if call.id not in results]
        return turn_of(message, role, parts, waiting, answers)
