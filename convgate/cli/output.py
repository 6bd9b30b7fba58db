"""What the commands share: options, reading the file, progress, errors, and writing the result."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from convgate.core.errors import ConvgateError
from convgate.core.files import write_whole
from convgate.core.text import join_words, pluralize, to_line

if TYPE_CHECKING:
    from convgate.core.conversation import Conversation
    from convgate.embedding.base import Progress
    from convgate.store import Store
    from convgate.transcripts.problems import Problems
    from convgate.transcripts.source import Source

SHOWN = 20  # bad places of a file that are listed

FileArgument = Annotated[
    Path, typer.Argument(help="A transcript; - reads standard input.", metavar="FILE", allow_dash=True)
]
TurnOption = Annotated[
    int | None,
    typer.Option(help="The current message, from 0; the last from the user or a tool by default.", min=0),
]
QuestionOption = Annotated[
    str | None, typer.Option(help="A question after the last turn, instead of a turn of the file.")
]
ConversationOption = Annotated[
    str | None,
    typer.Option("--conversation", help="Which conversation of the file: its id, or its number from 0."),
]
FormatOption = Annotated[str | None, typer.Option("--format", help="The file's format; detected by default.")]
SkipBadOption = Annotated[
    bool, typer.Option("--skip-bad", help="Skip what cannot be read instead of stopping.")
]
GateOption = Annotated[
    str | None,
    typer.Option(
        "--gate", help="The gate's version: its name, or a folder with weights.", metavar="VERSION|PATH"
    ),
]
MinTurnsOption = Annotated[
    int | None, typer.Option("--min-turns", help="Keep at least this many turns, the best first.", min=0)
]
MaxTurnsOption = Annotated[
    int | None, typer.Option("--max-turns", help="Keep at most this many turns, the best.", min=0)
]
RuleOption = Annotated[str | None, typer.Option("--rule", help="The gate's threshold rule.")]
SetOption = Annotated[
    list[str] | None,
    typer.Option(
        "--set", help="A parameter of the rule or policy, such as k=5; may be repeated.", metavar="NAME=VALUE"
    ),
]
SettingsFileOption = Annotated[
    Path | None,
    typer.Option("--settings", help="Use this settings file instead of the usual one.", dir_okay=False),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON alone on standard output.")]
ForceOption = Annotated[bool, typer.Option("--force", help="Overwrite an existing file.")]
RedactOption = Annotated[
    bool, typer.Option("--redact", help="Redact secrets: API keys, tokens, passwords, private keys.")
]
OutOption = Annotated[Path | None, typer.Option("--out", help="Write to this file instead.", dir_okay=False)]
DryRunOption = Annotated[bool, typer.Option("--dry-run", help="Show what would change; store nothing.")]


# Input


def open_library(*, check: bool = False) -> Store:
    """Return the store of the settings; with `check`, look for damage first (0.3 s for 100 MB on disk)."""
    from convgate.core.settings import load_settings
    from convgate.store import Store

    store = Store(load_settings().database)
    if check:
        store.check()
    return store


def open_source(file: Path) -> Source:
    """Return the file, or standard input for -, within the limits of the settings."""
    from convgate.core.settings import load_settings
    from convgate.transcripts.problems import Report
    from convgate.transcripts.source import source_of_bytes, source_of_path

    settings = load_settings()
    limit = settings.upload_limit_mb << 20
    is_pipe = str(file) == "-"
    report = Report("standard input" if is_pipe else file.name or str(file), settings.read_limit_seconds)
    if is_pipe:
        return source_of_bytes(sys.stdin.buffer.read(limit + 1), report, max_bytes=limit)
    return source_of_path(file, report, max_bytes=limit)


def read_one(
    file: Path, *, which: str | None, format: str | None, skip_bad: bool, redact: bool = False
) -> Conversation:
    """Return the conversation of the file with the id or number `which`; by default the first.

    redact: replace its secrets, and print how many on standard error.
    """
    from convgate.transcripts.reading import read_source
    from convgate.transcripts.redaction import Redactor

    with status(f"Reading {file}"):
        transcript = read_source(open_source(file), format, skip_bad=skip_bad)
    tell_problems(transcript.problems)
    conversation = _find_conversation(file, transcript.conversations, which)
    if redact:
        redactor = Redactor()
        conversation = redactor.redact(conversation)
        tell(redactor.summary)
    return conversation


def _find_conversation(file: Path, conversations: Sequence[Conversation], which: str | None) -> Conversation:
    if which is None:
        if len(conversations) > 1:
            tell(
                f"{file} holds {len(conversations)} conversations; using the first ({conversations[0].id})."
                " Choose another with --conversation."
            )
        return conversations[0]
    for conversation in conversations:
        if conversation.id == which:
            return conversation
    if which.isdecimal() and int(which) < len(conversations):
        return conversations[int(which)]
    ids = join_words((conversation.id for conversation in conversations), max_words=10)
    raise ConvgateError(
        f"{file}: there is no conversation {which!r}; there are 0 to {len(conversations) - 1}: {ids}"
    )


def check_moment(turn: int | None, question: str | None) -> None:
    """Refuse a turn together with a question."""
    if turn is not None and question is not None:
        raise typer.BadParameter("a turn or a question, not both", param_hint="--turn, --question")


def parameters(assignments: list[str] | None) -> dict[str, Any]:
    """Return the values of `--set name=value`: JSON where it is JSON, else text.

    >>> parameters(["k=5", "goal=precision"])
    {'k': 5, 'goal': 'precision'}
    """
    values: dict[str, Any] = {}
    for assignment in assignments or []:
        name, separator, value = assignment.partition("=")
        if not separator or not name:
            raise typer.BadParameter(f"{assignment!r} is not of the form NAME=VALUE", param_hint="--set")
        try:
            values[name] = json.loads(value)
        except json.JSONDecodeError:
            values[name] = value
    return values


class _DryRun(Exception):  # noqa: N818 - no error
    """Rolls a transaction back."""


@contextmanager
def transaction(store: Store, *, dry_run: bool) -> Iterator[Store]:
    """Open a transaction of the store, which is rolled back in a dry run."""
    with suppress(_DryRun), store.write():
        yield store
        if dry_run:
            raise _DryRun


# Standard error


def tell(message: str) -> None:
    """Print a message on standard error, without the control characters of what it quotes."""
    from convgate.transcripts.characters import printable

    typer.echo(f"convgate: {printable(message)}", err=True)


def tell_problems(problems: Problems) -> None:
    """Print the first bad places of a file, one a line, and how many more there are."""
    for problem in problems[:SHOWN]:
        tell(str(problem))
    if problems.total > SHOWN:
        tell(f"and {problems.total - SHOWN:,} more.")


def tell_error(error: ConvgateError) -> None:
    """Print why a command failed; for a file with bad places, the first of them and how to skip them."""
    from convgate.transcripts.problems import BadLinesError

    if not isinstance(error, BadLinesError):
        tell(str(error))
        return
    tell_problems(error.problems.errors)
    count = f"{pluralize(error.bad, 'bad place')} in {error.file}"
    if error.readable:
        them = "it" if error.bad == 1 else "them"
        tell(f"{count}; nothing was read. Skip {them} with --skip-bad to read the other {error.readable}.")
    else:
        tell(f"{count}, and nothing else to read.")


@contextmanager
def status(text: str) -> Iterator[None]:
    """Show a spinner on standard error; nothing when it is no terminal."""
    from rich.console import Console
    from rich.text import Text

    console = Console(stderr=True)
    if console.is_terminal:
        with console.status(Text(text)):
            yield
    else:
        yield


@contextmanager
def encoding_progress() -> Iterator[Progress]:
    """Show a progress bar on standard error while texts are encoded; nothing when it is no terminal."""
    from rich.console import Console
    from rich.progress import Progress as Bar

    console = Console(stderr=True)
    with Bar(console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("Loading the encoder", total=None)

        def report(done: int, total: int, /) -> None:
            bar.update(task, description="Encoding turns", completed=done, total=total)

        yield report


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

    from convgate.transcripts.characters import printable

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, expand=True)
    for name, kind in columns.items():
        table.add_column(name, min_width=min(max(len(name), 4), 12), **_COLUMNS[kind])
    for cells, style in rows:
        table.add_row(*(Text(printable(to_line(str(cell)))) for cell in cells), style=style)
    Console().print(table)


def print_rows(rows: Sequence[Mapping[str, Any]], *, empty: str = "") -> None:
    """Print JSON rows as a table with a column for each name, or `empty` where there are none."""
    if not rows:
        print_lines(empty)
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
    return (
        f"{value:,.4g}"
        if isinstance(value, float)
        else f"{value:,}"
        if isinstance(value, int)
        else str(value)
    )


def print_lines(*lines: str) -> None:
    """Print lines on standard output, without the control characters of what they quote."""
    from convgate.transcripts.characters import printable

    for line in lines:
        typer.echo(printable(line))
