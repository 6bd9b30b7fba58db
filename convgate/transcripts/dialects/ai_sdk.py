"""Messages of Vercel's AI SDK: `ModelMessage` for models, `UIMessage` for apps, both with typed parts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from convgate.core.conversation import DATA_PART, ContentPart, ToolCall, Turn
from convgate.transcripts.blocks import Item, ToolResult, call_of, json_parts
from convgate.transcripts.dialects.base import (
    Dialect,
    Message,
    Part,
    own_use,
    parts_of,
    text_role,
    turn_of,
    typed_part,
)
from convgate.transcripts.identity import given_id
from convgate.transcripts.openai_messages import content_parts

_MODEL_PARTS = frozenset({"tool-call", "tool-result", "tool-approval-request", "tool-approval-response"})


class AISDKModel(Dialect):
    """Calls and results are parts; a message of the role tool may have several results."""

    name = "ai-sdk"
    label = "AI SDK ModelMessage"

    def mark(self, message: Message) -> str | None:
        """Return the first part of a tool."""
        return typed_part(message, _MODEL_PARTS.__contains__)

    def read(self, message: Message, field: str) -> Turn:
        """Return a message as a turn; what the provider ran has its result beside the call."""
        role, content = text_role(message, field), message.get("content")
        if isinstance(content, str):
            return turn_of(message, role, content_parts(content, f"{field}.content"))
        items: list[Item] = []
        for place, part in parts_of(message):
            items += _model_items(part, f"{field}.content[{place}]")
        return turn_of(message, role, items)

    def replace_result(self, message: Message, call_id: str, text: str) -> Message | None:
        """Return a copy of a tool's message; what the provider ran stands in the assistant's, and stays."""
        return super().replace_result(message, call_id, text) if message.get("role") == "tool" else None

    def _with_text(self, part: Part, call_id: str, text: str) -> Part | None:
        is_result = part.get("type") == "tool-result" and part.get("toolCallId") == call_id
        return _with_output(part, text) if is_result else None


class AISDKUI(Dialect):
    """A message has its calls together with their results, in `parts`, or before version 5 beside them."""

    name = "ai-sdk-ui"
    label = "AI SDK UIMessage"
    parts_key = "parts"

    def mark(self, message: Message) -> str | None:
        """Return `parts` with a typed one, or the calls beside the content."""
        if message.get("toolInvocations"):
            return "toolInvocations"
        typed = any(isinstance(part.get("type"), str) for _, part in parts_of(message, "parts"))
        is_empty = message.get("parts") == [] and "id" in message  # an answer that was broken off
        return "parts" if typed or is_empty else None

    def read(self, message: Message, field: str) -> Turn:
        """Return a message as a turn."""
        role = text_role(message, field)
        parts: list[ContentPart] = []
        for place, part in parts_of(message, "parts"):
            parts += _ui_part(part, f"{field}.parts[{place}]")
        if not parts_of(message, "parts"):
            for place, use in parts_of(message, "toolInvocations"):
                parts += _ui_part({"type": "tool-invocation", **use}, f"{field}.toolInvocations[{place}]")
            if message.get("content") is not None:
                parts += content_parts(message["content"], f"{field}.content")
        said = [part for part in parts if part.kind != DATA_PART]
        return turn_of(message, role, said or parts)

    def replace_result(self, message: Message, call_id: str, text: str) -> Message | None:
        """Return a copy of a message with a text in place of what a call beside it gave back."""
        if parts_of(message, "parts"):
            return super().replace_result(message, call_id, text)
        uses = message.get("toolInvocations")
        changed = super().replace_result({"parts": uses}, call_id, text)
        return changed and {**message, "toolInvocations": changed["parts"]}

    def _with_text(self, part: Part, call_id: str, text: str) -> Part | None:
        inner = part.get("toolInvocation")
        if isinstance(inner, Mapping):
            changed = self._with_text(inner, call_id, text)
            return changed and {**part, "toolInvocation": changed}
        is_own = part.get("toolCallId") == call_id and not part.get("providerExecuted")
        return _with_output(part, text) if is_own else None

    def message(self, role: str, text: str) -> Message:
        """Return a new message."""
        return {"role": role, "parts": [{"type": "text", "text": text}]}


def _model_items(part: Mapping[str, Any], field: str) -> Sequence[Item]:
    type_ = part.get("type")
    if type_ == "tool-call":
        return [_call(part, field)]
    if type_ == "tool-approval-request":
        return [call_of(part.get("approvalId"), "approval", None, field)]
    if type_ == "tool-result":
        return [ToolResult(given_id(part, "toolCallId"), _output(part, field))]
    if type_ == "tool-approval-response":
        approved = ContentPart("text", "approved" if part.get("approved") else "denied")
        return [ToolResult(given_id(part, "approvalId"), (approved,))]
    return _said(part, field)


def _call(part: Mapping[str, Any], field: str) -> ToolCall:
    arguments = part.get("input", part.get("args"))
    return call_of(part.get("toolCallId"), part.get("toolName"), arguments, f"{field}.input")


def _output(part: Mapping[str, Any], field: str) -> tuple[ContentPart, ...]:
    output = part.get("output", part.get("result", part.get("errorText")))
    if isinstance(output, Mapping) and isinstance(output.get("type"), str) and "value" in output:
        output = output["value"]
    if isinstance(output, list) and all(isinstance(each, Mapping) and "type" in each for each in output):
        return content_parts(output, f"{field}.output")
    return json_parts(output, f"{field}.output")


def _with_output(part: Part, text: str) -> Part | None:
    key = next((key for key in ("output", "result", "errorText") if part.get(key) is not None), None)
    if key is None:
        return None
    output = part[key]
    if key == "output" and isinstance(output, Mapping) and "value" in output:  # of a ModelMessage
        is_error = str(output.get("type")).startswith("error")
        return {**part, key: {"type": "error-text" if is_error else "text", "value": text}}
    return {**part, key: text}


def _said(part: Mapping[str, Any], field: str) -> tuple[ContentPart, ...]:
    type_, text = part.get("type"), part.get("text")
    if type_ == "reasoning":
        return (ContentPart("thinking", text),) if isinstance(text, str) and text else ()
    return content_parts([part], field)


def _ui_part(part: Mapping[str, Any], field: str) -> tuple[ContentPart, ...]:
    type_ = str(part.get("type"))
    if type_ == "dynamic-tool" or type_.startswith("tool-"):
        inner = part.get("toolInvocation")  # of version 4
        use = {"toolName": type_.removeprefix("tool-"), **(inner if isinstance(inner, Mapping) else part)}
        return (own_use(_call(use, field), _output(use, field)),)
    if type_ in ("step-start", "source-url", "source-document"):
        return ()
    if type_.startswith("data-"):
        return (ContentPart(DATA_PART, f"[{type_}]"),)
    return _said(part, field)
