"""Conversations as JSON documents, and rows of tables as dataclasses."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import fields, replace
from datetime import date, datetime
from typing import TYPE_CHECKING, Any, TypeVar

from convgate.core.conversation import ContentPart, Conversation, ToolCall, Turn
from convgate.core.errors import StoreError
from convgate.core.text import writable

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Record = TypeVar("Record", bound="DataclassInstance")


@contextmanager
def translate_decoding_errors(what: str) -> Iterator[None]:
    """Raise StoreError when a stored value of `what`, such as JSON or a time, cannot be decoded."""
    try:
        yield
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise StoreError(
            f"A stored {what} is damaged ({type(error).__name__}: {error}). Restore a backup."
        ) from error


def read_row(cls: type[Record], row: Mapping[str, Any]) -> Record:
    """Return a dataclass whose fields are the columns of the same names; fields without one keep defaults.

    Times are ISO 8601, mappings and tuples JSON. Raises StoreError when a value cannot be decoded.
    """
    with translate_decoding_errors(cls.__name__):
        values = {}
        for field in fields(cls):
            if field.name in row:
                value, decode = row[field.name], _decoder(str(field.type))
                values[field.name] = value if value is None or decode is None else decode(value)
        return cls(**values)


def write_row(record: Any) -> dict[str, Any]:
    """Return the columns of a dataclass, such that `read_row` gives an equal one."""
    return {field.name: _encode_value(getattr(record, field.name)) for field in fields(record)}


def dump(conversation: Conversation) -> str:
    """Return the conversation as JSON; `load` returns an equal one, with sources and UTC offsets.

    Raises StoreError when metadata or a source holds values that JSON does not have.
    """
    return _encode(_from_conversation(conversation), conversation)


def dump_turns(turns: Sequence[Turn], conversation: Conversation) -> str:
    """Return turns that are appended to a conversation as JSON, for `load_turns`; StoreError as of `dump`."""
    return _encode([_from_turn(turn) for turn in turns], conversation)


def load_turns(document: str) -> tuple[Turn, ...]:
    """Return the turns that `dump_turns` wrote. Raises StoreError for any other text."""
    with translate_decoding_errors("conversation"):
        return tuple(map(_to_turn, json.loads(document)))


def load(document: str) -> Conversation:
    """Return the conversation that `dump` wrote. Raises StoreError for any other text."""
    with translate_decoding_errors("conversation"):
        data = json.loads(document)
        return Conversation(
            id=data["id"],
            turns=tuple(_to_turn(turn) for turn in data["turns"]),
            title=data.get("title"),
            metadata=data.get("metadata", {}),
            format=data["format"],
        )


def content_key(conversation: Conversation) -> str:
    """Return 16 hexadecimal digits that depend on everything in the conversation but its id and title.

    Id and title often come from the name of a file, and a file saved twice is the same conversation.
    """
    return ContentKey(conversation).digits


class ContentKey:
    """The `content_key` of a growing conversation, in time linear in what it grows by.

    It is a hash of the document without id and title, in which the turns come last.
    """

    def __init__(self, conversation: Conversation) -> None:
        data = _from_conversation(replace(conversation, id="", title=None, turns=()))
        del data["id"]
        self._hash = hashlib.sha256(_encode(data, conversation).removesuffix("]}").encode())
        self._is_empty = True
        self.add(dump_turns(conversation.turns, conversation))

    def add(self, turns: str) -> None:
        """Add turns, as `dump_turns` writes them."""
        if turns != "[]":
            self._hash.update(f"{'' if self._is_empty else ','}{turns[1:-1]}".encode())
            self._is_empty = False

    def copy(self) -> ContentKey:
        """Return the same key, which grows apart from this one."""
        copied = copy(self)
        copied._hash = self._hash.copy()
        return copied

    @property
    def digits(self) -> str:
        """The key."""
        whole = self._hash.copy()
        whole.update(b"]}")
        return whole.hexdigest()[:16]


def _decoder(annotation: str) -> Callable[[Any], Any] | None:
    if annotation.startswith("datetime"):
        return datetime.fromisoformat
    if annotation.startswith("date"):
        return date.fromisoformat
    if annotation.startswith("tuple"):
        return lambda text: tuple(json.loads(text))
    if annotation.startswith("Mapping"):
        return lambda text: dict(json.loads(text))
    return bool if annotation.startswith("bool") else None


def _encode_value(value: object) -> Any:
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, str):
        return writable(value)
    if isinstance(value, Mapping):
        return json.dumps(dict(value))
    return json.dumps(value) if isinstance(value, tuple) else value


def _encode(data: dict[str, Any] | list[dict[str, Any]], conversation: Conversation) -> str:
    # ASCII, because a transcript may hold half a surrogate pair, which UTF-8 does not have.
    try:
        return json.dumps(data, default=_encode_mapping, separators=(",", ":"))
    except (TypeError, ValueError) as error:
        raise StoreError(f"The conversation {conversation.id!r} cannot be stored: {error}.") from error


def _encode_mapping(value: object) -> dict[Any, Any]:
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"its metadata holds a {type(value).__name__}, which JSON does not have")


def _from_conversation(conversation: Conversation) -> dict[str, Any]:
    data: dict[str, Any] = {"id": conversation.id, "format": conversation.format}
    if conversation.title is not None:
        data["title"] = conversation.title
    if conversation.metadata:
        data["metadata"] = conversation.metadata
    data["turns"] = [_from_turn(turn) for turn in conversation.turns]
    return data


def _from_turn(turn: Turn) -> dict[str, Any]:
    data: dict[str, Any] = {"role": turn.role, "parts": list(map(_from_part, turn.parts))}
    optional = {
        "id": turn.id,
        "name": turn.name,
        "timestamp": turn.timestamp.isoformat() if turn.timestamp else None,
        "tool_calls": [[call.id, call.name, call.arguments] for call in turn.tool_calls] or None,
        "tool_call_id": turn.tool_call_id,
        "also_answers": list(turn.also_answers) or None,
        "continues": turn.continues or None,
        "needs_next": turn.needs_next or None,
        "metadata": turn.metadata or None,
        "source": turn.source,
    }
    return data | {name: value for name, value in optional.items() if value is not None}


def _from_part(part: ContentPart) -> list[str]:
    return [part.kind, part.text, *([] if part.call_id is None else [part.call_id])]


def _to_turn(data: Mapping[str, Any]) -> Turn:
    timestamp = data.get("timestamp")
    return Turn(
        role=data["role"],
        parts=tuple(ContentPart(*part) for part in data["parts"]),
        id=data.get("id"),
        name=data.get("name"),
        timestamp=datetime.fromisoformat(timestamp) if timestamp else None,
        tool_calls=tuple(ToolCall(*call) for call in data.get("tool_calls", ())),
        tool_call_id=data.get("tool_call_id"),
        also_answers=tuple(data.get("also_answers", ())),
        continues=data.get("continues", False),
        needs_next=data.get("needs_next", False),
        metadata=data.get("metadata", {}),
        source=data.get("source"),
    )
