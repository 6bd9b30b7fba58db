"""Content blocks, as Anthropic's API and what follows it have them: text, thinking, calls of tools, results.

>>> content = read_blocks([{"type": "text", "text": "Hm."}, {"type": "image", "source": {}}], "content")
>>> [part.text for part in content.parts]
['Hm.', '[image]']
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from convgate.core.conversation import SUMMARY_PART, ContentPart, ToolCall, Turn
from convgate.core.errors import TranscriptError
from convgate.core.text import make_writable
from convgate.transcripts.json_text import kind
from convgate.transcripts.openai_messages import arguments_text, content_parts

_CALLS = frozenset({"tool_use", "server_tool_use", "mcp_tool_use", "tool_call", "server_tool_call"})
_THINKING = {"thinking": "thinking", "reasoning": "reasoning", "redacted_thinking": "data"}


@dataclass(frozen=True)
class ToolResult:
    """What a tool gave back."""

    call_id: str | None
    parts: tuple[ContentPart, ...]
    name: str | None = None

    def __post_init__(self) -> None:
        make_writable(self, "call_id", "name")


Item = ContentPart | ToolCall | ToolResult


@dataclass(frozen=True)
class Content:
    """The content of one message, in its order: what was said, calls of tools, what tools gave back."""

    items: tuple[Item, ...] = ()

    @property
    def parts(self) -> tuple[ContentPart, ...]:
        """What was said."""
        return tuple(item for item in self.items if isinstance(item, ContentPart))

    def turns(self, role: str, *, id: str | None = None, **fields: Any) -> Iterator[Turn]:
        """Yield the message as turns: each result is one of the tool's. The first other one has the id.

        A message without content has no turn, unless it is itself a tool's result.
        """
        parts: list[ContentPart] = []
        calls: list[ToolCall] = []
        for item in (*self.items, None):
            if isinstance(item, ContentPart):
                parts.append(item)
            elif isinstance(item, ToolCall):
                calls.append(item)
            else:
                if parts or calls or (not self.items and fields.get("tool_call_id")):
                    yield Turn(role, tuple(parts), id=id, tool_calls=tuple(calls), **fields)
                    parts, calls, id = [], [], None
                if item is not None:
                    timestamp = fields.get("timestamp")
                    yield Turn(
                        "tool", item.parts, name=item.name, timestamp=timestamp, tool_call_id=item.call_id
                    )


def read_blocks(content: Any, field: str) -> Content:
    """Return a text or a list of blocks as content; blocks without a text are named in brackets.

    Raises TranscriptError, naming the block in `field`, for what is neither.
    """
    if content is None:
        return Content()
    if not isinstance(content, list):
        return Content(content_parts(content, field))
    items: list[Item] = []
    for place, block in enumerate(content):
        name = f"{field}[{place}]"
        type_ = block.get("type") if isinstance(block, Mapping) else None
        if isinstance(type_, str) and type_ in _CALLS:
            items.append(block_call(block, name))
        elif isinstance(type_, str) and type_.endswith("tool_result"):
            items.append(_result(block, name))
        elif isinstance(type_, str) and type_ in _THINKING:
            text = block.get(_THINKING[type_])
            is_text = type_ != "redacted_thinking" and isinstance(text, str) and text
            items.append(ContentPart("thinking", text if is_text else "[thinking]"))
        elif type_ in ("image", "document", "file", "web_search_result", "search_result", SUMMARY_PART):
            items.append(ContentPart(type_, _file_text(block) or placeholder(type_, block)))
        else:
            items += content_parts([block], field)
    return Content(tuple(items))


def call_of(id: Any, name: Any, arguments: Any, field: str) -> ToolCall:
    """Return a call; what is no text of its id or name is left out."""
    id, name = (value if isinstance(value, str) else "" for value in (id, name))
    return ToolCall(id, name, arguments_text(arguments, field))


def json_parts(value: Any, field: str) -> tuple[ContentPart, ...]:
    """Return a tool's result as parts: text as it is, anything else as JSON."""
    text = arguments_text(value, field)
    return (ContentPart("text", text),) if text else ()


def placeholder(what: str, fields: Mapping[str, Any]) -> str:
    """Return what stands for a part that is no text: its kind, with its title or alternative text."""
    names = ("alt", "alt_text", "title", "file_name", "filename", "name")
    name = next((value for key in names if isinstance(value := fields.get(key), str) and value), "")
    return f"[{what}: {' '.join(name.split())}]" if name else f"[{what}]"


def _file_text(block: Mapping[str, Any]) -> str:
    """Return the text of a document or of a search result that has one."""
    source, content = block.get("source"), block.get("content")
    if isinstance(content, str):  # of a compaction
        return content
    if isinstance(source, Mapping) and source.get("type") == "text" and isinstance(source.get("data"), str):
        return str(source["data"])
    texts = (
        [part.get("text") for part in content if isinstance(part, Mapping)]
        if isinstance(content, list)
        else []
    )
    return "\n".join(text for text in texts if isinstance(text, str))


def block_call(block: Mapping[str, Any], field: str) -> ToolCall:
    """Return the call of a block; TranscriptError for one without a name."""
    name = block.get("name")
    if not isinstance(name, str) or not name:
        raise TranscriptError("the called tool has no name", field=f"{field}.name")
    arguments = block.get("input", block.get("args", block.get("arguments")))
    return call_of(block.get("id"), name, arguments, f"{field}.input")


def _result(block: Mapping[str, Any], field: str) -> ToolResult:
    id, name = block.get("tool_use_id", block.get("tool_call_id")), block.get("name")
    content = block.get("content", block.get("output"))
    if isinstance(content, Mapping | int | float):  # of tools that the provider runs
        content = json.dumps(content, ensure_ascii=False)
    if content is not None and not isinstance(content, str | list):
        raise TranscriptError(f"expected a text or blocks, got {kind(content)}", field=f"{field}.content")
    return ToolResult(
        id if isinstance(id, str) else None,
        read_blocks(content, f"{field}.content").parts,
        name if isinstance(name, str) else None,
    )
