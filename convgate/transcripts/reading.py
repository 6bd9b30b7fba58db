"""Transcripts in: from a file, an upload or pasted text to conversations."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from convgate.core.conversation import Conversation
from convgate.core.errors import TranscriptError
from convgate.core.text import pluralize
from convgate.transcripts.characters import writable
from convgate.transcripts.identity import make_ids_unique
from convgate.transcripts.problems import Problems, Report
from convgate.transcripts.registry import format_named, recognise
from convgate.transcripts.source import MAX_BYTES, Source, source_of_bytes, source_of_path


@dataclass(frozen=True)
class Transcript:
    """What a file held."""

    conversations: tuple[Conversation, ...]  # at least one, each with at least one turn and an id of its own
    format: str  # name of the format that was recognised
    problems: Problems = field(default_factory=Problems)  # what was left out, and what was odd, by line

    def __iter__(self) -> Iterator[Conversation]:
        return iter(self.conversations)

    def __len__(self) -> int:
        return len(self.conversations)


def read_conversations(
    source: str | Path | bytes,
    *,
    name: str | None = None,
    format: str | None = None,
    skip_bad: bool = False,
    max_bytes: int = MAX_BYTES,
    time_limit: float | None = None,
    stop: Callable[[], bool] | None = None,
) -> Transcript:
    """Return the conversations of a transcript, in whatever format it is.

    source: the path of a file, or the bytes of an upload, which `name` names in messages.
    format: the format's name; None: recognised by the content.
    skip_bad: leave out what cannot be read and list it in `problems`.
    time_limit: seconds; None for no limit. stop: called while lines and items pass; True stops reading.

    Raises TranscriptError when nothing can be read, BadLinesError for bad places without `skip_bad`, and
    ReadStoppedError when it was stopped.
    """
    if isinstance(source, bytes | bytearray | memoryview):
        report = Report(name or "the upload", time_limit, stop)
        opened = source_of_bytes(bytes(source), report, max_bytes=max_bytes)
    else:
        path = Path(source)
        report = Report(name or path.name or str(path), time_limit, stop)
        opened = source_of_path(path, report, max_bytes=max_bytes)
    return read_source(opened, format, skip_bad=skip_bad)


def read_text(text: str, *, name: str = "pasted text", **options: Any) -> Transcript:
    """Return the conversations of a pasted text; options and everything else as in `read_conversations`.

    >>> conversation = read_text("You: Is it raining?\\nChatGPT: I cannot see outside.").conversations[0]
    >>> [(turn.role, turn.text) for turn in conversation.turns]
    [('user', 'Is it raining?'), ('assistant', 'I cannot see outside.')]
    """
    return read_conversations(writable(text).encode(), name=name, **options)


def read_source(source: Source, format: str | None = None, *, skip_bad: bool = False) -> Transcript:
    """Return the conversations of a source; everything else as in `read_conversations`."""
    reader = format_named(format) if format else recognise(source)
    report = source.report
    used_ids: dict[str, int] = {}
    conversations = []
    for line, conversation in reader.read(source):
        if conversation.turns:
            conversations.append(make_ids_unique(conversation, used_ids, report, line))
        else:
            report.warn("a conversation without messages is left out", line=line)
    if len(conversations) == 1:
        readable = pluralize(len(conversations[0]), "turn")
    else:
        readable = pluralize(len(conversations), "conversation")
    problems = report.close(readable if conversations else None, skip_bad=skip_bad)
    if not conversations:
        raise TranscriptError("there are no messages in it", file=report.file)
    return Transcript(tuple(conversations), reader.name, problems)
