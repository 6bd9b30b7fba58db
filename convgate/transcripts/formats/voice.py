"""Calls of tools and their results in messages of voice agents: Retell, ElevenLabs and Vapi."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from convgate.core.conversation import ContentPart, ToolCall
from convgate.transcripts.blocks import ToolResult, json_parts
from convgate.transcripts.characters import writable
from convgate.transcripts.exports import objects_in
from convgate.transcripts.fields import text_of, value_at
from convgate.transcripts.formats.openai_messages import arguments_text, content_parts
from convgate.transcripts.identity import given_id
from convgate.transcripts.json_text import Place

_CALL, _RESULT, _CALLS = "tool_call_invocation", "tool_call_result", "tool_calls"  # roles of no words
VOICE_ROLES = {"agent": "assistant", _CALL: "assistant", _CALLS: "assistant", _RESULT: "tool"}
"""What voice agents call roles; an agent is also a person's job elsewhere."""

_IDS = ("request_id", "tool_call_id", "toolCallId", "id")
_NAME, _ARGUMENTS = "tool_name|function.name|name", "params_as_json|function.arguments|arguments"
_RETURNED = "result_value|result|content"


def voice_items(
    message: Mapping[str, Any], field: str, place: Place
) -> Iterator[ContentPart | ToolCall | ToolResult]:
    """Yield what is said in a message, the calls in it, and the results; a call without a name is counted."""
    role = message.get("role")
    text = value_at(message, "message|content")
    if text is not None and role not in (_CALL, _RESULT, _CALLS):
        yield from content_parts(text, f"{field}.message")
    calls = [call for key in ("tool_calls", "toolCalls") for call in objects_in(message, key, field)]
    for call in [message] if role == _CALL else calls:
        if (name := text_of(call, _NAME)) is None:
            place.report.omit("call of a tool without a name")
            continue
        arguments = arguments_text(value_at(call, _ARGUMENTS), f"{field}.arguments")
        yield ToolCall(given_id(call, *_IDS) or "", writable(name), writable(arguments))
    results = objects_in(message, "tool_results", field)
    for result in [message] if role == _RESULT else results:
        name = text_of(result, _NAME)
        parts = json_parts(value_at(result, _RETURNED), f"{field}.result")
        yield ToolResult(given_id(result, *_IDS), parts, writable(name) if name else None)
