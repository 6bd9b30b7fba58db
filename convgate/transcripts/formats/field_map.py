"""Lists of objects in no known format, of JSON or a table, whose fields a person names.

Nothing is read by a guess alone: a person sees it, and the first turns by it, before anything is added.

>>> fields = FieldMap.parse("text=body,speaker=from,assistant=Helper")
>>> fields.text, fields.speaker, str(fields)
('body', 'from', 'text=body,speaker=from,assistant=Helper')
"""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from functools import cached_property
from itertools import compress, islice
from pathlib import Path
from typing import Any

from convgate.core.conversation import Conversation, Turn
from convgate.core.errors import TranscriptError
from convgate.transcripts.fields import text_of, value_at
from convgate.transcripts.formats.csv_table import DELIMITERS, TableColumns, csv_rows, split_header
from convgate.transcripts.formats.layouts import Layout
from convgate.transcripts.identity import given_id
from convgate.transcripts.json_text import Place
from convgate.transcripts.message_lists import described
from convgate.transcripts.problems import Report
from convgate.transcripts.roles import role_of
from convgate.transcripts.source import MAX_BYTES, LocatedConversations, Source, open_bytes, open_path
from convgate.transcripts.timestamps import parse_timestamp


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


_N_ROWS = 4  # of a table that are looked at to know it
_MAX_ITEMS = 200  # objects of a list that are looked at
_MAX_DEPTH = 3  # of objects in each other
_MAX_SPEAKERS, _MAX_NAME = 12, 40  # characters
_MAY_BE_TEXT = 2
"""The highest rank of a speaker's field that may hold texts: others say by name who speaks."""

_ASSISTANT_WORDS = ("agent", "helper")
_WORD = re.compile(r"[^\W_]+")
_ID = re.compile(r"(?:^|[\W_]|(?<=[a-z])(?=I))(?:id|uuid|guid)s?$", re.IGNORECASE)
MAPPED = "mapped"
_NAMES = tuple(field.name for field in fields(FieldMap))
_KEY = re.compile(f"(?:^|,)({'|'.join(_NAMES)})=")


class FieldMapFormat(Layout):
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
    if source.json is None and (table := table_of(source)):
        yield from _rows(source.lines(), *table, source.report)
    else:
        yield from source.need_json("JSON or a table").values()


def _rows(
    lines: Iterable[str], line: int, columns: TableColumns, report: Report
) -> Iterator[tuple[dict[str, str], Place]]:
    """Yield the rows below the line of the header as objects; one of another width is a bad place."""
    names = columns.names
    below = islice(lines, line, None)
    for number, row in csv_rows(below, delimiter=columns.delimiter, first_line=line + 1):
        place = Place(report, line=number)
        with place.skip_bad_value():
            if isinstance(row, TranscriptError):
                raise row
            if any(row):
                if len(row) != len(names):
                    raise TranscriptError(f"{len(row)} values for {len(names)} columns")
                yield {name: value for name, value in zip(names, row, strict=True) if value}, place


def table_of(source: Source) -> tuple[int, TableColumns] | None:
    """Return the columns of a text whose first rows have one value for each of several short names, and the
    line of their header, from 1.
    """
    lines = source.first_lines(50) if source.is_text else []
    first = next((n for n, line in enumerate(lines) if line.strip() and not line.startswith("sep=")), 0)
    for delimiter in DELIMITERS if lines else ():
        names = split_header(lines[first], delimiter)
        rows = csv_rows(lines[first + 1 :], delimiter=delimiter, first_line=1)
        sample = list(islice((row for _, row in rows if row), _N_ROWS))
        is_header = all(0 < len(name) <= 30 and len(name.split()) <= 3 for name in names)
        is_table = sample and all(isinstance(row, list) and len(row) == len(names) for row in sample)
        if len(set(names)) == len(names) > 1 and is_header and is_table:
            return first + 1, TableColumns.of(names, delimiter)
    return None


