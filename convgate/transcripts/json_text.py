"""JSON as transcripts have it: strict in grammar, forgiving in what can be mended, clear about both."""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import Any

from convgate.core.errors import TranscriptError
from convgate.transcripts.characters import REPLACEMENT, writable

MAX_DEPTH = 100
"""Levels of lists and objects in each other; Python itself gives up near 1,000."""

_UNWRITABLE_ESCAPE = re.compile(r"\\u(?:0000|[dD][89a-fA-F])")
_STRING_OR_CONSTANT = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|NaN|-?Infinity')
_TOO_DEEP = f"lists and objects are nested more than {MAX_DEPTH} levels deep"


class JsonParser:
    """Parses one text after the other; not for several threads at once.

    notes: what was mended in the last text, each with its line in it, 1-based, where that is known.
        NaN and Infinity are read as null, of a key given twice the last value counts, characters that
        no file can hold become U+FFFD.

    >>> parser = JsonParser()
    >>> parser.parse('{"score": NaN}'), parser.notes
    ({'score': None}, [('NaN is not JSON; read as null', 1)])
    """

    def __init__(self) -> None:
        self.notes: list[tuple[str, int | None]] = []
        self._constants: list[str] = []
        self._repeated: list[str] = []
        self._decode = json.JSONDecoder(
            object_pairs_hook=self._as_dict, parse_constant=self._constants.append
        ).decode

    def parse(self, text: str) -> Any:
        """The value that `text` holds.

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

        for constant, count in Counter(self._constants).items():
            times = f", {count} times" if count > 1 else ""
            self.notes.append(
                (f"{constant} is not JSON; read as null{times}", _line_of_constant(text, constant))
            )
        for key in dict.fromkeys(self._repeated):
            self.notes.append((f"an object has the key {key!r} twice; the last value counts", None))
        if _UNWRITABLE_ESCAPE.search(text):
            mended = _writable(value)
            if mended != value:
                self.notes.append((f"NUL or half of a surrogate pair, read as {REPLACEMENT}", None))
                return mended
        return value

    def _as_dict(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        made = dict(pairs)
        if len(made) != len(pairs):
            self._repeated += [key for key, count in Counter(key for key, _ in pairs).items() if count > 1]
        return made


def kind(value: object) -> str:
    """What JSON calls a value, with its article, for messages.

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


def _line_of_constant(text: str, constant: str) -> int | None:
    for match in _STRING_OR_CONSTANT.finditer(text):
        if match[0] == constant:
            return text.count("\n", 0, match.start()) + 1
    return None


def _writable(value: Any) -> Any:
    """A copy without unwritable characters; at most MAX_DEPTH calls deep."""
    if isinstance(value, str):
        return writable(value)
    if isinstance(value, list):
        return [_writable(item) for item in value]
    if isinstance(value, dict):
        return {writable(key): _writable(item) for key, item in value.items()}
    return value
