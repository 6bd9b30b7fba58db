"""OpenAI chat messages as turns and back.

`to_messages` is for what goes to an API, which knows six roles and takes names of ASCII letters;
`file_message` is for files, which hold whatever a turn has.

>>> turn_from_message({"role": "user", "content": "Hi"}).text
'Hi'
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from convgate.core.conversation import CHAT_ROLES, ContentPart, ToolCall, Turn
from convgate.core.errors import TranscriptError
from convgate.transcripts.identity import given_id
from convgate.transcripts.json_text import kind
from convgate.transcripts.message_lists import described
from convgate.transcripts.timestamps import Warn, time_of

_INSTEAD_OF_CONTENT = (
    "tool_calls", "function_call", "refusal", "audio", "toolCalls", "toolInvocations",
)  # fmt: skip
_MESSAGE_KEYS = {"role", "content", "name", "id", "tool_call_id", *_INSTEAD_OF_CONTENT}


def turn_from_message(message: Any, field: str = "message", warn: Warn | None = None) -> Turn:
    """Return one message as a turn; `field` names it in errors.

    `warn` is called with what is wrong with a timestamp, and its field; the turn then has none.

    Raises TranscriptError when the message is not one.
    """
    if not isinstance(message, Mapping):
        if type(message).__module__.startswith("langchain"):
            hint = "; call langchain_core.messages.convert_to_openai_messages first"
        else:
            hint = "; call its model_dump() first" if hasattr(message, "model_dump") else ""
        raise TranscriptError(
            f"a message is an object with role and content, got {kind(message)}{hint}", field=field
        )
    role = message.get("role")
    if not isinstance(role, str) or not role:
        missing = f"there is no role in {described(message)}"
        problem = missing if "role" not in message else f"a role is a text, got {kind(role)}"
        raise TranscriptError(
            f"{problem}; usual are system, user, assistant and tool", field=f"{field}.role".lstrip(".")
        )
    content = message.get("content")
    if isinstance(content, str) and len(message) == 2:
        return Turn(role, (ContentPart("text", content),) if content else (), source=message)

    parts = _parts(message, content, field)
    timestamp, moment = time_of(message, field, warn)
    name = _text(message, "name", field)
    if name is None and role == "tool":
        name = _text(message, "tool_name", field)
    return Turn(
        role=role,
        parts=parts,
        id=given_id(message, "id"),
        name=name or None,
        timestamp=moment,
        tool_calls=read_calls(message, field),
        tool_call_id=_text(message, "tool_call_id", field),
        metadata={
            key: value for key, value in message.items() if key not in _MESSAGE_KEYS and key != timestamp
        },
        source=message,
    )


def _parts(message: Mapping[str, Any], content: Any, field: str) -> tuple[ContentPart, ...]:
    if "content" not in message and not any(message.get(key) for key in _INSTEAD_OF_CONTENT):
        raise TranscriptError(
            f"there is no content in {described(message)}", field=f"{field}.content".lstrip(".")
        )
    parts = () if content is None else content_parts(content, f"{field}.content")
    if refusal := _text(message, "refusal", field):
        parts += (ContentPart("refusal", refusal),)
    if isinstance(plan := message.get("tool_plan"), str) and plan:  # of Cohere
        parts = (ContentPart("text", plan), *parts)
    audio = message.get("audio")
    if isinstance(audio, Mapping) and not parts:
        transcript = audio.get("transcript")
        parts = (ContentPart("audio", transcript if isinstance(transcript, str) else "[audio]"),)
    return parts


def read_calls(message: Mapping[str, Any], field: str) -> tuple[ToolCall, ...]:
    """Return the calls beside a message's content, in OpenAI's form or as objects with a name."""
    calls = message.get("tool_calls")
    if not isinstance(calls, list | tuple | None):
        raise TranscriptError(f"expected a list of calls, got {kind(calls)}", field=f"{field}.tool_calls")
    parsed = [_tool_call(call, f"{field}.tool_calls[{place}]") for place, call in enumerate(calls or ())]
    if message.get("function_call") is not None:
        parsed.append(_function(message["function_call"], "", f"{field}.function_call"))
    return tuple(parsed)


def _tool_call(call: Any, field: str) -> ToolCall:
    if not isinstance(call, Mapping):
        raise TranscriptError(f"a tool call is an object, got {kind(call)}", field=field)
    id = _text(call, "id", field) or ""
    body = next((key for key in ("custom", "function") if key in call), "function")
    if body not in call and "name" in call:
        return _function(call, id, field)
    return _function(call.get(body), id, f"{field}.{body}")


def _function(function: Any, id: str, field: str) -> ToolCall:
    if not isinstance(function, Mapping):
        raise TranscriptError(
            f"expected an object with name and arguments, got {kind(function)}", field=field
        )
    name = _text(function, "name", field)
    if not name:
        raise TranscriptError("the called function has no name", field=f"{field}.name")
    arguments = function.get("arguments", function.get("input", function.get("args", "")))
    return ToolCall(id, name, arguments_text(arguments, f"{field}.arguments"))


def arguments_text(arguments: Any, field: str) -> str:
    """Arguments of a call as text: as they are, or as JSON when the transcript has them as an object.

    Raises TranscriptError when they are neither.
    """
    if isinstance(arguments, str | None):
        return arguments or ""
    try:
        return json.dumps(arguments, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise TranscriptError(f"the arguments cannot be written as JSON: {error}", field=field) from None


def _text(fields: Mapping[str, Any], key: str, field: str) -> str | None:
    value = fields.get(key)
    if isinstance(value, str | None):
        return value
    raise TranscriptError(f"expected a text, got {kind(value)}", field=f"{field}.{key}")


_TEXT_KINDS = {"text": "text", "input_text": "text", "output_text": "text", "refusal": "refusal"}
"""Types of parts that hold text, with the field that holds it."""

_LABELS = {"image_url": "image", "image_file": "image", "video_url": "video"}
"""What parts without text are called in brackets, where it is not their type without `input_`."""


def content_parts(content: Any, field: str) -> tuple[ContentPart, ...]:
    """Return the parts of a message's content, without the empty ones.

    A part that is no text is named in brackets: `[image]`, `[audio]`, `[file: plan.pdf]`.

    Raises TranscriptError, naming the part in `field`, when it is neither text nor a list of parts.
    """
    if isinstance(content, str):
        return (ContentPart("text", content),) if content else ()
    if not isinstance(content, list | tuple):
        raise TranscriptError(f"content is a text, a list of parts or null, got {kind(content)}", field=field)
    parts = (_content_part(part, f"{field}[{place}]") for place, part in enumerate(content))
    return tuple(part for part in parts if part.text)


def _content_part(part: Any, field: str) -> ContentPart:
    if isinstance(part, str):
        return ContentPart("text", part)
    if not isinstance(part, Mapping):
        raise TranscriptError(f"a part is an object with a type, or a text, got {kind(part)}", field=field)
    type_ = part.get("type", "text")
    if not isinstance(type_, str) or not type_:
        raise TranscriptError(f"the type of a part is a text, got {kind(type_)}", field=f"{field}.type")
    if key := _TEXT_KINDS.get(type_):
        annotated = part.get(key)  # of the Assistants API
        text = _text(*((annotated, "value") if isinstance(annotated, Mapping) else (part, key)), field)
        if text is None:
            raise TranscriptError(f"there is no {key} in {described(part)}", field=f"{field}.{key}")
        return ContentPart(key, text)
    text, document = part.get("text", part.get("thinking")), part.get("document")
    if type_ == "document" and isinstance(document, Mapping) and "data" in document:  # of Cohere
        text = arguments_text(document["data"], f"{field}.document.data")
    return ContentPart(type_, text if isinstance(text, str) and text else _part_label(type_, part))


def _part_label(type_: str, part: Mapping[str, Any]) -> str:
    file = part.get("file")
    filename = part.get("filename") or (file.get("filename") if isinstance(file, Mapping) else None)
    name = f": {filename}" if isinstance(filename, str) else ""
    return f"[{_LABELS.get(type_, type_.removeprefix('input_'))}{name}]"


_NOT_IN_A_NAME = re.compile("[^a-zA-Z0-9_-]+")
_MAX_NAME = 64
_NAMELESS_TOOL = "tool"


def to_messages(turns: Iterable[Turn]) -> list[Mapping[str, Any]]:
    """Return the turns as messages that chat APIs take, one each and in order.

    Where a turn's `source` is an OpenAI message, it is that very object. Otherwise ids, times, metadata,
    thinking and parts that are no text stay behind, an unknown role becomes a user of that name, and names
    are spelt in ASCII letters.
    """
    return [_own_source(turn) or new_message(_for_an_api(turn)) for turn in turns]


def file_message(turn: Turn) -> Mapping[str, Any]:
    """The turn as a message in a file: its source when that is one, else one with its own role and name."""
    return _own_source(turn) or new_message(turn)


NOT_SAID = ("activity", "reasoning")
"""Roles of what an agent of AG-UI does and thinks."""


def _own_source(turn: Turn) -> Mapping[str, Any] | None:
    """Return the turn's source when it is a message or an item of a dialect, else None."""
    source = turn.source or {}
    is_message = "content" in source or any(key in source for key in _INSTEAD_OF_CONTENT)
    if is_message and source.get("role") in (turn.role, *NOT_SAID):
        return source
    # elsewhere results are a user's, and contents have parts
    is_result = (
        turn.role == "tool" and source.get("role") == "user" and isinstance(source.get("content"), list)
    )
    is_item = "role" not in source and isinstance(source.get("type"), str)  # of the Responses API
    return source if is_result or is_item or ("parts" in source and "content" not in source) else None


