"""JSON as transcripts have it: one document, or one value a line; strict in grammar, clear about errors."""

from __future__ import annotations

import json
import re
from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from itertools import islice
from typing import IO, Any, Protocol, TypeVar

import ijson

from convgate.core.errors import TranscriptError
from convgate.core.text import REPLACEMENT, clean_value
from convgate.transcripts.problems import ReadStoppedError, Report
from convgate.transcripts.timestamps import TIMESTAMP_FIELDS, time_of

T = TypeVar("T")

MAX_DEPTH = 100
"""Levels of lists and objects in each other; Python itself gives up near 1,000."""

_DECODER = json.JSONDecoder(parse_constant=lambda _: None)
_UNWRITABLE_ESCAPE = re.compile(r"\\u(?:0000|[dD][89a-fA-F])")
_TOO_DEEP = f"lists and objects are nested more than {MAX_DEPTH} levels deep"


def parse_json(text: str, report: Report | None = None, line: int | None = None) -> Any:
    """Return the value that `text` holds; NaN and Infinity become None.

    Characters that no file can hold become U+FFFD, with a warning for `line` in the report.

    Raises TranscriptError, its `line` counting within the text, when it is not JSON or nested too deeply.

    >>> parse_json('{"score": NaN}')
    {'score': None}
    """
    try:
        value = _DECODER.decode(text)
    except json.JSONDecodeError as error:
        reason = f"{error.msg[0].lower()}{error.msg[1:].removesuffix(' at')} at column {error.colno}"
        raise TranscriptError(f"not valid JSON: {reason}", line=error.lineno) from None
    except RecursionError:
        raise TranscriptError(_TOO_DEEP) from None
    except ValueError as error:  # a number of thousands of digits
        raise TranscriptError(f"not valid JSON: {error}") from None
    if _depth_exceeds(value, MAX_DEPTH):
        raise TranscriptError(_TOO_DEEP)
    if not _UNWRITABLE_ESCAPE.search(text):
        return value
    clean = clean_value(value)
    if report is not None and clean != value:
        report.warn(f"NUL or half of a surrogate pair, read as {REPLACEMENT}", line=line)
    return clean


def kind(value: object) -> str:
    """Return what JSON calls a value, with its article, for messages.

    >>> kind(True), kind([1, 2])
    ('true', 'a list')
    """
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    names = {str: "a text", int: "a number", float: "a number", list: "a list", dict: "an object"}
    return names.get(type(value), f"a {type(value).__name__}")


def _depth_exceeds(value: Any, limit: int) -> bool:
    """Level by level, for the call stack is what must not grow."""
    level: list[Any] = [[value]]
    for _ in range(limit + 1):
        level = [
            child
            for container in level
            for child in (container.values() if type(container) is dict else container)
            if type(child) is dict or type(child) is list
        ]
        if not level:
            return False
    return True


_WHITESPACE = re.compile(r"[ \t\n\r]*")
_STEP = re.compile(r"([^.\[\]]+)|\[(\d+)\]")


class Locator:
    """Finds lines in one document, only when something is wrong; each container is parsed once."""

    def __init__(self, read: Callable[[], str]) -> None:
        self._read = read
        self._decode = json.JSONDecoder().raw_decode
        self._children: dict[int, dict[str, int]] = {}

    @cached_property
    def _text(self) -> str:
        return self._read()

    @cached_property
    def _newlines(self) -> array[int]:
        return array("Q", (match.start() for match in re.finditer("\n", self._text)))

    def line(self, field: str) -> int:
        """1-based line of the field, or of the nearest thing around it that exists.

        >>> document = '{"messages": [\\n {"role": "user"},\\n {"content": 5}]}'
        >>> Locator(lambda: document).line("messages[1].content")
        3
        """
        offset = self._skip(0)
        for key, index in _STEP.findall(field):
            if offset not in self._children:
                self._children[offset] = self._find_children(offset)
            if (key or index) not in self._children[offset]:
                break
            offset = self._children[offset][key or index]
        return bisect_left(self._newlines, offset) + 1

    def _find_children(self, offset: int) -> dict[str, int]:
        """Return the offsets of a container's values, by key or by index as text."""
        offsets: dict[str, int] = {}
        if self._text[offset] not in "{[":
            return offsets
        at = self._skip(offset + 1)
        while self._text[at] not in "]}":
            key = str(len(offsets))
            if self._text[offset] == "{":
                key, at = self._decode(self._text, at)
                at = self._skip(self._skip(at) + 1)
            offsets[key] = at
            _, at = self._decode(self._text, at)
            at = self._skip(at)
            if self._text[at] == ",":
                at = self._skip(at + 1)
        return offsets

    def _skip(self, at: int) -> int:
        match = _WHITESPACE.match(self._text, at)
        return match.end() if match else at


