"""LangChain messages (`messages_to_dict`, `dumpd`, `model_dump`), and LangGraph states and threads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from convgate.core.conversation import ContentPart, Conversation, Turn
from convgate.transcripts.blocks import Content, read_blocks, read_calls
from convgate.transcripts.characters import writable
from convgate.transcripts.exports import mapping_of, text_of
from convgate.transcripts.formats.agents.framework_messages import FrameworkMessages, MessageList, no_message
from convgate.transcripts.identity import given_id
from convgate.transcripts.json_text import Place
from convgate.transcripts.message_lists import CONVERSATION_ID_FIELDS
from convgate.transcripts.source import LocatedConversations, Source
from convgate.transcripts.timestamps import time_of

_ROLES = {"human": "user", "ai": "assistant", "system": "system", "tool": "tool", "function": "function"}
_OTHERS = ("chat", "remove")  # with a role of its own; takes a message out of a state
_LIST_PATHS = (
    *(("values", "messages"), ("messages",), ("kwargs", "messages"), ("channel_values", "messages")),
    ("checkpoint", "channel_values", "messages"),
)
_STATE_TIME = "created_at"


class LangChainFormat(FrameworkMessages):
    """Of the states of a LangGraph thread, the newest one is the conversation."""

    name = "langchain"
    label = "LangChain messages"

    def is_message(self, value: Any) -> bool:
        """Return whether it is a dumped message; plain ones of other types have few fields of their own."""
        parsed = _fields(value)
        if parsed is None:
            return False
        type_, fields = parsed
        has_own_fields = "additional_kwargs" in fields or "tool_call_id" in fields
        return fields is not value or type_ in ("human", "ai") or has_own_fields

    def lists(self, value: Mapping[str, Any]) -> Iterator[MessageList]:
        """Yield the messages of a state, wherever they are in it."""
        thread = _thread_id(value)
        time = {_STATE_TIME: text_of(value, _STATE_TIME) or ""} if thread and "values" in value else {}
        for path in _LIST_PATHS:
            if self.is_list(messages := _at(value, *path)):
                yield MessageList(".".join(path), messages, thread, time)
                return
        if time and "next" in value:  # the first state of a thread
            yield MessageList("values", [], thread, time)

    def read(self, source: Source) -> LocatedConversations:
        """Yield the conversations; threads come last, each with its newest state."""
        newest: dict[str, tuple[int | None, Conversation]] = {}
        for line, conversation in super().read(source):
            if _STATE_TIME not in conversation.metadata:
                yield line, conversation
                continue
            if conversation.id in newest:
                source.report.omit("earlier thread state")
            best = newest.setdefault(conversation.id, (line, conversation))
            if conversation.metadata[_STATE_TIME] > best[1].metadata[_STATE_TIME]:
                newest[conversation.id] = line, conversation
        yield from newest.values()

    def turns(self, message: Any, field: str, place: Place) -> Iterator[Turn]:
        """Yield the turns of a message, in any of the three forms."""
        parsed = _fields(message)
        if parsed is None:
            raise no_message(message, self.label, field)
        type_, fields = parsed
        if type_ == "remove":
            place.report.omit("message removal")
            return
        extra, details = mapping_of(fields, "additional_kwargs"), mapping_of(fields, "response_metadata")
        role = _ROLES.get(type_) or text_of(fields, "role") or "user"
        if type_ == "system" and extra.get("__openai_role__") == "developer":
            role = "developer"
        if extra.get("lc_source") == "summarization":  # it stands for removed messages, and is always sent
            role = "system"
        name = text_of(fields, "name")
        moment = time_of({**details, **extra, **fields}, field, place.warn)[1]
        content = _content(fields, extra, field)
        if fields.get("artifact") is not None:
            place.report.omit("tool artifact")
        common: dict[str, Any] = {
            "name": writable(name) if name else None,
            "tool_call_id": given_id(fields, "tool_call_id"),
            "timestamp": moment,
        }
        turns = tuple(content.turns(writable(role), id=given_id(fields, "id"), **common))
        if not turns:
            place.report.omit("empty message")
        yield from turns


def _fields(value: Any) -> tuple[str, Mapping[str, Any]] | None:
    """Return the type of a dumped message in lower case, and its fields; None for anything else."""
    if not isinstance(value, Mapping):
        return None
    type_, path = value.get("type"), value.get("id")
    fields: Any = value
    if type_ == "constructor" and isinstance(path, list) and path:
        type_, fields = path[-1], value.get("kwargs")
    elif isinstance(value.get("data"), Mapping):
        fields = value["data"]
    if not isinstance(type_, str) or not isinstance(fields, Mapping) or "content" not in fields:
        return None
    name = type_.removesuffix("Chunk").removesuffix("Message").lower()
    return (name, fields) if name in _ROLES or name in _OTHERS else None


def _content(fields: Mapping[str, Any], extra: Mapping[str, Any], field: str) -> Content:
    """Return what was said and called; calls that the content repeats count once."""
    calls = [*_objects(fields, "tool_calls")]
    calls += [call for call in _objects(fields, "invalid_tool_calls") if text_of(call, "name")]
    ids = {given_id(call, "id") for call in calls} - {None}
    blocks = fields["content"]
    if isinstance(blocks, list):
        blocks = [
            block
            for block in blocks
            if not isinstance(block, Mapping)
            or ids.isdisjoint((given_id(block, "id"), given_id(block, "call_id")))
        ]
    called = read_calls({"tool_calls": calls}, field)
    thought = text_of(extra, "reasoning_content")
    return Content(
        (
            *((ContentPart("thinking", writable(thought)),) if thought else ()),
            *read_blocks(blocks, f"{field}.content").items,
            *(called or read_calls(extra, f"{field}.additional_kwargs")),
        )
    )


def _objects(fields: Mapping[str, Any], key: str) -> Iterator[Mapping[str, Any]]:
    values = fields.get(key)
    return (value for value in (values if isinstance(values, list) else ()) if isinstance(value, Mapping))


def _thread_id(state: Mapping[str, Any]) -> str:
    places = (state, state.get("checkpoint"), _at(state, "config", "configurable"))
    ids = (given_id(place, *CONVERSATION_ID_FIELDS) for place in places if isinstance(place, Mapping))
    return next(filter(None, ids), "")


def _at(value: Any, *path: str) -> Any:
    """Return what is at a path of keys, None when there is nothing."""
    for key in path:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value
