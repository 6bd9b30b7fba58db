"""Lists of objects in no known format, of JSON or a table, whose fields a person names.

>>> fields = FieldMap.parse("text=body,speaker=from,assistant=Helper")
>>> fields.text, fields.speaker, str(fields)
('body', 'from', 'text=body,speaker=from,assistant=Helper')
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace
from itertools import islice
from typing import Any

from convgate.core.conversation import Conversation, Turn
from convgate.core.errors import TranscriptError
from convgate.transcripts.fields import text_of, value_at
from convgate.transcripts.formats.csv_table import DELIMITERS, csv_rows, split_header
from convgate.transcripts.formats.layouts import Layout
from convgate.transcripts.identity import given_id
from convgate.transcripts.json_text import Place
from convgate.transcripts.message_lists import described
from convgate.transcripts.roles import role_of
from convgate.transcripts.source import LocatedConversations, Source


@dataclass(frozen=True)
class FieldMap:
    """Which field holds what; the name of a field inside others has dots between them."""

    text: str
    speaker: str | None = None
    time: str | None = None
    assistant: str | None = None  # the speaker that is the assistant; "": nobody; None: whoever is called so
    conversation: str | None = None  # an id, where several conversations are in one list
    items: str | None = None  # the list of messages in an object; None: the file or an entry of it is one

    @classmethod
    def parse(cls, text: str) -> FieldMap:
        """Return the fields of `text=body,speaker=from`; raises TranscriptError."""
        first, *pieces = _KEY.split(text)
        values = dict(zip(pieces[::2], pieces[1::2], strict=True))
        if first or not values.get("text"):
            more = ", ".join(f"{name}=…" for name in _NAMES[1:])
            raise TranscriptError(f"{text!r} does not name the field of the text: text=FIELD; also {more}")
        return cls(**{name: value for name, value in values.items() if value or name == "assistant"})

    def __str__(self) -> str:
        return ",".join(f"{name}={value}" for name, value in vars(self).items() if value is not None)


MAPPED = "mapped"
_NAMES = tuple(field.name for field in fields(FieldMap))
_KEY = re.compile(f"(?:^|,)({'|'.join(_NAMES)})=")


class MappedFormat(Layout):
    """The layout of the fields that a person names; never recognised."""

    def __init__(self, fields: FieldMap | None = None) -> None:
        self.fields = fields
        text, time, path = (fields.text, fields.time, fields.items) if fields else ("", None, None)
        super().__init__(
            MAPPED, "Mapped fields", path or "", role="", everyone="user", text=text,
            time=(time,) if time else (), content=self.plain_parts,
        )  # fmt: skip

    def match_share(self, source: Source) -> float:
        """Return 0."""
        return 0.0

    def read(self, source: Source) -> LocatedConversations:
        """Yield the conversations, once everything is read; bad places go to the source's report."""
        if self.fields is None:
            raise TranscriptError("say which field holds what, as in --map text=body,speaker=from")
        source.check_size()
        found: dict[tuple[int, str], tuple[int | None, str | None, list[Turn]]] = {}
        for number, (value, place) in enumerate(_values(source), 1):
            with place.skip_bad_value():
                has_list = isinstance(value, list) or self.path
                title = text_of(value, self.title) if has_list else None
                for id, turns in list(self._messages(value, place)):
                    key = (number if has_list else 0, id)
                    found.setdefault(key, (place.line, title, []))[2].extend(turns)
        if not any(said for _, _, said in found.values()) and not source.report.counts["error"]:
            speaker = f" and a speaker in {self.fields.speaker!r}" if self.fields.speaker else ""
            raise TranscriptError(
                f"no message has a text in {self.fields.text!r}{speaker};"
                " when no fields are given, the error names those that look right",
                file=source.report.file,
            )
        for (_, id), (line, title, said) in found.items():
            yield line, Conversation(id, tuple(said), title, format=self.name)

    def _messages(self, value: Any, place: Place) -> Iterator[tuple[str, list[Turn]]]:
        """Yield the id of its conversation and the turns of each message in a value of the file."""
        conversation = self.fields and self.fields.conversation
        is_message = isinstance(value, Mapping) and not self.path
        items = [value] if is_message else value if isinstance(value, list) else value_at(value, self.path)
        own_id = None if is_message or isinstance(value, list) else given_id(value, *self.id.split("|"))
        if not isinstance(items, list):
            raise TranscriptError(f"expected a list of messages; got {described(items)}", field=self.path)
        for index, item in enumerate(place.report.watch(items, "messages of a conversation")):
            field = "" if is_message else f"{self.path}[{index}]"
            with place.skip_bad_part():
                if not isinstance(item, Mapping):
                    raise TranscriptError(f"expected an object; got {described(item)}", field=field)
                id = name_at(item, conversation) if conversation else own_id
                yield id or "", list(self.message(item, field, place))

    def message(self, item: Mapping[str, Any], field: str, place: Place) -> Iterator[Turn]:
        """Yield one message as a turn of the speaker; one without a speaker is counted."""
        turns = super().message(item, field, place)
        if self.fields is None or self.fields.speaker is None:
            yield from turns
        elif name := name_at(item, self.fields.speaker):
            role = role_of(name) or "user"
            if self.fields.assistant is not None:
                is_assistant = name.lower() == self.fields.assistant.lower()
                role = "assistant" if is_assistant else "user" if role == "assistant" else role
            shown = None if role_of(name) == role else name
            yield from (replace(turn, role=role, name=shown) for turn in turns)
        else:
            place.report.omit("message of no known speaker")


