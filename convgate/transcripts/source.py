"""The file, upload or pasted text that a transcript is in, or the files of an archive or a folder."""

from __future__ import annotations

import codecs
import io
import os
import re
import stat
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import islice
from pathlib import Path
from typing import IO, Any, TypeVar

import ijson

from convgate.core.conversation import Conversation
from convgate.core.errors import TranscriptError
from convgate.core.text import REPLACEMENT, clean_value
from convgate.transcripts.json_text import CUT_OFF, Locator, Place, check_depth, parse_json
from convgate.transcripts.problems import ReadStoppedError, Report

MAX_BYTES = 200 * 2**20
"""Size of the largest text that is held in memory at once, unless the caller allows more (200 MB)."""

MAX_FILES = 20_000
"""Files of an archive or a folder that are looked at."""

T = TypeVar("T")

LocatedConversations = Iterator[tuple[int | None, Conversation]]
"""Conversations as readers yield them, each with its line in a file of lines, else None."""

ZIP_ERRORS = (zipfile.BadZipFile, zlib.error, EOFError)
"""What reading a damaged zip archive raises."""

_ZIP = b"PK\x03\x04"
_MAGIC = (_ZIP, b"%PDF", b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"\x1f\x8b", b"SQLite format 3")
_CONTROLS = bytes(set(range(32)) - set(b"\t\n\r\f\x1b"))
_HEAD = 8192  # bytes that say what kind of file it is
_MAX_FIRST = 4 * 2**20  # bytes that say which format it is

