"""A conversation as one JSON document: what the store keeps, nothing lost on the way there and back."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from datetime import datetime, tzinfo
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from convgate.conversation import ContentPart, Conversation, ToolCall, Turn
from convgate.errors import StoreError
from convgate.store.faults import translate_decoding_errors


def dump(conversation: Conversation) -> str:
    """The conversation as JSON; `load` gives an equal one back, sources and time zones included.

    Raises StoreError when metadata or a source holds what JSON cannot say.
    """
    return _encode(_from_conversation(conversation), conversation)


def load(document: str) -> Conversation:
    """The conversation that `dump` wrote.

    Raises StoreError when the text is not such a document.
    """
    with translate_decoding_errors("a conversation"):
        data = json.loads(document)
        turns = tuple(_to_turn(turn) for turn in data["turns"])
        return Conversation(
            id=_text(data["id"]),
            turns=turns,
            title=_optional_text(data, "title"),
            metadata=_object(data.get("metadata", {})),
            format=_text(data["format"]),
        )


def content_key(conversation: Conversation) -> str:
    """16 hexadecimal digits that depend on all of the conversation but its id and title.

    Both of these often come from a file's name, and the same file saved twice is the same conversation.
    """
    data = _from_conversation(conversation)
    del data["id"]
    data.pop("title", None)
    return hashlib.sha256(_encode(data, conversation).encode()).hexdigest()[:16]


def _encode(data: dict[str, Any], conversation: Conversation) -> str:
    # ASCII alone, because a transcript may hold half a surrogate pair, which UTF-8 cannot say.
    try:
        return json.dumps(data, default=_plain, separators=(",", ":"))
    except (TypeError, ValueError) as error:
        raise StoreError(f"conversation {conversation.id!r} cannot be stored: {error}") from error


def _plain(value: object) -> dict[Any, Any]:
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"metadata holds a {type(value).__name__}, which JSON cannot say")


def _from_conversation(conversation: Conversation) -> dict[str, Any]:
    data: dict[str, Any] = {"id": conversation.id, "format": conversation.format}
    if conversation.title is not None:
        data["title"] = conversation.title
    if conversation.metadata:
        data["metadata"] = conversation.metadata
    data["turns"] = [_from_turn(turn) for turn in conversation.turns]
    return data


def _from_turn(turn: Turn) -> dict[str, Any]:
    data: dict[str, Any] = {"role": turn.role, "parts": [[part.kind, part.text] for part in turn.parts]}
    optional = {
        "id": turn.id,
        "name": turn.name,
        "timestamp": _from_time(turn.timestamp) if turn.timestamp else None,
        "tool_calls": [[call.id, call.name, call.arguments] for call in turn.tool_calls] or None,
        "tool_call_id": turn.tool_call_id,
        "metadata": turn.metadata or None,
        "source": turn.source,
    }
    return data | {name: value for name, value in optional.items() if value is not None}


def _to_turn(data: Mapping[str, Any]) -> Turn:
    timestamp = data.get("timestamp")
    return Turn(
        role=_text(data["role"]),
        parts=tuple(ContentPart(_text(kind), _text(text)) for kind, text in data["parts"]),
        id=_optional_text(data, "id"),
        name=_optional_text(data, "name"),
        timestamp=_to_time(timestamp) if timestamp else None,
        tool_calls=tuple(ToolCall(*map(_text, call)) for call in data.get("tool_calls", ())),
        tool_call_id=_optional_text(data, "tool_call_id"),
        metadata=_object(data.get("metadata", {})),
        source=None if data.get("source") is None else _object(data["source"]),
    )


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"expected a text, got a {type(value).__name__}")
    return value


def _optional_text(data: Mapping[str, Any], name: str) -> str | None:
    return None if data.get(name) is None else _text(data[name])


def _object(value: object) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise TypeError(f"expected an object, got a {type(value).__name__}")
    return value


def _from_time(moment: datetime) -> str:
    """ISO 8601, with the zone's name in brackets (RFC 9557) when it has one besides its offset."""
    name = moment.tzinfo.key if isinstance(moment.tzinfo, ZoneInfo) else None
    return f"{moment.isoformat()}[{name}]" if name else moment.isoformat()


def _to_time(text: str) -> datetime:
    moment, _, name = text.removesuffix("]").partition("[")
    parsed = datetime.fromisoformat(moment)
    zone = _zone(name) if name else None
    return parsed.astimezone(zone) if zone else parsed


def _zone(name: str) -> tzinfo | None:
    try:
        return ZoneInfo(name)
    except ZoneInfoNotFoundError:  # a machine without that zone still has the offset
        return None