@dataclass(frozen=True)
class Place:
    """Where one JSON value of a file stands, and what happens to bad parts of it.

    In a file of lines the line is what is left out. In a document it is the part, such as a message,
    for otherwise one bad message would cost the whole conversation.
    """

    report: Report
    line: int | None = None  # in a file of lines
    prefix: str = ""  # field of the value in a document
    locator: Locator | None = None  # of the document

    def warn(self, message: str, field: str) -> None:
        """Note something odd about a field of the value."""
        line, name = self._locate(field)
        self.report.warn(message, line=line, field=name)

    def time(
        self, fields: Mapping[str, Any], field: str = "", keys: Sequence[str] = TIMESTAMP_FIELDS
    ) -> datetime | None:
        """Return the time in the first of the keys that a part of the value has; an odd one is a warning."""
        return time_of(fields, field, self.warn, keys)[1]

    def leave_out_all(self, error: TranscriptError) -> None:
        """Note that the value itself is left out; raises the error again when it ends the reading."""
        if isinstance(error, ReadStoppedError):
            raise error
        line, name = self._locate(error.field or "")
        self.report.error(error.problem, line=line, field=name)

    @contextmanager
    def skip_bad_part(self) -> Iterator[None]:
        """Note a bad part of the value and go on without it; in a file of lines, the value is left out."""
        try:
            yield
        except TranscriptError as error:
            if self.line is not None:
                raise
            self.leave_out_all(error)

    @contextmanager
    def skip_bad_value(self) -> Iterator[None]:
        """Leave out the value, as `leave_out_all` does, when it raises TranscriptError."""
        try:
            yield
        except TranscriptError as error:
            self.leave_out_all(error)

    def _locate(self, field: str) -> tuple[int | None, str | None]:
        field = field.lstrip(".")  # of a message that is a line of its own
        dot = "." if self.prefix and field and not field.startswith("[") else ""
        name = f"{self.prefix}{dot}{field}"
        return self.locator.line(name) if self.locator else self.line, name or None


_N_SAMPLED = 50
_N_LINES_SAMPLED = 20
_STREAMED_FROM = 16 * 2**20  # bytes: a larger list is read item by item
_JSON_START = re.compile(
    r'\s*(\[\s*([\[{"\]]|-?\d[\d.eE+-]*\s*(?:[,\]]|$)|true|false|null|NaN|$)|\{\s*(["}]|$))'
)


class TextSource(Protocol):
    """A file as its JSON is read; `Source` is one."""

    report: Report

    @property
    def size(self) -> int:
        """Bytes."""
        ...

    def open(self) -> IO[bytes]:
        """Return the file at its beginning, as UTF-8."""
        ...

    def text(self) -> str:
        """Return all of its text."""
        ...

    def lines(self) -> Iterator[str]:
        """Yield its lines with their ends."""
        ...

    def first_lines(self, n: int) -> list[str]:
        """Return the first lines."""
        ...


@dataclass(frozen=True)
class JsonFile:
    """What a JSON source holds, enough of it parsed to recognise its format."""

    source: TextSource
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
            try:
                value = parse_json(line.rstrip("\r\n"), report, number)
            except TranscriptError as error:
                report.error(error.problem, line=number)
            else:
                yield value, Place(report, line=number)


def open_json(source: TextSource) -> JsonFile | None:
    """Return the JSON of a source, None when there is none.

    It is lines when at least half of the first ones hold an object or a list each.
    Raises TranscriptError when it begins as JSON does and is not.
    """
    first = [line for line in source.first_lines(4 * _N_LINES_SAMPLED) if not line.isspace()][
        :_N_LINES_SAMPLED
    ]
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


def _find_list(source: TextSource) -> str | None:
    """Return where the items of a large document are: in the document, or in its `conversations`."""
    with source.open() as file:
        for path, event, _ in islice(_checked(ijson.parse(file, use_float=True), source), 1_000):
            if event == "start_array" and path in ("", "conversations"):
                return f"{path}.item".lstrip(".")
    return None


def _stream(source: TextSource, path: str) -> Iterator[Any]:
    """Yield the items of a list in a document without holding the others in memory."""
    with source.open() as file:
        for value in _checked(ijson.items(file, path, use_float=True), source):
            if _depth_exceeds(value, MAX_DEPTH):
                raise TranscriptError(_TOO_DEEP)
            yield clean_value(value)


def _checked(values: Iterator[T], source: TextSource) -> Iterator[T]:
    try:
        yield from values
    except (ijson.JSONError, UnicodeDecodeError) as error:
        reason = str(error).partition("\n")[0]
        raise TranscriptError(f"not valid JSON: {reason}", file=source.report.file) from None


def _parse_container(line: str) -> Any:
    """Return the object or list that a line holds, else None."""
    try:
        value = parse_json(line) if line.lstrip().startswith(("{", "[")) else None
    except TranscriptError:
        return None
    return value if isinstance(value, dict | list) else None
