"""Conversations as trees of messages: exports of Open WebUI and llama.cpp, and OpenAssistant's data."""

from __future__ import annotations

import html
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from convgate.core.conversation import ContentPart, Conversation, Turn
from convgate.core.errors import TranscriptError
from convgate.transcripts.blocks import placeholder
from convgate.transcripts.exports import (
    BRANCH,
    FunctionFormat,
    objects_in,
    read_messages,
    read_objects,
    share_of,
)
from convgate.transcripts.fields import mapping_of, text_of
from convgate.transcripts.formats.layouts import Layout
from convgate.transcripts.identity import given_id
from convgate.transcripts.json_text import Place
from convgate.transcripts.openai_messages import content_parts
from convgate.transcripts.roles import role_of
from convgate.transcripts.source import LocatedConversations, Source

_THOUGHT = re.compile(
    r'<details type="reasoning"[^>]{0,200}>\s*(?:<summary>[^<]{0,200}</summary>)?(?P<said>.*?)</details>\s*',
    re.DOTALL,
)


def _webui_parts(message: Mapping[str, Any], field: str, place: Place) -> Iterator[ContentPart]:
    """Yield the parts of a message; what the model thought is markup in what it said."""
    content = message.get("content")
    if isinstance(content, str) and message.get("role") == "assistant":
        for thought in _THOUGHT.finditer(content):
            lines = html.unescape(thought["said"]).strip().splitlines()
            said = "\n".join(line.removeprefix(">").strip() for line in lines)
            yield ContentPart("thinking", said or "[thinking]")
        content = _THOUGHT.sub("", content).strip()
    yield from content_parts(content or "", f"{field}.content")
    for file in objects_in(message, "files", field):
        what = text_of(file, "type") or "file"
        yield ContentPart(what, placeholder(what, file))


def _without_root(value: Mapping[str, Any], place: Place) -> Mapping[str, Any]:
    """Return a chat of llama.cpp without the empty message that all others hang on."""
    messages = [each for each in value["messages"] if text_of(each, "type") != "root"]
    return {**value, "messages": messages}


OPEN_WEBUI = Layout(
    "open-webui", "Open WebUI export", "chat.history.messages|history.messages", marks="parentId",
    id="id|chat.id", title="title|chat.title", system="chat.params.system|params.system",
    parent="parentId", leaf="chat.history.currentId|history.currentId", content=_webui_parts,
)  # fmt: skip
LLAMA_CPP = Layout(
    "llama.cpp", "llama.cpp export", "messages", ("conv",), marks="convId", id="conv.id", title="conv.name",
    parent="parent", leaf="conv.currNode", prepare=_without_root, content=_webui_parts,
)  # fmt: skip


def _read_trees(source: Source) -> LocatedConversations:
    """Yield the best replies of each tree: an object with replies in replies, or a line a message."""
    trees: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    places: dict[str, Place] = {}
    for value, place in read_objects(source, "a message or a tree"):
        with place.skip_bad_value():
            tree = text_of(value, "message_tree_id")
            if tree is None:
                raise TranscriptError("there is no message_tree_id", field="message_tree_id")
            places.setdefault(tree, place)
            waiting = [mapping_of(value, "prompt") or value]
            for message in waiting:
                waiting += objects_in(message, "replies", "")
            trees[tree] += waiting
    for tree, messages in trees.items():
        path = _best_path(messages)
        source.report.omit(BRANCH, len(messages) - len(path))
        turns = tuple(read_messages(path, "messages", places[tree], _oasst_turns))
        yield places[tree].line, Conversation(tree, turns, format=OPEN_ASSISTANT.name)


def _best_path(messages: list[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return the messages from the first one on, each time the reply with the best rank."""
    replies: dict[str | None, list[Mapping[str, Any]]] = defaultdict(list)
    for message in messages:
        replies[text_of(message, "parent_id")].append(message)
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
    yield Turn.of(role, text, id=given_id(message, "message_id"), timestamp=place.time(message, field))


OPEN_ASSISTANT = FunctionFormat(
    "oasst",
    "OpenAssistant trees",
    lambda source: share_of(source, lambda value: "message_tree_id" in value),
    _read_trees,
)
