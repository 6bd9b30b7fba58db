"""Message histories of agent frameworks: LangChain and LangGraph, LlamaIndex, pydantic-ai."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeGuard

from convgate.core.conversation import SUMMARY_PART, ContentPart, Conversation, ToolCall, Turn
from convgate.core.errors import TranscriptError
from convgate.transcripts.blocks import (
    Content,
    Item,
    ToolResult,
    block_call,
    json_parts,
    placeholder,
    read_blocks,
)
from convgate.transcripts.fields import mapping_of, text_of, value_at
from convgate.transcripts.identity import given_id
from convgate.transcripts.json_text import Place
from convgate.transcripts.message_lists import CONVERSATION_ID_FIELDS, MessageLists, described
from convgate.transcripts.openai_messages import arguments_text, read_calls
from convgate.transcripts.source import LocatedConversations, Source

Items = Iterable[Item]


@dataclasses.dataclass(frozen=True)
class MessageList:
    """The messages of one conversation, and the field that holds them."""

    field: str
    messages: list[Any]
    id: str = ""
    metadata: Mapping[str, Any] = dataclasses.field(default_factory=dict)


class FrameworkMessages(MessageLists):
    """Reads a list of messages, an object with such lists, several of either, and one message a line."""

    label: str

    def list_key(self, fields: Mapping[str, Any]) -> str | None:
        """Return the field of the first list of messages in an object."""
        return next((found.field for found in self.lists(fields)), None)

    def lists(self, value: Mapping[str, Any]) -> Iterator[MessageList]:
        """Yield the lists of messages in an object."""
        if self.is_list(messages := value.get("messages")):
            yield MessageList("messages", messages, given_id(value, "id", *CONVERSATION_ID_FIELDS) or "")

    def is_list(self, value: Any) -> TypeGuard[list[Any]]:
        """Return whether a value is a list of messages."""
        return isinstance(value, list) and any(map(self.is_message, value[:50]))

    def conversations(self, value: Any, place: Place) -> Iterator[Conversation]:
        """Yield the conversations of the lists in a value; raises TranscriptError without any."""
        lists = list(self.lists(value)) if isinstance(value, Mapping) else []
        if isinstance(value, list):
            ids = (given_id(item, *CONVERSATION_ID_FIELDS) for item in value)
            lists = [MessageList("", value, next(filter(None, ids), ""))]
        if not lists:
            raise self._error(value, "")
        for found in lists:
            turns = self.turns_in(found.messages, found.field, place)
            yield Conversation(found.id, turns, metadata=found.metadata, format=self.name)

    def _is_record(self, value: Any) -> bool:
        return value != [] and super()._is_record(value)

    def _error(self, value: Any, field: str) -> TranscriptError:
        return TranscriptError(f"expected a message of {self.label}; got {described(value)}", field=field)


def _turns(role: str, items: Items, place: Place, fields: Mapping[str, Any], **given: Any) -> Iterator[Turn]:
    """Yield the turns of a message; one without any is counted. fields: have a name, the id of a call."""
    common = {"name": text_of(fields, "name"), "tool_call_id": given_id(fields, "tool_call_id"), **given}
    turns = list(Content(tuple(items)).turns(role, **common))
    if not turns:
        place.report.omit("empty message")
    yield from turns


_LANGCHAIN_ROLES = {
    **{"human": "user", "ai": "assistant", "system": "system", "tool": "tool", "function": "function"},
    **{"chat": "", "remove": ""},  # with a role of its own; takes a message out of a state
}
_LIST_PATHS = (
    *("values.messages", "messages", "kwargs.messages", "channel_values.messages"),
    "checkpoint.channel_values.messages",
)
_THREAD_IDS = tuple(
    f"{prefix}{name}"
    for prefix in ("", "checkpoint.", "config.configurable.")
    for name in CONVERSATION_ID_FIELDS
)
_STATE_TIME = "created_at"


class LangChainFormat(FrameworkMessages):
    """Messages of `messages_to_dict`, `dumpd` or `model_dump`; of a thread's states, the newest one."""

    name = "langchain"
    label = "LangChain messages"

    def is_message(self, value: Any) -> bool:
        """Return whether it is a dumped message; plain ones of other types have few fields of their own."""
        type_, fields = _langchain_fields(value)
        has_own_fields = "additional_kwargs" in fields or "tool_call_id" in fields
        return bool(type_) and (fields is not value or type_ in ("human", "ai") or has_own_fields)

    def lists(self, value: Mapping[str, Any]) -> Iterator[MessageList]:
        """Yield the messages of a state, wherever they are in it."""
        thread = given_id(value, *_THREAD_IDS) or ""
        time = {_STATE_TIME: text_of(value, _STATE_TIME) or ""} if thread and "values" in value else {}
        for path in _LIST_PATHS:
            if self.is_list(messages := value_at(value, path)):
                yield MessageList(path, messages, thread, time)
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
        type_, fields = _langchain_fields(message)
        if not type_:
            raise self._error(message, field)
        if type_ == "remove":
            place.report.omit("message removal")
            return
        extra, details = mapping_of(fields, "additional_kwargs"), mapping_of(fields, "response_metadata")
        role = _LANGCHAIN_ROLES[type_] or text_of(fields, "role") or "user"
        if type_ == "system" and extra.get("__openai_role__") == "developer":
            role = "developer"
        if extra.get("lc_source") == "summarization":  # it stands for removed messages, and is always sent
            role = "system"
        if fields.get("artifact") is not None:
            place.report.omit("tool artifact")
        moment = place.time({**details, **extra, **fields}, field)
        items = _langchain_items(fields, extra, field)
        yield from _turns(role, items, place, fields, id=given_id(fields, "id"), timestamp=moment)


