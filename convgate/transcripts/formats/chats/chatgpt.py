"""The export of ChatGPT: `conversations.json`, in newer ones several, alone or in the zip archive.

That of DeepSeek has the same nodes with other messages.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from convgate.core.conversation import ContentPart, Conversation, ToolCall, Turn
from convgate.core.errors import TranscriptError
from convgate.transcripts.blocks import placeholder
from convgate.transcripts.characters import writable
from convgate.transcripts.exports import ConversationExport, join_turns, list_in, objects_in, path_to, text_of
from convgate.transcripts.identity import given_id
from convgate.transcripts.json_text import Place, kind
from convgate.transcripts.timestamps import time_of, to_utc

_CONTEXTS = frozenset(
    {"user_editable_context", "model_editable_context"}
)  # instructions, and what it remembers
_TEXTS = ("user_profile", "user_instructions", "model_set_context", "title", "text", "result")
"""Fields of a content that hold text."""

_NO_TEXT = (ContentPart("result", "[result]"),)
"""What a tool gave back that the export holds no text of."""

_MARKER = re.compile("\ue200[^\ue200\ue201]*\ue201")


class ChatGPTFormat(ConversationExport):
    """Conversations with a `mapping` of nodes; of regenerated answers, the branch that was shown last."""

    name = "chatgpt"
    label = "ChatGPT export"

    def is_conversation(self, value: Mapping[str, Any]) -> bool:
        """Return whether it has a `mapping` of nodes."""
        mapping = value.get("mapping")
        return (
            isinstance(mapping, Mapping)
            and (
                "current_node" in value
                or any(isinstance(node, Mapping) and "message" in node for node in mapping.values())
            )
            and not _is_deepseek(mapping)
        )

    def conversation(self, value: Mapping[str, Any], place: Place) -> Conversation:
        """Return the conversation of an object."""
        turns: list[Turn] = []
        calls: dict[str, str] = {}
        for id in place.report.watch(_find_branch(value, place), "messages of a conversation"):
            with place.skip_bad_part():
                turns += self._turns(value["mapping"][id], f"mapping.{id}", calls, place)
        id = given_id(value, "conversation_id", "id") or ""
        answered = {turn.tool_call_id for turn in turns if turn.parts}
        turns = [
            turn if turn.parts or turn.tool_calls else replace(turn, parts=_NO_TEXT)
            for turn in turns
            if turn.parts or turn.tool_calls or turn.tool_call_id not in answered
        ]
        return Conversation(id, tuple(join_turns(turns)), text_of(value, "title"), format=self.name)

    def _turns(self, node: Any, field: str, calls: dict[str, str], place: Place) -> Iterator[Turn]:
        """Yield a node's message as a turn. calls: the id of each tool's last call."""
        message, field = _object(node, "message", field)
        if not message:
            return
        author, _ = _object(message, "author", field)
        role, name = text_of(author, "role"), text_of(author, "name")
        if role is None:
            raise TranscriptError("there is no role", field=f"{field}.author.role")
        content, content_field = _object(message, "content", field)
        metadata, _ = _object(message, "metadata", field)
        parts = tuple(_parts(content, metadata, content_field))
        if metadata.get("is_user_system_message") or text_of(content, "content_type") in _CONTEXTS:
            role = "system"
        elif parts and message.get("weight") == 0:
            place.report.omit("hidden message")
            return
        id, call_id = given_id(message, "id"), None
        tool_calls: tuple[ToolCall, ...] = ()
        recipient = text_of(message, "recipient") or "all"
        if role == "assistant" and recipient != "all":
            calls[_tool(recipient)] = id or ""
            arguments = "\n".join(part.text for part in parts)
            parts, tool_calls = (), (ToolCall(id or "", writable(recipient), arguments),)
        elif role == "tool":
            call_id = calls.get(_tool(name or ""))
        if parts or tool_calls or call_id:
            moment = time_of(message, field, place.warn)[1]
            name = writable(name) if name else None
            yield Turn(writable(role), parts, id, name, moment, tool_calls, call_id)


class DeepSeekFormat(ChatGPTFormat):
    """Messages are lists of fragments: the request, or thoughts and the answer."""

    name = "deepseek"
    label = "DeepSeek export"

    def is_conversation(self, value: Mapping[str, Any]) -> bool:
        """Return whether it has a `mapping` of nodes with fragments."""
        return _is_deepseek(value.get("mapping"))

    def _turns(self, node: Any, field: str, calls: dict[str, str], place: Place) -> Iterator[Turn]:
        """Yield a node's message as a turn."""
        message, field = _object(node, "message", field)
        parts, role = [], "assistant"
        for fragment in list_in(message, "fragments", field):
            type_ = text_of(fragment, "type") if isinstance(fragment, Mapping) else None
            text = text_of(fragment, "content") if type_ else None
            role = "user" if type_ == "REQUEST" else role
            if text:
                parts.append(ContentPart("thinking" if type_ == "THINK" else "text", writable(text)))
            else:
                place.report.omit("part without text")
        files = objects_in(message, "files", field)
        parts += [ContentPart("attachment", placeholder("attachment", file)) for file in files]
        if parts:
            moment = time_of(message, field, place.warn)[1]
            yield Turn(role, tuple(parts), given_id(node, "id"), timestamp=moment)


