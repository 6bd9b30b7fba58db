"""Where a value of a JSON document stands: from a field like `[2].messages[3].content` to its line."""

from __future__ import annotations

import json
import re
from array import array
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from convgate.core.errors import TranscriptError
from convgate.transcripts.problems import ReadStoppedError, Report, Severity

_WHITESPACE = re.compile(r"[ \t\n\r]*")
_STEP = re.compile(r"([^.\[\]]+)|\[(\d+)\]")


class Locator:
    """Finds lines in one document, only when something is wrong; each container is walked once."""

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
            inside = self._children_at(offset)
            if (key or index) not in inside:
                break
            offset = inside[key or index]
        return bisect_left(self._newlines, offset) + 1

    def _children_at(self, offset: int) -> dict[str, int]:
        """Offsets of a container's values, by key or by index as text."""
        if offset not in self._children:
            opening = self._text[offset]
            self._children[offset] = self._walk(offset, is_object=opening == "{") if opening in "{[" else {}
        return self._children[offset]

    def _walk(self, offset: int, *, is_object: bool) -> dict[str, int]:
        found: dict[str, int] = {}
        at = self._skip(offset + 1)
        while self._text[at] not in "]}":
            key = str(len(found))
            if is_object:
                key, at = self._decode(self._text, at)
                at = self._skip(self._skip(at) + 1)
            found[key] = at
            _, at = self._decode(self._text, at)
            at = self._skip(at)
            if self._text[at] == ",":
                at = self._skip(at + 1)
        return found

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
        self.report.warn(message, line=self._line_of(field, "warning"), field=self._full(field))

    def leave_out(self, error: TranscriptError) -> None:
        """Note a bad part of the value and go on without it; in a file of lines, raises the error again."""
        if self.line is not None:
            raise error
        self.leave_out_all(error)

    def leave_out_all(self, error: TranscriptError) -> None:
        """Note that the value itself is left out; raises the error again when it ends the reading."""
        if isinstance(error, ReadStoppedError):
            raise error
        field = error.field or ""
        self.report.error(error.problem, line=self._line_of(field, "error"), field=self._full(field))

    def _line_of(self, field: str, severity: Severity) -> int | None:
        if self.locator is None or not self.report.lists(severity):
            return self.line
        return self.locator.line(self._full(field) or "")

    def _full(self, field: str) -> str | None:
        dot = "." if self.prefix and field and not field.startswith("[") else ""
        return f"{self.prefix}{dot}{field}" or None
