"""Tables: one turn a row, with columns for who speaks and what is said."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice

from convgate.core.conversation import Conversation, Turn
from convgate.core.errors import TranscriptError
from convgate.transcripts.characters import writable
from convgate.transcripts.csv_columns import Columns
from convgate.transcripts.csv_rows import csv_rows
from convgate.transcripts.csv_turns import ROW, cell, columns_for, row_of_turn, turn_of_row
from convgate.transcripts.message_lists import Read
from convgate.transcripts.source import Source

_COLUMNS, _DELIMITER = "_columns", "_delimiter"
_LONGEST_HEADER = 10_000  # characters


@dataclass
class _Found:
    line: int
    turns: list[Turn] = field(default_factory=list)
    title: str | None = None


class CSVFormat:
    """Tables with a header, separated by comma, semicolon, tab or bar.

    Columns are known by their names: text, role or speaker, and if there are any conversation id,
    turn id, timestamp, title; all others are metadata. Without a role column, a speaker called like a
    role has that role, and everyone else is a user.

    Written for turns that came from elsewhere, a table cannot hold metadata and parts (their texts are
    joined); tool calls go into a column as JSON.
    """

    name = "csv"
    label = "CSV"
    suffix = ".csv"

    def recognises(self, source: Source) -> float:
        """1 when the header names a text and somebody who says it."""
        return float(source.is_text and _header(source)[1].is_transcript)

    def read(self, source: Source) -> Read:
        """The conversations by their ids, in the order of their first rows."""
        report = source.report
        line, columns = _header(source)
        if not columns.is_transcript:
            names = ", ".join(columns.names) or "none"
            problem = f"a table needs the columns text and role (or speaker); this one has {names}"
            raise TranscriptError(problem, file=report.file, line=line)
        found: dict[str, _Found] = {}
        lines = islice(source.lines(), line, None)
        for number, row in csv_rows(lines, delimiter=columns.delimiter, first_line=line + 1):
            try:
                if isinstance(row, TranscriptError):
                    raise row
                if not any(row):
                    continue
                turn = turn_of_row(
                    row,
                    columns,
                    lambda problem, name: report.warn(problem, line=number, field=name),  # noqa: B023
                )
            except TranscriptError as error:
                report.error(error.problem, line=number, field=error.field)
                continue
            one = found.setdefault(cell(row, columns, "conversation") or "", _Found(number))
            one.turns.append(turn)
            one.title = one.title or cell(row, columns, "title")
        notes = {_COLUMNS: list(columns.names), _DELIMITER: columns.delimiter}
        for id, one in found.items():
            yield one.line, Conversation(id, tuple(one.turns), one.title, notes, self.name)

    def write(self, conversation: Conversation, turns: Sequence[Turn]) -> str:
        """The rows under the file's own columns; else under those that the turns need."""
        own = conversation.format == self.name and _COLUMNS in conversation.metadata
        if own:
            columns = Columns.of(conversation.metadata[_COLUMNS], conversation.metadata[_DELIMITER])
        else:
            columns = columns_for(turns, conversation)
        out = io.StringIO(newline="")
        plain = csv.writer(out, delimiter=columns.delimiter, lineterminator="\n")
        quoted = csv.writer(out, delimiter=columns.delimiter, lineterminator="\n", quoting=csv.QUOTE_ALL)
        plain.writerow(columns.names)
        for turn in turns:
            of_file = own and turn.source is not None and ROW in turn.source
            row = turn.source[ROW] if of_file and turn.source else row_of_turn(turn, conversation, columns)
            # Older Pythons leave a carriage return without quotation marks, and cannot read that.
            (quoted if any("\r" in value for value in row) else plain).writerow(row)
        return writable(out.getvalue())


def _header(source: Source) -> tuple[int, Columns]:
    """The header and its line; spreadsheets may put `sep=;` above it."""
    for number, line in enumerate(islice(source.lines(), 20), 1):
        header = line.strip("\r\n")
        if header.strip() and not header.lower().startswith("sep="):
            return number, Columns.of_header(header[:_LONGEST_HEADER])
    return 1, Columns((), ",", {})