def _is_deepseek(mapping: Any) -> bool:
    """Return whether the nodes of a mapping have messages with fragments."""
    nodes = mapping.values() if isinstance(mapping, Mapping) else ()
    messages = (node.get("message") for node in nodes if isinstance(node, Mapping))
    return any(isinstance(message, Mapping) and "fragments" in message for message in messages)


def _find_branch(value: Mapping[str, Any], place: Place) -> list[str]:
    """Return the ids of the branch that ends at the current node; without one, at the latest message."""
    nodes = {id: node if isinstance(node, Mapping) else {} for id, node in value["mapping"].items()}
    parents = {id: node.get("parent") for id, node in nodes.items()}
    messages = {id: node["message"] for id, node in nodes.items() if isinstance(node.get("message"), Mapping)}
    path = path_to(value.get("current_node"), parents)
    if not path and messages:
        times = {id: time_of(message, "")[1] for id, message in messages.items()}
        latest = max(reversed(messages), key=lambda id: to_utc(times[id]))
        path = path_to(latest, parents)
    place.report.omit("message of another branch", len(messages.keys() - path))
    return path


def _object(fields: Any, key: str, field: str) -> tuple[Mapping[str, Any], str]:
    """Return the object in a field, an empty one for null, and the field's name."""
    value = fields.get(key) if isinstance(fields, Mapping) else fields
    if not isinstance(value, Mapping | None):
        raise TranscriptError(f"expected an object, got {kind(value)}", field=f"{field}.{key}")
    return value or {}, f"{field}.{key}"


def _tool(name: str) -> str:
    """Return the tool of a function, as in `browser.search`."""
    return name.partition(".")[0]


def _parts(content: Mapping[str, Any], metadata: Mapping[str, Any], field: str) -> Iterator[ContentPart]:
    attachments = {
        given_id(attachment, "id") or "": attachment
        for attachment in objects_in(metadata, "attachments", field)
    }
    for thought in objects_in(content, "thoughts", field):
        texts = filter(None, (text_of(thought, "summary"), text_of(thought, "content")))
        if thinking := "\n".join(texts):
            yield ContentPart("thinking", writable(thinking))
    for part in list_in(content, "parts", field):
        text = part if isinstance(part, str) else text_of(part, "text") if isinstance(part, Mapping) else None
        if text and text.strip():
            yield ContentPart("text", writable(_replace_markers(text, metadata, field)))
        elif isinstance(part, Mapping):
            type_, pointer = str(part.get("content_type")), str(part.get("asset_pointer"))
            what = next((name for name in ("image", "audio", "video") if name in type_), "file")
            names = attachments.pop(pointer.rpartition("/")[2], None) or _generation(part)
            yield ContentPart(what, placeholder(what, names))
    for key in _TEXTS:
        if value := text_of(content, key):
            yield ContentPart("text", writable(value))
    for attachment in attachments.values():
        yield ContentPart("attachment", placeholder("attachment", attachment))


def _generation(part: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a generated image's prompt as its alternative text."""
    metadata = part.get("metadata")
    generation = metadata.get("dalle") if isinstance(metadata, Mapping) else None
    return {"alt": generation.get("prompt")} if isinstance(generation, Mapping) else {}


def _replace_markers(text: str, metadata: Mapping[str, Any], field: str) -> str:
    """Return the text with links in place of the markers that stand for sources."""
    links = {
        marker: text_of(reference, "alt") or ""
        for reference in objects_in(metadata, "content_references", field)
        if (marker := text_of(reference, "matched_text"))
    }
    return _MARKER.sub(lambda match: links.get(match[0], match[0]), text)
