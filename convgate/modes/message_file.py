"""Messages from a file: one JSON object a line, or a transcript, whose users' turns are taken.

{"content": "the cake sinks in the middle", "intent": "debug"}
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from convgate.core.errors import RequestError, TranscriptError
from convgate.core.settings import Settings
from convgate.messages.units import is_from_user
from convgate.modes.mode import Mode, mode_of_intent
from convgate.transcripts.json_text import kind
from convgate.transcripts.problems import Problems
from convgate.transcripts.records import FileRecord, read_records
from convgate.transcripts.source import Source


@dataclass(frozen=True, slots=True)
class MessageWithIntent:
    """A message, and the mode of its intent, if it names one."""

    text: str
    intended: Mode | None = None


def read_messages(
    source: Source, settings: Settings, *, skip_bad: bool = False
) -> tuple[list[FileRecord[MessageWithIntent]], Problems]:
    """Return the messages of a file, as `read_records` does; other fields of a line are ignored."""
    return read_records(
        source,
        "message",
        lambda value, place: _read_message(value, settings),
        lambda talk: [
            (i, MessageWithIntent(turn.text)) for i, turn in enumerate(talk.turns) if is_from_user(turn)
        ],
        own_fields=frozenset({"content", "intent"}),
        skip_bad=skip_bad,
    )


def _read_message(value: Any, settings: Settings) -> MessageWithIntent:
    if not isinstance(value, Mapping):
        raise TranscriptError(f"a message is an object with 'content', got {kind(value)}")
    content, intent = value.get("content"), value.get("intent")
    if not isinstance(content, str):
        raise TranscriptError(f"expected a text, got {kind(content)}", field="content")
    try:
        return MessageWithIntent(content, None if intent is None else mode_of_intent(intent, settings))
    except RequestError as error:
        raise TranscriptError(str(error), field="intent") from error
