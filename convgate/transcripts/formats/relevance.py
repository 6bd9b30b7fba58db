"""Relevance sets: lines of conversations, and of cases that say which of their turns matter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from convgate.core.conversation import Conversation, Turn
from convgate.transcripts.formats.openai import OpenAIFormat
from convgate.transcripts.layout import dump_json, top_fields
from convgate.transcripts.openai_writing import is_openai_message, new_message


class RelevanceFormat(OpenAIFormat):
    """The conversations of a relevance set; its cases are passed over here (see `read_relevance_set`).

    Holds everything that a turn has, except that a part that is no text comes back as text.
    """

    name = "relevance-set"
    label = "Relevance set"
    suffix = ".jsonl"
    expected = "a line with type 'conversation', an id and 'messages', or with type 'case'"

    def list_key(self, fields: Mapping[str, Any]) -> str | None:
        """`messages`, where the type says that it is a conversation."""
        return "messages" if fields.get("type") == "conversation" else None

    def is_message(self, value: Any) -> bool:
        """Never: messages stand in conversations only."""
        return False

    def is_beside(self, value: Any) -> bool:
        """Whether it is a case."""
        return isinstance(value, Mapping) and value.get("type") == "case" and "conversation" in value

    def conversation(self, value: Any, place: Any) -> Conversation:
        """A conversation line; a missing list of messages is told as such."""
        if isinstance(value, Mapping) and value.get("type") == "conversation":
            value = {"messages": None, **value}
        conversation = super().conversation(value, place)
        fields = {key: field for key, field in conversation.metadata.items() if key != "type"}
        return replace(conversation, metadata=fields)

    def write(self, conversation: Conversation, turns: Sequence[Turn]) -> str:
        """One line."""
        line = {"type": "conversation", "id": conversation.id}
        fields = {**line, **top_fields(conversation, self.name), **line}  # a transcript may have a `type` too
        return dump_json({**fields, "messages": [_message(turn) for turn in turns]}) + "\n"


def _message(turn: Turn) -> Mapping[str, Any]:
    if turn.source is not None and is_openai_message(turn):
        return turn.source
    message = {**turn.metadata, **new_message(turn)}
    if turn.id is not None:
        message["id"] = turn.id
    if turn.timestamp is not None:
        message["timestamp"] = turn.timestamp.isoformat()
    return message
