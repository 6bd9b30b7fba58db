"""Transcripts out: a conversation, or some of its turns, as the text of a file."""

from __future__ import annotations

from collections.abc import Sequence

from convgate.core.conversation import Conversation
from convgate.core.errors import ConversationError
from convgate.transcripts.registry import format_named


def write_conversation(
    conversation: Conversation, *, format: str | None = None, indices: Sequence[int] | None = None
) -> str:
    """The conversation as text, in the format that it came in or another.

    indices: 0-based, only these turns, in this order.

    Turns that came in that very format are given back as they were, with the file's other fields;
    what a format cannot hold of turns from elsewhere is told where the format is defined.

    Raises ConversationError when there is no such turn, TranscriptError when the format is unknown or
    a turn cannot be written in it.
    """
    writer = format_named(format or conversation.format)
    if indices is None:
        return writer.write(conversation, conversation.turns)
    for index in indices:
        if not 0 <= index < len(conversation):
            raise ConversationError(
                f"turn {index} asked for, but the conversation has {len(conversation)} turns"
            )
    return writer.write(conversation, [conversation.turns[index] for index in indices])
