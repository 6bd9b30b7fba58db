"""How commands show results: tables and JSON on standard output, problems and progress on standard error."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import typer

from convgate.core.errors import ConvgateError
from convgate.core.files import write_whole
from convgate.core.text import join_words, pluralize, to_line

if TYPE_CHECKING:
    from convgate.core.conversation import Conversation
    from convgate.embedding.base import Progress
    from convgate.evaluation.judged_cases import EvaluationProgress
    from convgate.transcripts.problems import Problems
    from convgate.transcripts.reading import TranscriptReader

SHOWN = 20  # bad places of a file that are listed


# Standard error


def print_note(message: str) -> None:
    """Print a message on standard error, without the control characters of what it quotes."""
    from convgate.core.text import printable

    typer.echo(f"convgate: {printable(message)}", err=True)


def print_problems(problems: Problems) -> None:
    """Print the first bad places of a file, one a line, and how many more there are."""
    for problem in problems[:SHOWN]:
        print_note(str(problem))
    if problems.total > SHOWN:
        print_note(f"and {problems.total - SHOWN:,} more.")


def print_left_out(reader: TranscriptReader) -> None:
    """Print what was left out of a file on purpose, if anything, once it is read and closed."""
    if left_out := reader.summary.left_out:
        print_note(f"{reader.report.file}: {', '.join(left_out)}")


def print_alternatives(reader: TranscriptReader) -> None:
    """Print which other formats a file fits as well, if any."""
    if reader.alternatives:
        others = join_words(reader.alternatives, last="or")
        print_note(f"{reader.report.file}: read as {reader.format}; --format can choose {others}")


def print_error(error: ConvgateError) -> None:
    """Print why a command failed; for a file with bad places, the first of them and how to skip them."""
    from convgate.transcripts.problems import BadLinesError

    notes = getattr(error, "__notes__", ())
    if not isinstance(error, BadLinesError):
        for sentence in (str(error), *notes):
            print_note(sentence)
        return
    print_problems(error.problems.errors)
    count = f"{pluralize(error.bad, 'bad place')} in {error.file}"
    if error.readable:
        pronoun = "it" if error.bad == 1 else "them"
        print_note(
            f"{count}; nothing was read. Skip {pronoun} with --skip-bad to read the other {error.readable}."
        )
    else:
        for sentence in (f"{count}, and nothing else to read.", *notes):
            print_note(sentence)


@contextmanager
def status(text: str) -> Iterator[None]:
    """Show a spinner on standard error; nothing when it is no terminal."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console
    from rich.text import Text

    with Console(stderr=True).status(Text(text)):
        yield


@contextmanager
def progress_bar() -> Iterator[EvaluationProgress]:
    """Show one stage after the other on standard error; nothing when it is no terminal."""
    if not sys.stderr.isatty():
        yield lambda stage, done, total, /: None
        return
    from rich.console import Console
    from rich.progress import Progress as Bar

    with Bar(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("Loading", total=None)

        def report(stage: str, done: int, total: int, /) -> None:
            bar.update(task, description=stage, completed=done, total=total)

        yield report


def read_all(reader: TranscriptReader) -> Iterator[Conversation]:
    """Yield the conversations, and show how much of the file is read, as `progress_bar` does."""
    with progress_bar() as report:
        for conversation in reader:
            report(f"Reading {reader.report.file}", round(100 * reader.fraction_read), 100)
            yield conversation


@contextmanager
def encoding_progress() -> Iterator[Progress]:
    """Show how many turns are encoded, as `progress_bar` does."""
    with progress_bar() as report:
        yield partial(report, "Encoding turns")


# The result


def write_result(values: Any, show: Callable[[], None], json_output: bool, out: Path | None) -> None:
    """Write the values as JSON when --json or --out asks for it; show them for a person otherwise."""
    if json_output or out is not None:
        write_json(values, out)
    else:
        show()


def pick(record: object, *names: str) -> dict[str, Any]:
    """Return the named attributes of a record for JSON, times in ISO 8601."""
    values = {name: getattr(record, name) for name in names}
    return {
        name: value.isoformat() if isinstance(value, datetime) else value for name, value in values.items()
    }


def write_json(values: Any, out: Path | None) -> None:
    """Write JSON to the file, or alone to standard output; NaN is never written."""
    write_text(json.dumps(values, ensure_ascii=False, indent=2, allow_nan=False) + "\n", out)


def write_text(text: str, out: Path | None) -> None:
    """Write text to the file, whole or not at all, or to standard output."""
    if out is None:
        sys.stdout.write(text)
        return
    _write(text.encode(), out)


def write_export(content: bytes, out: Path, *, force: bool) -> None:
    """Write a file whole or not at all; ConvgateError when it exists already, unless `force`."""
    if out.is_file() and not force:
        raise ConvgateError(f"{out} exists already; choose another --out, or overwrite it with --force")
    _write(content, out)


def _write(content: bytes, out: Path) -> None:
    try:
        write_whole(out, content)
    except OSError as error:
        raise ConvgateError(f"{out} cannot be written: {error}") from error


Kind = Literal["number", "word", "line", "prose"]
_COLUMNS: Mapping[Kind, dict[str, Any]] = {
    "number": {"justify": "right"},
    "word": {"max_width": 20, "overflow": "ellipsis", "no_wrap": True},
    "line": {"overflow": "ellipsis", "no_wrap": True, "ratio": 2},  # cut at the edge
    "prose": {"ratio": 3},  # wrapped
}
Row = tuple[Sequence[object], str]
"""The cells of a row, and its style."""


def print_table(columns: Mapping[str, Kind], rows: Iterable[Row]) -> None:
    """Print a table as wide as the terminal; a cell is one line of text that cannot steer it."""
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from convgate.core.text import printable

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, expand=True)
    for name, kind in columns.items():
        table.add_column(Text(printable(name)), min_width=min(max(len(name), 4), 12), **_COLUMNS[kind])
    for cells, style in rows:
        table.add_row(*(Text(printable(to_line(str(cell)))) for cell in cells), style=style)
    Console().print(table)


def print_rows(rows: Sequence[Mapping[str, Any]], *, empty: str = "") -> None:
    """Print JSON rows as a table with a column for each name, or `empty` where there are none."""
    if not rows:
        print_lines(*filter(None, [empty]))
        return
    columns: dict[str, Kind] = {
        name.replace("_", " "): "prose" if isinstance(value, str) else "number"
        for name, value in rows[0].items()
    }
    print_table(columns, [([_format(value) for value in row.values()], "") for row in rows])


def print_fields(values: Mapping[str, Any], name: str = "total") -> None:
    """Print a JSON object, one line for it and for each object in it; lists are left out."""
    is_nested = {key: isinstance(value, Mapping) for key, value in values.items()}
    scalars = [
        f"{key.replace('_', ' ')} {_format(value)}"
        for key, value in values.items()
        if not is_nested[key] and not isinstance(value, list)
    ]
    if scalars:
        print_lines(f"{name}: {', '.join(scalars)}")
    for key, value in values.items():
        if is_nested[key]:
            print_fields(value, key.replace("_", " ") if name == "total" else f"{name}, {key}")


def _format(value: object) -> str:
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:,.4g}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def print_lines(*lines: str) -> None:
    """Print lines on standard output, without the control characters of what they quote."""
    from convgate.core.text import printable

    for line in lines:
        typer.echo(printable(line))
