"""Exports of ChatGPT, DeepSeek, Claude.ai and Grok, alone or in the zip archive.

Those of ChatGPT and DeepSeek have the same nodes with other messages.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from convgate.core.conversation import ContentPart, ToolCall, Turn
from convgate.core.errors import TranscriptError
from convgate.transcripts.blocks import Item, placeholder, read_blocks
from convgate.transcripts.exports import EMPTY, join_turns, list_in, objects_in
from convgate.transcripts.fields import mapping_of, text_of
from convgate.transcripts.formats.layouts import Layout
from convgate.transcripts.identity import given_id
from convgate.transcripts.json_text import Place

_CONTEXTS = ("user_editable_context", "model_editable_context")  # instructions, and what it remembers
_TEXTS = ("user_profile", "user_instructions", "model_set_context", "title", "text", "result")
"""Fields of a content that hold text."""

_NO_TEXT = (ContentPart("result", "[result]"),)
"""What a tool gave back that the export holds no text of."""

_MARKER = re.compile("\ue200[^\ue200\ue201]*\ue201")


def _chatgpt_turns(message: Mapping[str, Any], field: str, place: Place) -> Iterator[Turn]:
    """Yield a message as a turn: what is for a tool is a call."""
    role, name = text_of(message, "author.role"), text_of(message, "author.name")
    if role is None:
        raise TranscriptError("there is no role", field=f"{field}.author.role")
    content, metadata = mapping_of(message, "content"), mapping_of(message, "metadata")
    parts = tuple(_parts(content, metadata, f"{field}.content"))
    if metadata.get("is_user_system_message") or text_of(content, "content_type") in _CONTEXTS:
        role = "system"
    elif parts and message.get("weight") == 0:
        place.report.omit("hidden message")
        return
    id, calls = given_id(message, "id"), tuple[ToolCall, ...]()
    recipient = text_of(message, "recipient") or "all"
    if role == "assistant" and recipient != "all":
        calls, parts = (ToolCall(id or "", recipient, "\n".join(part.text for part in parts)),), ()
    if parts or calls or role == "tool":
        yield Turn(role, parts, id, name, place.time(message, field), calls)
    elif content.get("content_type") not in ("text", "multimodal_text", "reasoning_recap"):
        place.report.omit(EMPTY)


def _link(turns: Iterable[Turn]) -> Iterator[Turn]:
    """Yield the turns, an answer as one; a result is that of the last call of its tool."""
    calls: dict[str, str] = {}
    linked = []
    for turn in turns:
        calls |= {_tool(call.name): call.id for call in turn.tool_calls}
        is_result = turn.role == "tool"
        linked.append(replace(turn, tool_call_id=calls.get(_tool(turn.name or ""))) if is_result else turn)
    answered = {turn.tool_call_id for turn in linked if turn.parts} | {None}
    for turn in join_turns(linked):
        if turn.parts or turn.tool_calls:
            yield turn
        elif turn.tool_call_id not in answered:
            yield replace(turn, parts=_NO_TEXT)


def _tool(name: str) -> str:
    """Return the tool of a function, as in `browser.search`."""
    return name.partition(".")[0]


def _parts(content: Mapping[str, Any], metadata: Mapping[str, Any], field: str) -> Iterator[ContentPart]:
    attachments = {
        given_id(attachment, "id") or "": attachment
        for attachment in objects_in(metadata, "attachments", field)
    }
    for thought in objects_in(content, "thoughts", field):
        if thinking := "\n".join(filter(None, (text_of(thought, "summary"), text_of(thought, "content")))):
            yield ContentPart("thinking", thinking)
    for part in list_in(content, "parts", field):
        text = part if isinstance(part, str) else text_of(part, "text")
        if text and text.strip():
            yield ContentPart("text", _replace_markers(text, metadata, field))
        elif isinstance(part, Mapping):
            type_, pointer = str(part.get("content_type")), str(part.get("asset_pointer"))
            what = next((name for name in ("image", "audio", "video") if name in type_), "file")
            generated = {"alt": text_of(part, "metadata.dalle.prompt")}
            yield ContentPart(what, placeholder(what, attachments.pop(pointer.rpartition("/")[2], generated)))
    for key in _TEXTS:
        if key in content and (value := text_of(content, key)):
            yield ContentPart("text", value)
    for attachment in attachments.values():
        yield ContentPart("attachment", placeholder("attachment", attachment))


def _replace_markers(text: str, metadata: Mapping[str, Any], field: str) -> str:
    """Return the text with links in place of the markers that stand for sources."""
    links = {
        marker: text_of(reference, "alt") or ""
        for reference in objects_in(metadata, "content_references", field)
        if (marker := text_of(reference, "matched_text"))
    }
    return _MARKER.sub(lambda match: links.get(match[0], match[0]), text)


def _deepseek_turns(message: Mapping[str, Any], field: str, place: Place) -> Iterator[Turn]:
    """Yield a message of fragments as a turn: of the request, or of thoughts and the answer."""
    parts, role = [], "assistant"
    for fragment in list_in(message, "fragments", field):
        type_ = text_of(fragment, "type")
        role = "user" if type_ == "REQUEST" else role
        if type_ and (text := text_of(fragment, "content")):
            parts.append(ContentPart("thinking" if type_ == "THINK" else "text", text))
        else:
            place.report.omit("part without text")
    files = objects_in(message, "files", field)
    parts += [ContentPart("attachment", placeholder("attachment", file)) for file in files]
    if parts:
        yield Turn(role, tuple(parts), timestamp=place.time(message, field))


CHATGPT = Layout(
    "chatgpt", "ChatGPT export", "mapping", marks="message.author", inside="message", parent="parent",
    leaf="current_node", id="conversation_id|id", turns=_chatgpt_turns, finish=_link,
)  # fmt: skip
DEEPSEEK = replace(
    CHATGPT, name="deepseek", label="DeepSeek export", marks="message.fragments", turns=_deepseek_turns,
    finish=join_turns,
)  # fmt: skip


_NOTES = ("token_budget", "flag")  # types of blocks that nobody said


def _claude_items(message: Mapping[str, Any], field: str, place: Place) -> Iterator[Item]:
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
    content=_claude_items,
)  # fmt: skip
GROK = Layout(
    "grok", "Grok export", "responses", ("conversation",), marks="", inside="response", role="sender",
    text="message", message_id="_id|id", id="conversation.id", title="conversation.title",
    files={"file_attachments": "attachment"},
)  # fmt: skip
