"""Tables: one turn a row, with columns for who speaks and what is said."""

from __future__ import annotations

import csv
import io
import json
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

from convgate.core.conversation import Conversation, ToolCall, Turn
from convgate.core.errors import TranscriptError
from convgate.core.text import writable
from convgate.transcripts.json_text import Place
from convgate.transcripts.openai_messages import arguments_text
from convgate.transcripts.roles import role_of
from convgate.transcripts.source import LocatedConversations, Source
from convgate.transcripts.timestamps import NEWEST_FIRST, TIMESTAMP_FIELDS, falls

DELIMITERS = ",;\t|"
ROW = "row"
"""The key under which a turn's source has its row, so that it is no message by mistake."""

_COLUMNS, _DELIMITER = "_columns", "_delimiter"
_MAX_HEADER = 10_000  # characters
_MAX_FIELD = 2**31 - 1  # characters; the csv module's own limit is 131,072

_ALIASES = {  # by meaning; the first name is written, the likelier one comes first
    "conversation": (
        *("conversation_id", "conversation", "conv_id", "convo_id", "chat_id", "thread_id", "session_id"),
        *("dialog_id", "dialogue_id", "chat", "thread", "session", "dialogue", "dialog"),
    ),
    "title": ("title", "conversation_title", "chat_title"),
    "id": ("turn_id", "message_id", "msg_id", "id", "turn"),
    "timestamp": TIMESTAMP_FIELDS,
    "role": ("role", "message_role", "author_role", "sender_role", "sender_type", "author_type"),
    "speaker": (
        *("speaker", "name", "sender", "from", "author", "user", "username", "user_name", "nick"),
        *("sender_name", "author_name", "participant", "agent"),
    ),
    "text": (
        *("text", "content", "message", "body", "utterance", "value", "message_text", "message_content"),
        *("msg", "transcript"),
    ),
    "tool_calls": ("tool_calls",),
    "tool_call_id": ("tool_call_id",),
}


class CSVFormat:
    """Tables with a header, separated by comma, semicolon, tab or bar.

    Columns are known by their names; unknown ones are metadata. Without a role column, a speaker called like
    a role has that role, and everyone else is a user. Tables do not hold metadata and parts of turns that
    came in another format.
    """

    name = "csv"
    label = "CSV"
    suffix = ".csv"

    def match_share(self, source: Source) -> float:
        """1 when the header names a text and somebody who says it."""
        return float(source.is_text and _read_columns(source)[1].is_transcript)

    def read(self, source: Source) -> LocatedConversations:
        """Return the conversations by their ids, in the order of their first rows."""
        source.check_size()
        report = source.report
        line, columns = _read_columns(source)
        if not columns.is_transcript:
            names = ", ".join(columns.names) or "none"
            problem = f"a table needs the columns text and role (or speaker); this one has {names}"
            raise TranscriptError(problem, file=report.file, line=line)
        tables: dict[str, tuple[int, str | None, list[Turn]]] = {}  # first line, title and turns, by id
        lines = islice(source.lines(), line, None)
        for number, row in csv_rows(lines, delimiter=columns.delimiter, first_line=line + 1):
            place = Place(report, number)
            try:
                if isinstance(row, TranscriptError):
                    raise row
                if any(row):
                    turn, id = turn_of_row(row, columns, place), columns.cell(row, "conversation") or ""
                    tables.setdefault(id, (number, columns.cell(row, "title"), []))[2].append(turn)
            except TranscriptError as error:
                place.leave_out_all(error)
        notes = {_COLUMNS: list(columns.names), _DELIMITER: columns.delimiter}
        if is_reversed := _answers_come_first([turns for _, _, turns in tables.values()]):
            report.warn_once(NEWEST_FIRST)
        for id, (number, title, turns) in tables.items():
            rows = turns[::-1] if is_reversed else turns
            yield number, Conversation(id, tuple(rows), title, notes, self.name)

    def write(self, conversation: Conversation, turns: Sequence[Turn]) -> str:
        """Return the rows under the file's own columns; else under those that the turns need."""
        own = conversation.format == self.name and _COLUMNS in conversation.metadata
        if own:
            columns = TableColumns.of(conversation.metadata[_COLUMNS], conversation.metadata[_DELIMITER])
        else:
            columns = columns_for(turns, conversation)
        out = io.StringIO(newline="")
        writer = csv.writer(out, delimiter=columns.delimiter)
        writer.writerow(columns.names)
        for turn in turns:
            row = turn.source.get(ROW) if own and turn.source else None
            writer.writerow(row or row_of_turn(turn, conversation, columns))
        return writable(out.getvalue())


