"""LlamaIndex: the file of a `SimpleChatStore`, a dumped memory buffer, and lists of `ChatMessage`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from convgate.core.conversation import ContentPart, ToolCall, Turn
from convgate.core.errors import TranscriptError
from convgate.transcripts.blocks import Content, block_call, placeholder, read_blocks, read_calls
from convgate.transcripts.characters import writable
from convgate.transcripts.exports import mapping_of, text_of
from convgate.transcripts.formats.agents.framework_messages import FrameworkMessages, MessageList, no_message
from convgate.transcripts.identity import given_id
from convgate.transcripts.json_text import Place, kind
from convgate.transcripts.timestamps import time_of

_ROLES = {"chatbot": "assistant", "model": "assistant"}


class LlamaIndexFormat(FrameworkMessages):
    """Each key of a chat store is a conversation."""

    name = "llama-index"
    label = "LlamaIndex chat store"

    def is_message(self, value: Any) -> bool:
        """Return whether it has a role, and typed blocks or the fields of the model's provider."""
        if not isinstance(value, Mapping) or "role" not in value or "type" in value:
            return False
        blocks = value.get("blocks")
        has_blocks = isinstance(blocks, list) and all(
            isinstance(block, Mapping) and "block_type" in block for block in blocks
        )
        return has_blocks or ("content" in value and "additional_kwargs" in value)

    def lists(self, value: Mapping[str, Any]) -> Iterator[MessageList]:
        """Yield the conversations of a chat store, which may be in a memory buffer."""
        buffer = value.get("chat_store")
        prefix, holder = ("chat_store.", buffer) if isinstance(buffer, Mapping) else ("", value)
        store = holder.get("store")
        for key, messages in store.items() if isinstance(store, Mapping) else ():
            if self.is_list(messages):
                yield MessageList(f"{prefix}store.{key}", messages, key)
        yield from super().lists(value)

    def turns(self, message: Any, field: str, place: Place) -> Iterator[Turn]:
        """Yield the turns of a message."""
        if not isinstance(message, Mapping) or not (role := text_of(message, "role")):
            raise no_message(message, self.label, field)
        extra = mapping_of(message, "additional_kwargs")
        if isinstance(message.get("blocks"), list):
            content = Content(tuple(_items(message["blocks"], f"{field}.blocks")))
        else:
            content = read_blocks(message.get("content"), f"{field}.content")
        if not any(isinstance(item, ToolCall) for item in content.items):
            content = Content((*content.items, *read_calls(extra, f"{field}.additional_kwargs")))
        turns = tuple(
            content.turns(
                writable(_ROLES.get(role, role)),
                id=given_id(message, "id"),
                name=writable(name) if (name := text_of(extra, "name")) else None,
                tool_call_id=given_id(extra, "tool_call_id"),
                timestamp=time_of({**extra, **message}, field, place.warn)[1],
            )
        )
        if not turns:
            place.report.omit("empty message")
        yield from turns


def _items(blocks: Any, field: str) -> Iterator[ContentPart | ToolCall]:
    if not isinstance(blocks, list):
        raise TranscriptError(f"expected a list of blocks, got {kind(blocks)}", field=field)
    for index, block in enumerate(blocks):
        name = f"{field}[{index}]"
        type_ = text_of(block, "block_type") if isinstance(block, Mapping) else None
        if not type_:
            raise TranscriptError("there is no type of block", field=f"{name}.block_type")
        if type_ == "tool_call":
            names = {"id": "tool_call_id", "name": "tool_name", "args": "tool_kwargs"}
            yield block_call({key: block.get(own) for key, own in names.items()}, name)
        elif type_ in ("citable", "citation") and isinstance(block.get("content"), list):
            yield from _items(block["content"], f"{name}.content")
        elif text := text_of(block, "content" if type_ == "thinking" else "text"):
            yield ContentPart("thinking" if type_ == "thinking" else "text", writable(text))
        elif type_ not in ("text", "thinking", "cache"):
            yield ContentPart(writable(type_), placeholder(type_, block))
