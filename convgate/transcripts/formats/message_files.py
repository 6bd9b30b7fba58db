"""Files of messages as APIs take them, each in its dialect."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from convgate.core.conversation import Conversation, Turn
from convgate.transcripts.blocks import read_blocks
from convgate.transcripts.dialects.base import join_neighbours
from convgate.transcripts.dialects.gemini import GeminiContents
from convgate.transcripts.json_text import Place
from convgate.transcripts.message_lists import LIST_KEY, MessageLists, dump_messages
from convgate.transcripts.message_reader import OPENAI, dialect_of, find_mark
from convgate.transcripts.openai_messages import file_message, turn_from_message
from convgate.transcripts.timestamps import time_of

_THREAD_MESSAGE = "thread.message"
"""What the Assistants API calls its messages."""


def _is_choice(value: Any) -> bool:
    return isinstance(value, Mapping) and "role" not in value and isinstance(value.get("message"), Mapping)


def _is_thread_message(value: Any) -> bool:
    return isinstance(value, Mapping) and value.get("object") == _THREAD_MESSAGE


def _has_parts(value: Any) -> bool:
    return isinstance(value, Mapping) and "parts" in value


def _instructions(fields: Mapping[str, Any]) -> Iterator[Turn]:
    for key in _INSTRUCTIONS:
        value = fields.get(key)
        is_gemini = isinstance(value, Mapping)
        parts = GeminiContents().read(value or {}, key).parts if is_gemini else read_blocks(value, key).parts
        if parts:
            yield Turn("system", parts)


_LISTS = {"choices": _is_choice, "data": _is_thread_message, "contents": _has_parts, "history": _has_parts}
_INSTRUCTIONS = ("system", "systemInstruction", "system_instruction")


class OpenAIFormat(MessageLists):
    """OpenAI chat messages, alone or in a completion, those of the Assistants API, and other dialects.

    Written for turns that came from elsewhere, it cannot hold ids, times, metadata and parts that are
    no text. A ShareGPT conversation's `system` text becomes the first message.
    """

    name = "openai"
    label = "OpenAI chat messages"
    suffix = ".json"
    expected = "an object with 'messages', a list of messages, or a message with 'role' and 'content'"

    def list_key(self, fields: Mapping[str, Any]) -> str | None:
        """Return `messages`, whatever it holds, so that the error for a wrong type names it.

        Completions have `choices`, of which the first is read, lists of a thread's messages `data`, and
        requests of Gemini's API `contents`.
        """
        if "messages" in fields:
            return "messages"
        for key, is_item in _LISTS.items():
            items = fields.get(key)
            if isinstance(items, list) and any(map(is_item, items)):
                return key
        return None

    def is_message(self, value: Any) -> bool:
        """Return whether it has a role, and something said or called."""
        return isinstance(value, Mapping) and "role" in value

    def turns(self, message: Any, field: str, place: Place) -> tuple[Turn, ...]:
        """Return one message as a turn, none for the further choices of a completion."""
        if _is_choice(message):
            if message.get("index"):
                place.report.omit("alternative answer")
                return ()
            message, field = message["message"], f"{field}.message"
        found = find_mark(message)
        if found is None or found[0] is OPENAI:
            return (turn_from_message(message, field, place.warn),)
        moment = time_of(message, field, place.warn)[1]
        return (replace(found[0].read(message, field), timestamp=moment),)

    def conversation(self, value: Any, place: Place) -> Conversation:
        """Return the conversation of an object or a bare list; that of a completion has messages.

        Instructions that stand beside the messages become the first turn, an answer beside them the last.
        """
        conversation = super().conversation(value, place)
        if isinstance(value, Mapping) and conversation.turns:
            answer = value.get("response")
            answers = self.turns(answer, "response", place) if self.is_message(answer) else ()
            conversation = replace(conversation, turns=(*_instructions(value), *conversation.turns, *answers))
        if conversation.metadata.get(LIST_KEY) != "choices":
            return conversation
        return replace(conversation, metadata={**conversation.metadata, LIST_KEY: "messages"})

    def link_turns(self, turns: Sequence[Turn]) -> tuple[Turn, ...]:
        """Return the turns, in the order of time where a thread lists its newest message first."""
        messages = [turn.source or {} for turn in turns]
        times = [
            message.get("created_at") for message in messages if message.get("object") == _THREAD_MESSAGE
        ]
        numbers = [time for time in times if isinstance(time, int)]
        is_reversed = len(numbers) == len(turns) > 0 and numbers[0] > numbers[-1]
        return tuple(reversed(turns) if is_reversed else turns)

    def write(self, conversation: Conversation, turns: Sequence[Turn]) -> str:
        """JSON in the layout of the conversation's file: an object, a list, or one message a line."""
        if conversation.format == self.name:  # what stands beside the messages stays there
            has_own = any(map(conversation.metadata.get, _INSTRUCTIONS))
            turns = [turn for turn in turns if turn.source or not (has_own and turn.is_instruction)]
            answer = conversation.metadata.get("response")
            turns = [turn for turn in turns if not answer or turn.source != answer]
        dialect = dialect_of(turn.source or {} for turn in conversation.turns)
        messages = [
            file_message(turn) if turn.source or dialect is OPENAI else dialect.message(turn.role, turn.text)
            for turn in turns
        ]
        if conversation.format != self.name:
            system = conversation.metadata.get("system")
            if isinstance(system, str) and not any(turn.is_instruction for turn in turns):
                messages.insert(0, {"role": "system", "content": system})
        joined = join_neighbours(dialect, messages)
        return dump_messages(conversation, joined, key="messages", format=self.name)
