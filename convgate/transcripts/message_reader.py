"""Lists of messages that agents hold, read as turns: each message is one turn, in whatever dialect.

>>> turns = turns_from_messages([{"role": "user", "content": "Hi"}])
>>> turns[0].text, turns[0].source
('Hi', {'role': 'user', 'content': 'Hi'})
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from convgate.core.conversation import Turn
from convgate.core.conversation_cache import ConversationCache
from convgate.core.errors import TranscriptError
from convgate.transcripts.dialects.ai_sdk import AISDKUI, AISDKModel
from convgate.transcripts.dialects.anthropic import AnthropicMessages
from convgate.transcripts.dialects.base import Dialect, typed_part
from convgate.transcripts.dialects.bedrock import BedrockConverse
from convgate.transcripts.dialects.gemini import GeminiContents
from convgate.transcripts.dialects.openai_chat import AGUI, OpenAIChat
from convgate.transcripts.dialects.openai_responses import OpenAIResponses
from convgate.transcripts.json_text import kind
from convgate.transcripts.openai_messages import turn_from_message

OPENAI = OpenAIChat()

# In this order: a message with OpenAI's fields of calls is OpenAI's, whatever its content repeats.
DIALECTS: tuple[Dialect, ...] = (
    OPENAI, AGUI(), AISDKUI(), GeminiContents(), AISDKModel(), AnthropicMessages(), BedrockConverse(),
    OpenAIResponses(),
)  # fmt: skip

Message = Mapping[str, Any]


def turns_from_messages(messages: Iterable[Message]) -> tuple[Turn, ...]:
    """Return a list's messages as turns, one each and in order; each message itself is its turn's `source`.

    The messages are of one of DIALECTS. OpenAI's legacy `function_call` and `function` role are read, any
    role, and content as text, null or a list of parts. Fields without a place of their own come in
    `metadata`. Nothing is changed or copied.

    Raises TranscriptError naming the field, such as `messages[3].content`, also for a tool's call or result
    in no known shape, and for messages of two dialects.
    """
    return _extend(None, list_messages(messages)).turns


def dialect_of(messages: Iterable[Message]) -> Dialect:
    """Return the dialect of messages: that of the first one that could be of no other, else OpenAI's."""
    return next((found[0] for message in messages if (found := find_mark(message))), OPENAI)


def link_turn(turn: Turn, before: Sequence[Turn]) -> Turn:
    """Return a turn that follows others, with what depends on them: see `Dialect.link`."""
    sources = (each.source or {} for each in (turn, *before[-1:]))
    return dialect_of(sources).link(turn, before)


def dialect_named(name: str) -> Dialect:
    """Return the dialect of that name; TranscriptError when there is none."""
    for dialect in DIALECTS:
        if dialect.name == name:
            return dialect
    known = ", ".join(dialect.name for dialect in DIALECTS)
    raise TranscriptError(f"there is no dialect {name!r}; there are {known}")


def list_messages(messages: Iterable[Message]) -> list[Message]:
    """Return the messages as a new list; TranscriptError for what is no list of them."""
    if isinstance(messages, str | bytes | Mapping) or not isinstance(messages, Iterable):
        raise TranscriptError(f"expected a list of messages, got {kind(messages)}", field="messages")
    return list(messages)


@dataclass(frozen=True, slots=True)
class _ReadTurns:
    turns: tuple[Turn, ...]
    marked: tuple[int, Dialect] | None  # the first message that shows the dialect
    unmarked: int | None  # the first one that may be of several

    def first(self, n: int) -> _ReadTurns:
        marked = self.marked if self.marked and self.marked[0] < n else None
        unmarked = None if self.unmarked is None or self.unmarked >= n else self.unmarked
        return self if n == len(self.turns) else _ReadTurns(self.turns[:n], marked, unmarked)


class MessageReader:
    """Reads growing lists of messages: those at the beginning of an earlier list are not read again.

    They are compared with copies, so a message that changed in place is noticed, also inside lists and
    mappings; other objects are compared as they are. The `source` of a turn is the copy. Thread-safe.
    """

    def __init__(self) -> None:
        self._known: ConversationCache[_ReadTurns] = ConversationCache(_copy_json)

    def read(self, messages: Sequence[Message]) -> tuple[Turn, ...]:
        """Return the same as `turns_from_messages`; of known messages the same objects as before."""
        return self._known.get(messages, _extend).turns if messages else ()


def _extend(known: _ReadTurns | None, new: Sequence[Message]) -> _ReadTurns:
    turns, marked, unmarked = (list(known.turns), known.marked, known.unmarked) if known else ([], None, None)
    for index, given in enumerate(new, len(turns)):
        field, message = f"messages[{index}]", _with_plain_parts(given)
        found = find_mark(message)
        if found is None:
            unmarked = index if unmarked is None else unmarked
            _refuse_unknown_tools(message, field)
            turn = turn_from_message(message, field)
            turns.append(marked[1].link(turn, turns) if marked else turn)
            continue
        dialect, mark = found
        if marked is None:
            marked = index, dialect
        elif marked[1] is not dialect:
            raise TranscriptError(
                f"this is of {dialect.label}, but messages[{marked[0]}] of {marked[1].label};"
                " a list has messages of one dialect",
                field=f"{field}.{mark}",
            )
        turns.append(dialect.link(dialect.read(message, field), turns))
    if marked and marked[1].alternates and unmarked is not None:
        problem = f"this is no message of {marked[1].label}, as messages[{marked[0]}] is"
        raise TranscriptError(problem, field=f"messages[{unmarked}]")
    return _ReadTurns(tuple(turns), marked, unmarked)


def find_mark(message: Any) -> tuple[Dialect, str] | None:
    """Return the dialect that a message alone shows, and the field by which; None: it may be of any."""
    if not isinstance(message, Mapping) or (len(message) == 2 and isinstance(message.get("content"), str)):
        return None
    for dialect in DIALECTS:
        if mark := dialect.mark(message):
            return dialect, mark
    return None


def _with_plain_parts(message: Any) -> Any:
    """Return a message with what an SDK's objects among its parts hold."""
    for key in ("content", "parts"):
        parts = message.get(key) if isinstance(message, Mapping) else None
        if isinstance(parts, list) and any(hasattr(part, "model_dump") for part in parts):
            plain = [
                part.model_dump(exclude_none=True) if hasattr(part, "model_dump") else part for part in parts
            ]
            return {**message, key: plain}
    return message


def _refuse_unknown_tools(message: Any, field: str) -> None:
    """Raise TranscriptError for a part of a tool that is of no known dialect: it would be cut in half."""
    if not isinstance(message, Mapping):
        return
    for key in ("content", "parts"):
        if part := typed_part(message, lambda type_: "tool" in type_ or "function" in type_, key):
            known = ", ".join(dialect.label for dialect in DIALECTS)
            raise TranscriptError(
                f"this part of a tool is in no dialect that convgate reads: {known}", field=f"{field}.{part}"
            )


def _copy_json(value: Any) -> Any:
    """Return a copy of a value, with copies of all mappings, lists and tuples in it."""
    if isinstance(value, str | int | float | None):
        return value
    if isinstance(value, Mapping):
        return {key: _copy_json(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        items = map(_copy_json, value)
        return list(items) if isinstance(value, list) else tuple(items)
    return value
