"""Tables: one turn a row, with columns for who speaks and what is said."""

from __future__ import annotations

import csv
import io
import json
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice

from convgate.core.conversation import Conversation, ToolCall, Turn
from convgate.core.errors import TranscriptError
from convgate.transcripts.characters import writable
from convgate.transcripts.message_lists import Read
from convgate.transcripts.openai_messages import arguments_text
from convgate.transcripts.roles import role_of
from convgate.transcripts.source import Source
from convgate.transcripts.timestamps import TIMESTAMP_FIELDS, UNTIMED, Warn, parse_timestamp

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
        """Return the conversations by their ids, in the order of their first rows."""
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
        """Return the rows under the file's own columns; else under those that the turns need."""
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
    """Return the header and its line; spreadsheets may put `sep=;` above it."""
    for number, line in enumerate(islice(source.lines(), 20), 1):
        header = line.strip("\r\n")
        if header.strip() and not header.lower().startswith("sep="):
            return number, Columns.of_header(header[:_LONGEST_HEADER])
    return 1, Columns((), ",", {})


_ALIASES: dict[str, tuple[str, ...]] = {  # the likelier name first
    "conversation": (
        *("conversation_id", "conversation", "conv_id", "convo_id", "chat_id", "thread_id", "session_id"),
        *("dialog_id", "dialogue_id", "chat", "thread", "session", "dialogue", "dialog"),
    ),
    "title": ("conversation_title", "chat_title", "title"),
    "id": ("turn_id", "message_id", "msg_id", "id", "turn"),
    "role": ("role", "message_role", "author_role", "sender_role", "sender_type", "author_type"),
    "speaker": (
        *("speaker", "name", "sender", "from", "author", "user", "username", "user_name", "nick"),
        *("sender_name", "author_name", "participant", "agent"),
    ),
    "text": (
        *(
            "text",
            "content",
            "message",
            "body",
            "utterance",
            "value",
            "message_text",
            "message_content",
            "msg",
        ),
        *("transcript",),
    ),
    "timestamp": TIMESTAMP_FIELDS,
    "tool_calls": ("tool_calls",),
    "tool_call_id": ("tool_call_id",),
}
DELIMITERS = ",;\t|"


@dataclass(frozen=True)
class Columns:
    """A table's columns: how they are called, and which of them holds what."""

    names: tuple[str, ...]  # as the header has them
    delimiter: str
    meaning: dict[str, int]  # what is held, to the place of its column

    @property
    def is_transcript(self) -> bool:
        """Whether there is a text, and somebody who says it."""
        return "text" in self.meaning and ("role" in self.meaning or "speaker" in self.meaning)

    @cached_property
    def others(self) -> dict[int, str]:
        """The names of columns without a meaning here, by place; of several with one name, the last."""
        known = set(self.meaning.values())
        places = {name: place for place, name in enumerate(self.names) if place not in known and name}
        return {place: name for name, place in places.items()}

    @classmethod
    def of_header(cls, header: str) -> Columns:
        """Return the columns of a header line, by the delimiter that makes most sense of it.

        >>> Columns.of_header("Speaker;Message").meaning
        {'speaker': 0, 'text': 1}
        """
        found = (cls.of(split_header(header, delimiter), delimiter) for delimiter in DELIMITERS)
        return max(found, key=lambda columns: len(columns.meaning))

    @classmethod
    def of(cls, names: Sequence[str], delimiter: str = ",") -> Columns:
        """Columns under given names."""
        plain = ["_".join(name.replace("-", " ").split()).casefold() for name in names]
        meaning = {
            held: plain.index(alias)
            for held, aliases in _ALIASES.items()
            for alias in [next((alias for alias in aliases if alias in plain), None)]
            if alias is not None
        }
        return cls(tuple(names), delimiter, meaning)


def split_header(header: str, delimiter: str) -> list[str]:
    """Return the names in a header line without spaces around them; none when it is not a table row."""
    try:
        return [name.strip() for name in next(csv.reader([header], delimiter=delimiter), [])]
    except csv.Error:
        return []


ROW = "row"
"""The key under which a turn's source has its row, so that it is no message by mistake."""


