"""Messages as Anthropic's API takes them, and its answers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import chain
from typing import Any

from convgate.core.conversation import Turn
from convgate.core.errors import TranscriptError
from convgate.transcripts.blocks import read_blocks
from convgate.transcripts.characters import writable
from convgate.transcripts.exports import MessageExport
from convgate.transcripts.fields import text_of
from convgate.transcripts.identity import given_id
from convgate.transcripts.json_text import Place, kind
from convgate.transcripts.timestamps import time_of

_OWN_BLOCKS = ("tool_use", "tool_result", "server_tool_use", "thinking", "redacted_thinking")
_OF_OPENAI = ("tool_calls", "tool_call_id", "function_call")


class AnthropicFormat(MessageExport):
    """Messages of blocks, with `system` and perhaps the `response` beside them."""

    name = "anthropic"
    label = "Anthropic messages"
    expected = "an object with 'messages', a list of messages, or a message with 'role' and 'content'"

    def list_key(self, fields: Mapping[str, Any]) -> str | None:
        """Return `messages`."""
        return "messages" if "messages" in fields else None

    def is_message(self, value: Any) -> bool:
        """Return whether it has a role and content."""
        return isinstance(value, Mapping) and "role" in value and "content" in value

    def has_own_fields(self, value: Mapping[str, Any]) -> bool:
        """Return whether it has `system` beside messages, a `stop_reason`, or blocks that OpenAI has not."""
        listed = value.get("messages")
        messages = [message for message in _items(listed, value) if self.is_message(message)]
        if any(key in message for message in messages for key in _OF_OPENAI):
            return False
        if any(isinstance(block, Mapping) and "type" not in block for block in _blocks(messages)):
            return False  # of Bedrock
        return (
            any(
                isinstance(block, Mapping) and block.get("type") in _OWN_BLOCKS for block in _blocks(messages)
            )
            or any(message.get("stop_reason") and message.get("type") == "message" for message in messages)
            or bool(listed and messages and value.get("system"))
        )

    def turns(self, message: Any, field: str, place: Place) -> Iterable[Turn]:
        """Return one message as turns: results of tools are turns of their own."""
        if not isinstance(message, Mapping):
            raise TranscriptError(
                f"a message is an object with role and content, got {kind(message)}", field=field
            )
        role = text_of(message, "role")
        if role is None:
            raise TranscriptError("there is no role", field=f"{field}.role")
        content = read_blocks(message.get("content"), f"{field}.content")
        if not content.items:
            place.report.omit("message without content")
        moment = time_of(message, field, place.warn)[1]
        return content.turns(writable(role), id=given_id(message, "id", "uuid"), timestamp=moment)

    def other_turns(self, fields: Mapping[str, Any], place: Place) -> tuple[Iterable[Turn], Iterable[Turn]]:
        """Return `system`, and the `response`."""
        system = read_blocks(fields.get("system"), "system")
        response = fields.get("response")
        answer = self.turns(response, "response", place) if self.is_message(response) else ()
        return system.turns("system"), answer


def _blocks(messages: Iterable[Mapping[str, Any]]) -> Iterable[Any]:
    return chain.from_iterable(_items(message["content"]) for message in messages)


def _items(value: Any, otherwise: Any = None) -> list[Any]:
    return value if isinstance(value, list) else [otherwise]
