"""How a conversation lay in its file: kept in its metadata, so that it survives the store, for writers.

Metadata fields that begin with an underscore are these notes; all others came with the transcript.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from convgate.core.conversation import Conversation
from convgate.core.errors import TranscriptError
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


def dump_json(value: Any) -> str:
    """JSON on one line, without its end; UTF-8 as it is, for people read it.

    Raises TranscriptError when there is something in it that JSON cannot say.
    """
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False)
        return text if writable(text) is text else json.dumps(value, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise TranscriptError(f"the conversation cannot be written as JSON: {error}") from None


def dump_messages(conversation: Conversation, messages: Sequence[Any], *, key: str, format: str) -> str:
    """Messages in the layout of their file; as an object when the conversation came from elsewhere.

    Each message has a line of its own, unless the whole conversation was one line.
    """
    own = conversation.format == format
    layout = conversation.metadata.get(LAYOUT, OBJECT) if own else OBJECT
    lines = [dump_json(message) for message in messages]
    if layout == LINES:
        return "".join(f"{line}\n" for line in lines)
    fields = top_fields(conversation, format) if layout == OBJECT else {}
    if own and conversation.metadata.get(ONE_LINE):
        return dump_json({**fields, key: messages} if layout == OBJECT else messages) + "\n"
    if layout == LIST:
        return _block(lines, "") + "\n"
    before = "".join(
        f"  {dump_json(name)}: {dump_json(value)},\n" for name, value in fields.items() if name != key
    )
    return f"{{\n{before}  {dump_json(key)}: {_block(lines, '  ')}\n}}\n"


def _block(lines: Sequence[str], indent: str) -> str:
    inner = ",\n".join(f"{indent}  {line}" for line in lines)
    return f"[\n{inner}\n{indent}]" if lines else "[]"
