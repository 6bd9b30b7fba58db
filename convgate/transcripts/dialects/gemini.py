"""Contents of Google's Gemini API: `parts` of text, calls, and responses to calls."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from convgate.core.conversation import ContentPart, Turn
from convgate.core.errors import TranscriptError
from convgate.transcripts.characters import writable
from convgate.transcripts.dialects.base import Dialect, Message, call_of, turn_of, value_parts
from convgate.transcripts.json_text import kind

_ROLES = {"user": "user", "model": "assistant", "function": "tool", "tool": "tool", "system": "system"}
_OTHERS = {
    "inline_data": "file",
    "file_data": "file",
    "executable_code": "code",
    "code_execution_result": "result",
}


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
        listed = [] if listed is None else [listed] if isinstance(listed, str) else listed
        if not isinstance(listed, list | tuple):
            raise TranscriptError(f"parts are a list, got {kind(listed)}", field=f"{field}.parts")
        parts: list[ContentPart] = []
        calls, answers = [], []
        for place, part in enumerate(listed):
            name = f"{field}.parts[{place}]"
            if isinstance(part, str):
                part = {"text": part}
            if not isinstance(part, Mapping):
                raise TranscriptError(f"a part is an object or a text, got {kind(part)}", field=name)
            call, response = _get(part, "function_call"), _get(part, "function_response")
            if isinstance(call, Mapping):
                calls.append(call_of(call.get("id"), call.get("name"), call.get("args"), f"{name}.args"))
            elif isinstance(response, Mapping):
                answers.append(str(response.get("id") or response.get("name") or ""))
                parts += value_parts(response.get("response"), f"{name}.response")
            elif isinstance(text := part.get("text"), str):
                parts.append(ContentPart("thinking" if part.get("thought") else "text", writable(text)))
            else:
                parts += _other(part)
        return turn_of(message, role, parts, calls, answers)

    def message(self, role: str, text: str) -> Message:
        """Return a new content."""
        return {"role": "model" if role == "assistant" else "user", "parts": [{"text": text}]}


def _other(part: Mapping[str, Any]) -> Iterator[ContentPart]:
    for key, label in _OTHERS.items():
        if (value := _get(part, key)) is not None:
            text = value.get("code", value.get("output")) if isinstance(value, Mapping) else None
            yield ContentPart(label, writable(text) if isinstance(text, str) and text else f"[{label}]")


def _get(part: Mapping[str, Any], name: str) -> Any:
    """Return a field by its name in Python's SDK, or as the API writes it."""
    first, *rest = name.split("_")
    return part.get(name, part.get(first + "".join(map(str.title, rest))))