_MARKS = (  # UTF-32 first: its mark begins with that of UTF-16
    *((codecs.BOM_UTF32_LE, "utf-32"), (codecs.BOM_UTF32_BE, "utf-32")),
    *((codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16")),
)
_FALLBACK = "cp1252"  # of lines that are not UTF-8
_N_SAMPLED, _N_LINES_SAMPLED = 50, 20
_STREAMED_FROM = 16 * 2**20  # bytes: a larger list is read item by item
_JSON_START = re.compile(
    r'\s*(\[\s*([\[{"\]]|-?\d[\d.eE+-]*\s*(?:[,\]]|$)|true|false|null|NaN|$)|\{\s*(["}]|$))'
)


class Source:
    """The text of a transcript, line by line or whole, whatever its encoding; only a line feed ends a line.

    open_file: returns the file at its beginning, as bytes. size: of the file, in bytes. max_bytes: of a text
    that is held in memory at once; a format that reads one conversation after the other has no limit.
    """

    def __init__(
        self, open_file: Callable[[], IO[bytes]], size: int, report: Report, *, max_bytes: int = MAX_BYTES
    ) -> None:
        self.report, self.size, self.max_bytes = report, size, max_bytes
        self.json_error: TranscriptError | None = None
        self._open, self._file = open_file, open_file()
        with self._file as file:
            head = file.read(_HEAD)
        controls = len(head) - len(head.translate(None, _CONTROLS))
        self._encoding = next((name for mark, name in _MARKS if head.startswith(mark)), None)
        has_controls = len(head) > 64 and controls > (0.3 if _is_utf8(head) else 0.05) * len(head)
        self.is_text = not head.startswith(_MAGIC) and bool(self._encoding or not has_controls)
        self._is_recoded = self.is_text and bool(self._encoding or (b"\r" in head and b"\n" not in head))
        self._skipped = len(codecs.BOM_UTF8) if head.startswith(codecs.BOM_UTF8) else 0

    @cached_property
    def json(self) -> JsonFile | None:
        """The JSON in it; None when it is something else or not valid."""
        try:
            return open_json(self) if self.is_text else None
        except ReadStoppedError:
            raise
        except TranscriptError as error:
            self.json_error = TranscriptError(error.problem, file=self.report.file, line=error.line)
            return None

    def need_json(self, expected: str = "a JSON file") -> JsonFile:
        """Return the JSON in it; raises TranscriptError when it is something else or not valid."""
        if self.json is None:
            raise self.json_error or TranscriptError(f"expected {expected}", file=self.report.file)
        return self.json

    def open(self) -> IO[bytes]:
        """Return the file as bytes, behind a byte order mark."""
        self._file = io.BytesIO(self._recoded) if self._is_recoded else self._open()
        self._file.read(self._skipped)
        return self._file

    def release(self) -> None:
        """Free the memory of what was parsed or decoded; it is read again when it is needed."""
        self.__dict__.pop("json", None)
        self.__dict__.pop("_recoded", None)

    @property
    def fraction_read(self) -> float:
        """Return how much of the file has been read, 0…1."""
        return 1.0 if self._file.closed else min(1.0, self._file.tell() / max(1, self.size))

    def lines(self) -> Iterator[str]:
        """Yield the lines with their ends; one that is not UTF-8 is read as Western European."""
        with self.open() as file:
            yield from self._decode(self.report.watch(file, "lines"))

    def first_lines(self, n: int) -> list[str]:
        """Return the first `n` lines, fewer of a file with long ones; what is longer than 4 MB is cut."""
        with self.open() as file:
            head = file.read(_MAX_FIRST)
        return list(self._decode(islice(io.BytesIO(head), n)))

    def _decode(self, raw_lines: Iterable[bytes]) -> Iterator[str]:
        warned = False
        for number, raw in enumerate(raw_lines, 1):
            try:
                line, problem = raw.decode(), ""
            except UnicodeDecodeError:
                line, problem = raw.decode(_FALLBACK, "replace"), f"not UTF-8, read as {_FALLBACK}"
            if "\0" in line:
                line, problem = line.replace("\0", REPLACEMENT), f"NUL characters, read as {REPLACEMENT}"
            if problem and not warned:
                warned = True
                self.report.warn_once(f"{problem}, here and perhaps later; check the text", line=number)
            yield line

    def text(self) -> str:
        """Return all lines together. Not kept: the caller decides how long it lives.

        Raises TranscriptError when it is larger than may be held in memory.
        """
        self.check_size()
        return "".join(self.lines())

    def check_size(self) -> None:
        """Raise TranscriptError when the file is larger than may be held in memory at once."""
        if self.size > self.max_bytes:
            raise TranscriptError(
                f"the file has {self.size / 2**20:,.0f} MB, more than the limit of"
                f" {self.max_bytes / 2**20:,.0f} MB for this format; split it, or raise the limit"
                " (max_bytes, or set CONVGATE_UPLOAD_LIMIT_MB)",
                file=self.report.file,
            )

    @cached_property
    def _recoded(self) -> bytes:
        """The text as UTF-8 with line feeds; raises TranscriptError when it is too large."""
        self.check_size()
        with self._open() as file:
            data = file.read()
        if self._encoding:
            data = data.decode(self._encoding, "replace").encode().removeprefix(codecs.BOM_UTF8)
        return data if b"\n" in data else data.replace(b"\r", b"\n")


@dataclass(frozen=True)
class JsonFile:
    """What a JSON source holds, enough of it parsed to recognise its format."""

    source: Source
    is_lines: bool
    sample: tuple[Any, ...]
    """The first values: of lines those that hold an object or a list, else None; the items of a list; or
    the document alone."""
    document: Any = None
    """The value of a file that is one; of a large file that is a list, its first items."""
    stream: str | None = None
    """Where the items of a large file are, as `ijson` has it: "item", or "conversations.item"."""

    def values(self, *, split: bool = True) -> Iterator[tuple[Any, Place]]:
        """Yield every value with its place: those of the lines, the items of a list, or the document.

        split: whether the items of a list are the values. A line that is not JSON is reported and left out.
        """
        report = self.source.report
        if self.is_lines:
            yield from self.lines()
        elif self.stream is not None and split:
            for index, item in enumerate(report.watch(_stream(self.source, self.stream), "items")):
                yield item, Place(report, prefix=f"{self.stream.removesuffix('item').rstrip('.')}[{index}]")
        elif split and isinstance(self.document, list):
            locator = Locator(self.source.text)
            for index, item in enumerate(report.watch(self.document, "items")):
                yield item, Place(report, prefix=f"[{index}]", locator=locator)
        else:
            document = self.document if self.stream is None else parse_json(self.source.text(), report)
            yield document, Place(report, locator=Locator(self.source.text))

    def lines(self) -> Iterator[tuple[Any, Place]]:
        """Yield the value of every line with its place; a document counts as line 1."""
        report = self.source.report
        if not self.is_lines:
            yield next(self.values(split=False))[0], Place(report, line=1)
            return
        for number, line in enumerate(self.source.lines(), 1):
            if line.isspace():
                continue
            place = Place(report, line=number)
            with place.skip_bad_value():
                yield parse_json(line, report, number), place


def open_json(source: Source) -> JsonFile | None:
    """Return the JSON of a source, None when there is none.

    It is lines when at least half of the first ones hold an object or a list each.
    Raises TranscriptError when it begins as JSON does and is not.
    """
    lines = (line for line in source.first_lines(4 * _N_LINES_SAMPLED) if not line.isspace())
    first = list(islice(lines, _N_LINES_SAMPLED))
    if len(first) > 1:
        values = tuple(map(_parse_container, first))
        if 2 * sum(value is not None for value in values) >= len(first):
            return JsonFile(source, is_lines=True, sample=values)
    if not first or not _JSON_START.match(first[0]):
        return None
    if source.size >= _STREAMED_FROM and (path := _find_list(source)) is not None:
        sample = list(islice(_stream(source, path), _N_SAMPLED))
        return JsonFile(source, is_lines=False, sample=tuple(sample), document=sample, stream=path)
    document = parse_json(source.text(), source.report)
    sample = document[:_N_SAMPLED] if isinstance(document, list) else [document]
    return JsonFile(source, is_lines=False, sample=tuple(sample), document=document)


def _find_list(source: Source) -> str | None:
    """Return where the items of a large document are: in the document, or in its `conversations`."""
    with source.open() as file:
        for path, event, _ in islice(_checked(ijson.parse(file, use_float=True), source), 1_000):
            if event == "start_array" and path in ("", "conversations"):
                return f"{path}.item".lstrip(".")
    return None


def _stream(source: Source, path: str) -> Iterator[Any]:
    """Yield the items of a list in a document without holding the others in memory."""
    with source.open() as file:
        for value in _checked(ijson.items(file, path, use_float=True), source):
            check_depth(value)
            yield clean_value(value)


def _checked(values: Iterator[T], source: Source) -> Iterator[T]:
    try:
        yield from values
    except (ijson.JSONError, UnicodeDecodeError) as error:
        reason = str(error).partition("\n")[0]
        reason = CUT_OFF.format("file") if "EOF" in reason else reason
        raise TranscriptError(f"not valid JSON: {reason}", file=source.report.file) from None


def _parse_container(line: str) -> Any:
    """Return the object or list that a line holds, else None."""
    with suppress(TranscriptError):
        return parse_json(line) if line.lstrip().startswith(("{", "[")) else None
    return None


@dataclass(frozen=True)
class Archive:
    """The files of a zip archive or of a folder, by their paths in it, in order."""

    report: Report
    sources: Mapping[str, Source]


@dataclass(frozen=True)
class FileGroup:
    """Files that are read together: one alone, or all of what a format has in several."""

    format: str
    sources: Sequence[Source]  # at least one
    read: Callable[[], LocatedConversations]

    @property
    def size(self) -> int:
        """The bytes of all files."""
        return sum(source.size for source in self.sources)

    @property
    def fraction_read(self) -> float:
        """Return how much has been read, 0…1; of several files, only once all are."""
        return self.sources[0].fraction_read if len(self.sources) == 1 else 0.0


def open_path(path: Path, report: Report, *, max_bytes: int = MAX_BYTES) -> Source | Archive:
    """Return the file at `path`, or the files of the folder or the zip archive.

    Raises TranscriptError when it cannot be opened.
    """
    try:
        if path.is_dir():
            return _open_folder(path, report, max_bytes)
        with path.open("rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                return source_of_bytes(file.read(max_bytes + 1), report, max_bytes=max_bytes)
            if file.read(len(_ZIP)) == _ZIP:
                return _open_zip(path, report, max_bytes)
        return _not_blank(_source_of_file(path, report, max_bytes))
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        reason = getattr(error, "strerror", None) or str(error)
        raise TranscriptError(f"the file cannot be opened: {reason}", file=report.file) from error


def open_file(open_: Callable[[], IO[bytes]], size: int, report: Report, max_bytes: int) -> Source | Archive:
    """Return the file that `open_` opens, seekable, or the files of one that is a zip archive.

    Raises TranscriptError when it is blank, OSError when it cannot be opened.
    """
    with open_() as file:
        if file.read(len(_ZIP)) == _ZIP:
            return _open_zip(open_(), report, max_bytes)
    return _not_blank(Source(open_, size, report, max_bytes=max_bytes))


def open_bytes(data: bytes, report: Report, *, max_bytes: int = MAX_BYTES) -> Source | Archive:
    """Return an upload, or the files of one that is a zip archive; raises TranscriptError as `open_path`."""
    if data.startswith(_ZIP):
        return _open_zip(io.BytesIO(data), report, max_bytes)
    return source_of_bytes(data, report, max_bytes=max_bytes)


def source_of_path(path: Path, report: Report, *, max_bytes: int = MAX_BYTES) -> Source:
    """Return the file at `path`; raises TranscriptError when it cannot be opened or is an archive."""
    opened = open_path(path, report, max_bytes=max_bytes)
    if isinstance(opened, Archive):
        raise TranscriptError("expected a file, got an archive or a folder", file=report.file)
    return opened


def source_of_bytes(data: bytes, report: Report, *, max_bytes: int = MAX_BYTES) -> Source:
    """Return an upload; raises TranscriptError when it is larger than `max_bytes`, or blank."""
    source = Source(partial(io.BytesIO, data), len(data), report, max_bytes=max_bytes)
    source.check_size()
    return _not_blank(source)


def _not_blank(source: Source) -> Source:
    with source.open() as file:
        if any(part.strip() for part in iter(partial(file.read, _HEAD), b"")):
            return source
    raise TranscriptError("the file is empty", file=source.report.file)


def _open_folder(path: Path, report: Report, max_bytes: int) -> Archive:
    found = (file for file in path.rglob("*") if file.is_file() and not file.is_symlink())
    files = sorted(islice(found, MAX_FILES + 1))
    _check_number(len(files), report)
    sources = {
        str(name := file.relative_to(path)): _source_of_file(file, report.of_part(str(name)), max_bytes)
        for file in files
    }
    return Archive(report, sources)


def _source_of_file(path: Path, report: Report, max_bytes: int) -> Source:
    return Source(lambda: path.open("rb"), path.stat().st_size, report, max_bytes=max_bytes)


def _open_zip(file: Path | IO[bytes], report: Report, max_bytes: int) -> Archive:
    """Return the files of a zip archive; nothing is unpacked to disk, and no name is used as a path."""
    try:
        archive = zipfile.ZipFile(file)
        members = [member for member in archive.infolist() if not member.is_dir()]
        _check_number(len(members), report)
        sources = {
            member.filename: Source(
                partial(archive.open, member), member.file_size, report.of_part(member.filename),
                max_bytes=max_bytes,
            )
            for member in members
        }  # fmt: skip
    except (*ZIP_ERRORS, NotImplementedError, RuntimeError, ValueError) as error:
        raise TranscriptError(f"the zip archive cannot be read: {error}", file=report.file) from error
    return Archive(report, sources)


def _check_number(n_files: int, report: Report) -> None:
    if n_files > MAX_FILES:
        raise TranscriptError(f"there are more than {MAX_FILES:,} files", file=report.file)


def _is_utf8(head: bytes) -> bool:
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head)  # which may end within a character
    except UnicodeDecodeError:
        return False
    return True
