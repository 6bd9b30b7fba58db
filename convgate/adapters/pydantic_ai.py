"""pydantic-ai 2.x: a capability that sends the model a selection.

    agent = Agent(model, capabilities=[SelectionCapability()])

The history of the run keeps all messages.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
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
        request_context.messages = await self.process(request_context.messages)
        return request_context

    async def process(self, messages: list[ModelMessage]) -> list[ModelMessage]:
        """Return the messages to send, in order; of a request that loses some of its parts, a copy."""
        rows: list[tuple[int, Any]] = []  # a response, a part of a request, or a request without parts
        for index, message in enumerate(messages):
            parts = message.parts if isinstance(message, ModelRequest) else ()
            rows += [(index, item) for item in parts or (message,)]
        always = [row for row, (_, item) in enumerate(rows) if _is_required(item)]
        kept: dict[int, list[Any]] = {}
        for row in await self.selector.akeep([item for _, item in rows], to_openai, always):
            index, item = rows[row]
            kept.setdefault(index, []).append(item)
        return [_with_parts(messages[index], items) for index, items in kept.items()]


def _with_parts(message: ModelMessage, items: list[Any]) -> ModelMessage:
    if not isinstance(message, ModelRequest) or len(items) >= len(message.parts):
        return message
    return replace(message, parts=items)  # with its timestamp, run_id, instructions and metadata


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
