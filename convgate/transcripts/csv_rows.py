"""Rows of a table with their lines, going on after a bad one."""

from __future__ import annotations

import csv
from collections import deque
from collections.abc import Iterator

from convgate.core.errors import TranscriptError

_LARGEST_FIELD = 2**31 - 1  # characters; Python's own limit is 131,072


def csv_rows(
    lines: Iterator[str], *, delimiter: str, first_line: int
) -> Iterator[tuple[int, list[str] | TranscriptError]]:
    """Each row with the line that it begins on, 1-based; an error in place of a row that is none.

    lines: physical lines with their ends. After a bad row, reading goes on at the line after its
    first, so that a quotation mark which is never closed does not swallow the rest of the table.
    Takes time in proportion to the number of lines, whatever is in them.
    """
    csv.field_size_limit(max(csv.field_size_limit(), _LARGEST_FIELD))
    tape = _Tape(lines)
    rows = csv.reader(tape, delimiter=delimiter, strict=True)
    line = first_line
    while True:
        row: list[str] | TranscriptError
        try:
            row = next(rows)
        except StopIteration:
            return
        except csv.Error as error:
            row = TranscriptError(f"not a table row: {error}; is a quotation mark missing or too much?")
            tape.rewind()
        yield line, row
        line += tape.taken()


class _Tape:
    """Lines that can be given back, as far as the row that is being read."""

    def __init__(self, lines: Iterator[str]) -> None:
        self._lines = lines
        self._returned: deque[str] = deque()
        self._row: list[str] = []
        self._single = 0  # of the lines given back, how many are read as rows of their own

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        if self._single and self._row:
            raise StopIteration
        line = self._returned.popleft() if self._returned else next(self._lines)
        self._row.append(line)
        return line

    def rewind(self) -> None:
        """Give back the lines of a bad row, but for its first.

        Between its lines the row was inside quotation marks. A row that begins on one of these lines and
        goes on to the next would be inside them too, and fail where this one did; so none is tried that
        goes on, except from the last line, whose end was not seen.
        """
        if len(self._row) > 1:
            self._single = len(self._row) - 1
            self._returned.extendleft(reversed(self._row[1:]))
            del self._row[1:]

    def taken(self) -> int:
        """How many lines the row has; the next one begins."""
        count = len(self._row)
        self._row = []
        self._single = max(0, self._single - count)
        return count
