"""Which fields of objects in no known format may be a message's text, speaker and time.

Nothing is read by a guess alone: a person sees it, and the first turns by it, before anything is added.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any

from convgate.core.errors import TranscriptError
from convgate.transcripts.formats.csv_table import Columns, csv_rows
from convgate.transcripts.formats.mapped import FieldMap, name_at, table_of
from convgate.transcripts.problems import Report
from convgate.transcripts.roles import role_of
from convgate.transcripts.source import MAX_BYTES, Source, open_bytes, open_path
from convgate.transcripts.timestamps import parse_timestamp

_MAX_ITEMS = 200  # objects of a list that are looked at
_MAX_DEPTH = 3  # of objects in each other
_MAX_SPEAKERS, _MAX_NAME = 12, 40  # characters
_MAY_BE_TEXT = 2
"""The highest rank of a speaker's field that may hold texts: others say by name who speaks."""

_ASSISTANT_WORDS = ("agent", "helper")
_WORD = re.compile(r"[^\W_]+")
_ID = re.compile(r"(?:^|[\W_]|(?<=[a-z])(?=I))(?:id|uuid|guid)s?$", re.IGNORECASE)


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
        columns = Columns.of([name.rpartition(".")[2] for name in names]).places
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
        for value in self.fields[field]:
            is_number = not isinstance(value, str) or value.replace(".", "").strip().isdigit()
            try:
                if (is_number and held != "timestamp") or parse_timestamp(value) is None:
                    return False
            except ValueError:
                return False
        return True

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
        words = {name: [word.lower() for word in _WORD.findall(name)] for name in names}
        return next(
            (
                name
                for name in names
                for w in words[name]
                if w in _ASSISTANT_WORDS or role_of(w) == "assistant"
            ),
            None,
        )


def find_lists(source: Source) -> list[ItemList]:
    """Return the lists of objects in a source of JSON or a table, the likeliest list of messages first."""
    found: dict[str | None, list[Mapping[str, Any]]] = defaultdict(list)
    if source.json is None:
        if table := table_of(source):
            lines = source.first_lines(_MAX_ITEMS)[table.line :]
            for _, row in csv_rows(lines, delimiter=table.delimiter, first_line=1):
                with suppress(TranscriptError):
                    if isinstance(row, list) and any(row):
                        found[None].append(table.object_of(row))
    else:
        for value in source.json.sample:
            for path, item in _objects(value):
                if len(found[path]) < _MAX_ITEMS and (path or item is not source.json.document):
                    found[path].append(dict(_leaves(item)))
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
