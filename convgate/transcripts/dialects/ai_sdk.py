"""Messages of Vercel's AI SDK: `ModelMessage` for models, `UIMessage` for apps, both with typed parts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from convgate.core.conversation import ContentPart, ToolCall, Turn
from convgate.transcripts.characters import writable
from convgate.transcripts.dialects.base import (
    Dialect,
    Message,
    as_result,
    call_of,
    own_use,
    parts_of,
    text_role,
    turn_of,
    typed_part,
    value_parts,
)
from convgate.transcripts.formats.openai_messages import content_parts

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
        results: dict[str, tuple[ContentPart, ...]] = {}
        calls: list[ToolCall] = []
        parts: list[ContentPart] = []
        for place, part in parts_of(message):
            name, type_ = f"{field}.content[{place}]", part.get("type")
            if type_ == "tool-call":
                calls.append(_call(part, name))
            elif type_ == "tool-approval-request":
                calls.append(call_of(part.get("approvalId"), "approval", None, name))
            elif type_ == "tool-result":
                results[str(part.get("toolCallId") or "")] = _output(part, name)
            elif type_ == "tool-approval-response":
                approved = "approved" if part.get("approved") else "denied"
                results[str(part.get("approvalId") or "")] = (ContentPart("text", approved),)
            else:
                parts += _said(part, name)
        if isinstance(content, str):
            parts = list(content_parts(content, f"{field}.content"))
        own = {call.id: call for call in calls if call.id in results}
        for id, result in results.items():
            parts += [own_use(own[id], result)] if id in own else as_result(result)
        answers = [id for id in results if id not in own]
        return turn_of(message, role, parts, [call for call in calls if call.id not in own], answers)


class AISDKUI(Dialect):
    """A message has its calls together with their results, in `parts`, or before version 5 beside them."""

    name = "ai-sdk-ui"
    label = "AI SDK UIMessage"

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
                parts.append(_ui_use(use, f"{field}.toolInvocations[{place}]"))
            if message.get("content") is not None:
                parts += content_parts(message["content"], f"{field}.content")
        return turn_of(message, role, parts)

    def message(self, role: str, text: str) -> Message:
        """Return a new message."""
        return {"role": role, "parts": [{"type": "text", "text": text}]}


def _call(part: Mapping[str, Any], field: str) -> ToolCall:
    arguments = part.get("input", part.get("args"))
    return call_of(part.get("toolCallId"), part.get("toolName"), arguments, f"{field}.input")


def _output(part: Mapping[str, Any], field: str) -> tuple[ContentPart, ...]:
    output = part.get("output", part.get("result", part.get("errorText")))
    if isinstance(output, Mapping) and isinstance(output.get("type"), str) and "value" in output:
        output = output["value"]
    if isinstance(output, list) and all(isinstance(each, Mapping) and "type" in each for each in output):
        return content_parts(output, f"{field}.output")
    return value_parts(output, f"{field}.output")


def _said(part: Mapping[str, Any], field: str) -> tuple[ContentPart, ...]:
    type_, text = part.get("type"), part.get("text")
    if type_ == "reasoning":
        return (ContentPart("thinking", writable(text)),) if isinstance(text, str) and text else ()
    return content_parts([part], field)


def _ui_part(part: Mapping[str, Any], field: str) -> tuple[ContentPart, ...]:
    type_ = str(part.get("type"))
    if type_ == "tool-invocation" and isinstance(use := part.get("toolInvocation"), Mapping):
        return (_ui_use(use, field),)
    if type_ == "dynamic-tool" or type_.startswith("tool-"):
        named = part.get("toolName") or type_.removeprefix("tool-")
        return (_ui_use({**part, "toolName": named}, field),)
    if type_ in ("step-start", "source-url", "source-document") or type_.startswith("data-"):
        return ()
    return _said(part, field)


def _ui_use(use: Mapping[str, Any], field: str) -> ContentPart:
    return own_use(_call(use, field), _output(use, field))
