"""Conversations as trees of messages: exports of Open WebUI and llama.cpp, and OpenAssistant's data."""

from __future__ import annotations

import html
import re
from collections import deque
from collections.abc import Iterator, Mapping
from typing import Any

from convgate.core.conversation import ContentPart, Conversation, Turn
from convgate.core.errors import TranscriptError
from convgate.transcripts.blocks import placeholder
from convgate.transcripts.characters import writable
from convgate.transcripts.exports import (
    ConversationExport,
    mapping_of,
    objects_in,
    path_to,
    read_messages,
    text_of,
)
from convgate.transcripts.formats.openai_messages import content_parts
from convgate.transcripts.identity import given_id
from convgate.transcripts.json_text import Place
from convgate.transcripts.roles import role_of
from convgate.transcripts.source import LocatedConversations, Source
from convgate.transcripts.timestamps import time_of

_THOUGHT = re.compile(
    r'<details type="reasoning"[^>]{0,200}>\s*(?:<summary>[^<]{0,200}</summary>)?(?P<said>.*?)</details>\s*',
    re.DOTALL,
)


class OpenWebUIFormat(ConversationExport):
    """One chat or all of them; the branch that is shown is read."""

    name = "open-webui"
    label = "Open WebUI export"

    def is_conversation(self, value: Mapping[str, Any]) -> bool:
        """Return whether it has, or its `chat` has, a history with messages by their ids."""
        return bool(_history(value))

    def conversation(self, value: Mapping[str, Any], place: Place) -> Conversation:
        """Return the conversation of a chat."""
        chat, history = mapping_of(value, "chat") or value, _history(value)
        messages = mapping_of(history, "messages")
        parents = {id: mapping_of(messages, id).get("parentId") for id in messages}
        leaf = text_of(history, "currentId") or list(messages)[-1]
        path = path_to(leaf, parents)
        place.report.omit("message of another branch", len(messages) - len(path))
        turns = list(read_messages([messages[id] for id in path], "history.messages", place, _webui_turns))
        if system := text_of(mapping_of(chat, "params"), "system"):
            turns.insert(0, Turn.of("system", writable(system)))
        title = text_of(value, "title") or text_of(chat, "title")
        id = given_id(value, "id") or given_id(chat, "id") or ""
        return Conversation(id, tuple(turns), title, format=self.name)


def _history(value: Mapping[str, Any]) -> Mapping[str, Any]:
    history = mapping_of(mapping_of(value, "chat") or value, "history")
    first = next(iter(mapping_of(history, "messages").values()), None)
    return history if isinstance(first, Mapping) and "parentId" in first else {}


def _webui_turns(message: Mapping[str, Any], field: str, place: Place) -> Iterator[Turn]:
    """Yield a message; what the model thought is markup in what it said."""
    content, parts = message.get("content"), list[ContentPart]()
    if isinstance(content, str) and message.get("role") == "assistant":
        for thought in _THOUGHT.finditer(content):
            lines = html.unescape(thought["said"]).strip().splitlines()
            said = "\n".join(line.removeprefix(">").strip() for line in lines)
            parts.append(ContentPart("thinking", writable(said) or "[thinking]"))
        content = _THOUGHT.sub("", content).strip()
    parts += content_parts(content or "", f"{field}.content")
    for file in objects_in(message, "files", field):
        what = writable(text_of(file, "type") or "file")
        parts.append(ContentPart(what, placeholder(what, file)))
    role = role_of(text_of(message, "role") or "")
    if role is None:
        raise TranscriptError("expected a role", field=f"{field}.role")
    moment = time_of(message, field, place.warn)[1]
    if parts:
        yield Turn(role, tuple(parts), id=given_id(message, "id"), timestamp=moment)
    else:
        place.report.omit("message without content")


class LlamaCppFormat(ConversationExport):
    """Chats of llama.cpp's server; the branch that is shown is read."""

    name = "llama.cpp"
    label = "llama.cpp export"

    def is_conversation(self, value: Mapping[str, Any]) -> bool:
        """Return whether it has a chat, and messages of one."""
        messages = value.get("messages")
        first = messages[0] if isinstance(messages, list) and messages else None
        return isinstance(value.get("conv"), Mapping) and isinstance(first, Mapping) and "convId" in first

    def conversation(self, value: Mapping[str, Any], place: Place) -> Conversation:
        """Return the conversation of a chat."""
        chat = mapping_of(value, "conv")
        listed = [each for each in objects_in(value, "messages", "") if each.get("type") != "root"]
        messages = {given_id(each, "id") or "": each for each in listed}
        parents = {id: given_id(each, "parent") for id, each in messages.items()}
        leaf = given_id(chat, "currNode")
        path = path_to(leaf if leaf in messages else list(messages)[-1] if messages else None, parents)
        place.report.omit("message of another branch", len(messages) - len(path))
        turns = tuple(read_messages([messages[id] for id in path], "messages", place, _webui_turns))
        return Conversation(given_id(chat, "id") or "", turns, text_of(chat, "name"), format=self.name)


class OpenAssistantFormat:
    """Trees as objects with replies in replies, or as one message a line; the best replies are read."""

    name = "oasst"
    label = "OpenAssistant trees"

    def match_share(self, source: Source) -> float:
        """Return the share of the first values that are of a tree, 0…1."""
        sample = source.json.sample if source.json else ()
        trees = [isinstance(value, Mapping) and "message_tree_id" in value for value in sample]
        return sum(trees) / max(1, len(trees))

    def read(self, source: Source) -> LocatedConversations:
        """Yield the path of the best replies of each tree; bad places go to the source's report."""
        trees: dict[str, dict[str, Mapping[str, Any]]] = {}  # messages by id, by tree
        lines: dict[str, tuple[int | None, Place]] = {}
        for value, place in source.need_json().values():
            with place.skip_bad_value():
                tree = text_of(value, "message_tree_id") if isinstance(value, Mapping) else None
                if tree is None:
                    raise TranscriptError("expected a message or a tree with a message_tree_id")
                lines.setdefault(tree, (place.line, place))
                waiting = deque([mapping_of(value, "prompt") or value])
                while waiting:
                    message = waiting.popleft()
                    trees.setdefault(tree, {})[text_of(message, "message_id") or ""] = message
                    waiting += objects_in(message, "replies", "")
        for tree, messages in trees.items():
            line, place = lines[tree]
            path = _best_path(messages)
            place.report.omit("message of another branch", len(messages) - len(path))
            turns = tuple(read_messages(path, "messages", place, _oasst_turns))
            yield line, Conversation(tree, turns, format=self.name)


def _best_path(messages: Mapping[str, Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return the messages from the first one on, each time the reply with the best rank."""
    replies: dict[str | None, list[Mapping[str, Any]]] = {}
    for message in messages.values():
        replies.setdefault(text_of(message, "parent_id"), []).append(message)
    path: list[Mapping[str, Any]] = []
    parent: str | None = None
    while following := replies.pop(parent, None):
        path.append(min(following, key=_rank))
        parent = text_of(path[-1], "message_id") or ""
    return path


def _rank(message: Mapping[str, Any]) -> float:
    rank = message.get("rank")
    return float(rank) if isinstance(rank, int | float) else float("inf")


def _oasst_turns(message: Mapping[str, Any], field: str, place: Place) -> Iterator[Turn]:
    role, text = role_of(text_of(message, "role") or ""), text_of(message, "text")
    if role is None or text is None:
        raise TranscriptError("expected a role and a text", field=field)
    moment = time_of(message, field, place.warn)[1]
    yield Turn.of(role, writable(text), id=given_id(message, "message_id"), timestamp=moment)
