"""Input of a batch: files of any file system that pyarrow reads, cut into parts that are always the same."""

from __future__ import annotations

import io
import os
import pickle
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from hashlib import blake2b
from pathlib import Path, PurePosixPath
from typing import IO, Any

import numpy as np
import pyarrow as pa
from pyarrow import fs, parquet

from convgate.core.conversation import Conversation
from convgate.core.errors import SettingsError, TranscriptError
from convgate.transcripts.identity import make_ids_unique, pair_calls
from convgate.transcripts.json_text import Place, kind, parse_json
from convgate.transcripts.problems import Problem, Report
from convgate.transcripts.reading import SUFFIXES, TranscriptReader
from convgate.transcripts.registry import FORMATS, OPENAI, ArchiveFormat
from convgate.transcripts.source import MAX_BYTES, MAX_FILES, Archive, Source, open_file

Block = dict[str, Any]
"""Columns of pickled values or counts, as Ray Data has them."""

PARQUET = ".parquet"
PART_TURNS = 5_000
"""Turns after which a part ends, with the conversation that they are in."""

_PART_CHARACTERS = 8_000_000  # after which a part ends too, so that its vectors fit the encoder's cache
_ROWS = 256  # of a Parquet file that are in memory at once


@dataclass(frozen=True)
class InputFile:
    """What is read from its beginning to its end: a file, or a folder that is one export."""

    filesystem: fs.FileSystem
    path: str
    size: int  # bytes
    modified: int  # nanoseconds since 1970
    members: tuple[str, ...] = ()  # the paths in the folder; none for a file


@dataclass(frozen=True)
class BadRow:
    """Something that was left out, and why."""

    file: str
    reason: str
    line: int | None = None  # 1-based, in a file of lines
    row: int | None = None  # 0-based, in a Parquet file
    field: str | None = None  # such as messages[3].role
    conversation: str | None = None  # its id, where it was read and could not be decided


@dataclass(frozen=True)
class Part:
    """Some conversations of a file, in its order; the same in every run."""

    file: str
    index: int  # 0-based, in its file
    conversations: Sequence[Conversation] = ()
    bad: Sequence[BadRow] = ()
    n_bytes: int = 0  # of the file that were read since the part before
    n_skipped: int = 0  # finished parts that were passed over since the part before

    @property
    def name(self) -> str:
        """The name of the part's files, without an ending."""
        return part_name(self.file, self.index)


def part_name(file: str, index: int) -> str:
    """Return the name of a part.

    >>> part_name("/data/a.jsonl", 3)
    '08458128e574-000003'
    """
    return f"{blake2b(file.encode(), digest_size=6).hexdigest()}-{index:06d}"


def resolve_location(location: str) -> tuple[fs.FileSystem, str]:
    """Return the file system and the path in it, of an address such as s3://bucket/folder or a local path.

    Raises SettingsError when pyarrow knows no such file system.
    """
    if "://" not in location:
        path = Path(os.path.normpath(Path(location).expanduser().absolute()))
        return fs.LocalFileSystem(), path.as_posix()
    try:
        filesystem, path = fs.FileSystem.from_uri(location)
    except (pa.ArrowException, OSError, ValueError) as error:
        raise SettingsError(f"{location} is no address that pyarrow can read: {error}") from error
    return filesystem, path.rstrip("/")


def list_files(locations: Iterable[str], *, out: str | None = None) -> list[InputFile]:
    """Return the files to read, each once: named ones, and transcripts and Parquet files of folders.

    A folder that is one export, as of Slack, is one of them. out: the folder of the results, which is not
    read. Raises TranscriptError when one is missing or a folder has no such file.
    """
    files: dict[str, InputFile] = {}
    out_path = None if out is None else resolve_location(out)[1]
    for location in locations:
        filesystem, path = resolve_location(location)
        try:
            info = filesystem.get_file_info(path)
            if info.type == fs.FileType.NotFound:
                raise TranscriptError("there is no such file or folder", file=location)
            found = [info]
            if info.type == fs.FileType.Directory:
                found = _list_folder(filesystem, path, out_path)
        except OSError as error:
            raise TranscriptError(f"it cannot be listed: {error}", file=location) from error
        if not found:
            endings = ", ".join(sorted({*SUFFIXES, ".zip", PARQUET}))
            raise TranscriptError(f"the folder has no file that ends in {endings}", file=location)
        if info.type == fs.FileType.Directory and _is_one_export(filesystem, path, found):
            members = tuple(each.path for each in found)
            found_size = sum(each.size for each in found)
            modified = max(each.mtime_ns or 0 for each in found)
            files[path] = InputFile(filesystem, path, found_size, modified, members)
            continue
        for each in found:
            files[each.path] = InputFile(filesystem, each.path, each.size, each.mtime_ns or 0)
    return list(files.values())