@dataclass(frozen=True)
class ItemList:
    """A list of objects in a file."""

    path: str | None  # as in FieldMap.items
    items: tuple[Mapping[str, Any], ...]  # the first ones: texts, numbers and truth values, by their fields

    @cached_property
    def fields(self) -> dict[str, list[Any]]:
        """The values of each field."""
        fields: dict[str, list[Any]] = defaultdict(list)
        for item in self.items:
            for field, value in item.items():
                fields[field].append(value)
        return dict(fields)

    def speakers(self, field: str | None) -> list[str]:
        """Return the values of a field as the names of who speaks, the most frequent first."""
        names = Counter(name_at({"": value}, "") for value in self.fields.get(field or "", ()))
        return [name for name, _ in names.most_common() if name]

    @cached_property
    def guess(self) -> FieldMap | None:
        """What the fields hold, by their names and values; None where no text or no speaker is found."""
        names = list(self.fields)
        columns = TableColumns.of([name.rpartition(".")[2] for name in names]).places
        usual = {names[place]: held for held, place in columns.items()}
        times = [name for name in names if self._holds_times(name, usual.get(name))]
        ranks = {name: self._speaker_rank(name, usual.get(name)) for name in names if name not in times}
        texts = {
            name: (usual.get(name) == "text", sum(map(len, self.fields[name])) / len(self.fields[name]))
            for name, rank in ranks.items()
            if rank <= _MAY_BE_TEXT and self._holds_texts(name, usual.get(name))
        }
        text = max(texts, key=texts.__getitem__, default="")
        ranks.pop(text, None)
        speaker = max(ranks, key=ranks.__getitem__, default="")
        if not text or not ranks.get(speaker):
            return None
        threads = [n for n, held in usual.items() if held == "conversation"]
        return FieldMap(
            text,
            speaker,
            next(iter(sorted(times, key=lambda name: usual.get(name) != "timestamp")), None),
            self._assistant(speaker),
            next((n for n in threads if len(self.speakers(n)) < len(self.items)), None),
            self.path,
        )

    def _holds_times(self, field: str, held: str | None) -> bool:
        values = self.fields[field]
        is_number = [not isinstance(v, str) or v.replace(".", "").strip().isdigit() for v in values]
        try:
            return (held == "timestamp" or not any(is_number)) and None not in map(parse_timestamp, values)
        except ValueError:
            return False

    def _holds_texts(self, field: str, held: str | None) -> bool:
        texts = [value for value in self.fields[field] if isinstance(value, str)]
        return len(texts) == len(self.fields[field]) and (
            held == "text" or any(" " in text for text in texts)
        )

    def _speaker_rank(self, field: str, held: str | None) -> int:
        """Return how likely a field says who speaks, 0: not."""
        values, names = self.fields[field], self.speakers(field)
        is_short = 0 < len(names) <= _MAX_SPEAKERS and all(len(name) <= _MAX_NAME for name in names)
        is_other = held not in (None, "role", "speaker")
        if not is_short or is_other or len(values) < len(self.items) / 2:
            return 0
        if all(map(role_of, names)):
            return 5
        if held in ("role", "speaker"):
            return 4 if held == "role" else 3
        is_several = 1 < len(names) <= max(2, len(values) / 2) and not _ID.search(field)
        return (2 if isinstance(values[0], str) else int(isinstance(values[0], bool))) if is_several else 0

    def _assistant(self, speaker: str) -> str | None:
        """Return the speaker whose name has a word for an assistant, where none is called so."""
        names = self.speakers(speaker)
        if any(role_of(name) == "assistant" for name in names):
            return None
        is_named = (
            any(
                word.lower() in _ASSISTANT_WORDS or role_of(word) == "assistant"
                for word in _WORD.findall(name)
            )
            for name in names
        )
        return next(compress(names, is_named), None)


def find_lists(source: Source) -> list[ItemList]:
    """Return the lists of objects in a source of JSON or a table, the likeliest list of messages first."""
    found: dict[str | None, list[Mapping[str, Any]]] = defaultdict(list)
    if source.json is not None:
        for value in source.json.sample:
            for path, item in _objects(value):
                if len(found[path]) < _MAX_ITEMS and (path or item is not source.json.document):
                    found[path].append(dict(_leaves(item)))
    elif table := table_of(source):
        rows = _rows(source.first_lines(_MAX_ITEMS), *table, Report(source.report.file))
        found[None] += (item for item, _ in rows)
    lists = [ItemList(path, tuple(items)) for path, items in found.items() if any(items)]
    return sorted(lists, key=lambda each: (each.guess is None, -len(each.items)))


def lists_in(
    source: str | Path | bytes, name: str | None = None, *, max_bytes: int = MAX_BYTES
) -> list[ItemList]:
    """Return the lists of a file or an upload as `find_lists` does; none where there is no such file."""
    with suppress(TranscriptError, OSError):
        if isinstance(source, bytes):
            opened = open_bytes(source, Report(name or "the upload"), max_bytes=max_bytes)
        else:
            opened = open_path(Path(source), Report(name or str(source)), max_bytes=max_bytes)
        if isinstance(opened, Source):
            return find_lists(opened)
    return []


def _objects(value: Any, path: str = "", depth: int = 0) -> Iterator[tuple[str | None, Mapping[str, Any]]]:
    """Yield the objects of a value: itself, its items, and those of the lists in it, with paths."""
    if isinstance(value, list):
        yield from ((path or None, item) for item in islice(value, _MAX_ITEMS) if isinstance(item, Mapping))
    elif isinstance(value, Mapping):
        if not depth:
            yield None, value
        for key, child in value.items() if depth < _MAX_DEPTH else ():
            yield from _objects(child, f"{path}.{key}".lstrip("."), depth + 1)


def _leaves(item: Mapping[str, Any], path: str = "", depth: int = 0) -> Iterator[tuple[str, Any]]:
    """Yield the texts, numbers and truth values of an object, each with its field."""
    for key, value in item.items():
        field = f"{path}.{key}".lstrip(".")
        if isinstance(value, Mapping) and depth < _MAX_DEPTH:
            yield from _leaves(value, field, depth + 1)
        elif isinstance(value, str | int | float) and value != "":
            yield field, value