def _langchain_fields(value: Any) -> tuple[str, Mapping[str, Any]]:
    """Return the type of a dumped message in lower case, and its fields; "" for anything else."""
    type_, path = value_at(value, "type"), value_at(value, "id")
    fields: Any = mapping_of(value, "data") or value
    if type_ == "constructor" and isinstance(path, list) and path:
        type_, fields = path[-1], value.get("kwargs")
    if not isinstance(type_, str) or not isinstance(fields, Mapping) or "content" not in fields:
        return "", {}
    name = type_.removesuffix("Chunk").removesuffix("Message").lower()
    return (name, fields) if name in _LANGCHAIN_ROLES else ("", {})


def _langchain_items(fields: Mapping[str, Any], extra: Mapping[str, Any], field: str) -> Items:
    """Yield what was thought, said and called; calls that the content repeats count once."""
    lists = {
        key: value
        for key in ("tool_calls", "invalid_tool_calls")
        if isinstance(value := fields.get(key), list)
    }
    calls = [
        call
        for key, listed in lists.items()
        for call in listed
        if isinstance(call, Mapping) and (key == "tool_calls" or text_of(call, "name"))
    ]
    ids = {given_id(call, "id") for call in calls} - {None}
    blocks = fields["content"]
    if isinstance(blocks, list):
        blocks = [
            each for each in blocks if ids.isdisjoint((given_id(each, "id"), given_id(each, "call_id")))
        ]
    if thought := text_of(extra, "reasoning_content"):
        yield ContentPart("thinking", thought)
    yield from read_blocks(blocks, f"{field}.content").items
    yield from read_calls({"tool_calls": calls}, field) or read_calls(extra, f"{field}.additional_kwargs")


class LlamaIndexFormat(FrameworkMessages):
    """The file of a `SimpleChatStore`, each key a conversation, a memory buffer, lists of `ChatMessage`."""

    name = "llama-index"
    label = "LlamaIndex chat store"

    def is_message(self, value: Any) -> bool:
        """Return whether it has a role, and typed blocks or the fields of the model's provider."""
        if not isinstance(value, Mapping) or "role" not in value or "type" in value:
            return False
        blocks = value.get("blocks")
        has_blocks = isinstance(blocks, list) and all(value_at(block, "block_type") for block in blocks)
        return has_blocks or ("content" in value and "additional_kwargs" in value)

    def lists(self, value: Mapping[str, Any]) -> Iterator[MessageList]:
        """Yield the conversations of a chat store, which may be in a memory buffer."""
        path = "chat_store.store" if isinstance(value.get("chat_store"), Mapping) else "store"
        for key, messages in mapping_of(value, path).items():
            if self.is_list(messages):
                yield MessageList(f"{path}.{key}", messages, key)
        yield from super().lists(value)

    def turns(self, message: Any, field: str, place: Place) -> Iterator[Turn]:
        """Yield the turns of a message."""
        if not (role := text_of(message, "role")):
            raise self._error(message, field)
        extra = mapping_of(message, "additional_kwargs")
        if isinstance(message.get("blocks"), list):
            items = tuple(_llama_items(message["blocks"], f"{field}.blocks"))
        else:
            items = read_blocks(message.get("content"), f"{field}.content").items
        if not any(isinstance(item, ToolCall) for item in items):
            items = (*items, *read_calls(extra, f"{field}.additional_kwargs"))
        role = "assistant" if role in ("chatbot", "model") else role
        moment = place.time({**extra, **message}, field)
        yield from _turns(role, items, place, extra, id=given_id(message, "id"), timestamp=moment)


