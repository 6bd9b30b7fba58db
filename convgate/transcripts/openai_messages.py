"""OpenAI chat messages as turns and back: for files, and for agents that hold a list of them.

`to_messages` is for what goes to an API, which knows six roles and takes names of ASCII letters;
`file_message` is for files, which hold whatever a turn has.

>>> turns = turns_from_messages([{"role": "user", "content": "Hi"}])
>>> turns[0].text, turns[0].source
('Hi', {'role': 'user', 'content': 'Hi'})
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from convgate.core.conversation import CHAT_ROLES, ContentPart, Conversation, ToolCall, Turn
from convgate.core.errors import TranscriptError
from convgate.transcripts.characters import writable
from convgate.transcripts.identity import given_id
from convgate.transcripts.json_text import Place, kind
from convgate.transcripts.message_lists import MessageLists, dump_messages
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
    """Return one message as a turn; `field` names it in errors.

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


_TEXT_KINDS = frozenset({"text", "input_text", "output_text"})
_NAMED = {
    "image_url": "image",
    "input_image": "image",
    "input_audio": "audio",
    "input_file": "file",
    "video_url": "video",
    "input_video": "video",
}


def content_parts(content: Any, field: str) -> tuple[ContentPart, ...]:
    """Return the parts of a message's content, without the empty ones.

    A part that is no text is named in brackets: `[image]`, `[audio]`, `[file: plan.pdf]`.

    Raises TranscriptError, naming the part in `field`, when it is neither text nor a list of parts.
    """
    if isinstance(content, str):
        return (ContentPart("text", writable(content)),) if content else ()
    if not isinstance(content, list | tuple):
        raise TranscriptError(f"content is a text, a list of parts or null, got {kind(content)}", field=field)
    parts = (_content_part(part, f"{field}[{place}]") for place, part in enumerate(content))
    return tuple(part for part in parts if part.text)


def _content_part(part: Any, field: str) -> ContentPart:
    if isinstance(part, str):
        return ContentPart("text", writable(part))
    if not isinstance(part, Mapping):
        raise TranscriptError(f"a part is an object with a type, or a text, got {kind(part)}", field=field)
    type_ = part.get("type", "text")
    if not isinstance(type_, str) or not type_:
        raise TranscriptError(f"the type of a part is a text, got {kind(type_)}", field=f"{field}.type")
    if type_ in _TEXT_KINDS or type_ == "refusal":
        key = "refusal" if type_ == "refusal" else "text"
        text = part.get(key)
        if not isinstance(text, str):
            problem = f"expected a text, got {kind(text)}" if key in part else f"there is no {key}"
            raise TranscriptError(problem, field=f"{field}.{key}")
        return ContentPart("refusal" if type_ == "refusal" else "text", writable(text))
    text = part.get("text")
    return ContentPart(
        writable(type_), writable(text) if isinstance(text, str) and text else _part_label(type_, part)
    )


def _part_label(type_: str, part: Mapping[str, Any]) -> str:
    file = part.get("file")
    filename = part.get("filename") or (file.get("filename") if isinstance(file, Mapping) else None)
    name = f": {filename}" if isinstance(filename, str) else ""
    return writable(f"[{_NAMED.get(type_, type_)}{name}]")


_MESSAGE_FIELDS = ("content", "tool_calls", "function_call", "refusal", "audio")
_NOT_IN_A_NAME = re.compile("[^a-zA-Z0-9_-]+")
_LONGEST_NAME = 64
_NAMELESS_TOOL = "tool"


def to_messages(turns: Iterable[Turn]) -> list[Mapping[str, Any]]:
    """Return the turns as messages that chat APIs take, one each and in order.

    Where a turn's `source` is an OpenAI message, it is that very object. Otherwise ids, times, metadata
    and parts that are no text stay behind (the latter leave their name in brackets): the API has no
    place for them. Who has a role that no chat API knows speaks as a user of that name (or calls tools as
    the assistant, answers calls as a tool). Names are spelt in ASCII letters; one of which nothing is left
    stands in front of the text instead.
    """
    return [
        turn.source if is_openai_message(turn) else new_message(_for_an_api(turn))  # type: ignore[misc]
        for turn in turns
    ]


