"""Contents of Google's Gemini API: `parts` of text, calls, and responses to calls."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from convgate.core.conversation import ContentPart, Turn
from convgate.core.errors import TranscriptError
from convgate.transcripts.blocks import Item, ToolResult, call_of, json_parts, placeholder
from convgate.transcripts.dialects.base import Dialect, Message, Part, turn_of
from convgate.transcripts.identity import given_id
from convgate.transcripts.json_text import kind

_ROLES = {"user": "user", "model": "assistant", "function": "tool", "tool": "tool", "system": "system"}
_OTHERS = {
    "inline_data": "file",
    "file_data": "file",
    "executable_code": "code",
    "code_execution_result": "result",
    "drive_image": "image",
    "drive_document": "file",
    "tool_call": "call",
    "tool_response": "result",
}
_MEDIA = ("image", "audio", "video")


class GeminiContents(Dialect):
    """A call without an id is answered by its name. A call has to follow a user's content or a response."""

    name = "gemini"
    label = "Gemini contents"
    alternates = user_first = True
    parts_key = "parts"

    def mark(self, message: Message) -> str | None:
        """Return `parts`, or the role `model`."""
        is_own = message.get("parts") or message.get("role") == "model"
        return "parts" if is_own and "content" not in message else None

    def read(self, message: Message, field: str) -> Turn:
        """Return a content as a turn; without a role it is the user's."""
        role = _ROLES.get(str(message.get("role") or "user"))
        if role is None:
            problem = f"a role is one of {', '.join(_ROLES)}, got {message.get('role')!r}"
            raise TranscriptError(problem, field=f"{field}.role")
        listed = message.get("parts")
        listed = [] if listed is None else [listed] if isinstance(listed, str | Mapping) else listed
        if not isinstance(listed, list | tuple):
            raise TranscriptError(f"parts are a list, got {kind(listed)}", field=f"{field}.parts")
        items: list[Item] = []
        for place, part in enumerate(listed):
            items += part_items(part, f"{field}.parts[{place}]")
        return turn_of(message, role, items)

    def _with_text(self, part: Part, call_id: str, text: str) -> Part | None:
        for key in ("function_response", "functionResponse"):
            answer = part.get(key)
            if isinstance(answer, Mapping) and (given_id(answer, "id") or answer.get("name")) == call_id:
                return {**part, key: {**answer, "response": {"output": text}}}
        return None

    def message(self, role: str, text: str) -> Message:
        """Return a new content."""
        return {"role": "model" if role == "assistant" else "user", "parts": [{"text": text}]}


def part_items(part: Any, field: str) -> Iterator[Item]:
    """Yield what a part says, calls or gives back; TranscriptError for what is neither object nor text."""
    part = {"text": part} if isinstance(part, str) else part
    if not isinstance(part, Mapping):
        raise TranscriptError(f"a part is an object or a text, got {kind(part)}", field=field)
    call, answer = get_field(part, "function_call"), get_field(part, "function_response")
    if isinstance(text := part.get("text"), str) and text:
        is_thought = part.get("thought") or part.get("isThought")
        yield ContentPart("thinking" if is_thought else "text", text)
    if isinstance(call, Mapping):
        yield call_of(call.get("id"), call.get("name"), call.get("args"), f"{field}.args")
    if isinstance(answer, Mapping):
        response = answer.get("response")
        output = response.get("output", response) if isinstance(response, Mapping) else response
        name = answer.get("name")
        result = json_parts(output, f"{field}.response")
        yield ToolResult(given_id(answer, "id"), result, name if isinstance(name, str) else None)
    for key, label in _OTHERS.items():
        if (value := get_field(part, key)) is None:
            continue
        fields = value if isinstance(value, Mapping) else {}
        mime = str(get_field(fields, "mime_type") or key).lower()
        what = next((media for media in _MEDIA if media in mime), label)
        text = fields.get("code", fields.get("output"))
        is_text = isinstance(text, str) and text
        yield ContentPart(label if is_text else what, text if is_text else placeholder(what, fields))


def get_field(part: Mapping[str, Any], name: str) -> Any:
    """Return a field by its name in Python's SDK, or as the API writes it; None where it is missing."""
    first, *rest = name.split("_")
    return part.get(name, part.get(first + "".join(map(str.title, rest))))
