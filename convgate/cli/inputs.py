"""What commands read: the library, transcripts, relevance sets."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from convgate.cli import output
from convgate.core.errors import ConvgateError, TranscriptError
from convgate.core.text import join_words, quote

if TYPE_CHECKING:
    from convgate.core.conversation import Conversation
    from convgate.store import Store
    from convgate.transcripts import Case, RelevanceSet
    from convgate.transcripts.reading import TranscriptReader
    from convgate.transcripts.source import Source


def open_library(*, check: bool = False) -> Store:
    """Return the store of the settings; with `check`, look for damage first (0.3 s for 100 MB on disk)."""
    from convgate.core.settings import load_settings
    from convgate.store import Store

    store = Store(load_settings().database)
    if check:
        store.check()
    return store


def open_source(file: Path) -> Source:
    """Return the file, or standard input for -, within the limits of the settings."""
    from convgate.core.settings import load_settings
    from convgate.transcripts.problems import Report
    from convgate.transcripts.source import source_of_bytes, source_of_path

    settings = load_settings()
    limit = settings.upload_limit_mb << 20
    is_pipe = str(file) == "-"
    report = Report("standard input" if is_pipe else file.name or str(file), settings.read_limit_seconds)
    if is_pipe:
        return source_of_bytes(sys.stdin.buffer.read(limit + 1), report, max_bytes=limit)
    return source_of_path(file, report, max_bytes=limit)


def open_reader(file: Path, format: str | None) -> TranscriptReader:
    """Return a reader of the file, archive or folder, or of standard input for -."""
    from convgate.core.settings import load_settings
    from convgate.transcripts.reading import open_transcript

    settings = load_settings()
    is_pipe = str(file) == "-"
    return open_transcript(
        _piped() if is_pipe else file,
        name="standard input" if is_pipe else None,
        format=format,
        max_bytes=settings.upload_limit_mb << 20,
        time_limit=settings.read_limit_seconds,
    )


@cache
def _piped() -> bytes:
    return sys.stdin.buffer.read()


def read_one(
    file: Path, *, which: str | None, format: str | None, skip_bad: bool, redact: bool = False
) -> Conversation:
    """Return the conversation of the file with the id or number `which`; by default the first.

    redact: replace its secrets, and print how many on standard error.
    """
    from convgate.transcripts.redaction import Redactor

    with output.status(f"Reading {file}"):
        reader = open_reader(file, format)
        conversations = tuple(reader)
    output.close_reader(reader, skip_bad=skip_bad)
    if left_out := reader.summary.left_out:
        output.print_note(f"{reader.report.file}: {', '.join(left_out)}")
    conversation = _find_conversation(file, conversations, which)
    if redact:
        redactor = Redactor()
        conversation = redactor.redact(conversation)
        output.print_note(redactor.summary)
    return conversation


def _find_conversation(file: Path, conversations: Sequence[Conversation], which: str | None) -> Conversation:
    if which is None:
        if len(conversations) > 1:
            output.print_note(
                f"{file} holds {len(conversations)} conversations; using the first ({conversations[0].id})."
                " Choose another with --conversation."
            )
        return conversations[0]
    for conversation in conversations:
        if conversation.id == which:
            return conversation
    if which.isdecimal() and int(which) < len(conversations):
        return conversations[int(which)]
    names = (
        f"{place} ({quote(conversation.title or conversation.id, 60)})"
        for place, conversation in enumerate(conversations)
    )
    raise ConvgateError(
        f"{file}: there is no conversation {which!r}; choose {join_words(names, max_words=10)}"
    )


@contextmanager
def writable_library(*, dry_run: bool) -> Iterator[Store]:
    """Yield the store of the settings; in a dry run a copy, so that not even an empty library is made."""
    if not dry_run:
        yield open_library(check=True)
        return
    from convgate.core.settings import load_settings
    from convgate.store import Store

    path = load_settings().database
    with tempfile.TemporaryDirectory(prefix="convgate-") as folder:
        copy = Path(folder, path.name)
        if path.exists():
            with closing(Store(path, read_only=True)) as store:
                copy.write_bytes(store.backup_bytes())
        with closing(Store(copy)) as store:
            store.check()
            yield store


def read_set(file: Path, *, skip_bad: bool = False) -> RelevanceSet:
    """Return the relevance set in the file; its problems go to standard error.

    Raises TranscriptError when it cannot be read or holds no cases.
    """
    from convgate.transcripts import read_relevance_set

    relevance_set = read_relevance_set(file, skip_bad=skip_bad)
    output.print_problems(relevance_set.problems)
    if not relevance_set.cases:
        raise TranscriptError("it holds no cases, so there is nothing to measure", file=str(file))
    return relevance_set


def read_labelled(file: Path, *, skip_bad: bool) -> Iterator[tuple[Conversation, Sequence[Case]]]:
    """Yield the conversations of a file or folder, with the cases of a relevance set."""
    from convgate.transcripts.relevance_sets import BENCHMARKS, RelevanceFormat, read_relevance_set

    labelled = {RelevanceFormat.name, *(benchmark.name for benchmark in BENCHMARKS)}
    reader = open_reader(file, None)
    if reader.format in labelled and file.is_file():
        relevance_set = read_relevance_set(file, skip_bad=skip_bad)
        output.print_problems(relevance_set.problems)
        for id, conversation in relevance_set.conversations.items():
            yield conversation, [case for case in relevance_set.cases if case.conversation == id]
        return
    is_labelled = False
    for conversation in reader:
        is_labelled |= conversation.format in labelled
        yield conversation, ()
    output.close_reader(reader, skip_bad=skip_bad)
    if left_out := reader.summary.left_out:
        output.print_note(f"{reader.report.file}: {', '.join(left_out)}")
    if is_labelled:
        output.print_note(f"{file}: the labels of its relevance sets are not read; name their files")
