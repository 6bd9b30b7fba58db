"""Records from a file: one JSON object a line, or those of a transcript's turns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from convgate.core.conversation import Conversation
from convgate.core.errors import TranscriptError
from convgate.core.text import pluralize
from convgate.transcripts.json_text import Place
from convgate.transcripts.problems import Problems
from convgate.transcripts.reading import read_source
from convgate.transcripts.source import Source

_TRANSCRIPT_FIELDS = frozenset({"messages", "conversations", "role", "from", "type"})

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class FileRecord(Generic[T]):
    """A value of a file with its position."""

    value: T
    item: int  # the line, or the entry of a list, from 1; in a transcript the user's turn, from 0
    conversation: str | None = None  # its id, where the file is a transcript


def read_records(
    source: Source,
    noun: str,
    parse: Callable[[Any, Place], T],
    of_conversation: Callable[[Conversation], Iterable[tuple[int, T]]],
    *,
    own_fields: frozenset[str],
    skip_bad: bool = False,
) -> tuple[list[FileRecord[T]], Problems]:
    """Return the records of a file in its order, and the problems found.

    noun: the name of a record. parse: reads one JSON value, with TranscriptError for a bad one.
    of_conversation: the records of a transcript's conversation, each with its turn. own_fields: an object
    with all of them is a record even if it has fields of a transcript.

    Raises TranscriptError when nothing can be read, BadLinesError, which is one, for bad lines unless
    `skip_bad`.
    """
    report = source.report
    if not _has_records(source, own_fields):
        transcript = read_source(source, skip_bad=skip_bad)
        records = [
            FileRecord(value, turn, conversation.id)
            for conversation in transcript.conversations
            for turn, value in of_conversation(conversation)
        ]
        if not records:
            raise TranscriptError("it has no message of a user", file=report.file)
        return records, transcript.problems
    records = []
    for number, (value, place) in enumerate(source.need_json().values(), 1):
        with place.skip_bad_value():
            records.append(FileRecord(parse(value, place), place.line or number))
    readable = pluralize(len(records), noun) if records else None
    return records, report.close(readable, skip_bad=skip_bad)


def _has_records(source: Source, own_fields: frozenset[str]) -> bool:
    """Return whether most of the file's first objects are neither messages with a role nor conversations."""
    if source.json is None:
        return False
    objects = [value for value in source.json.sample if isinstance(value, Mapping)]
    transcripts = sum(
        not own_fields <= value.keys() and not _TRANSCRIPT_FIELDS.isdisjoint(value) for value in objects
    )
    return 2 * transcripts < len(objects)
