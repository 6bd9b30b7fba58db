"""OpenAI chat: an object with `messages`, the bare list, lists of either, and JSON lines of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from convgate.core.conversation import Conversation, Turn
from convgate.transcripts.json_places import Place
from convgate.transcripts.layout import dump_messages
from convgate.transcripts.message_lists import MessageLists
from convgate.transcripts.openai_messages import turn_from_message
from convgate.transcripts.openai_writing import file_message


class OpenAIFormat(MessageLists):
    """OpenAI chat messages.

    Written for turns that came from elsewhere, it cannot hold ids, times, metadata and parts that are
    no text. A ShareGPT conversation's `system` text becomes the first message.
    """

    name = "openai"
    label = "OpenAI chat messages"
    suffix = ".json"
    expected = "an object with 'messages', a list of messages, or a message with 'role' and 'content'"

    def list_key(self, fields: Mapping[str, Any]) -> str | None:
        """`messages`, whatever it holds, so that a wrong type is told as such."""
        return "messages" if "messages" in fields else None

    def is_message(self, value: Any) -> bool:
        """Whether it has a role, and something said or called."""
        return isinstance(value, Mapping) and "role" in value

    def turn(self, message: Any, field: str, place: Place) -> Turn:
        """One message as a turn."""
        return turn_from_message(message, field, place.warn)

    def write(self, conversation: Conversation, turns: Sequence[Turn]) -> str:
        """JSON in the layout of the conversation's file: an object, a list, or one message a line."""
        messages = [file_message(turn) for turn in turns]
        if conversation.format != self.name:
            system = conversation.metadata.get("system")
            if isinstance(system, str) and not any(turn.is_instruction for turn in turns):
                messages.insert(0, {"role": "system", "content": system})
        return dump_messages(conversation, messages, key="messages", format=self.name)
