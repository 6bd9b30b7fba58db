"""Items of OpenAI's Responses API: messages, reasoning, calls and their outputs, tools of the provider."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from convgate.core.conversation import SUMMARY_PART, ContentPart, ToolCall, Turn
from convgate.core.errors import TranscriptError
from convgate.transcripts.blocks import call_of, json_parts
from convgate.transcripts.dialects.base import Dialect, Message, as_result, own_use, parts_of
from convgate.transcripts.identity import given_id
from convgate.transcripts.openai_messages import content_parts, turn_from_message

REFERENCE = "item_reference"
SUMMARIES = frozenset({"compaction", "compaction_summary"})
"""Items that stand for earlier ones, which the client removed."""
ALWAYS_SENT = SUMMARIES | {
    "additional_tools", "compaction_trigger", "configuration_update", "mcp_list_tools", "tool_search_call",
    "tool_search_output",
}  # fmt: skip
"""Items that later ones depend on."""
SILENT = {REFERENCE, *ALWAYS_SENT} - SUMMARIES
"""Items of which there is nothing to read."""

_TEXT_OUTPUTS = frozenset({"function_call_output", "custom_tool_call_output", "local_shell_call_output"})
_REQUEST, _RESPONSE = "mcp_approval_request", "mcp_approval_response"
_ARGUMENTS = ("arguments", "input", "action", "actions", "operation", "queries", "code")
_RESULTS = ("output", "error", "results", "outputs")
_TEXT_PARTS = ("input_", "output_", "text", "refusal")  # beginnings of types
_JOINS = {
    "reasoning": {"reasoning", "model"}, "model": {"reasoning", "model"}, "always": {"reasoning"},
}  # fmt: skip
"""By kind of item: the kinds of the item before with which it is of one response."""


class OpenAIResponses(Dialect):
    """What a model gave in one response follows each other; reasoning is refused without what it led to.

    An item is a turn. A call with a `call_id` waits for its output; one without was run by the provider.
    """

    name = "openai-responses"
    label = "OpenAI Responses items"
    images_follow_results = False

    def mark(self, message: Message) -> str | None:
        """Return `type` of every item but messages, which chat messages look like."""
        return "type" if is_item(message) and _type(message) != "message" else None

    def read(self, message: Message, field: str) -> Turn:
        """Return an item as a turn; TranscriptError for a reference to what the server stores."""
        type_, id = _type(message), given_id(message, "id")
        if type_ == "message":
            return turn_from_message(message, field)
        if type_ == "reasoning":
            return Turn("assistant", _thoughts(message), id=id, source=message)
        if type_ in ALWAYS_SENT:
            part = ContentPart(SUMMARY_PART if type_ in SUMMARIES else "text", f"[{type_}]")
            return Turn("developer", (part,), id=id, source=message)
        if type_.endswith("_output") or type_ == _RESPONSE:
            answered = given_id(message, "call_id", "approval_request_id", "id")
            key = "approve" if type_ == _RESPONSE else "output"
            parts = as_result(_output(message.get(key), f"{field}.{key}"))
            return Turn("tool", parts, id=id, tool_call_id=answered, source=message)
        if not type_.endswith("_call") and type_ != _REQUEST:
            problem = f"items of type {type_!r} are not known"
            if type_ == REFERENCE:
                problem = "the item that this refers to is on the server; it can be read only if it is sent"
            raise TranscriptError(problem, field=f"{field}.type")
        call, output = read_call(message, field)
        if output is None:
            return Turn("assistant", id=id, tool_calls=(call,), source=message)
        image = ContentPart("image", "[image]")
        part = image if type_ == "image_generation_call" else own_use(call, output)
        return Turn("assistant", (part,), id=id, source=message)

    def replace_result(self, message: Message, call_id: str, text: str) -> Message | None:
        """Return a copy of an output with a text in its place; of outputs that are objects there is none."""
        output = message.get("output")
        if _type(message) not in _TEXT_OUTPUTS or given_id(message, "call_id", "id") != call_id:
            return None
        if not isinstance(output, str | list):
            return None
        return {
            **message,
            "output": text if isinstance(output, str) else [{"type": "input_text", "text": text}],
        }

    def link(self, turn: Turn, before: Sequence[Turn]) -> Turn:
        """Return the turn with its place in a response, and the id of a call that it names by its item's."""
        kind = _kind(turn)
        if turn.tool_call_id and not given_id(turn.source or {}, "call_id"):
            calls = (call for other in before if other.id == turn.tool_call_id for call in other.tool_calls)
            return replace(turn, tool_call_id=next((call.id for call in calls), turn.tool_call_id))
        continues = bool(before) and _kind(before[-1]) in _JOINS.get(kind, ())
        needs_next = kind == "reasoning"
        return replace(turn, continues=continues, needs_next=needs_next) if continues or needs_next else turn


def is_item(value: Any) -> bool:
    """Return whether a value is an item that no chat message looks like."""
    type_ = value.get("type") if isinstance(value, Mapping) else None
    if not isinstance(type_, str):
        return False
    if type_ == "message":
        content = value.get("content")
        parts = [str(part.get("type")) for _, part in parts_of(value)][:1]
        is_text = isinstance(content, str) or any(part.startswith(("input_", "output_")) for part in parts)
        return "role" in value and is_text
    if "role" in value:
        return False
    if type_ == "reasoning":
        return "summary" in value or "encrypted_content" in value
    is_call = type_.endswith(("_call", "_output")) and type_ != "tool_call"
    has_own_fields = not {"call_id", "id", "status"}.isdisjoint(value)
    return type_ in ALWAYS_SENT | {REFERENCE, _REQUEST, _RESPONSE} or (is_call and has_own_fields)


def _type(item: Mapping[str, Any]) -> str:
    """Return the type of an item; short messages and references have none."""
    return str(item.get("type") or ("message" if "role" in item else REFERENCE))


def read_call(item: Message, field: str) -> tuple[ToolCall, tuple[ContentPart, ...] | None]:
    """Return the call of an item, and what it gave back where the provider ran it; None: it waits."""
    type_, id = _type(item), given_id(item, "call_id", "id")
    key = next((key for key in _ARGUMENTS if item.get(key) is not None), "arguments")
    name = item.get("name") or type_.removesuffix("_call")
    call = call_of(id, name, item.get(key), f"{field}.{key}")
    result = next((key for key in _RESULTS if item.get(key) is not None), None)
    if result is None and (type_ == _REQUEST or given_id(item, "call_id")):
        return call, None
    return call, as_result(_output(item[result], f"{field}.{result}")) if result else ()


def _kind(turn: Turn) -> str:
    type_ = _type(turn.source or {})
    if type_ in ALWAYS_SENT:
        return "always"
    is_models = (
        type_.endswith("_call") or type_ == _REQUEST or (type_ == "message" and turn.role == "assistant")
    )
    return "model" if is_models else type_


def _thoughts(item: Message) -> tuple[ContentPart, ...]:
    texts = (part.get("text") for key in ("summary", "content") for _, part in parts_of(item, key))
    return tuple(ContentPart("thinking", text) for text in texts if isinstance(text, str) and text)


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
    return json_parts(output, field)