def _list_folder(filesystem: fs.FileSystem, path: str, out: str | None) -> list[fs.FileInfo]:
    wanted = {*SUFFIXES, ".zip", PARQUET}
    found = filesystem.get_file_info(fs.FileSelector(path, recursive=True))
    return sorted(
        (
            each
            for each in found
            if each.type == fs.FileType.File
            and PurePosixPath(each.path).suffix.lower() in wanted
            and not PurePosixPath(each.path).name.startswith((".", "_"))
            and not (out and each.path.startswith(f"{out}/"))
        ),
        key=lambda each: each.path,
    )


def _is_one_export(filesystem: fs.FileSystem, path: str, found: Sequence[fs.FileInfo]) -> bool:
    """Return whether a format that has its conversations in several files fits the folder."""
    texts = [each for each in found if PurePosixPath(each.path).suffix.lower() == ".json"]
    if not texts or len(found) > MAX_FILES:
        return False
    file = InputFile(filesystem, path, 0, 0, tuple(each.path for each in texts))
    archive = _open_folder(file, Report(path), MAX_BYTES)
    return any(isinstance(format, ArchiveFormat) and format.parts(archive) for format in FORMATS)


def read_parts(
    file: InputFile,
    *,
    format: str | None = None,
    max_bytes: int = MAX_BYTES,
    part_turns: int = PART_TURNS,
    finished: frozenset[str] = frozenset(),
) -> Iterator[Part]:
    """Yield the parts of a file that are not finished, one in memory at a time.

    What cannot be read is a bad row, and so is a file that cannot be read to its end. finished: names of
    parts. When the last ones are finished, or there are none, a part without conversations stands for the
    rest of the file. format, max_bytes: as in `read_conversations`.
    """
    items = _read_parquet(file) if _is_parquet(file) else _read_transcript(file, format, max_bytes)
    reported, n_skipped, index = 0.0, 0, 0
    for index, (fraction, conversations, bad) in enumerate(_cut(items, part_turns)):
        if part_name(file.path, index) in finished:
            n_skipped += 1
            continue
        n_bytes = round((fraction - reported) * file.size)
        yield Part(file.path, index, conversations, bad, n_bytes, n_skipped)
        reported, n_skipped = fraction, 0
    if reported < 1:
        n_bytes = round((1 - reported) * file.size)
        yield Part(file.path, index + 1, n_bytes=n_bytes, n_skipped=n_skipped)


def read_blocks(block: Block, **options: Any) -> Iterator[Block]:
    """Yield the parts of files, a block each for Ray Data. It stands here, for a reader needs no policy."""
    for content in block["file"]:
        file: InputFile = pickle.loads(content)
        for part in read_parts(file, **options):
            yield {"part": np.array([pickle.dumps(part)], dtype=object)}


_Item = tuple[float, Conversation | BadRow]
"""A conversation or a bad row, with how much of the file has been read, 0…1."""


def _cut(items: Iterable[_Item], part_turns: int) -> Iterator[tuple[float, list[Conversation], list[BadRow]]]:
    conversations: list[Conversation] = []
    bad: list[BadRow] = []
    n_turns = n_characters = 0
    for fraction, item in items:
        if isinstance(item, BadRow):
            bad.append(item)
            continue
        conversations.append(item)
        n_turns += len(item)
        n_characters += sum(len(turn.scored_text) for turn in item.turns)
        if n_turns >= part_turns or n_characters >= _PART_CHARACTERS:
            yield fraction, conversations, bad
            conversations, bad, n_turns, n_characters = [], [], 0, 0
    if conversations or bad:
        yield 1.0, conversations, bad


def _is_parquet(file: InputFile) -> bool:
    return PurePosixPath(file.path).suffix.lower() == PARQUET


