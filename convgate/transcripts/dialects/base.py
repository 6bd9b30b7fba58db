"""What a dialect of messages knows: its marks, how a message is read, and what its API asks of a list."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from convgate.core.conversation import ContentPart, ToolCall, Turn
from convgate.core.errors import TranscriptError
from convgate.transcripts.characters import writable
from convgate.transcripts.formats.openai_messages import arguments_text, content_parts
from convgate.transcripts.identity import given_id

Message = Mapping[str, Any]
Part = Mapping[str, Any]


class Dialect(ABC):
    """One shape of messages. A message is one turn, with the calls that wait and those that it answers."""

    name: str
    label: str
    alternates: bool = False
    """Whether the API refuses neighbours of one role, so that they have to be joined."""
    parts_key: str = "content"
    """The field with a message's parts."""
    user_first: bool = False
    """Whether the API refuses a list that opens with the assistant."""

    @abstractmethod
    def mark(self, message: Message) -> str | None:
        """Return the field of a message that other dialects do not have; None: it may be of any."""

    @abstractmethod
    def read(self, message: Message, field: str) -> Turn:
        """Return a message as a turn whose source it is; TranscriptError names what is wrong in `field`."""

    def message(self, role: str, text: str) -> Message:
        """Return a new message; instructions are a user's where the API has none among its messages."""
        return {"role": role, "content": text}


def join_neighbours(dialect: Dialect, messages: Sequence[Any]) -> list[Any]:
    """Return the messages, those of one role that follow each other as one where the API refuses them."""
    groups: list[list[Any]] = []
    for message in messages:
        if dialect.alternates and groups and _can_join(dialect, groups[-1][-1], message):
            groups[-1].append(message)
        else:
            groups.append([message])
    key = dialect.parts_key
    return [
        group[0] if len(group) == 1 else {**group[0], key: [part for each in group for part in each[key]]}
        for group in groups
    ]


def _can_join(dialect: Dialect, first: Any, second: Any) -> bool:
    for message in (first, second):
        if not isinstance(message, Mapping) or not isinstance(message.get(dialect.parts_key), list):
            return False
    return bool(first.get("role") == second.get("role"))


def text_role(message: Message, field: str) -> str:
    """Return the role of a message; TranscriptError where it has none."""
    role = message.get("role")
    if not isinstance(role, str) or not role:
        raise TranscriptError("there is no role", field=f"{field}.role")
    return role


def parts_of(message: Message, key: str = "content") -> list[tuple[int, Part]]:
    """Return the parts of a message that are objects, with their places; none where it has no list."""
    parts = message.get(key)
    if not isinstance(parts, list | tuple):
        return []
    return [(place, part) for place, part in enumerate(parts) if isinstance(part, Mapping)]


def typed_part(message: Message, is_own: Any, key: str = "content") -> str | None:
    """Return the field of the first part whose `type` is a text of which `is_own` says so."""
    for place, part in parts_of(message, key):
        if isinstance(type_ := part.get("type"), str) and is_own(type_):
            return f"{key}[{place}]"
    return None


def turn_of(
    message: Message,
    role: str,
    parts: Iterable[ContentPart],
    calls: Iterable[ToolCall] = (),
    answers: Sequence[str] = (),
) -> Turn:
    """Return the turn of a message; answers: the ids of all calls that it has the results of.

    A message with results is a tool's, whoever the API says it is from.
    """
    name = message.get("name")
    return Turn(
        role="tool" if answers else role,
        parts=tuple(part for part in parts if part.text),
        id=given_id(message, "id"),
        name=writable(name) if isinstance(name, str) and name else None,
        tool_calls=tuple(calls),
        tool_call_id=answers[0] if answers else None,
        also_answers=tuple(answers[1:]),
        source=message,
    )


def call_of(id: Any, name: Any, arguments: Any, field: str) -> ToolCall:
    """Return a call; one without an id has its name in place of it."""
    named = writable(name) if isinstance(name, str) else ""
    return ToolCall(
        writable(id) if isinstance(id, str) and id else named,
        named,
        writable(arguments_text(arguments, field)),
    )


def value_parts(value: Any, field: str) -> tuple[ContentPart, ...]:
    """Return what a tool gave back as parts: text as it is, anything else as JSON."""
    if isinstance(value, Mapping | list | int | float | bool):
        value = arguments_text(value, field)
    return as_result(content_parts(value, field) if value is not None else ())


def as_result(parts: Iterable[ContentPart]) -> tuple[ContentPart, ...]:
    """Return the parts of a tool's result, by which they are told from what is said beside it."""
    return tuple(replace(part, kind="tool_result") if part.kind == "text" else part for part in parts)


def own_use(call: ToolCall, result: Iterable[ContentPart]) -> ContentPart:
    """Return a call whose result stands in the same message as one part."""
    text = "\n".join(part.text for part in result)
    return ContentPart(
        "tool", f"{call.name}({call.arguments}) → {text}" if text else f"{call.name}({call.arguments})"
    )
