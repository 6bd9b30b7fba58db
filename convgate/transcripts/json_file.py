"""A JSON transcript as a whole: one document, or one value a line."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

from convgate.core.errors import TranscriptError
from convgate.transcripts.json_places import Locator, Place
from convgate.transcripts.json_text import JsonParser

if TYPE_CHECKING:
    from convgate.transcripts.source import Source

_SAMPLED_LINES = 20


@dataclass(frozen=True)
class JsonFile:
    """What a JSON source holds, enough of it parsed to recognise its format."""

    source: Source
    is_lines: bool
    sample: tuple[Any, ...]  # of lines the first values, None for those without; of a document itself alone

    @classmethod
    def in_source(cls, source: Source) -> JsonFile | None:
        """The JSON of a source, None when there is none.

        It is lines when at least half of the first ones hold an object or a list each, so that bad
        lines at the beginning do not hide what the file is.

        Raises TranscriptError when it begins as JSON does and is not.
        """
        first = list(islice((line for line in source.lines() if not line.isspace()), _SAMPLED_LINES))
        if len(first) > 1:
            values = tuple(_try(line) if line.lstrip().startswith(("{", "[")) else None for line in first)
            if 2 * sum(value is not None for value in values) >= len(first):
                return cls(source, is_lines=True, sample=values)
        if not first or not first[0].lstrip().startswith(("{", "[")):
            return None
        parser = JsonParser()
        try:
            document = parser.parse(source.text())
        except TranscriptError as error:
            raise TranscriptError(error.problem, file=source.report.file, line=error.line) from None
        for note, line in parser.notes:
            source.report.warn(note, line=line)
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
                for note, _ in parser.notes:
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
    """The object or list that a line holds, else None."""
    try:
        value = JsonParser().parse(line)
    except TranscriptError:
        return None
    return value if isinstance(value, dict | list) else None
