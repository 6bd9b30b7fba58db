"""The formats that can be read and written, recognised by content.

A new one is a row of `layouts.LAYOUTS`, or an object of the shape of `Format` that stands in `EXPORTS`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from convgate.core.conversation import Conversation, Turn
from convgate.core.errors import TranscriptError
from convgate.transcripts.formats.agents import claude_code, cline, codex, frameworks, strands, terminals
from convgate.transcripts.formats.agents.responses import ResponsesFormat
from convgate.transcripts.formats.chats import assistants, gemini, messengers, slack, trees, vscode
from convgate.transcripts.formats.chats.whatsapp import WhatsAppFormat
from convgate.transcripts.formats.csv_table import CSVFormat
from convgate.transcripts.formats.field_map import FieldMap, FieldMapFormat
from convgate.transcripts.formats.layouts import LAYOUTS
from convgate.transcripts.formats.markdown import MarkdownFormat
from convgate.transcripts.formats.message_files import OpenAIFormat
from convgate.transcripts.formats.sharegpt import ShareGPTFormat
from convgate.transcripts.formats.traces import logs, spans
from convgate.transcripts.relevance_sets import BENCHMARKS, RelevanceFormat
from convgate.transcripts.source import Archive, FileGroup, LocatedConversations, Source
from convgate.transcripts.unknown import describe_unknown


class Format(Protocol):
    """A transcript format that can be read."""

    name: str  # what `format=` and `Conversation.format` call it
    label: str  # what people call it

    def match_share(self, source: Source) -> float:
        """Return how much of the source is in this format, 0…1; cheap, for every format is asked."""
        ...

    def read(self, source: Source) -> LocatedConversations:
        """Yield the conversations, each with its line where it has one; bad places go to the source's report.

        A conversation without an id of its own has an empty one.
        """
        ...


@runtime_checkable
class WritableFormat(Format, Protocol):
    """A format that can be written too."""

    suffix: str  # of files written in it

    def write(self, conversation: Conversation, turns: Sequence[Turn]) -> str:
        """Return chosen turns of a conversation as the text of a file."""
        ...


@runtime_checkable
class ArchiveFormat(Format, Protocol):
    """A format whose conversations are in several files of a zip archive or a folder."""

    def parts(self, archive: Archive) -> Sequence[FileGroup]:
        """Return what to read one after the other, nothing when the archive is in another format."""
        ...


EXPORTS: tuple[Format, ...] = (
    *(
        assistants.CHATGPT,
        assistants.DEEPSEEK,
        assistants.GROK,
        gemini.GEMINI,
        gemini.AI_STUDIO,
        vscode.VSCODE,
    ),
    *(trees.OPEN_WEBUI, trees.LLAMA_CPP, trees.OPEN_ASSISTANT, assistants.CLAUDE_AI),
    *(claude_code.CLAUDE_CODE, cline.ClineFormat()),
    *BENCHMARKS,
    slack.SlackFormat(),
    WhatsAppFormat(),
    *(messengers.TELEGRAM, messengers.DISCORD, messengers.MESSENGER),
    *(codex.CODEX, terminals.PI, strands.StrandsFormat(), terminals.OPENCODE),
    *(terminals.COPILOT_CLI, terminals.AIDER),
    *(frameworks.LangChainFormat(), frameworks.LlamaIndexFormat(), frameworks.PydanticAIFormat()),
    *(spans.SpanFormat(), logs.LangfuseFormat(), logs.LangSmithFormat(), ResponsesFormat()),
    *LAYOUTS,
)
"""Formats known by fields that no other has."""

OPENAI = OpenAIFormat()
GENERAL: tuple[WritableFormat, ...] = (
    *(RelevanceFormat(), ShareGPTFormat(), OPENAI, CSVFormat(), MarkdownFormat()),
)
"""Formats that other programs use too; of those that fit equally well, the first is taken."""

FORMATS: tuple[Format, ...] = (*EXPORTS, *GENERAL)
_MAPPED = FieldMapFormat()  # of what was read by its fields once


def format_named(name: str) -> Format:
    """Return the format of that name, or of fields: `text=body,speaker=from`; raises TranscriptError."""
    if "=" in name:
        return FieldMapFormat(FieldMap.parse(name))
    for format in (*FORMATS, _MAPPED):
        if format.name == name:
            return format
    names = ", ".join(format.name for format in FORMATS)
    raise TranscriptError(f"there is no transcript format {name!r}; there are {names}")


def writer_named(name: str) -> WritableFormat:
    """Return the format of that name, or OpenAI's for one that can only be read."""
    format = format_named(name)
    return format if isinstance(format, WritableFormat) else OPENAI


def recognise(source: Source) -> list[Format]:
    """Return the format that fits the source's content best, and exports that fit equally well.

    Raises TranscriptError when none fits.
    """
    shares = {format.name: format.match_share(source) for format in FORMATS}
    if best := max(shares.values()):
        fitting = [format for format in FORMATS if shares[format.name] == best]
        return [fitting[0], *(format for format in fitting[1:] if format in EXPORTS)]
    raise source.json_error or TranscriptError(describe_unknown(source), file=source.report.file)


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
    return writer_named(format or conversation.format).write(conversation, turns)
