"""Messages from a file: one JSON object a line, or a transcript, whose users' turns are taken.

{"content": "the cake sinks in the middle", "intent": "debug"}
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from convgate.context.mode import Mode, mode_of_intent
from convgate.context.modes.conversation import is_from_user
from convgate.core.errors import ContextError, TranscriptError
from convgate.core.settings import Settings
from convgate.transcripts.json_text import kind
from convgate.transcripts.problems import Problems
from convgate.transcripts.reading import read_source
from convgate.transcripts.source import Source

_OF_TRANSCRIPTS = frozenset({"messages", "conversations", "role", "from", "type"})


@dataclass(frozen=True, slots=True)
class FiledMessage:
    """A message, and where in the file it stands."""

    text: str
    asked_for: Mode | None  # by its intent
    item: int  # the line, or the entry of a list, from 1; of a transcript the user's turn, from 0
    conversation: str | None = None  # its id, where the file is a transcript


def read_messages(
    source: Source, settings: Settings, *, skip_bad: bool = False
) -> tuple[list[FiledMessage], Problems]:
    """The messages of a file in its order, and what was left out or odd.

    Other fields of a line than `content` and `intent` are let be. Raises TranscriptError when nothing can be
    read, BadLinesError, which is one, for bad lines unless `skip_bad`.
    """
    report = source.report
    if not _has_messages(source):
        transcript = read_source(source, skip_bad=skip_bad)
        placed = [
            FiledMessage(turn.text, None, index, conversation.id)
            for conversation in transcript.conversations
            for index, turn in enumerate(conversation.turns)
            if is_from_user(turn)
        ]
        if not placed:
            raise TranscriptError("no user says anything in it", file=report.file)
        return placed, transcript.problems
    messages: list[FiledMessage] = []
    for number, (value, place) in enumerate(source.need_json().values(), 1):
        try:
            messages.append(_message(value, place.line or number, settings))
        except TranscriptError as error:
            place.leave_out_all(error)
    readable = f"{len(messages):,} message{'s' * (len(messages) != 1)}" if messages else None
    return messages, report.close(readable, skip_bad=skip_bad)


def _message(value: Any, item: int, settings: Settings) -> FiledMessage:
    if not isinstance(value, Mapping):
        raise TranscriptError(f"a message is an object with 'content', got {kind(value)}")
    if "content" not in value:
        raise TranscriptError("there is no text of a message", field="content")
    content, intent = value["content"], value.get("intent")
    if not isinstance(content, str):
        raise TranscriptError(f"expected a text, got {kind(content)}", field="content")
    if intent is None:
        return FiledMessage(content, None, item)
    try:
        return FiledMessage(content, mode_of_intent(intent, settings), item)
    except ContextError as error:
        raise TranscriptError(str(error), field="intent") from error


def _has_messages(source: Source) -> bool:
    """Whether most of the file's first objects are neither messages with a role nor conversations."""
    if source.json is None:
        return False
    objects = [value for value in source.json.sample if isinstance(value, Mapping)]
    transcripts = sum(not _OF_TRANSCRIPTS.isdisjoint(value) for value in objects)
    return 2 * transcripts < len(objects)