def name_at(fields: Any, path: str) -> str:
    """Return who speaks by what is at a path, also where it is a number or true; else an empty text."""
    name = value_at(fields, path)
    return json.dumps(name) if isinstance(name, bool | int | float) else name if isinstance(name, str) else ""


def _values(source: Source) -> Iterator[tuple[Any, Place]]:
    """Yield the values of JSON, or the rows of a table as objects, each with its place."""
    table = None if source.json is not None else table_of(source)
    if table is None:
        yield from source.need_json("JSON or a table").values()
        return
    lines = islice(source.lines(), table.line, None)
    for number, row in csv_rows(lines, delimiter=table.delimiter, first_line=table.line + 1):
        place = Place(source.report, line=number)
        with place.skip_bad_value():
            if isinstance(row, TranscriptError):
                raise row
            if any(row):
                yield table.object_of(row), place


@dataclass(frozen=True)
class Table:
    """The header of a table."""

    names: tuple[str, ...]
    delimiter: str
    line: int  # of the header, from 1

    def object_of(self, row: list[str]) -> dict[str, str]:
        """Return a row by the names of its columns; raises TranscriptError when it has more or fewer."""
        if len(row) != len(self.names):
            raise TranscriptError(f"{len(row)} values for {len(self.names)} columns")
        return {name: value for name, value in zip(self.names, row, strict=True) if value}


def table_of(source: Source, n_rows: int = 4) -> Table | None:
    """Return the header of a text whose first rows have one value for each of several short names."""
    lines = source.first_lines(50) if source.is_text else []
    first = next((n for n, line in enumerate(lines) if line.strip() and not line.startswith("sep=")), 0)
    for delimiter in DELIMITERS if lines else ():
        names = tuple(split_header(lines[first], delimiter))
        rows = csv_rows(lines[first + 1 :], delimiter=delimiter, first_line=1)
        sample = list(islice((row for _, row in rows if row), n_rows))
        is_header = all(0 < len(name) <= 30 and len(name.split()) <= 3 for name in names)
        is_table = sample and all(isinstance(row, list) and len(row) == len(names) for row in sample)
        if len(set(names)) == len(names) > 1 and is_header and is_table:
            return Table(names, delimiter, first + 1)
    return None