def cell(cells: Sequence[str], columns: Columns, held: str) -> str | None:
    """Return what a row has in the column of that meaning; None when there is none or it is empty."""
    place = columns.meaning.get(held)
    return (cells[place] or None) if place is not None and place < len(cells) else None


def turn_of_row(cells: list[str], columns: Columns, warn: Warn) -> Turn:
    """Return one row as a turn.

    `warn` is told of a time that cannot be read; the turn then has none.

    Raises TranscriptError when the row does not fit the columns or nobody speaks.
    """
    width = len(columns.names)
    if len(cells) <= columns.meaning["text"] or any(cells[width:]):
        raise TranscriptError(
            f"{len(cells)} values for {width} columns; is a value with separators not quoted?"
        )
    role, name = _who(cell(cells, columns, "role"), cell(cells, columns, "speaker"))
    timestamp, others = cell(cells, columns, "timestamp"), columns.others
    metadata = {others[place]: value for place, value in enumerate(cells) if value and place in others}
    moment = None
    try:
        moment = parse_timestamp(timestamp)
    except ValueError as error:
        warn(f"{error}; {UNTIMED}", columns.names[columns.meaning["timestamp"]])
    return Turn.of(
        role,
        cell(cells, columns, "text") or "",
        id=cell(cells, columns, "id"),
        name=name,
        timestamp=moment,
        tool_calls=_calls(cell(cells, columns, "tool_calls")),
        tool_call_id=cell(cells, columns, "tool_call_id"),
        metadata=metadata,
        source={ROW: cells},
    )


def row_of_turn(turn: Turn, conversation: Conversation, columns: Columns) -> list[str]:
    """Return one turn as a row under the columns; what has no column is left out."""
    row = [""] * len(columns.names)
    for held, place in columns.meaning.items():
        row[place] = _VALUES[held](turn, conversation)
    for place, name in columns.others.items():
        row[place] = str(turn.metadata.get(name, ""))
    if "role" not in columns.meaning and not turn.name:
        row[columns.meaning["speaker"]] = turn.role
    return row


def columns_for(turns: Sequence[Turn], conversation: Conversation) -> Columns:
    """Return the columns that the turns need, under their usual names."""
    needed = [
        name
        for name, held in _USUAL.items()
        if held in ("conversation", "role", "text")
        or any(_VALUES[held](turn, conversation) for turn in turns)
    ]
    return Columns.of(needed)


def _who(role: str | None, speaker: str | None) -> tuple[str, str | None]:
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
            ToolCall(str(call["id"]), writable(call["name"]), writable(arguments_text(call["arguments"], "")))
            for call in json.loads(text)
        )
    except (ValueError, TypeError, KeyError, RecursionError):
        raise TranscriptError(
            'expected a JSON list of calls, [{"id": …, "name": …, "arguments": …}]', field="tool_calls"
        ) from None


def _calls_text(turn: Turn) -> str:
    calls = [{"id": call.id, "name": call.name, "arguments": call.arguments} for call in turn.tool_calls]
    return json.dumps(calls, ensure_ascii=False) if calls else ""


_USUAL = {
    "conversation_id": "conversation",
    "title": "title",
    "turn_id": "id",
    "timestamp": "timestamp",
    "role": "role",
    "name": "speaker",
    "text": "text",
    "tool_calls": "tool_calls",
    "tool_call_id": "tool_call_id",
}
_VALUES: dict[str, Callable[[Turn, Conversation], str]] = {
    "conversation": lambda turn, conversation: conversation.id,
    "title": lambda turn, conversation: writable(conversation.title or ""),
    "id": lambda turn, conversation: turn.id or "",
    "timestamp": lambda turn, conversation: turn.timestamp.isoformat() if turn.timestamp else "",
    "role": lambda turn, conversation: turn.role,
    "speaker": lambda turn, conversation: turn.name or "",
    "text": lambda turn, conversation: turn.text,
    "tool_calls": lambda turn, conversation: _calls_text(turn),
    "tool_call_id": lambda turn, conversation: turn.tool_call_id or "",
}


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
        """Return how many lines the row has; the next one begins."""
        count = len(self._row)
        self._row = []
        self._single = max(0, self._single - count)
        return count
