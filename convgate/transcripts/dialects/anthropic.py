"""Messages of Anthropic's Messages API: calls and results are blocks of `content`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from convgate.core.conversation import SUMMARY_PART, Turn
from convgate.transcripts.blocks import read_blocks
from convgate.transcripts.dialects.base import Dialect, Message, Part, parts_of, text_role, turn_of

_SOURCES = frozenset({"base64", "url", "file", "text", "content"})


def _is_own(part: Mapping[str, Any]) -> bool:
    type_, source = part.get("type"), part.get("source")
    if not isinstance(type_, str):
        return False
    if type_ in ("image", "document"):
        return isinstance(source, Mapping) and source.get("type") in _SOURCES and "value" not in source
    is_tool = type_.endswith(("tool_use", "tool_result"))
    return (
        is_tool
        or type_ in ("redacted_thinking", SUMMARY_PART)
        or (type_ == "thinking" and "signature" in part)
    )


class AnthropicMessages(Dialect):
    """A user's message may have several results; calls of the server's tools have theirs beside them."""

    name = "anthropic"
    label = "Anthropic Messages"
    user_first = True

    def mark(self, message: Message) -> str | None:
        """Return the first block of a tool, a compaction, signed or hidden thinking, or a file's source."""
        own = (f"content[{place}]" for place, part in parts_of(message) if _is_own(part))
        return next(own, None)

    def read(self, message: Message, field: str) -> Turn:
        """Return a message as a turn."""
        role = text_role(message, field)
        return turn_of(message, role, read_blocks(message.get("content"), f"{field}.content").items)

    def _with_text(self, part: Part, call_id: str, text: str) -> Part | None:
        # results of the server's tools have other types, and their content is the server's
        if part.get("type") != "tool_result" or part.get("tool_use_id") != call_id:
            return None
        content = text if isinstance(part.get("content"), str) else [{"type": "text", "text": text}]
        return {**part, "content": content}

    def message(self, role: str, text: str) -> Message:
        """Return a new message."""
        return super().message("assistant" if role == "assistant" else "user", text)
