"""Where the files of a corpus are, and the JSON in them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from convgate.errors import TranscriptError
from convgate.training.corpora.corpus import SPLITS
from convgate.transcripts.json_places import Locator, Place
from convgate.transcripts.json_text import kind
from convgate.transcripts.problems import Report
from convgate.transcripts.source import source_of_path


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
    told = split or file.absolute().parent.name
    if told not in SPLITS:
        raise TranscriptError(
            f"its folder does not tell which part of the corpus it is; say {', '.join(SPLITS)} (--split)",
            file=str(file),
        )
    return told


def document_items(file: Path, report: Report) -> Iterator[tuple[str, Any, Place]]:
    """Each item of the list, or each value of the object, that a JSON file is: key, value and place.

    Raises TranscriptError when the file cannot be read or holds something else.
    """
    source = source_of_path(file, report)
    if source.json is None or source.json.is_lines:
        raise source.json_error or TranscriptError("this is no JSON document", file=report.file)
    document = source.json.document
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
    source = source_of_path(file, report)
    if source.json is None:
        raise source.json_error or TranscriptError("expected one JSON object a line", file=report.file)
    for value, place in source.json.values(each=False):
        yield value, Place(report, line=place.line or 1)


def text_of(value: Any, field: str) -> str:
    """The value, when it is a text that says something; raises TranscriptError naming the field."""
    if not isinstance(value, str) or not value.strip():
        got = "an empty one" if isinstance(value, str) else kind(value)
        raise TranscriptError(f"expected a text, got {got}", field=field)
    return value


def whole_of(value: Any, field: str) -> int:
    """The value, when it is a whole number; raises TranscriptError naming the field."""
    if not isinstance(value, int) or isinstance(value, bool):
        raise TranscriptError(f"expected a whole number, got {kind(value)}", field=field)
    return value


def list_of(value: Any, field: str) -> list[Any]:
    """The value, when it is a list; raises TranscriptError naming the field."""
    if not isinstance(value, list):
        raise TranscriptError(f"expected a list, got {kind(value)}", field=field)
    return value


def object_of(value: Any, field: str) -> dict[str, Any]:
    """The value, when it is an object; raises TranscriptError naming the field."""
    if not isinstance(value, dict):
        raise TranscriptError(f"expected an object, got {kind(value)}", field=field)
    return value
