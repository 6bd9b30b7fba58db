"""pydantic-ai 2.x: a capability that sends the model a selection.

    agent = Agent(model, capabilities=[SelectionCapability()])

The history of the run keeps all messages.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from operator import itemgetter
from typing import Any

from convgate.adapters.selection import MessageSelector, Source
from convgate.core.extras import needs_extra

with needs_extra("pydantic-ai", "the adapter of Pydantic AI"):
    from pydantic_ai.capabilities import AbstractCapability
    from pydantic_ai.messages import (
        CompactionPart,
        ModelMessage,
        ModelRequest,
        ModelResponse,
        RetryFeedbackPart,
        SystemPromptPart,
        TextContent,
        TextPart,
        ToolCallPart,
        ToolReturnPart,
        UserPromptPart,
    )

LOADING = ("capability-load", "tool-search")  # kinds of tools whose calls make other tools available


class SelectionCapability(AbstractCapability[Any]):
    """Sends the selected messages to the model; the run's history keeps all.

    `ProcessHistory(SelectionCapability().process)` instead drops messages from the run's history, for good.

    source: what chooses. budget: tokens of what is sent. Both by default as the settings have them.
    """

    def __init__(self, source: Source | None = None, budget: int | None = None) -> None:
        self.selector = MessageSelector.of(source, budget)

    async def before_model_request(self, ctx: Any, request_context: Any) -> Any:
        """Replace the messages of this request alone."""
        rows, always = _list_rows(request_context.messages)
        sent = await self.selector.aselect(rows, _row_to_openai, always, _make_row)
        request_context.messages = _join_rows(request_context.messages, sent)
        return request_context

    async def process(self, messages: list[ModelMessage]) -> list[ModelMessage]:
        """Return messages of the list, in order; of a request that loses some of its parts, a copy."""
        rows, always = _list_rows(messages)
        kept = await self.selector.akeep(rows, _row_to_openai, always)
        return _join_rows(messages, [rows[row] for row in kept])


Row = tuple[int | None, Any]
"""The index of a message, None for a new one; and the message itself, or a part of it where it has parts."""


def _list_rows(messages: Sequence[ModelMessage]) -> tuple[list[Row], list[int]]:
    """Return the rows of messages, and the places of those that are always sent."""
    rows: list[Row] = []
    for index, message in enumerate(messages):
        parts = message.parts if isinstance(message, ModelRequest) else ()
        rows += [(index, item) for item in parts or (message,)]
    return rows, [place for place, (_, item) in enumerate(rows) if _is_required(item)]


def _row_to_openai(row: Row) -> dict[str, Any]:
    return to_openai(row[1])


def _make_row(fields: Mapping[str, Any], row: Row | None) -> Row:
    """Return a row with the text of a dict: a result with a stub, or a new part."""
    if row is None:
        part = UserPromptPart if fields["role"] == "user" else SystemPromptPart
        return None, part(fields["content"])
    index, item = row
    return index, replace(item, content=fields["content"]) if isinstance(item, ToolReturnPart) else item


def _join_rows(messages: Sequence[ModelMessage], rows: Sequence[Row]) -> list[ModelMessage]:
    """Return the messages of rows; parts of none are in requests of their own."""
    joined: list[ModelMessage] = []
    for index, group in groupby(rows, key=itemgetter(0)):
        items = [item for _, item in group]
        message = ModelRequest([]) if index is None else messages[index]
        if isinstance(message, ModelRequest) and items != [message] and items != [*message.parts]:
            message = replace(message, parts=items)  # with its timestamp, run_id, instructions and metadata
        joined.append(message)
    return joined


def _is_required(item: Any) -> bool:
    """Return whether later requests depend on a response: it loads tools, or stands for earlier messages."""
    return isinstance(item, ModelResponse) and any(
        isinstance(part, CompactionPart) or getattr(part, "tool_kind", None) in LOADING for part in item.parts
    )


def to_openai(item: Any) -> dict[str, Any]:
    """Return what a selection depends on: role, text, tool calls and the id of the call it answers.

    Parts that are said by nobody, such as changes of the available tools, are instructions: always sent.
    """
    if isinstance(item, ModelResponse):
        text = "\n".join(part.content for part in item.parts if isinstance(part, TextPart))
        calls = [part for part in item.parts if isinstance(part, ToolCallPart)]
        return {"role": "assistant", "content": text} | _calls(calls)
    if isinstance(item, UserPromptPart):
        return {"role": "user", "content": _content(item.content)}
    if isinstance(item, ToolReturnPart):
        return {"role": "tool", "tool_call_id": item.tool_call_id, "content": item.model_response_str()}
    is_retry = getattr(item, "part_kind", None) == "retry-prompt"  # of histories before version 2
    if is_retry and item.tool_name is not None:
        return {"role": "tool", "tool_call_id": item.tool_call_id, "content": item.model_response()}
    # The role of feedback is not the user's, whose message stays current.
    if is_retry or isinstance(item, RetryFeedbackPart):
        return {"role": "feedback", "content": item.model_response()}
    return {"role": "system", "content": item.content if isinstance(item, SystemPromptPart) else ""}


def _calls(calls: list[ToolCallPart]) -> dict[str, Any]:
    if not calls:
        return {}
    functions = [(call, {"name": call.tool_name, "arguments": call.args_as_json_str()}) for call in calls]
    return {"tool_calls": [{"id": call.tool_call_id, "function": function} for call, function in functions]}


def _content(content: str | Sequence[Any]) -> str | list[Any]:
    """Return the text, or parts of which those without text have their kind alone."""
    if isinstance(content, str):
        return content
    parts = [part.content if isinstance(part, TextContent) else part for part in content]
    return [part if isinstance(part, str) else {"type": part.kind} for part in parts]
