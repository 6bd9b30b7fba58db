"""Copilot Chat in VS Code: a session as JSON, or the lines of its changes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from typing import Any

from convgate.core.conversation import ContentPart, ToolCall, Turn
from convgate.core.errors import TranscriptError
from convgate.transcripts.blocks import Content, Item, ToolResult, placeholder
from convgate.transcripts.exports import IGNORED, list_in, objects_in
from convgate.transcripts.fields import mapping_of, text_of, value_at
from convgate.transcripts.formats.layouts import Layout
from convgate.transcripts.identity import given_id
from convgate.transcripts.json_text import Place
from convgate.transcripts.problems import Report


def _turns(request: Mapping[str, Any], field: str, place: Place) -> Iterator[Turn]:
    """Yield a request and its response as turns."""
    said, message = text_of(request, "message|message.text"), request.get("message")
    if said is None and not isinstance(message, str | Mapping):
        raise TranscriptError("there is no message", field=f"{field}.message")
    attached = objects_in(request, "variableData.variables", field)
    parts = [ContentPart("text", said)] if said else []
    parts += [ContentPart("attachment", placeholder("attachment", item)) for item in attached]
    moment = place.time(request, field)
    yield from Content(tuple(parts)).turns("user", id=given_id(request, "requestId"), timestamp=moment)
    pieces = [item for part in list_in(request, "response", field) for item in _items(part, place)]
    items: list[Item] = []
    for kind, run in groupby(pieces, lambda item: item.kind if isinstance(item, ContentPart) else None):
        if kind is None:
            items += run
        elif text := "".join(part.text for part in run if isinstance(part, ContentPart)).strip():
            items.append(ContentPart(kind, text))  # a sentence comes in pieces, with links between them
    yield from Content(tuple(items)).turns("assistant", id=given_id(request, "responseId"))


def _items(part: Any, place: Place) -> Iterator[Item]:
    """Yield a part of a response: text, the name of what it links to, thinking, a call with its result."""
    part = part if isinstance(part, Mapping) else {"value": part}
    kind, value = part.get("kind"), value_at(part, "value|content.value")
    if kind == "toolInvocationSerialized" and (name := text_of(part, "toolId")):
        id, names = given_id(part, "toolCallId"), ("pastTenseMessage", "invocationMessage")
        text = text_of(part, "|".join(f"{each}|{each}.value" for each in names))
        yield ToolCall(id or "", name, "")
        yield ToolResult(
            id, (ContentPart("text", text) if text else ContentPart("result", "[result]"),), name
        )
        return
    if kind == "inlineReference":
        path = text_of(part, "inlineReference.uri.path|inlineReference.path") or ""
        value = text_of(part, "name") or path.rpartition("/")[2]
    if isinstance(value, list):
        value = "".join(text for text in value if isinstance(text, str))
    if kind in (None, "markdownContent", "inlineReference", "thinking") and isinstance(value, str):
        yield ContentPart("thinking" if kind == "thinking" else "text", value)
    else:
        place.report.omit("part without text")


def _is_log(first: Mapping[str, Any]) -> bool:
    """Return whether the first line is a whole session."""
    return first.get("kind") == 0 and "requests" in mapping_of(first, "v")


def _read_log(lines: Iterable[Any], report: Report) -> dict[str, Any]:
    """Return a session after its changes: a value is set, added to a list, or removed, at a path of keys."""
    holder: dict[str, Any] = {}
    for line in lines:
        kind, path = value_at(line, "kind"), value_at(line, "k")
        if kind == 0:
            holder["session"] = line.get("v")
        elif not (isinstance(path, list) and path and _change(holder, ["session", *path], kind, line)):
            report.omit(IGNORED)
    return dict(mapping_of(holder, "session"))


def _change(holder: Any, path: list[Any], kind: Any, line: Mapping[str, Any]) -> bool:
    """Make one change; return whether it could be made."""
    if not all(isinstance(key, str | int) for key in path):
        return False
    *path, last = path
    value = line.get("v", [] if kind == 2 else None)
    try:
        for key in path:
            holder = holder[key]
        if kind == 1:
            holder[last] = value
        elif kind == 2 and isinstance(holder[last], list) and isinstance(value, list):
            size = line.get("i")
            del holder[last][size if isinstance(size, int) and size >= 0 else len(holder[last]) :]
            holder[last] += value
        elif kind == 3 and isinstance(holder, dict):
            del holder[last]
        else:
            return False
    except (LookupError, TypeError):  # there is no such place
        return False
    return True


VSCODE = Layout(
    "vscode", "VS Code chat export", "requests", marks="response", id="sessionId", title="customTitle",
    turns=_turns, log=(_is_log, _read_log),
)  # fmt: skip
