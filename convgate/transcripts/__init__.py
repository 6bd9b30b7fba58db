"""Transcripts: conversations in from files, uploads and pasted text, and out again.

    transcript = read_conversations("support.jsonl")
    for conversation in transcript: ...
    write_conversation(conversation, indices=[0, 3, 4])

A format is recognised by its content. `FORMATS` lists them all.
"""

from convgate.transcripts.cases import Case, RelevanceSet
from convgate.transcripts.message_reader import MessageReader, dialect_of, list_messages, turns_from_messages
from convgate.transcripts.openai_messages import to_messages
from convgate.transcripts.problems import BadLinesError, Problem, Problems, ReadStoppedError
from convgate.transcripts.reading import (
    Transcript,
    TranscriptReader,
    open_transcript,
    read_conversations,
    read_text,
)
from convgate.transcripts.registry import FORMATS, Format, format_named, write_conversation, writer_named
from convgate.transcripts.relevance_sets import read_relevance_set, write_relevance_set
from convgate.transcripts.source import MAX_BYTES

__all__ = [
    "FORMATS",
    "MAX_BYTES",
    "BadLinesError",
    "Case",
    "Format",
    "MessageReader",
    "Problem",
    "Problems",
    "ReadStoppedError",
    "RelevanceSet",
    "Transcript",
    "TranscriptReader",
    "dialect_of",
    "format_named",
    "list_messages",
    "open_transcript",
    "read_conversations",
    "read_relevance_set",
    "read_text",
    "to_messages",
    "turns_from_messages",
    "write_conversation",
    "write_relevance_set",
    "writer_named",
]
