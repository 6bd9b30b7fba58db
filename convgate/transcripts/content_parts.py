"""The content of a message: text, or a list of parts of which some are no text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from convgate.core.conversation import ContentPart
from convgate.core.errors import TranscriptError
from convgate.transcripts.characters import writable
from convgate.transcripts.json_text import kind

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
    """The parts of a message's content, without the empty ones.

    A part that is no text is named in brackets: `[image]`, `[audio]`, `[file: plan.pdf]`.

    Raises TranscriptError, naming the part in `field`, when it is neither text nor a list of parts.
    """
    if isinstance(content, str):
        return (ContentPart("text", writable(content)),) if content else ()
    if not isinstance(content, list | tuple):
        raise TranscriptError(f"content is a text, a list of parts or null, got {kind(content)}", field=field)
    parts = (_part(part, f"{field}[{place}]") for place, part in enumerate(content))
    return tuple(part for part in parts if part.text)


def _part(part: Any, field: str) -> ContentPart:
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
        writable(type_), writable(text) if isinstance(text, str) and text else _label(type_, part)
    )


def _label(type_: str, part: Mapping[str, Any]) -> str:
    file = part.get("file")
    filename = part.get("filename") or (file.get("filename") if isinstance(file, Mapping) else None)
    name = f": {filename}" if isinstance(filename, str) else ""
    return writable(f"[{_NAMED.get(type_, type_)}{name}]")