def _llama_items(blocks: list[Any], field: str) -> Items:
    for index, block in enumerate(blocks):
        name, type_ = f"{field}[{index}]", text_of(block, "block_type")
        if not type_:
            raise TranscriptError("there is no type of block", field=f"{name}.block_type")
        if type_ == "tool_call":
            names = {"id": "tool_call_id", "name": "tool_name", "args": "tool_kwargs"}
            yield block_call({key: block.get(own) for key, own in names.items()}, name)
        elif type_ in ("citable", "citation") and isinstance(block.get("content"), list):
            yield from _llama_items(block["content"], f"{name}.content")
        elif text := text_of(block, "content" if type_ == "thinking" else "text"):
            yield ContentPart("thinking" if type_ == "thinking" else "text", text)
        elif type_ not in ("text", "thinking", "cache"):
            yield ContentPart(type_, placeholder(type_, block))


_INSTRUCTIONS = ("system-prompt", "instruction-delta", SUMMARY_PART)
_MEDIA = {"image-url": "image", "audio-url": "audio", "video-url": "video", "document-url": "document"}


class PydanticAIFormat(FrameworkMessages):
    """Each part of a request is a turn; a response is one, apart from the results of the provider's tools."""

    name = "pydantic-ai"
    label = "pydantic-ai messages"

    def is_message(self, value: Any) -> bool:
        """Return whether it is a request or a response with typed parts."""
        parts = value_at(value, "parts") if text_of(value, "kind") in ("request", "response") else None
        return isinstance(parts, list) and all(
            isinstance(part, Mapping) and "part_kind" in part for part in parts
        )

    def turns(self, message: Any, field: str, place: Place) -> Iterator[Turn]:
        """Yield the turns of a request or a response."""
        parts, kind = value_at(message, "parts"), text_of(message, "kind")
        if not isinstance(parts, list) or kind not in ("request", "response"):
            raise self._error(message, field)
        moment = place.time(message, field)
        if instructions := text_of(message, "instructions"):
            yield Turn.of("system", instructions, timestamp=moment)
        said: list[Item] = []
        for index, part in enumerate(parts):
            name = f"{field}.parts[{index}]"
            items = tuple(_pydantic_items(part, name))
            if not items:
                place.report.omit("empty part")
            if kind == "response" and part["part_kind"] != SUMMARY_PART:
                said += items
                continue
            role = "system" if part["part_kind"] in _INSTRUCTIONS else "user"
            yield from Content(items).turns(role, timestamp=place.time(part, name) or moment)
        id = given_id(message, "provider_response_id")
        yield from Content(tuple(said)).turns("assistant", id=id, timestamp=moment)

    def link_turns(self, turns: Sequence[Turn]) -> tuple[Turn, ...]:
        """Return the turns without instructions that an earlier request has too."""
        first = {
            turn.text: index for index, turn in reversed(list(enumerate(turns))) if turn.role == "system"
        }
        return tuple(
            turn for index, turn in enumerate(turns) if turn.role != "system" or first[turn.text] == index
        )


def _pydantic_items(part: Any, field: str) -> Items:
    """Yield what a part says, calls or gives back."""
    type_, tool, id = text_of(part, "part_kind"), text_of(part, "tool_name"), given_id(part, "tool_call_id")
    if not type_:
        raise TranscriptError("there is no kind of part", field=f"{field}.part_kind")
    if type_.endswith("tool-call"):
        if not tool:
            raise TranscriptError("the called tool has no name", field=f"{field}.tool_name")
        yield ToolCall(id or "", tool, arguments_text(part.get("args"), f"{field}.args"))
    elif type_.endswith("tool-return") or (type_ == "retry-prompt" and tool):
        yield ToolResult(id, _pydantic_parts(part.get("content"), f"{field}.content"), tool)
    elif type_ == "thinking":
        yield ContentPart("thinking", text_of(part, "content") or "[thinking]")
    elif type_ == SUMMARY_PART:  # it stands for earlier messages, and may be encrypted
        yield ContentPart(SUMMARY_PART, text_of(part, "content") or "[compaction]")
    elif type_ == "speech":
        yield ContentPart("audio", text_of(part, "transcript") or "[audio]")
    else:
        yield from _pydantic_parts(part.get("content"), f"{field}.content")


def _pydantic_parts(content: Any, field: str) -> tuple[ContentPart, ...]:
    """Return the text of a content, with media as placeholders, and as JSON what is neither."""
    kind = text_of(content, "kind")
    if kind == "text-content":
        content = text_of(content, "content")
    if content is None or kind == "cache-point":
        return ()
    if kind in (*_MEDIA, "binary", "uploaded-file"):
        media_type = text_of(content, "media_type") or "file"
        what = _MEDIA.get(kind) or media_type.partition("/")[0].replace("application", "file")
        return (ContentPart(what, placeholder(what, content)),)
    if isinstance(content, list) and any(isinstance(item, str) or text_of(item, "kind") for item in content):
        return tuple(part for item in content for part in _pydantic_parts(item, field))
    return json_parts(content, field)
