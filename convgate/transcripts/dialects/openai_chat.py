"""Messages of OpenAI's Chat Completions, which Mistral, Cohere, Ollama and many others take, too."""

from __future__ import annotations

from convgate.core.conversation import Turn
from convgate.transcripts.dialects.base import Dialect, Message, typed_part
from convgate.transcripts.formats.openai_messages import turn_from_message

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
