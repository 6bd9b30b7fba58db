"""What a dialect of messages knows: its marks, how a message is read, and what its API asks of a list."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from convgate.core.conversation import ContentPart, ToolCall, Turn
from convgate.core.errors import TranscriptError
from convgate.transcripts.blocks import Item, ToolResult
from convgate.transcripts.identity import given_id

RESULT_OF_CALL = " → "
"""Between a call and its result, where they are one part."""

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
    images_follow_results: bool = True
    """Whether the images of a tool's result are sent as a user's message behind it."""

    @abstractmethod
    def mark(self, message: Message) -> str | None:
        """Return the field of a message that other dialects do not have; None: it may be of any."""

    @abstractmethod
    def read(self, message: Message, field: str) -> Turn:
        """Return a message as a turn whose source it is; TranscriptError names what is wrong in `field`."""

    def link(self, turn: Turn, before: Sequence[Turn]) -> Turn:
        """Return a turn with what depends on the turns before it in its list."""
        return turn

    def replace_result(self, message: Message, call_id: str, text: str) -> Message | None:
        """Return a copy of a message in which the result of a call is a text, and all else the very same.

        call_id: of the call, or its name where it has no id. None: there is no such result, there are two,
        or the API takes no text in its place.
        """
        parts = message.get(self.parts_key)
        if not isinstance(parts, list | tuple):
            return None
        changed = [
            (place, self._with_text(part, call_id, text)) for place, part in parts_of(message, self.parts_key)
        ]
        found = [(place, part) for place, part in changed if part is not None]
        if len(found) != 1:
            return None
        ((place, part),) = found
        return {**message, self.parts_key: [*parts[:place], part, *parts[place + 1 :]]}

    def _with_text(self, part: Part, call_id: str, text: str) -> Part | None:
        """Return a copy of a part that is the result of the call, with a text in its place; else None."""
        return None

    def message(self, role: str, text: str) -> Message:
        """Return a new message; instructions are a user's where the API has none among its messages."""
        return {"role": role, "content": text}


def join_neighbours(dialect: Dialect, messages: Sequence[Any]) -> list[Any]:
    """Return the messages, those of one role that follow each other as one where the API refuses them."""
    if not dialect.alternates:
        return list(messages)
    groups: list[list[Any]] = []
    for message in messages:
        if groups and _can_join(dialect, groups[-1][-1], message):
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


def turn_of(message: Message, role: str, items: Iterable[Item]) -> Turn:
    """Return the turn of a message; a call whose result stands beside it is a part, and waits for nothing.

    A message with results is a tool's, whoever the API says it is from. A result without an id answers the
    call of its name.
    """
    items = list(items)
    results = {item.call_id: item.parts for item in items if isinstance(item, ToolResult) and item.call_id}
    calls = [replace(item, id=item.id or item.name) for item in items if isinstance(item, ToolCall)]
    own = results.keys() & {call.id for call in calls}
    parts: list[ContentPart] = []
    answers: list[str] = []
    for item in items:
        if isinstance(item, ContentPart):
            parts.append(item)
        elif isinstance(item, ToolCall):
            parts += [own_use(item, results[item.id])] if item.id in own else ()
        elif item.call_id not in own:
            parts += as_result(item.parts, item.call_id or item.name)
            answers += [item.call_id or item.name or ""] if item.call_id not in answers else []
    name = message.get("name")
    return Turn(
        role="tool" if answers else role,
        parts=tuple(part for part in parts if part.text),
        id=given_id(message, "id"),
        name=name if isinstance(name, str) and name else None,
        tool_calls=tuple(call for call in calls if call.id not in own),
        tool_call_id=answers[0] if answers else None,
        also_answers=tuple(answers[1:]),
        source=message,
    )


def as_result(parts: Iterable[ContentPart], call_id: str | None = None) -> tuple[ContentPart, ...]:
    """Return the parts of a tool's result, by which they are told from what is said beside it."""
    kinds = ((part, "tool_result" if part.kind == "text" else part.kind) for part in parts)
    return tuple(replace(part, kind=kind, call_id=call_id) for part, kind in kinds)


def own_use(call: ToolCall, result: Iterable[ContentPart]) -> ContentPart:
    """Return a call whose result stands in the same message as one part."""
    text = "\n".join(part.text for part in result)
    made = f"{call.name}({call.arguments})"
    return ContentPart("tool", f"{made}{RESULT_OF_CALL}{text}" if text else made, call.id)
