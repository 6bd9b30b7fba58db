"""Tasks of Cline, and of Roo Code and Kilo Code, which continue it: the calls of its API."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from convgate.core.conversation import ContentPart, ToolCall, Turn
from convgate.core.errors import TranscriptError
from convgate.transcripts.blocks import Content, Item, ToolResult, read_blocks
from convgate.transcripts.fields import text_of
from convgate.transcripts.json_text import Place
from convgate.transcripts.message_lists import MessageLists
from convgate.transcripts.source import Source

_DETAILS = ("environment_details",)  # of the editor
_WRITTEN = ("task", "feedback", "answer", "user_message")  # around what the user wrote
_SAID = ("attempt_completion", "ask_followup_question", "plan_mode_respond")
"""Tools by which the assistant speaks; their results are the user's words."""

_TOOLS = (
    *("execute_command", "read_file", "write_to_file", "replace_in_file", "apply_diff", "insert_content"),
    *("search_files", "search_and_replace", "list_files", "list_code_definition_names", "codebase_search"),
    *("browser_action", "use_mcp_tool", "access_mcp_resource", "load_mcp_documentation", "web_fetch"),
    *("fetch_instructions", "update_todo_list", "switch_mode", "new_task", "thinking", *_SAID),
)
_LONG = ("content", "diff")  # parameters that may hold tags themselves
_RESULT = re.compile(r"\[(\w+)(?: for '[^\n]*')?\] Result:\s*")
_NOTE = re.compile(r"\[(?:ERROR|TASK RESUMPTION)\]")


class ClineFormat(MessageLists):
    """The history of a task's calls of the API: Anthropic messages, with calls as XML.

    Details of the editor, which stand in the user's messages, are left out.
    """

    name = "cline"
    label = "Cline or Roo Code task"
    expected = "a list of messages with role and content"

    def list_key(self, fields: Mapping[str, Any]) -> str | None:
        """Return `messages`."""
        return "messages" if "messages" in fields else None

    def is_message(self, value: Any) -> bool:
        """Return whether it has a role and content."""
        return isinstance(value, Mapping) and "role" in value and "content" in value

    def match_share(self, source: Source) -> float:
        """Return the share of the source's first values that are messages of a task, 0…1."""
        sample = source.json.sample if source.json else ()
        is_own = any(f"<{_DETAILS[0]}>" in text for value in sample for text in _texts(value))
        return super().match_share(source) if is_own else 0.0

    def turns(self, message: Any, field: str, place: Place) -> Iterable[Turn]:
        """Return one message as turns: results of tools are turns of their own."""
        if isinstance(message, Mapping) and message.get("type") == "reasoning":
            place.report.omit("encrypted reasoning")
            return
        role = text_of(message, "role")
        if role is None:
            raise TranscriptError("there is no role", field=f"{field}.role")
        moment = place.time(message, field)
        for turn in read_blocks(message.get("content"), f"{field}.content").turns(role, timestamp=moment):
            if turn.role not in ("user", "assistant"):
                yield turn
                continue
            read = _user_items(turn.parts, place) if turn.role == "user" else _assistant_items(turn.parts)
            yield from Content((*read, *turn.tool_calls)).turns(turn.role, timestamp=moment)


def _texts(value: Any) -> Iterator[str]:
    """Yield the texts of a message, or of those in a list or an object."""
    messages = value.get("messages") if isinstance(value, Mapping) else value
    for message in messages if isinstance(messages, list) else [value]:
        content = message.get("content") if isinstance(message, Mapping) else None
        for block in content if isinstance(content, list) else [{"text": content}]:
            if isinstance(block, Mapping) and (text := text_of(block, "text")):
                yield text


def _elements(text: str, names: Iterable[str]) -> Iterator[tuple[str, str, str]]:
    """Yield the text before each element of these names, its name and its content; the rest has no name."""
    done, unclosed = 0, set[str]()
    for match in re.finditer(f"<({'|'.join(names)})>", text):
        name, end = match[1], f"</{match[1]}>"
        if match.start() < done or name in unclosed:
            continue
        at = (text.rfind if name in _LONG else text.find)(end, match.end())
        if at < 0:
            unclosed.add(name)
            continue
        yield text[done : match.start()], name, text[match.end() : at]
        done = at + len(end)
    yield text[done:], "", ""


def _user_items(parts: Iterable[ContentPart], place: Place) -> Iterator[Item]:
    """Yield what the user wrote, and the results of tools, of which each may be several parts."""
    tool, output, written = "", list[ContentPart](), list[ContentPart]()
    for part in parts:
        text, details = _without(part.text if part.kind == "text" else "", _DETAILS)
        place.report.omit("note of the app", len(details))
        if match := _RESULT.match(text):
            yield from _with_result(tool, output, written)
            tool, output, written = "" if match[1] in _SAID else match[1], [], []
            text = text[match.end() :]
        text, said = _without(text, _WRITTEN)
        written += [ContentPart("text", words) for words in said]
        rest = [ContentPart("text", text)] if text else [] if part.kind == "text" else [part]
        if tool:
            output += rest
        elif text and (said or _NOTE.match(text)):
            place.report.omit("note of the app")
        else:
            written += rest
    yield from _with_result(tool, output, written)


def _with_result(tool: str, output: list[ContentPart], written: list[ContentPart]) -> Iterator[Item]:
    if tool:
        yield ToolResult(None, tuple(output), tool)
    yield from written


def _without(text: str, names: Iterable[str]) -> tuple[str, list[str]]:
    """Return a text without the elements of these names, and what they hold."""
    pieces = list(_elements(text, names))
    rest = "".join(before for before, _, _ in pieces).strip()
    return rest, [held.strip() for _, _, held in pieces if held.strip()]


def _assistant_items(parts: Iterable[ContentPart]) -> Iterator[Item]:
    """Yield what the assistant said and called."""
    for part in parts:
        if part.kind != "text":
            yield part
            continue
        for before, name, held in _elements(part.text, _TOOLS):
            if before.strip():
                yield ContentPart("text", before.strip())
            values = {key: value.strip() for _, key, value in _elements(held, [r"\w+"]) if key}
            if name == "thinking":
                yield ContentPart("thinking", held.strip())
            elif name in _SAID:
                yield ContentPart("text", "\n".join(values.values()) or held.strip())
            elif name:
                yield ToolCall("", name, json.dumps(values, ensure_ascii=False))
