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
from typing import Any, TypeVar

from convgate.core.errors import TranscriptError
from convgate.core.text import REPLACEMENT, clean_value
from convgate.transcripts.problems import ReadStoppedError, Report
from convgate.transcripts.timestamps import TIMESTAMP_FIELDS, time_of

T = TypeVar("T")

MAX_DEPTH = 100
"""Levels of lists and objects in each other; Python itself gives up near 1,000."""

CUT_OFF = "the {} seems cut off. Download or copy it again"
"""The problem of a file or a line that ends before its text, list or object does."""

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
        if text.strip() and (error.msg.startswith("Unterminated") or error.pos >= len(text.rstrip())):
            what = "file" if line is None or not text.endswith("\n") else "line"
            reason = CUT_OFF.format(what)
        raise TranscriptError(f"not valid JSON: {reason}", line=error.lineno) from None
    except RecursionError:
        raise TranscriptError(_TOO_DEEP) from None
    except ValueError as error:  # a number of thousands of digits
        raise TranscriptError(f"not valid JSON: {error}") from None
    check_depth(value)
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


def check_depth(value: Any) -> None:
    """Raise TranscriptError for a value nested too deeply.

    Level by level, for the call stack is what must not grow.
    """
    level: list[Any] = [[value]]
    for _ in range(MAX_DEPTH + 1):
        level = [
            child
            for container in level
            for child in (container.values() if type(container) is dict else container)
            if type(child) is dict or type(child) is list
        ]
        if not level:
            return
    raise TranscriptError(_TOO_DEEP)


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
