"""Sessions of Gemini CLI, as one object or a log of lines, and prompts of AI Studio."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from convgate.core.conversation import ContentPart
from convgate.transcripts.blocks import Item
from convgate.transcripts.dialects.gemini import part_items
from convgate.transcripts.exports import IGNORED, join_turns, objects_in
from convgate.transcripts.fields import text_of
from convgate.transcripts.formats.layouts import Layout
from convgate.transcripts.json_text import Place
from convgate.transcripts.problems import Report


def _items(message: Any, field: str, place: Place) -> Iterator[Item]:
    """Yield the content of a message: thoughts, what was said, calls of tools with their results."""
    message = message if isinstance(message, Mapping) else {"text": message}
    for thought in objects_in(message, "thoughts", field):
        texts = filter(None, (text_of(thought, "subject"), text_of(thought, "description")))
        yield ContentPart("thinking", "\n".join(texts) or "[thinking]")
    said = next((message[key] for key in ("content", "parts") if message.get(key)), [message])
    calls = objects_in(message, "toolCalls", field)
    parts = [*(said if isinstance(said, list) else [said])]
    for call in calls:
        results = call.get("result")
        parts += [{"functionCall": call}, *(results if isinstance(results, list) else ())]
    for part in parts:
        if isinstance(part, Mapping | str):
            yield from part_items(part, field)


def _with_system(value: Mapping[str, Any], place: Place) -> Mapping[str, Any]:
    """Return a prompt with the text of its instructions."""
    items = _items(value.get("systemInstruction") or {}, "systemInstruction", place)
    return {**value, "system": "\n".join(item.text for item in items if isinstance(item, ContentPart))}


def _is_log(first: Mapping[str, Any]) -> bool:
    """Return whether the first line is a session without its messages."""
    return "projectHash" in first and "sessionId" in first and "messages" not in first


def _read_log(lines: Iterable[Any], report: Report) -> dict[str, Any]:
    """Return a session with its messages: written again, set together, or taken back up to one."""
    session: dict[str, Any] = {}
    messages: dict[str, Any] = {}
    for line in lines:
        if not isinstance(line, Mapping):
            report.omit(IGNORED)
        elif isinstance(changed := line.get("$set"), Mapping):
            if isinstance(listed := changed.get("messages"), list):
                messages = {_id(message): message for message in listed}
            session |= {key: value for key, value in changed.items() if key != "messages"}
        elif "$rewindTo" in line:
            ids = list(messages)
            kept = ids[: ids.index(line["$rewindTo"])] if line["$rewindTo"] in ids else ids
            report.omit("message that was taken back", len(ids) - len(kept))
            messages = {id: messages[id] for id in kept}
        elif "id" in line and "type" in line:
            messages[_id(line)] = line
        elif "projectHash" in line:
            session |= line
        else:
            report.omit(IGNORED)
    return {**session, "messages": list(messages.values())}


def _id(message: Any) -> str:
    return str(message.get("id")) if isinstance(message, Mapping) else ""


GEMINI = Layout(
    "gemini", "Gemini CLI session", "messages", ("projectHash",), marks="content", role="type",
    spoken=("type", ("user", "gemini")), id="sessionId", content=_items, finish=join_turns,
    log=(_is_log, _read_log),
)  # fmt: skip
AI_STUDIO = Layout(
    "ai-studio", "AI Studio prompt", "chunkedPrompt.chunks", marks="role", everyone="user",
    prepare=_with_system, content=_items, finish=join_turns,
)  # fmt: skip
