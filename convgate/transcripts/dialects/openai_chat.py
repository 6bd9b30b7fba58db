"""Messages of OpenAI's Chat Completions, also of Mistral, Cohere and Ollama, and of the AG-UI protocol, as
CopilotKit has them: OpenAI's with names in camel case.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from convgate.core.conversation import Turn
from convgate.transcripts.dialects.base import Dialect, Message, typed_part
from convgate.transcripts.openai_messages import NOT_SAID, arguments_text, turn_from_message

_MARKS = ("tool_calls", "tool_call_id", "function_call")


class OpenAIChat(Dialect):
    """Calls in `tool_calls`, results as messages of the role tool."""

    name = "openai"
    label = "OpenAI chat"

    def mark(self, message: Message) -> str | None:
        """Return a field of calls or results, or a part that only this API has."""
        for key in _MARKS:
            if message.get(key):
                return key
        return typed_part(message, "image_url".__eq__)

    def read(self, message: Message, field: str) -> Turn:
        """Return a message as a turn."""
        return turn_from_message(message, field)

    def replace_result(self, message: Message, call_id: str, text: str) -> Message | None:
        """Return a copy of a tool's message with another content."""
        return (
            _with_content(message, text)
            if message.get("tool_call_id", message.get("name")) == call_id
            else None
        )


def _with_content(message: Message, text: str) -> Message | None:
    if message.get("role") not in ("tool", "function"):
        return None
    is_list = isinstance(message.get("content"), list | tuple)
    return {**message, "content": [{"type": "text", "text": text}] if is_list else text}


_OPENAI_NAMES = {"toolCalls": "tool_calls", "toolCallId": "tool_call_id"}


class AGUI(Dialect):
    """Calls in `toolCalls`, results as messages of the role tool."""

    name = "ag-ui"
    label = "AG-UI"

    def mark(self, message: Message) -> str | None:
        """Return the field of calls or results, or the role of what an app shows."""
        if message.get("role") in NOT_SAID:
            return "role"
        return next((key for key in _OPENAI_NAMES if message.get(key)), None)

    def read(self, message: Message, field: str) -> Turn:
        """Return a message as a turn."""
        known = {_OPENAI_NAMES.get(key, key): value for key, value in message.items()}
        if isinstance(known.get("content"), Mapping):
            known["content"] = arguments_text(known["content"], f"{field}.content")
        turn = turn_from_message(known, field)
        role, parts = ("assistant" if turn.role in NOT_SAID else turn.role), turn.parts
        if turn.role == "reasoning":
            parts = tuple(replace(part, kind="thinking") for part in parts)
        return replace(turn, role=role, parts=parts, source=message)

    def replace_result(self, message: Message, call_id: str, text: str) -> Message | None:
        """Return a copy of a tool's message with another content."""
        return _with_content(message, text) if message.get("toolCallId") == call_id else None
