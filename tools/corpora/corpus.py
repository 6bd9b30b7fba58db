"""What converters share: how conversations come together as a set, and how JSON is read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from convgate.core.conversation import Conversation
from convgate.core.errors import TranscriptError
from convgate.transcripts.cases import Case, RelevanceSet
from convgate.transcripts.json_text import Locator, Place, kind
from convgate.transcripts.problems import Report, close_reports
from convgate.transcripts.source import source_of_path

SPLITS = ("train", "dev", "test")
"""The parts of the corpora that come in parts."""


@dataclass
class Gathering:
    """Conversations and cases as a converter finds them."""

    name: str
    conversations: dict[str, Conversation] = field(default_factory=dict)  # by id
    cases: list[Case] = field(default_factory=list)

    def add(self, conversation: Conversation, cases: Iterable[Case]) -> None:
        """Takes in a conversation; raises TranscriptError when another one has its id."""
        if conversation.id in self.conversations:
            raise TranscriptError(f"another conversation has the id {conversation.id!r} already")
        self.conversations[conversation.id] = conversation
        self.cases += cases

    def close(self, reports: Sequence[Report], *, skip_bad: bool) -> RelevanceSet:
        """The set with the problems of all reports.

        Raises BadLinesError when something was left out and `skip_bad` does not allow that, or nothing is
        left; TranscriptError when there was no conversation to begin with.
        """
        readable = f"{len(self.conversations)} conversations and {len(self.cases)} cases"
        problems = close_reports(reports, readable if self.conversations else None, skip_bad=skip_bad)
        if not self.conversations:
            raise TranscriptError("there is no conversation in it", file=reports[0].file)
        return RelevanceSet(self.name, self.conversations, tuple(self.cases), problems)


def corpus_file(path: Path, inside: str, repository: str) -> Path:
    """The file itself, or the one at `inside` when `path` is a checkout of the repository.

    Raises TranscriptError when there is none.
    """
    if not path.exists():
        raise TranscriptError("there is no such file or folder", file=str(path))
    if not path.is_dir():
        return path
    if not (path / inside).is_file():
        raise TranscriptError(
            f"this folder has no {inside}; name a checkout of {repository}, or that file itself",
            file=str(path),
        )
    return path / inside


def split_of(file: Path, split: str | None) -> str:
    """The part of its corpus that a file is of: the one that was said, else its folder's name.

    Raises TranscriptError when neither tells.
    """
    part = split or file.absolute().parent.name
    if part not in SPLITS:
        raise TranscriptError(
            f"its folder does not tell which part of the corpus it is; say {', '.join(SPLITS)} (--split)",
            file=str(file),
        )
    return part


def document_items(file: Path, report: Report) -> Iterator[tuple[str, Any, Place]]:
    """Each item of the list, or each value of the object, that a JSON file is: key, value and place.

    Raises TranscriptError when the file cannot be read or holds something else.
    """
    source = source_of_path(file, report)
    document = source.need_json().document
    if document is None:
        raise TranscriptError("this is no JSON document", file=report.file)
    locator = Locator(source.text)
    if isinstance(document, dict):
        for key, value in document.items():
            yield key, value, Place(report, prefix=key, locator=locator)
    else:
        for index, value in enumerate(document):
            yield str(index), value, Place(report, prefix=f"[{index}]", locator=locator)


def line_values(file: Path, report: Report) -> Iterator[tuple[Any, Place]]:
    """Each line's value with its place; a line that is no JSON goes to the report.

    Raises TranscriptError when the file cannot be read or is not JSON at all.
    """
    yield from source_of_path(file, report).need_json("one JSON object a line").lines()


def text_of(value: Any, field: str) -> str:
    """Return the value when it is a text that is not blank; else raise TranscriptError naming the field."""
    if not isinstance(value, str) or not value.strip():
        raise TranscriptError(
            f"expected a text, got {'an empty one' if isinstance(value, str) else kind(value)}", field=field
        )
    return value


def whole_of(value: Any, field: str) -> int:
    """Return the value when it is a whole number; else raise TranscriptError naming the field."""
    if not isinstance(value, int) or isinstance(value, bool):
        raise TranscriptError(f"expected a whole number, got {kind(value)}", field=field)
    return value


def list_of(value: Any, field: str) -> list[Any]:
    """Return the value when it is a list; else raise TranscriptError naming the field."""
    if not isinstance(value, list):
        raise TranscriptError(f"expected a list, got {kind(value)}", field=field)
    return value


def object_of(value: Any, field: str) -> dict[str, Any]:
    """Return the value when it is an object; else raise TranscriptError naming the field."""
    if not isinstance(value, dict):
        raise TranscriptError(f"expected an object, got {kind(value)}", field=field)
    return value
