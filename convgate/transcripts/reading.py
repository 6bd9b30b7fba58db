"""Transcripts in: from a file, an upload or pasted text to conversations."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any

from convgate.core.conversation import Conversation
from convgate.core.errors import TranscriptError
from convgate.core.text import pluralize, writable
from convgate.transcripts.formats.field_map import find_lists
from convgate.transcripts.identity import make_ids_unique, pair_calls
from convgate.transcripts.problems import (
    Problem,
    Problems,
    ReadStoppedError,
    Report,
    close_reports,
    pluralize_noun,
)
from convgate.transcripts.registry import FORMATS, ArchiveFormat, Format, format_named, recognise
from convgate.transcripts.source import (
    MAX_BYTES,
    ZIP_ERRORS,
    Archive,
    FileGroup,
    Source,
    open_bytes,
    open_path,
)
from convgate.transcripts.timestamps import NEWEST_FIRST, is_newest_first
from convgate.transcripts.unknown import describe_archive

SUFFIXES = frozenset({".json", ".jsonl", ".ndjson", ".md", ".txt", ".csv", ".tsv"})
"""Of files in archives and folders that may be transcripts."""

PART_NAMES = {
    **dict.fromkeys(("image_url", "image_file", "input_image"), "image"),
    **{"input_audio": "audio part", "input_file": "file"},
}
"""What people call kinds of parts that are no text, where it is not the kind itself."""


@dataclass
class ReadSummary:
    """What was read of a file, and what of it no conversation holds; a person sees it before adding it."""

    n_conversations: int = 0
    n_turns: int = 0
    formats: Counter[str] = field(default_factory=Counter)  # conversations by the name of their format
    speakers: Counter[str] = field(default_factory=Counter)  # turns by who speaks
    roles: Counter[str] = field(default_factory=Counter)  # turns by their role
    placeholders: Counter[str] = field(default_factory=Counter)  # parts that are no text, by their kind
    omitted: Counter[str] = field(default_factory=Counter)  # what was left out on purpose, in the singular
    n_skipped: int = 0  # places that cannot be read

    def add(self, conversation: Conversation) -> None:
        """Count a conversation."""
        self.n_conversations += 1
        self.n_turns += len(conversation)
        self.formats[conversation.format] += 1
        for turn in conversation.turns:
            self.speakers[turn.speaker] += 1
            self.roles[turn.role] += 1
            self.placeholders.update(
                PART_NAMES.get(part.kind, part.kind) for part in turn.parts if part.is_placeholder
            )

    def __str__(self) -> str:
        """Return it as text: "212 turns, 2 speakers, 3 images as placeholders, 0 lines skipped"."""
        parts = [pluralize(self.n_turns, "turn"), pluralize(len(self.speakers), "speaker")]
        if self.n_conversations != 1:
            formats = ", ".join(f"{n} {name}" for name, n in self.formats.most_common())
            several = f" ({formats})" if len(self.formats) > 1 else ""
            parts.insert(0, f"{pluralize(self.n_conversations, 'conversation')}{several}")
        parts += [
            f"{pluralize(n, kind)} as placeholder{'s' if n > 1 else ''}"
            for kind, n in self.placeholders.most_common()
        ]
        parts.append(f"{pluralize(self.n_skipped, 'line')} skipped")
        return ", ".join([*parts, *self.left_out])

    @property
    def left_out(self) -> list[str]:
        """What was left out on purpose, each with its count: "2 messages of another branch left out"."""
        return [f"{pluralize_noun(n, what)} left out" for what, n in self.omitted.most_common()]


@dataclass(frozen=True)
class Transcript:
    """What a file held."""

    conversations: tuple[Conversation, ...]  # at least one, each with at least one turn and an id of its own
    format: str  # name of the format that was recognised
    problems: Problems = field(default_factory=Problems)  # what was left out, and what was odd, by line
    summary: ReadSummary = field(default_factory=ReadSummary)
    alternatives: tuple[str, ...] = ()  # names of other formats that fit equally well

    def __iter__(self) -> Iterator[Conversation]:
        return iter(self.conversations)

    def __len__(self) -> int:
        return len(self.conversations)


class TranscriptReader:
    """Reads the conversations of a file, an archive or a folder, one after the other.

        reader = open_transcript("conversations.json")
        for conversation in reader:
            ...
        problems = reader.close(skip_bad=True)

    Only one conversation of a format that allows it is in memory at a time. Raises TranscriptError while
    it reads when the file is damaged.
    """

    def __init__(self, opened: Source | Archive, format: str | None, report: Report) -> None:
        self.summary = ReadSummary()
        self.alternatives: tuple[str, ...] = ()
        self.report = report
        self._opened = opened if isinstance(opened, Source) and not format else None
        with self._as_transcript_errors(report):
            self._parts = self._recognise(opened, format)
        self._current: FileGroup | None = None
        self._used_ids: dict[str, int] = {}

    @property
    def format(self) -> str:
        """The name of the format; of files in several, that of the first."""
        return self._parts[0].format

    @property
    def fraction_read(self) -> float:
        """How much has been read, 0…1."""
        total = sum(part.size for part in self._parts)
        done = 0.0
        for part in self._parts:
            if part is self._current:
                return (done + part.size * part.fraction_read) / max(1, total)
            done += part.size
        return 0.0

    def __iter__(self) -> Iterator[Conversation]:
        for part in self.report.watch(self._parts, "files"):
            self._current = part
            report = part.sources[0].report
            with self._as_transcript_errors(report):
                for line, conversation in part.read():
                    turns = conversation.turns
                    if not turns:
                        report.omit("conversation without messages")
                        continue
                    if is_newest_first([turn.timestamp for turn in turns]):
                        report.warn_once(NEWEST_FIRST)
                        turns = turns[::-1]
                    paired = replace(conversation, turns=pair_calls(turns))
                    unique = make_ids_unique(paired, self._used_ids, report, line)
                    self.summary.add(unique)
                    yield unique
            for source in part.sources:
                source.release()

    def close(self, *, skip_bad: bool = False) -> Problems:
        """Return what was left out, and what was odd, once everything is read.

        Raises BadLinesError for bad places without `skip_bad`, TranscriptError without any message.
        """
        reports = self._reports()
        summary = self.summary
        if summary.n_conversations == 1:
            readable = pluralize(summary.n_turns, "turn")
        else:
            readable = pluralize(summary.n_conversations, "conversation")
        for report in reports:
            summary.omitted += report.omitted
        summary.n_skipped = sum(report.counts["error"] for report in reports)
        with self._with_hint():
            problems = close_reports(reports, readable if summary.n_turns else None, skip_bad=skip_bad)
            if not summary.n_turns:
                raise TranscriptError("there are no messages in it", file=self.report.file)
        return problems

    def take_errors(self) -> list[Problem]:
        """Return the bad places that were found since the last call; neither they nor warnings are kept."""
        errors = []
        for report in self._reports():
            errors += [problem for problem in report.problems if problem.severity == "error"]
            report.problems.clear()
            report.counts.clear()
        return errors

    def _reports(self) -> list[Report]:
        """Return the reports of the whole and of each file, each once."""
        reports = [self.report, *(source.report for part in self._parts for source in part.sources)]
        return list({id(report): report for report in reports}.values())

    @contextmanager
    def _as_transcript_errors(self, report: Report) -> Iterator[None]:
        try:
            yield
        except (OSError, *ZIP_ERRORS) as error:
            raise TranscriptError(f"the file cannot be read: {error}", file=report.file) from error

    @contextmanager
    def _with_hint(self) -> Iterator[None]:
        """Add to the error of a file of which nothing can be read what its fields may be."""
        try:
            yield
        except TranscriptError as error:
            lists = find_lists(self._opened) if self._opened and not self.summary.n_turns else []
            if lists and (guess := lists[0].guess):
                fields = shlex.quote(str(guess))
                error.add_note(f"If these are the fields of its messages, read it with --map {fields}")
            raise

    def _recognise(self, opened: Source | Archive, format: str | None) -> list[FileGroup]:
        """Return what to read."""
        if isinstance(opened, Archive):
            return list(self._parts_of(opened, format_named(format) if format else None))
        if format:
            return [_part(format_named(format), opened)]
        with self._with_hint():
            best, *others = recognise(opened)
        self.alternatives = tuple(other.name for other in others)
        return [_part(best, opened)]

    def _parts_of(self, archive: Archive, format: Format | None) -> Iterator[FileGroup]:
        """Yield the transcripts of an archive; raises TranscriptError when there is none."""
        for choice in (format,) if format else FORMATS:
            if isinstance(choice, ArchiveFormat) and (parts := choice.parts(archive)):
                yield from parts
                return
        damage: list[TranscriptError] = []
        n_transcripts = 0
        for name, source in self.report.watch(archive.sources.items(), "files"):
            suffix = PurePosixPath(name).suffix.lower()
            try:
                if suffix not in SUFFIXES or (source.json is not None and not source.json.sample):
                    raise TranscriptError("no transcript")
                yield _part(format or recognise(source)[0], source)
                n_transcripts += 1
            except ReadStoppedError:
                raise
            except TranscriptError as error:
                if error is source.json_error:
                    damage.append(error)
                    self.report.error(error.problem, line=error.line, field=name)
                else:
                    self.report.omit("zip archive" if suffix == ".zip" else "file without a conversation")
            source.release()
        if damage and not n_transcripts:
            raise damage[0]
        if not n_transcripts:
            raise TranscriptError(describe_archive(archive.sources), file=archive.report.file)


def _part(format: Format, source: Source) -> FileGroup:
    return FileGroup(format.name, (source,), partial(format.read, source))


def open_transcript(
    source: str | Path | bytes,
    *,
    name: str | None = None,
    format: str | None = None,
    max_bytes: int = MAX_BYTES,
    time_limit: float | None = None,
    stop: Callable[[], bool] | None = None,
) -> TranscriptReader:
    """Return a reader of the transcript, which recognises the format; arguments as `read_conversations`."""
    if isinstance(source, bytes | bytearray | memoryview):
        report = Report(name or "the upload", time_limit, stop)
        return TranscriptReader(open_bytes(bytes(source), report, max_bytes=max_bytes), format, report)
    path = Path(source)
    report = Report(name or path.name or str(path), time_limit, stop)
    return TranscriptReader(open_path(path, report, max_bytes=max_bytes), format, report)


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

    source: the path of a file, a zip archive or a folder, or the bytes of an upload, which `name` names in
    messages. format: the format's name; None: recognised by the content.
    skip_bad: leave out what cannot be read and list it in `problems`.
    max_bytes: of a text that has to be held in memory at once.
    time_limit: seconds; None for no limit. stop: called while lines and items pass; True stops reading.

    Raises TranscriptError when nothing can be read, BadLinesError for bad places without `skip_bad`, and
    ReadStoppedError when it was stopped.
    """
    limits: dict[str, Any] = {"max_bytes": max_bytes, "time_limit": time_limit, "stop": stop}
    return _read_all(open_transcript(source, name=name, format=format, **limits), skip_bad=skip_bad)


def read_text(text: str, *, name: str = "pasted text", **options: Any) -> Transcript:
    """Return the conversations of a pasted text; options and everything else as in `read_conversations`.

    >>> conversation = read_text("You: Is it raining?\\nChatGPT: I cannot see outside.").conversations[0]
    >>> [(turn.role, turn.text) for turn in conversation.turns]
    [('user', 'Is it raining?'), ('assistant', 'I cannot see outside.')]
    """
    return read_conversations(writable(text).encode(), name=name, **options)


def read_source(source: Source, *, skip_bad: bool = False) -> Transcript:
    """Return the conversations of a source; everything else as in `read_conversations`."""
    return _read_all(TranscriptReader(source, None, source.report), skip_bad=skip_bad)


def _read_all(reader: TranscriptReader, *, skip_bad: bool) -> Transcript:
    conversations = tuple(reader)
    problems = reader.close(skip_bad=skip_bad)
    return Transcript(conversations, reader.format, problems, reader.summary, reader.alternatives)