def _answers_come_first(conversations: Sequence[Sequence[Turn]]) -> bool:
    """Return whether the rows of a table are newest first although some have the same time.

    Their times never rise in the whole table, fall within a conversation, and each one begins with an answer.
    """
    moments = [turn.timestamp for rows in conversations for turn in rows]
    return (
        falls(moments)
        and any(falls([turn.timestamp for turn in rows]) for rows in conversations)
        and all(rows[0].role == "assistant" and rows[-1].role != "assistant" for rows in conversations)
    )


def _read_columns(source: Source) -> tuple[int, TableColumns]:
    """Return the header's line number and columns; spreadsheets put `sep=;` above it."""
    for number, line in enumerate(source.first_lines(20), 1):
        header = line.strip("\r\n")
        if header.strip() and not header.lower().startswith("sep="):
            return number, TableColumns.of_header(header[:_MAX_HEADER])
    return 1, TableColumns.of_header("")


@dataclass(frozen=True)
class TableColumns:
    """A table's columns: how they are called, and which of them holds what."""

    names: tuple[str, ...]  # as the header has them
    delimiter: str
    places: dict[str, int]  # place of the column, by its meaning

    @property
    def is_transcript(self) -> bool:
        """Whether there is a text, and somebody who says it."""
        return "text" in self.places and ("role" in self.places or "speaker" in self.places)

    @cached_property
    def others(self) -> dict[int, str]:
        """The names of columns without a meaning here, by place; of several with one name, the last."""
        known = set(self.places.values())
        places = {name: place for place, name in enumerate(self.names) if place not in known and name}
        return {place: name for name, place in places.items()}

    @classmethod
    def of_header(cls, header: str) -> TableColumns:
        """Return the columns of a header line, by the delimiter that makes most sense of it.

        >>> TableColumns.of_header("Speaker;Message").places
        {'speaker': 0, 'text': 1}
        """
        candidates = (cls.of(split_header(header, delimiter), delimiter) for delimiter in DELIMITERS)
        return max(candidates, key=lambda columns: len(columns.places))

    @classmethod
    def of(cls, names: Sequence[str], delimiter: str = ",") -> TableColumns:
        """Columns under given names."""
        plain = ["_".join(name.replace("-", " ").split()).casefold() for name in names]
        known = {held: [name for name in aliases if name in plain] for held, aliases in _ALIASES.items()}
        places = {held: plain.index(matches[0]) for held, matches in known.items() if matches}
        return cls(tuple(names), delimiter, places)

    def cell(self, row: Sequence[str], held: str) -> str | None:
        """Return what a row has in the column of that meaning; None when there is none or it is empty."""
        place = self.places.get(held)
        return (row[place] or None) if place is not None and place < len(row) else None


def split_header(header: str, delimiter: str) -> list[str]:
    """Return the names in a header line without spaces around them; none when it is not a table row."""
    try:
        return [name.strip() for name in next(csv.reader([header], delimiter=delimiter), [])]
    except csv.Error:
        return []


def turn_of_row(row: list[str], columns: TableColumns, place: Place) -> Turn:
    """Return one row as a turn; raises TranscriptError when it does not fit the columns, or nobody speaks."""
    width = len(columns.names)
    if len(row) <= columns.places["text"] or any(row[width:]):
        raise TranscriptError(
            f"{len(row)} values for {width} columns; is a value with separators not quoted?"
        )
    role, name = _role_and_name(columns.cell(row, "role"), columns.cell(row, "speaker"))
    time = columns.names[columns.places.get("timestamp", 0)]
    return Turn.of(
        role,
        columns.cell(row, "text") or "",
        id=columns.cell(row, "id"),
        name=name,
        timestamp=place.time({time: columns.cell(row, "timestamp")}, keys=(time,)),
        tool_calls=_calls(columns.cell(row, "tool_calls")),
        tool_call_id=columns.cell(row, "tool_call_id"),
        metadata={name: row[index] for index, name in columns.others.items() if any(row[index : index + 1])},
        source={ROW: row},
    )


