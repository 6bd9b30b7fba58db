"""Turns as OpenAI chat messages: the message itself where a turn came from one.

`to_messages` is for what goes to an API, which knows six roles and takes names of ASCII letters;
`file_message` is for files, which hold whatever a turn has.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from convgate.core.conversation import CHAT_ROLES, ContentPart, Turn

_SPEAKS = ("content", "tool_calls", "function_call", "refusal", "audio")
_NOT_IN_A_NAME = re.compile("[^a-zA-Z0-9_-]+")
_LONGEST_NAME = 64
_NAMELESS_TOOL = "tool"


def to_messages(turns: Iterable[Turn]) -> list[Mapping[str, Any]]:
    """The turns as messages that chat APIs take, one each and in order.

    Where a turn's `source` is an OpenAI message, it is that very object. Otherwise ids, times, metadata
    and parts that are no text stay behind (the latter leave their name in brackets): the API has no
    place for them. Who has a role that no chat API knows speaks as a user of that name (or calls tools as
    the assistant, answers calls as a tool). Names are spelt in ASCII letters; one of which nothing is left
    stands in front of the text instead.
    """
    return [
        turn.source if is_openai_message(turn) else new_message(_for_an_api(turn))  # type: ignore[misc]
        for turn in turns
    ]


def file_message(turn: Turn) -> Mapping[str, Any]:
    """The turn as a message in a file: its source when that is one, else one with its own role and name."""
    return turn.source if is_openai_message(turn) else new_message(turn)  # type: ignore[return-value]


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


def api_name(name: str) -> str:
    """The name with what chat APIs refuse in one taken out; empty when nothing is left.

    >>> api_name("Anna K. <x>"), api_name("Zoë"), api_name("李雷")
    ('Anna_K_x', 'Zoe', '')
    """
    letters = (char for char in unicodedata.normalize("NFKD", name) if not unicodedata.combining(char))
    return _NOT_IN_A_NAME.sub("_", "".join(letters)).strip("_")[:_LONGEST_NAME].rstrip("_")


def _for_an_api(turn: Turn) -> Turn:
    known = turn.role in CHAT_ROLES
    speaker = (turn.name if known else turn.speaker) or ""
    name = api_name(speaker)
    is_tools = turn.tool_call_id is not None or bool(turn.tool_calls) or turn.role in {"tool", "function"}
    return replace(
        turn,
        role=turn.role if known else _nearest_role(turn),
        name=name or (_NAMELESS_TOOL if turn.role == "function" else None),
        parts=turn.parts if name or is_tools else _introduced(turn.parts, speaker),
        tool_calls=tuple(
            replace(call, name=api_name(call.name) or _NAMELESS_TOOL) for call in turn.tool_calls
        ),
    )


def _nearest_role(turn: Turn) -> str:
    if turn.tool_call_id:
        return "tool"
    return "assistant" if turn.tool_calls else "user"


def _introduced(parts: tuple[ContentPart, ...], speaker: str) -> tuple[ContentPart, ...]:
    """What was said with the speaker's name, on one line, in front of it."""
    who = " ".join(speaker.split())
    if not parts or not who:
        return parts
    return (replace(parts[0], text=f"{who}: {parts[0].text}"), *parts[1:])


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
