"""The file, upload or pasted text that a transcript is in."""

from __future__ import annotations

import codecs
import io
import os
import stat
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

from convgate.core.errors import TranscriptError
from convgate.transcripts.characters import REPLACEMENT, writable
from convgate.transcripts.json_text import JsonFile
from convgate.transcripts.problems import ReadStoppedError, Report

MAX_BYTES = 200 * 2**20
"""Size of the largest file that is read unless the caller allows more, in bytes (200 MB)."""

_MAGIC = (b"PK\x03\x04", b"%PDF", b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"\x1f\x8b", b"SQLite format 3")
_CONTROLS = bytes(set(range(32)) - set(b"\t\n\r\f\x1b"))

_MARKS = (  # UTF-32 first: its mark begins with that of UTF-16
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_FALLBACK = "cp1252"  # of lines that are not UTF-8
_CHUNK = 1 << 20


class Source:
    """A transcript's bytes and their text, line by line or whole, whatever the encoding.

    data: a binary file as it came; text as it came too, but without a byte order mark, as UTF-8 when it
        was in UTF-16 or UTF-32, and with line feeds where it had carriage returns alone.

    Lines are decoded one at a time, because one emoji makes Python keep a whole text at four bytes a
    character.
    """

    def __init__(self, data: bytes, report: Report) -> None:
        self.report = report
        self.json_error: TranscriptError | None = None
        self.data = data if data.startswith(_MAGIC) else with_line_feeds(data)
        utf8 = is_utf8(self.data)
        self.is_text = not self._is_binary(utf8=utf8)
        self._has_nul = b"\0" in self.data
        self._fallback = self._warn_encoding() if self.is_text and not utf8 else "utf-8"
        if self.is_text and self._has_nul:
            line = self.data.count(b"\n", 0, self.data.index(b"\0")) + 1
            report.warn(f"NUL characters, read as {REPLACEMENT}", line=line)

    @property
    def is_blank(self) -> bool:
        """Whether there is nothing but whitespace."""
        return not self.data or self.data.isspace()

    @cached_property
    def json(self) -> JsonFile | None:
        """The JSON in it; None when it is something else, or not valid, which `json_error` then tells."""
        if not self.is_text:
            return None
        try:
            return JsonFile.in_source(self)
        except ReadStoppedError:
            raise
        except TranscriptError as error:
            self.json_error = error
            return None

    def lines(self) -> Iterator[str]:
        """The physical lines with their ends; only a line feed ends one."""
        for raw in self.report.watch(io.BytesIO(self.data), "lines"):
            try:
                line = raw.decode()
            except UnicodeDecodeError:
                line = raw.decode(self._fallback, "replace")
            yield line.replace("\0", REPLACEMENT) if self._has_nul else line

    def text(self) -> str:
        """Return all lines together. Not kept: the caller decides how long it lives."""
        if self._fallback != "utf-8":
            return "".join(self.lines())
        text = self.data.decode("utf-8", "replace")
        return text.replace("\0", REPLACEMENT) if self._has_nul else text

    def _warn_encoding(self) -> str:
        """Return the encoding of lines that are not UTF-8, Western European, and warn of them."""
        bad: list[int] = []
        for number, raw in enumerate(self.report.watch(io.BytesIO(self.data), "lines"), 1):
            try:
                raw.decode()
            except UnicodeDecodeError:
                bad.append(number)
        where = "this line is" if len(bad) == 1 else f"{len(bad)} lines from here on are"
        self.report.warn(f"{where} not UTF-8; read as {_FALLBACK}, check the accents", line=bad[0])
        return _FALLBACK

    def _is_binary(self, *, utf8: bool) -> bool:
        if self.data.startswith(_MAGIC):
            return True
        head = self.data[:8192]
        controls = len(head) - len(head.translate(None, _CONTROLS))
        return controls > (0.3 if utf8 else 0.05) * len(head) and len(head) > 64


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
    if source.is_blank:
        raise TranscriptError("the file is empty", file=report.file)
    return source


def source_of_text(text: str, report: Report, *, max_bytes: int = MAX_BYTES) -> Source:
    """Pasted text; errors as for an upload."""
    return source_of_bytes(writable(text).encode(), report, max_bytes=max_bytes)


def _check_size(size: int, file: str, limit: int) -> None:
    if size > limit:
        raise TranscriptError(
            f"the file has {size / 2**20:,.0f} MB, more than the limit of {limit / 2**20:,.0f} MB; "
            "split it, or raise the limit (max_bytes, or set CONVGATE_UPLOAD_LIMIT_MB)",
            file=file,
        )


def with_line_feeds(data: bytes) -> bytes:
    """Text in which the byte 10 ends a line and does nothing else; the same object if it is so already.

    UTF-16 and UTF-32 are recoded as UTF-8, byte order marks go, carriage returns alone become line feeds.

    >>> with_line_feeds("hé\\rllo".encode("utf-16")).decode()
    'hé\\nllo'
    """
    encoding = next((name for mark, name in _MARKS if data.startswith(mark)), None) or _unmarked_utf16(data)
    if encoding:
        data = data.decode(encoding, "replace").encode()
    data = data.removeprefix(codecs.BOM_UTF8)
    return data if b"\n" in data else data.replace(b"\r", b"\n")


def is_utf8(data: bytes) -> bool:
    """Return whether all of the bytes are UTF-8; decodes in pieces, so that it needs little memory."""
    if data.isascii():
        return True
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        for start in range(0, len(data), _CHUNK):
            decoder.decode(data[start : start + _CHUNK])
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True


def _unmarked_utf16(data: bytes) -> str | None:
    """UTF-16 of mostly Latin text has a NUL in every other byte, and hardly one in the others."""
    sample = data[:4096]
    pairs = len(sample) // 2
    if pairs < 2 or len(data) % 2:
        return None
    for name, high, low in (
        ("utf-16-le", sample[1::2], sample[0::2]),
        ("utf-16-be", sample[0::2], sample[1::2]),
    ):
        if high.count(0) > 0.4 * pairs and low.count(0) < 0.05 * pairs:
            return name
    return None
