"""What a file that no reader accepts looks like, and what would help."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from convgate.core.text import join_words, quote
from convgate.transcripts.formats.field_map import table_of
from convgate.transcripts.formats.markdown import CUE, is_settings
from convgate.transcripts.message_lists import described
from convgate.transcripts.source import Source

_BINARY = {
    b"%PDF": "a PDF file; copy its text and paste it, or save it as plain text",
    b"\x89PNG": "an image; export the chat as text or JSON",
    b"\xff\xd8\xff": "an image; export the chat as text or JSON",
    b"GIF8": "an image; export the chat as text or JSON",
    b"\x1f\x8b": "a gzip archive; unpack it, and give the file inside",
    b"SQLite": "a database; export its messages as JSON or CSV",
}
_WRITTEN = {
    ("<!doctype", "<html"): "a web page; copy the conversation from the browser and paste it",
    ("{\\rtf",): "a rich text document; save it as plain text",
    ("<?xml",): "an XML document; export the chat as text or JSON",
}
_OBJECTS: dict[frozenset[str], str] = {
    frozenset({"header", "title", "products"}): (
        "activities of Google Takeout, which do not say what belongs to one conversation;"
        " copy the conversation from the browser and paste it"
    ),
    frozenset({"chat", "user_id"}): "Open WebUI's export; download the chat as plain text from its menu",
    frozenset({"ts", "type", "say"}): "events of a task of Cline; give its api_conversation_history.json",
    frozenset({"composerId"}): "a chat in Cursor's own storage; export it from Cursor as Markdown",
    frozenset({"instruction", "output"}): (
        "single instructions with answers; give conversations, as lists of messages with role and content"
    ),
    frozenset({"prompt", "completion"}): (
        "single prompts with answers; give conversations, as lists of messages with role and content"
    ),
}
"""What objects with these fields are."""

_OFFICE = ("[content_types].xml", "mimetype")
_LOG_LINE = re.compile(
    r"\W{0,2}(?:\d{4}-\d\d-\d\d|\d\d:\d\d:\d\d|[A-Z][a-z]{2} [ \d]\d \d\d:)"
    r"|.{0,60}\b(?:DEBUG|INFO|WARN|WARNING|ERROR)\b"
)
_N_LINES = 50
_SPEAKERS = "begin each turn with who speaks, as in 'User: …' and 'Assistant: …'"


def describe_unknown(source: Source) -> str:
    """Return what a file looks like that is in no format, and what to do about it."""
    if not source.is_text:
        with source.open() as file:
            head = file.read(16)
        what = next((text for magic, text in _BINARY.items() if head.startswith(magic)), None)
        return f"this is {what}" if what else "this is no text file; give a transcript as text, JSON or CSV"
    if source.json is not None:
        return _describe_json(source.json.sample)
    lines = [line.strip() for line in source.first_lines(_N_LINES) if line.strip()]
    begin = lines[0].lower() if lines else ""
    what = next((text for starts, text in _WRITTEN.items() if begin.startswith(starts)), None)
    if what:
        return f"this looks like {what}"
    if any(CUE.match(line) for line in lines):
        return "this looks like subtitles; save what was said as text, and " + _SPEAKERS
    if table := table_of(source):
        names, places = table[1].names, table[1].places
        if {"input", "output"} <= set(names):
            return "this looks like a table of model calls, as Langfuse exports it; export JSON instead"
        missing = [] if "text" in places else ["'text' for what is said"]
        missing += [] if {"role", "speaker"} & set(places) else ["'role' for who says it"]
        shown = join_words([quote(name, 40) for name in names], max_words=8)
        return f"this looks like a table with the columns {shown}; call a column {join_words(missing)}"
    if is_settings(lines, {}):
        return "this looks like a file of settings; --format markdown reads it as a conversation all the same"
    if 2 * sum(_LOG_LINE.match(line) is not None for line in lines) > len(lines):
        return f"this looks like a log file, and no line says who speaks; {_SPEAKERS}"
    return f"no line says who speaks; {_SPEAKERS}, or give a CSV file with the columns role and text, or JSON"


def describe_archive(names: Iterable[str]) -> str:
    """Return what an archive or a folder without a transcript holds, and what to do about it."""
    names = list(names)
    if {name.lower() for name in names} & set(_OFFICE):
        return "this is an office document; save it as plain text, or its table as CSV"
    if zips := [quote(name, 40) for name in names if name.lower().endswith(".zip")]:
        return f"it holds archives: {join_words(zips, max_words=5)}; unpack them, or give each alone"
    shown = join_words([quote(name, 40) for name in names], max_words=5) or "nothing"
    return f"no transcript is in it; there is {shown}"


def _describe_json(sample: Sequence[Any]) -> str:
    value = next((value for value in sample if value is not None), None)
    fields = value.keys() if isinstance(value, Mapping) else set()
    what = next((text for keys, text in _OBJECTS.items() if keys <= fields), None)
    if what:
        return f"this looks like {what}"
    inside = ""
    for key, child in value.items() if isinstance(value, Mapping) else ():
        if isinstance(child, list) and child and isinstance(child[0], Mapping):
            inside = f", whose {quote(key, 40)} holds {described(child[0])}"
            break
    return (
        f"JSON in no form that convgate reads: {described(value)}{inside}; "
        "expected 'messages' with role and content, or 'conversations' with from and value"
    )