def new_message(turn: Turn) -> dict[str, Any]:
    """Return a message made from the turn's own fields."""
    message: dict[str, Any] = {"role": turn.role}
    if turn.name:
        message["name"] = turn.name
    message["content"] = _content(turn)
    if turn.tool_calls:
        message["tool_calls"] = [
            {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
            for call in turn.tool_calls
        ]
    if turn.tool_call_id is not None:
        message["tool_call_id"] = turn.tool_call_id
    return message


def _content(turn: Turn) -> str | list[dict[str, str]] | None:
    parts = [part for part in turn.parts if part.kind != "thinking"]  # it was not said
    if not parts:
        return None if turn.tool_calls else ""
    if len(parts) == 1 and parts[0].kind != "refusal":
        return parts[0].text
    types = ("refusal" if part.kind == "refusal" else "text" for part in parts)
    return [{"type": type_, type_: part.text} for type_, part in zip(types, parts, strict=True)]


def api_name(name: str) -> str:
    """Return the name with what chat APIs refuse in one taken out; empty when nothing is left.

    >>> api_name("Anna K. <x>"), api_name("Zoë"), api_name("李雷")
    ('Anna_K_x', 'Zoe', '')
    """
    letters = (char for char in unicodedata.normalize("NFKD", name) if not unicodedata.combining(char))
    return _NOT_IN_A_NAME.sub("_", "".join(letters)).strip("_")[:_MAX_NAME].rstrip("_")


def _for_an_api(turn: Turn) -> Turn:
    role, speaker = turn.role, turn.name or ""
    if role not in CHAT_ROLES:
        role = "tool" if turn.tool_call_id else "assistant" if turn.tool_calls else "user"
        speaker = turn.speaker
    name, parts = api_name(speaker), turn.parts
    is_of_a_tool = role in {"tool", "function"} or turn.tool_calls or turn.tool_call_id is not None
    introduction = " ".join(speaker.split())
    if parts and introduction and not name and not is_of_a_tool:
        parts = (replace(parts[0], text=f"{introduction}: {parts[0].text}"), *parts[1:])
    return replace(
        turn,
        role=role,
        name=name or (_NAMELESS_TOOL if role == "function" else None),
        parts=parts,
        tool_calls=tuple(
            replace(call, name=api_name(call.name) or _NAMELESS_TOOL) for call in turn.tool_calls
        ),
    )