def _values(turn: Turn, conversation: Conversation) -> dict[str, str]:
    """Return the cells of a turn by what they mean."""
    calls = [{"id": call.id, "name": call.name, "arguments": call.arguments} for call in turn.tool_calls]
    return {
        "conversation": conversation.id,
        "title": writable(conversation.title or ""),
        "id": turn.id or "",
        "timestamp": turn.timestamp.isoformat() if turn.timestamp else "",
        "role": turn.role,
        "speaker": turn.name or "",
        "text": turn.text,
        "tool_calls": json.dumps(calls, ensure_ascii=False) if calls else "",
        "tool_call_id": turn.tool_call_id or "",
    }


def row_of_turn(turn: Turn, conversation: Conversation, columns: TableColumns) -> list[str]:
    """Return one turn as a row under the columns; what has no column is left out."""
    row = [""] * len(columns.names)
    values = _values(turn, conversation)
    for held, place in columns.places.items():
        row[place] = values[held]
    for place, name in columns.others.items():
        row[place] = str(turn.metadata.get(name, ""))
    if "role" not in columns.places and not turn.name:
        row[columns.places["speaker"]] = turn.role
    return row


def columns_for(turns: Sequence[Turn], conversation: Conversation) -> TableColumns:
    """Return the columns that the turns need, under their usual names."""
    used = {held for turn in turns for held, value in _values(turn, conversation).items() if value}
    used |= {"conversation", "role", "text"}
    return TableColumns.of([names[0] for held, names in _ALIASES.items() if held in used])


def _role_and_name(role: str | None, speaker: str | None) -> tuple[str, str | None]:
    """Role and name; somebody called like a role has it, everyone else without one is a user."""
    if role is not None:
        return role_of(role) or role, speaker
    if speaker is None:
        raise TranscriptError("nobody says this; fill the role or the speaker", field="role")
    known = role_of(speaker)
    return (known, None) if known else ("user", speaker)


def _calls(text: str | None) -> tuple[ToolCall, ...]:
    if text is None:
        return ()
    try:
        return tuple(
            ToolCall(str(call["id"]), call["name"], arguments_text(call["arguments"], ""))
            for call in json.loads(text)
        )
    except (ValueError, TypeError, KeyError, RecursionError):
        raise TranscriptError(
            'expected a JSON list of calls, [{"id": …, "name": …, "arguments": …}]', field="tool_calls"
        ) from None


def csv_rows(
    lines: Iterable[str], *, delimiter: str, first_line: int
) -> Iterator[tuple[int, list[str] | TranscriptError]]:
    """Each row with the line that it begins on, 1-based; an error in place of a row that is none.

    lines: physical lines with their ends. A row with an odd number of quotation marks on its first line ends
    at the latest on the next such line. After a bad row, reading goes on at the line after its first.
    """
    csv.field_size_limit(_MAX_FIELD)
    lines = list(lines)
    odd_lines = [place for place, line in enumerate(lines) if line.count('"') % 2]
    start = 0
    while start < len(lines):
        at = bisect_left(odd_lines, start)
        is_open = odd_lines[at : at + 1] == [start] and at + 1 < len(odd_lines)
        stop = odd_lines[at + 1] + 1 if is_open else start + 1
        rows = csv.reader(lines[start:stop], delimiter=delimiter, strict=True)
        try:
            yield first_line + start, next(rows)
            start += rows.line_num
        except csv.Error as error:
            problem = f"not a table row: {error}; is a quotation mark missing or too much?"
            yield first_line + start, TranscriptError(problem)
            start += 1
