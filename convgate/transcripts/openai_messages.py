"""OpenAI chat messages as turns: the way in for files, and for agents that hold a list of them.

>>> turns = turns_from_messages([{"role": "user", "content": "Hi"}])
>>> turns[0].text, turns[0].source
('Hi', {'role': 'user', 'content': 'Hi'})
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from convgate.core.conversation import ContentPart, ToolCall, Turn
from convgate.core.errors import TranscriptError
from convgate.transcripts.characters import writable
from convgate.transcripts.content_parts import content_parts
from convgate.transcripts.identity import given_id
from convgate.transcripts.json_text import kind
from convgate.transcripts.timestamps import Warn, time_of

_TOLD = {"role", "content", "name", "id", "tool_calls", "tool_call_id", "function_call", "refusal", "audio"}
_SPEAKS = ("tool_calls", "function_call", "refusal", "audio")  # what a message may have in place of content


def turns_from_messages(messages: Iterable[Mapping[str, Any]]) -> tuple[Turn, ...]:
    """OpenAI chat messages as turns, one each and in order; each message itself is its turn's `source`.

    Takes the legacy `function_call` and `function` role, content as text, null or a list of parts, and
    any role. Fields without a place of their own come in `metadata`. Nothing is changed or copied.

    Raises TranscriptError naming the field, such as `messages[3].content`.
    """
    if isinstance(messages, str | bytes | Mapping) or not isinstance(messages, Iterable):
        raise TranscriptError(f"expected a list of messages, got {kind(messages)}", field="messages")
    return tuple(turn_from_message(message, f"messages[{index}]") for index, message in enumerate(messages))


def turn_from_message(message: Any, field: str = "message", warn: Warn | None = None) -> Turn:
    """One message as a turn; `field` names it in errors.

    `warn` is told of a timestamp that cannot be read; the turn then has none.

    Raises TranscriptError when the message is not one.
    """
    if not isinstance(message, Mapping):
        hint = "; call its model_dump() first" if hasattr(message, "model_dump") else ""
        raise TranscriptError(
            f"a message is an object with role and content, got {kind(message)}{hint}", field=field
        )
    role = message.get("role")
    if not isinstance(role, str) or not role:
        problem = "there is no role" if "role" not in message else f"a role is a text, got {kind(role)}"
        raise TranscriptError(f"{problem}; usual are system, user, assistant and tool", field=f"{field}.role")
    content = message.get("content")
    if isinstance(content, str) and len(message) == 2:
        text = writable(content)
        return Turn(role, (ContentPart("text", text),) if text else (), source=message)

    parts = _parts(message, content, field)
    timestamp, moment = time_of(message, field, warn)
    name = _text(message, "name", field)
    if name is None and role == "tool":
        name = _text(message, "tool_name", field)
    return Turn(
        role=role,
        parts=parts,
        id=given_id(message, "id"),
        name=writable(name) if name else None,
        timestamp=moment,
        tool_calls=_tool_calls(message, field),
        tool_call_id=_text(message, "tool_call_id", field),
        metadata={key: value for key, value in message.items() if key not in _TOLD and key != timestamp},
        source=message,
    )


def _parts(message: Mapping[str, Any], content: Any, field: str) -> tuple[ContentPart, ...]:
    if content is None:
        if "content" not in message and not any(message.get(key) for key in _SPEAKS):
            raise TranscriptError("there is no content", field=f"{field}.content")
        parts: tuple[ContentPart, ...] = ()
    else:
        parts = content_parts(content, f"{field}.content")
    if refusal := _text(message, "refusal", field):
        parts += (ContentPart("refusal", writable(refusal)),)
    audio = message.get("audio")
    if isinstance(audio, Mapping) and not parts:
        transcript = audio.get("transcript")
        parts = (ContentPart("audio", writable(transcript) if isinstance(transcript, str) else "[audio]"),)
    return parts


def _tool_calls(message: Mapping[str, Any], field: str) -> tuple[ToolCall, ...]:
    calls = message.get("tool_calls")
    legacy = message.get("function_call")
    if calls is None and legacy is None:
        return ()
    if not isinstance(calls, list | tuple | None):
        raise TranscriptError(f"expected a list of calls, got {kind(calls)}", field=f"{field}.tool_calls")
    found = [_tool_call(call, f"{field}.tool_calls[{place}]") for place, call in enumerate(calls or ())]
    if legacy is not None:
        found.append(_function(legacy, "", f"{field}.function_call"))
    return tuple(found)


def _tool_call(call: Any, field: str) -> ToolCall:
    if not isinstance(call, Mapping):
        raise TranscriptError(f"a tool call is an object, got {kind(call)}", field=field)
    body = "custom" if "custom" in call else "function"
    return _function(call.get(body), _text(call, "id", field) or "", f"{field}.{body}")


def _function(function: Any, id: str, field: str) -> ToolCall:
    if not isinstance(function, Mapping):
        raise TranscriptError(
            f"expected an object with name and arguments, got {kind(function)}", field=field
        )
    name = _text(function, "name", field)
    if not name:
        raise TranscriptError("the called function has no name", field=f"{field}.name")
    arguments = function.get("arguments", function.get("input", ""))
    return ToolCall(id, writable(name), writable(arguments_text(arguments, f"{field}.arguments")))


def arguments_text(arguments: Any, field: str) -> str:
    """Arguments of a call as text: as they are, or as JSON when the transcript has them as an object.

    Raises TranscriptError when they are neither.
    """
    if isinstance(arguments, str):
        return arguments
    if arguments is None:
        return ""
    try:
        return json.dumps(arguments, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise TranscriptError(f"the arguments cannot be written as JSON: {error}", field=field) from None


def _text(fields: Mapping[str, Any], key: str, field: str) -> str | None:
    value = fields.get(key)
    if value is None or isinstance(value, str):
        return value
    raise TranscriptError(f"expected a text, got {kind(value)}", field=f"{field}.{key}")
