"""How a conversation lay in its file: kept in its metadata, so that it survives the store, for writers.

Metadata fields that begin with an underscore are these notes; all others came with the transcript.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from convgate.conversation import Conversation
from convgate.errors import TranscriptError
from convgate.transcripts.characters import writable

LAYOUT = "_layout"
OBJECT, LIST, LINES = "object", "list", "lines"
"""A JSON object with a list of messages in it; the bare list; one message a line."""

ONE_LINE = "_one_line"
"""Whether the conversation was one line of its file."""


def public(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """What came with the transcript, without the notes on its layout."""
    return {key: value for key, value in metadata.items() if not key.startswith("_")}


def top_fields(conversation: Conversation, format: str) -> dict[str, Any]:
    """Fields to write beside the messages: those that came with the file; id and title in other formats."""
    fields = public(conversation.metadata)
    if conversation.format != format or LAYOUT not in conversation.metadata:
        fields = {"id": conversation.id, **fields}
    if conversation.title is not None and fields.get("title") != conversation.title:
        fields["title"] = conversation.title
    return fields


def dump_json(value: Any, *, one_line: bool = False) -> str:
    """JSON for a file, with a line end; UTF-8 as it is, for people read it.

    Raises TranscriptError when a message holds what JSON cannot say.
    """
    try:
        text = json.dumps(value, ensure_ascii=False, indent=None if one_line else 2, allow_nan=False)
        if writable(text) is not text:
            text = json.dumps(value, indent=None if one_line else 2, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise TranscriptError(f"the conversation cannot be written as JSON: {error}") from None
    return text + "\n"


def dump_messages(conversation: Conversation, messages: Sequence[Any], *, key: str, format: str) -> str:
    """Messages in the layout of their file; as an object when the conversation came from elsewhere."""
    own = conversation.format == format
    layout = conversation.metadata.get(LAYOUT, OBJECT) if own else OBJECT
    one_line = own and bool(conversation.metadata.get(ONE_LINE))
    if layout == LINES:
        return "".join(dump_json(message, one_line=True) for message in messages)
    if layout == LIST:
        return dump_json(messages, one_line=one_line)
    return dump_json({**top_fields(conversation, format), key: messages}, one_line=one_line)