def _read_transcript(file: InputFile, format: str | None, max_bytes: int) -> Iterator[_Item]:
    report = Report(file.path)
    report.max_listed = sys.maxsize
    fraction = 0.0
    try:
        if file.members:
            opened: Source | Archive = _open_folder(file, report, max_bytes)
        else:
            opened = open_file(partial(_open, file.filesystem, file.path), file.size, report, max_bytes)
        reader = TranscriptReader(opened, format, report)
    except (TranscriptError, OSError, pa.ArrowException) as error:
        yield 1.0, _to_bad_row(file, error)
        return
    try:
        for conversation in reader:
            fraction = reader.fraction_read
            for problem in reader.take_errors():
                yield fraction, _bad_place(file, problem)
            yield fraction, conversation
    except TranscriptError as error:
        yield fraction, _to_bad_row(file, error)
    for problem in reader.take_errors():
        yield fraction, _bad_place(file, problem)


def _open(filesystem: fs.FileSystem, path: str) -> IO[bytes]:
    return io.BufferedReader(filesystem.open_input_file(path))


def _open_folder(file: InputFile, report: Report, max_bytes: int) -> Archive:
    sources = {}
    for path in file.members:
        name = PurePosixPath(path).relative_to(file.path).as_posix()
        size = file.filesystem.get_file_info(path).size
        part_report = report.of_part(name)
        sources[name] = Source(partial(_open, file.filesystem, path), size, part_report, max_bytes=max_bytes)
    return Archive(report, sources)


def _to_bad_row(file: InputFile, error: Exception) -> BadRow:
    if isinstance(error, TranscriptError):
        return BadRow(error.file or file.path, error.problem, error.line, field=error.field)
    return BadRow(file.path, f"the file cannot be opened: {error}")


def _bad_place(file: InputFile, problem: Problem) -> BadRow:
    return BadRow(problem.file or file.path, problem.message, problem.line, field=problem.field)


def _read_parquet(file: InputFile) -> Iterator[_Item]:
    used: dict[str, int] = {}
    row, fraction = 0, 0.0
    try:
        with file.filesystem.open_input_file(file.path) as stream:
            table = parquet.ParquetFile(stream)
            names = table.schema_arrow.names
            if "messages" not in names:
                raise TranscriptError(
                    "a Parquet file of conversations has a column messages, and perhaps id;"
                    f" this one has {', '.join(names)}"
                )
            columns = [name for name in ("id", "messages") if name in names]
            for batch in table.iter_batches(batch_size=_ROWS, columns=columns):
                for place in range(batch.num_rows):
                    report = Report(file.path)
                    fraction = row / table.metadata.num_rows
                    try:
                        (values,) = batch.slice(place, 1).to_pylist()
                        conversation = _conversation_of_row(values, report)
                        yield fraction, make_ids_unique(conversation, used, report, None)
                    except TranscriptError as error:
                        yield fraction, BadRow(file.path, error.problem, row=row, field=error.field)
                    except UnicodeDecodeError as error:
                        yield fraction, BadRow(file.path, f"the text is not UTF-8: {error}", row=row)
                    row += 1
    except (TranscriptError, OSError, ValueError, pa.ArrowException) as error:
        reason = error.problem if isinstance(error, TranscriptError) else f"the file cannot be read: {error}"
        yield fraction, BadRow(file.path, reason, row=row or None)


def _conversation_of_row(values: dict[str, Any], report: Report) -> Conversation:
    """Return the conversation of a row: messages as JSON text, or as a list of structs."""
    messages = values["messages"]
    if isinstance(messages, str):
        messages = parse_json(messages, report)
    elif isinstance(messages, list):
        messages = _without_nulls(messages)
    if not isinstance(messages, list) or not messages:
        problem = "there are no messages" if not messages else f"expected a list, got {kind(messages)}"
        raise TranscriptError(problem, field="messages")
    # As in a file of lines, a bad message makes the whole row bad.
    conversation = OPENAI.conversation({"id": values.get("id"), "messages": messages}, Place(report, line=1))
    return replace(conversation, turns=pair_calls(conversation.turns))


def _without_nulls(value: Any) -> Any:
    """Return the value without the fields of structs that are null, which a message would not have."""
    if isinstance(value, list):
        return [_without_nulls(item) for item in value]
    if isinstance(value, dict):
        return {key: _without_nulls(item) for key, item in value.items() if item is not None}
    return value
