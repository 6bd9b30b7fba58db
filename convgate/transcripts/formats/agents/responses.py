"""Items of OpenAI's Responses API: requests, responses, and lists of items."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from convgate.core.conversation import ContentPart, ToolCall, Turn
from convgate.core.errors import TranscriptError
from convgate.transcripts.blocks import Content, ToolResult
from convgate.transcripts.characters import writable
from convgate.transcripts.exports import MessageExport, join_turns
from convgate.transcripts.fields import text_of
from convgate.transcripts.formats.openai_messages import arguments_text, content_parts
from convgate.transcripts.identity import given_id
from convgate.transcripts.json_text import Place, kind
from convgate.transcripts.timestamps import time_of

_LISTS = ("input", "items", "output")
_ARGUMENTS = ("arguments", "input", "action", "operation", "queries", "code")
_RESULTS = ("output", "error", "results", "outputs")
_SILENT = ("item_reference", "compaction", "mcp_list_tools", "mcp_approval_request", "mcp_approval_response")
_TEXT_PARTS = ("input_", "output_", "text", "refusal")  # beginnings of types


class ResponsesFormat(MessageExport):
    """Items: messages, calls and their outputs, reasoning; a run of an answer's items is one turn."""

    name = "openai-responses"
    label = "OpenAI Responses items"
    expected = "an object with 'input' or 'output', a list of items, or an item with 'type'"

    def list_key(self, fields: Mapping[str, Any]) -> str | None:
        """Return the first of `input`, `items` and `output` that is a list with an item."""
        for key in _LISTS:
            items = fields.get(key)
            if isinstance(items, list) and any(map(self.is_message, items[:50])):
                return key
        return None

    def is_message(self, value: Any) -> bool:
        """Return whether it is an item, or a message in the short form."""
        return is_item(value) or (isinstance(value, Mapping) and "role" in value and "content" in value)

    def has_own_fields(self, value: Mapping[str, Any]) -> bool:
        """Return whether it is an item, has one, or is a request or a response."""
        key = self.list_key(value)
        if key is None:
            return is_item(value)
        return "instructions" in value or value.get("object") == "response" or any(map(is_item, value[key]))

    def turns(self, message: Any, field: str, place: Place) -> Iterator[Turn]:
        """Yield one item as turns."""
        moment = time_of(message, field, place.warn)[1] if isinstance(message, Mapping) else None
        yield from item_turns(message, field, place, moment)

    def link_turns(self, turns: Sequence[Turn]) -> tuple[Turn, ...]:
        """Return the turns, with the items of an answer as one."""
        return tuple(join_turns(turns))

    def other_turns(self, fields: Mapping[str, Any], place: Place) -> tuple[Iterable[Turn], Iterable[Turn]]:
        """Return the instructions and an `input` that is a text, and the `output` behind an input."""
        before = [
            Turn.of(role, writable(text))
            for role, key in (("system", "instructions"), ("user", "input"))
            if (text := text_of(fields, key))
        ]
        response = fields.get("response")
        nested = response.get("output") if isinstance(response, Mapping) else None
        output = fields.get("output") if self.list_key(fields) != "output" else None
        after = [
            turn
            for items, key in ((output, "output"), (nested, "response.output"))
            if items is not None
            for turn in self.turns_in(items, key, place)
        ]
        return before, after


def is_item(value: Any) -> bool:
    """Return whether a value is an item that no chat message looks like."""
    type_ = value.get("type") if isinstance(value, Mapping) else None
    if not isinstance(type_, str):
        return False
    if type_ == "message":
        content = value.get("content")
        first = content[0] if isinstance(content, list) and content else None
        part = first.get("type") if isinstance(first, Mapping) else None
        return "role" in value and (isinstance(content, str) or str(part).startswith(("input_", "output_")))
    if type_ == "reasoning":
        return "summary" in value or "encrypted_content" in value
    has_id = "call_id" in value or "id" in value
    return type_ in _SILENT or (has_id and type_.endswith(("_call", "_output")) and type_ != "tool_call")


def item_turns(item: Any, field: str, place: Place, moment: datetime | None) -> Iterator[Turn]:
    """Yield an item as turns: a call that the provider ran comes with its result.

    Raises TranscriptError, naming the item in `field`.
    """
    dot = f"{field}." if field else ""
    type_ = item.get("type", "message") if isinstance(item, Mapping) else None
    if not isinstance(type_, str):
        raise TranscriptError(f"an item is an object with a type, got {kind(item)}", field=field or None)
    role, content = "assistant", Content()
    if type_ == "message":
        role = text_of(item, "role") or ""
        if not role:
            raise TranscriptError("there is no role", field=f"{dot}role")
        content = Content(content_parts(item.get("content"), f"{dot}content"))
    elif type_ == "reasoning":
        content = Content(tuple(_reasoning(item)))
        if not content.items:
            place.report.omit("encrypted reasoning")
    elif type_ == "image_generation_call":
        content = Content((ContentPart("image", "[image]"),))
    elif type_.endswith("_call"):
        content = Content(tuple(_call(item, type_.removesuffix("_call"), dot)))
    elif type_.endswith("_output"):
        call_id = given_id(item, "call_id", "id")
        content = Content((ToolResult(call_id, _output(item.get("output"), f"{dot}output")),))
    else:
        place.report.omit("item without a message")
    yield from content.turns(writable(role), id=given_id(item, "id"), timestamp=moment)


def _reasoning(item: Mapping[str, Any]) -> Iterator[ContentPart]:
    for key in ("summary", "content"):
        parts = item.get(key)
        for part in parts if isinstance(parts, list) else ():
            if isinstance(part, Mapping) and (text := text_of(part, "text")):
                yield ContentPart("thinking", writable(text))


def _call(item: Mapping[str, Any], tool: str, dot: str) -> Iterator[ToolCall | ToolResult]:
    """Yield a call; its result follows where it has one, or where no other item can bring it."""
    id, name = given_id(item, "call_id", "id") or "", text_of(item, "name") or tool
    key = next((key for key in _ARGUMENTS if item.get(key) is not None), "arguments")
    yield ToolCall(id, writable(name), writable(arguments_text(item.get(key), f"{dot}{key}")))
    result = next((key for key in _RESULTS if item.get(key) is not None), None)
    if result or not given_id(item, "call_id"):
        parts = _output(item[result], f"{dot}{result}") if result else (ContentPart("result", "[result]"),)
        yield ToolResult(id, parts, writable(name))


def _output(output: Any, field: str) -> tuple[ContentPart, ...]:
    """Return a tool's output as parts; what is neither text nor parts comes as JSON."""
    if isinstance(output, Mapping):
        if isinstance(output.get("content"), str | list):
            output = output["content"]
        elif isinstance(output.get("type"), str):
            return content_parts([output], field)
    if isinstance(output, list) and all(
        isinstance(part, Mapping) and str(part.get("type")).startswith(_TEXT_PARTS) for part in output
    ):
        return content_parts(output, field)
    return content_parts(arguments_text(output, field), field)
