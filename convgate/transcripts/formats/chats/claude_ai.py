"""The exports of Claude.ai and Grok, alone or in the zip archive."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from convgate.core.conversation import ContentPart
from convgate.transcripts.blocks import Item, placeholder, read_blocks
from convgate.transcripts.exports import objects_in
from convgate.transcripts.fields import text_of
from convgate.transcripts.formats.layouts import Layout
from convgate.transcripts.json_text import Place

_NOTES = ("token_budget", "flag")  # types of blocks that nobody said


def _items(message: Mapping[str, Any], field: str, place: Place) -> Iterator[Item]:
    """Yield the blocks of a message, the text of its attachments, and the names of its files."""
    blocks = message.get("content") or None
    if isinstance(blocks, list):
        blocks = [block for block in blocks if text_of(block, "type") not in _NOTES]
    items = read_blocks(blocks, f"{field}.content").items
    if not items and (text := text_of(message, "text")):
        items = (ContentPart("text", text),)
    yield from items
    for attachment in objects_in(message, "attachments", field):
        name, text = placeholder("attachment", attachment), text_of(attachment, "extracted_content")
        yield ContentPart("text", f"{name}\n{text}") if text else ContentPart("attachment", name)
    for file in objects_in(message, "files" if message.get("files") else "files_v2", field):
        what = "image" if file.get("file_kind") == "image" else "file"
        yield ContentPart(what, placeholder(what, file))


CLAUDE_AI = Layout(
    "claude.ai", "Claude.ai export", "chat_messages", marks="", role="sender", message_id="uuid",
    parent="parent_message_uuid", leaf="current_leaf_message_uuid", id="uuid|id", title="name",
    content=_items,
)  # fmt: skip
GROK = Layout(
    "grok", "Grok export", "responses", ("conversation",), marks="", inside="response", role="sender",
    text="message", message_id="_id|id", id="conversation.id", title="conversation.title",
    files={"file_attachments": "attachment"},
)  # fmt: skip
