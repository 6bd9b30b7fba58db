"""JSON as transcripts have it: one document, or one value a line; strict in grammar, clear about errors."""

from __future__ import annotations

import json
import re
from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any

from convgate.core.errors import TranscriptError
from convgate.transcripts.characters import REPLACEMENT, writable
from convgate.transcripts.problems import ReadStoppedError, Report, Severity

if TYPE_CHECKING:
    from convgate.transcripts.source import Source

MAX_DEPTH = 100
"""Levels of lists and objects in each other; Python itself gives up near 1,000."""

_UNWRITABLE_ESCAPE = re.compile(r"\\u(?:0000|[dD][89a-fA-F])")
_TOO_DEEP = f"lists and objects are nested more than {MAX_DEPTH} levels deep"


class JsonParser:
    """Parses one text after the other; not for several threads at once.

    notes: what was mended in the last text.
        NaN and Infinity are read as null, of a key given twice the last value counts, characters that
        no file can hold become U+FFFD.

    >>> parser = JsonParser()
    >>> parser.parse('{"score": NaN}'), parser.notes
    ({'score': None}, ['NaN is not JSON; read as null'])
    """

    def __init__(self) -> None:
        self.notes: list[str] = []
        self._constants: list[str] = []
        self._repeated: list[str] = []
        self._decode = json.JSONDecoder(
            object_pairs_hook=self._as_dict, parse_constant=self._constants.append
        ).decode

    def parse(self, text: str) -> Any:
        """Return the value that `text` holds.

        Raises TranscriptError, `line` counting within the text, when it is not JSON or nested too deeply.
        """
        for last in (self.notes, self._constants, self._repeated):
            last.clear()
        try:
            value = self._decode(text)
        except json.JSONDecodeError as error:
            reason = f"{error.msg[0].lower()}{error.msg[1:]} at column {error.colno}"
            raise TranscriptError(f"not valid JSON: {reason}", line=error.lineno) from None
        except RecursionError:
            raise TranscriptError(_TOO_DEEP) from None
        except ValueError as error:  # a number of thousands of digits
            raise TranscriptError(f"not valid JSON: {error}") from None
        if _depth_exceeds(value, MAX_DEPTH):
            raise TranscriptError(_TOO_DEEP)

        self.notes += [f"{constant} is not JSON; read as null" for constant in dict.fromkeys(self._constants)]
        for key in dict.fromkeys(self._repeated):
            self.notes.append(f"an object has the key {key!r} twice; the last value counts")
        if _UNWRITABLE_ESCAPE.search(text):
            mended = _writable(value)
            if mended != value:
                self.notes.append(f"NUL or half of a surrogate pair, read as {REPLACEMENT}")
                return mended
        return value

    def _as_dict(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        made = dict(pairs)
        if len(made) != len(pairs):
            self._repeated += [key for key, count in Counter(key for key, _ in pairs).items() if count > 1]
        return made


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


def _writable(value: Any) -> Any:
    """Return a copy without unwritable characters; at most MAX_DEPTH calls deep."""
    if isinstance(value, str):
        return writable(value)
    if isinstance(value, list):
        return [_writable(item) for item in value]
    if isinstance(value, dict):
        return {writable(key): _writable(item) for key, item in value.items()}
    return value


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


_SAMPLED_LINES = 20
_JSON_START = re.compile(r'\s*(\[\s*([\[{"\]\d-]|true|false|null|NaN|$)|\{\s*(["}]|$))')


@dataclass(frozen=True)
class JsonFile:
    """What a JSON source holds, enough of it parsed to recognise its format."""

    source: Source
    is_lines: bool
    sample: tuple[Any, ...]  # of lines the first values, None for those without; of a document itself alone

    @classmethod
    def in_source(cls, source: Source) -> JsonFile | None:
        """Return the JSON of a source, None when there is none.

        "[Monday] Anna: hi" is none, though it begins with a bracket. It is lines when at least half of the
        first ones hold an object or a list each, so that bad lines at the beginning do not hide what it is.

        Raises TranscriptError when it begins as JSON does and is not.
        """
        first = list(islice((line for line in source.lines() if not line.isspace()), _SAMPLED_LINES))
        if len(first) > 1:
            values = tuple(_try(line) if line.lstrip().startswith(("{", "[")) else None for line in first)
            if 2 * sum(value is not None for value in values) >= len(first):
                return cls(source, is_lines=True, sample=values)
        if not first or not _JSON_START.match(first[0]):
            return None
        parser = JsonParser()
        try:
            document = parser.parse(source.text())
        except TranscriptError as error:
            raise TranscriptError(error.problem, file=source.report.file, line=error.line) from None
        for note in parser.notes:
            source.report.warn(note)
        return cls(source, is_lines=False, sample=(document,))

    @property
    def document(self) -> Any:
        """The document's value; only for a file that is one."""
        return self.sample[0]

    def values(self, *, each: bool) -> Iterator[tuple[Any, Place]]:
        """Every value with its place: those of the lines, or the document, or `each` item of its list.

        A line that is not JSON is noted in the source's report and left out.
        """
        report = self.source.report
        if self.is_lines:
            parser = JsonParser()
            for number, line in enumerate(self.source.lines(), 1):
                if line.isspace():
                    continue
                try:
                    value = parser.parse(line.rstrip("\r\n"))
                except TranscriptError as error:
                    report.error(error.problem, line=number)
                    continue
                for note in parser.notes:
                    report.warn(note, line=number)
                yield value, Place(report, line=number)
            return
        locator = Locator(self.source.text)
        if each:
            for index, item in enumerate(report.watch(self.document, "items")):
                yield item, Place(report, prefix=f"[{index}]", locator=locator)
        else:
            yield self.document, Place(report, locator=locator)


def _try(line: str) -> Any:
    """Return the object or list that a line holds, else None."""
    try:
        value = JsonParser().parse(line)
    except TranscriptError:
        return None
    return value if isinstance(value, dict | list) else None