def file_message(turn: Turn) -> Mapping[str, Any]:
    """The turn as a message in a file: its source when that is one, else one with its own role and name."""
    return turn.source if is_openai_message(turn) else new_message(turn)  # type: ignore[return-value]


def is_openai_message(turn: Turn) -> bool:
    """Return whether the turn's source is an OpenAI chat message already."""
    source = turn.source
    return (
        source is not None
        and source.get("role") == turn.role
        and any(key in source for key in _MESSAGE_FIELDS)
    )


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


def api_name(name: str) -> str:
    """Return the name with what chat APIs refuse in one taken out; empty when nothing is left.

    >>> api_name("Anna K. <x>"), api_name("Zoë"), api_name("李雷")
    ('Anna_K_x', 'Zoe', '')
    """
    letters = (char for char in unicodedata.normalize("NFKD", name) if not unicodedata.combining(char))
    return _NOT_IN_A_NAME.sub("_", "".join(letters)).strip("_")[:_LONGEST_NAME].rstrip("_")


def _for_an_api(turn: Turn) -> Turn:
    known = turn.role in CHAT_ROLES
    speaker = (turn.name if known else turn.speaker) or ""
    name = api_name(speaker)
    is_tools = turn.tool_call_id is not None or bool(turn.tool_calls) or turn.role in {"tool", "function"}
    return replace(
        turn,
        role=turn.role if known else _nearest_role(turn),
        name=name or (_NAMELESS_TOOL if turn.role == "function" else None),
        parts=turn.parts if name or is_tools else _introduced(turn.parts, speaker),
        tool_calls=tuple(
            replace(call, name=api_name(call.name) or _NAMELESS_TOOL) for call in turn.tool_calls
        ),
    )


def _nearest_role(turn: Turn) -> str:
    if turn.tool_call_id:
        return "tool"
    return "assistant" if turn.tool_calls else "user"


def _introduced(parts: tuple[ContentPart, ...], speaker: str) -> tuple[ContentPart, ...]:
    """Return what was said with the speaker's name, on one line, in front of it."""
    who = " ".join(speaker.split())
    if not parts or not who:
        return parts
    return (replace(parts[0], text=f"{who}: {parts[0].text}"), *parts[1:])


def _content(turn: Turn) -> str | list[dict[str, str]] | None:
    if not turn.parts:
        return None if turn.tool_calls else ""
    if len(turn.parts) == 1 and turn.parts[0].kind != "refusal":
        return turn.parts[0].text
    return [_part(part) for part in turn.parts]


def _part(part: ContentPart) -> dict[str, str]:
    if part.kind == "refusal":
        return {"type": "refusal", "refusal": part.text}
    return {"type": "text", "text": part.text}


class OpenAIFormat(MessageLists):
    """OpenAI chat messages.

    Written for turns that came from elsewhere, it cannot hold ids, times, metadata and parts that are
    no text. A ShareGPT conversation's `system` text becomes the first message.
    """

    name = "openai"
    label = "OpenAI chat messages"
    suffix = ".json"
    expected = "an object with 'messages', a list of messages, or a message with 'role' and 'content'"

    def list_key(self, fields: Mapping[str, Any]) -> str | None:
        """`messages`, whatever it holds, so that a wrong type is told as such."""
        return "messages" if "messages" in fields else None

    def is_message(self, value: Any) -> bool:
        """Return whether it has a role, and something said or called."""
        return isinstance(value, Mapping) and "role" in value

    def turn(self, message: Any, field: str, place: Place) -> Turn:
        """Return one message as a turn."""
        return turn_from_message(message, field, place.warn)

    def write(self, conversation: Conversation, turns: Sequence[Turn]) -> str:
        """JSON in the layout of the conversation's file: an object, a list, or one message a line."""
        messages = [file_message(turn) for turn in turns]
        if conversation.format != self.name:
            system = conversation.metadata.get("system")
            if isinstance(system, str) and not any(turn.is_instruction for turn in turns):
                messages.insert(0, {"role": "system", "content": system})
        return dump_messages(conversation, messages, key="messages", format=self.name)
