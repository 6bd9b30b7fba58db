"""The formats that can be read and written, recognised by content.

A new one is a module with one class of the shape of `Format`, and a line in `FORMATS`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from convgate.core.conversation import Conversation, Turn
from convgate.core.errors import TranscriptError
from convgate.transcripts.csv_table import CSVFormat
from convgate.transcripts.markdown import MarkdownFormat
from convgate.transcripts.message_lists import described
from convgate.transcripts.openai_messages import OpenAIFormat
from convgate.transcripts.relevance_sets import RelevanceFormat
from convgate.transcripts.sharegpt import ShareGPTFormat
from convgate.transcripts.source import LocatedConversations, Source


class Format(Protocol):
    """One transcript format."""

    name: str  # what `format=` and `Conversation.format` call it
    label: str  # what people call it
    suffix: str  # of files written in it

    def match_share(self, source: Source) -> float:
        """Return how much of the source is in this format, 0…1; cheap, for every format is asked."""
        ...

    def read(self, source: Source) -> LocatedConversations:
        """The conversations, each with its line where it has one; bad places go to the source's report.

        A conversation without an id of its own has an empty one.
        """
        ...

    def write(self, conversation: Conversation, turns: Sequence[Turn]) -> str:
        """Chosen turns of a conversation as the text of a file."""
        ...


FORMATS: tuple[Format, ...] = (  # of formats that fit equally well, the first is taken
    RelevanceFormat(),
    ShareGPTFormat(),
    OpenAIFormat(),
    CSVFormat(),
    MarkdownFormat(),
)


def format_named(name: str) -> Format:
    """Return the format of that name; raises TranscriptError when there is none."""
    for format in FORMATS:
        if format.name == name:
            return format
    names = ", ".join(format.name for format in FORMATS)
    raise TranscriptError(f"there is no transcript format {name!r}; there are {names}")


def recognise(source: Source) -> Format:
    """Return the format that fits the source's content best; raises TranscriptError when none does."""
    shares = [format.match_share(source) for format in FORMATS]
    if max(shares) > 0:
        return FORMATS[shares.index(max(shares))]
    raise source.json_error or TranscriptError(_unknown(source), file=source.report.file)


def _unknown(source: Source) -> str:
    if not source.is_text:
        return "this is not a text file; give a transcript as JSON, CSV, Markdown or plain text"
    if source.json is not None:
        value = next((value for value in source.json.sample if value is not None), None)
        return (
            f"JSON in no form that convgate reads: {described(value)}; "
            "expected 'messages' with role and content, or 'conversations' with from and value"
        )
    return (
        "no form of transcript that convgate reads: begin each turn with who speaks, as in 'User: …' and "
        "'Assistant: …', or give a CSV file with the columns role and text, or JSON with 'messages'"
    )


def write_conversation(
    conversation: Conversation, *, format: str | None = None, indices: Sequence[int] | None = None
) -> str:
    """Return the conversation as text, in the format that it came in or another.

    indices: 0-based, only these turns, in this order. Turns of that format are given back as they came.

    Raises ConversationError when there is no such turn, TranscriptError when the format is unknown or
    a turn cannot be written in it.
    """
    turns = conversation.turns
    if indices is not None:
        turns = tuple(conversation.at(index)[0].turn for index in indices)
    return format_named(format or conversation.format).write(conversation, turns)
