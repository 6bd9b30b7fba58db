"""The file, upload or pasted text that a transcript is in."""

from __future__ import annotations

import codecs
import io
import os
import stat
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

from convgate.core.conversation import Conversation
from convgate.core.errors import TranscriptError
from convgate.transcripts.characters import REPLACEMENT
from convgate.transcripts.json_text import JsonFile, open_json
from convgate.transcripts.problems import ReadStoppedError, Report

MAX_BYTES = 200 * 2**20
"""Size of the largest file that is read unless the caller allows more, in bytes (200 MB)."""

LocatedConversations = Iterator[tuple[int | None, Conversation]]
"""Conversations as readers yield them, each with its line in a file of lines, else None."""

_MAGIC = (b"PK\x03\x04", b"%PDF", b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"\x1f\x8b", b"SQLite format 3")
_CONTROLS = bytes(set(range(32)) - set(b"\t\n\r\f\x1b"))

_MARKS = (  # UTF-32 first: its mark begins with that of UTF-16
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_FALLBACK = "cp1252"  # of lines that are not UTF-8


class Source:
    """The text of a transcript, line by line or whole, whatever its encoding.

    data: a binary file as it came; text as UTF-8 in which only a line feed ends a line, without a byte order
        mark and NUL. Lines are decoded one at a time, because one emoji makes Python keep a whole text at
        four bytes a character.
    """

    def __init__(self, data: bytes, report: Report) -> None:
        self.report = report
        self.json_error: TranscriptError | None = None
        self.data = data
        is_known_binary = data.startswith(_MAGIC)
        if not is_known_binary:
            data = with_line_feeds(data)
        numbered = enumerate(report.watch(io.BytesIO(data), "lines"), 1)
        bad_lines = [] if data.isascii() else [number for number, raw in numbered if not _is_utf8(raw)]
        head = data[:8192]
        controls = len(head) - len(head.translate(None, _CONTROLS))
        has_controls = len(head) > 64 and controls > (0.05 if bad_lines else 0.3) * len(head)
        self.is_text = not (is_known_binary or has_controls)
        if self.is_text:
            self.data = self._replace_nul(self._recode(data, bad_lines))

    @cached_property
    def json(self) -> JsonFile | None:
        """The JSON in it; None when it is something else or not valid."""
        if not self.is_text:
            return None
        try:
            return open_json(self)
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

    def lines(self) -> Iterator[str]:
        """Yield the lines with their ends; only a line feed ends one."""
        for raw in self.report.watch(io.BytesIO(self.data), "lines"):
            yield raw.decode("utf-8", "replace")

    def text(self) -> str:
        """Return all lines together. Not kept: the caller decides how long it lives."""
        return self.data.decode("utf-8", "replace")

    def _recode(self, data: bytes, bad_lines: list[int]) -> bytes:
        """Return the text with its lines that are not UTF-8 read as Western European."""
        if not bad_lines:
            return data
        where = "this line is" if len(bad_lines) == 1 else f"{len(bad_lines)} lines from here on are"
        self.report.warn(f"{where} not UTF-8; read as {_FALLBACK}, check the accents", line=bad_lines[0])
        lines = io.BytesIO(data).readlines()
        for number in bad_lines:
            lines[number - 1] = lines[number - 1].decode(_FALLBACK, "replace").encode()
        return b"".join(lines)

    def _replace_nul(self, data: bytes) -> bytes:
        if b"\0" not in data:
            return data
        line = data.count(b"\n", 0, data.index(b"\0")) + 1
        self.report.warn(f"NUL characters, read as {REPLACEMENT}", line=line)
        return data.replace(b"\0", REPLACEMENT.encode())


def source_of_path(path: Path, report: Report, *, max_bytes: int = MAX_BYTES) -> Source:
    """Return the file at `path`.

    Raises TranscriptError when it cannot be opened or is larger than `max_bytes`.
    """
    try:
        with path.open("rb") as file:
            status = os.fstat(file.fileno())
            _check_size(status.st_size, report.file, max_bytes)
            data = file.read() if stat.S_ISREG(status.st_mode) else file.read(max_bytes + 1)
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        reason = getattr(error, "strerror", None) or str(error)
        raise TranscriptError(f"the file cannot be opened: {reason}", file=report.file) from error
    return source_of_bytes(data, report, max_bytes=max_bytes)


def source_of_bytes(data: bytes, report: Report, *, max_bytes: int = MAX_BYTES) -> Source:
    """Return an upload.

    Raises TranscriptError when it is larger than `max_bytes`, or blank.
    """
    _check_size(len(data), report.file, max_bytes)
    source = Source(data, report)
    if not source.data or source.data.isspace():
        raise TranscriptError("the file is empty", file=report.file)
    return source


def _check_size(size: int, file: str, limit: int) -> None:
    if size > limit:
        raise TranscriptError(
            f"the file has {size / 2**20:,.0f} MB, more than the limit of {limit / 2**20:,.0f} MB; "
            "split it, or raise the limit (max_bytes, or set CONVGATE_UPLOAD_LIMIT_MB)",
            file=file,
        )


def with_line_feeds(data: bytes) -> bytes:
    """Return text in which only a line feed ends a line; the same object if it is so already.

    UTF-16 and UTF-32 with a byte order mark become UTF-8 without one; carriage returns alone, line feeds.

    >>> with_line_feeds("hé\\rllo".encode("utf-16")).decode()
    'hé\\nllo'
    """
    encoding = next((name for mark, name in _MARKS if data.startswith(mark)), None)
    if encoding:
        data = data.decode(encoding, "replace").encode()
    data = data.removeprefix(codecs.BOM_UTF8)
    return data if b"\n" in data else data.replace(b"\r", b"\n")


def _is_utf8(line: bytes) -> bool:
    try:
        line.decode()
    except UnicodeDecodeError:
        return False
    return True
