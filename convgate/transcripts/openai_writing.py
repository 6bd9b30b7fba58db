"""Turns as OpenAI chat messages: the message itself where a turn came from one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from convgate.conversation import ContentPart, Turn

_SPEAKS = ("content", "tool_calls", "function_call", "refusal", "audio")


def to_messages(turns: Iterable[Turn]) -> list[Mapping[str, Any]]:
    """The turns as OpenAI chat messages, one each and in order.

    Where a turn's `source` is such a message, it is that very object. Otherwise ids, times, metadata
    and parts that are no text stay behind (the latter leave their name in brackets): the API has no
    place for them.
    """
    return [turn.source if is_openai_message(turn) else new_message(turn) for turn in turns]  # type: ignore[misc]


def is_openai_message(turn: Turn) -> bool:
    """Whether the turn's source is an OpenAI chat message already."""
    source = turn.source
    return source is not None and source.get("role") == turn.role and any(key in source for key in _SPEAKS)


def new_message(turn: Turn) -> dict[str, Any]:
    """A message made from the turn's own fields."""
    message: dict[str, Any] = {"role": turn.role}
    if turn.name:
        message["name"] = turn.name
    message["content"] = _content(turn)
    if turn.tool_calls:
        message["tool_calls"] = [
            {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
            for call in turn.tool_calls
        ]
    if turn.tool_call_id is not None:
        message["tool_call_id"] = turn.tool_call_id
    return message


def _content(turn: Turn) -> str | list[dict[str, str]] | None:
    if not turn.parts:
        return None if turn.tool_calls else ""
    if len(turn.parts) == 1 and turn.parts[0].kind != "refusal":
        return turn.parts[0].text
    return [_part(part) for part in turn.parts]


def _part(part: ContentPart) -> dict[str, str]:
    if part.kind == "refusal":
        return {"type": "refusal", "refusal": part.text}
    return {"type": "text", "text": part.text}
