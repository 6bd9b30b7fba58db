"""What the commands share: reading the file, showing progress, writing the result."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from convgate.errors import ConvgateError
from convgate.files import write_whole
from convgate.ui.wording import counted

if TYPE_CHECKING:
    from convgate.conversation import Conversation
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
    typer.Option(help="The current message, from 0; the last from the user or a tool unless given.", min=0),
]
QuestionOption = Annotated[
    str | None, typer.Option(help="Ask this after the last turn, instead of taking a turn of the file.")
]
ConversationOption = Annotated[
    str | None,
    typer.Option("--conversation", help="Which conversation of the file: its id, or its number from 0."),
]
FormatOption = Annotated[
    str | None, typer.Option("--format", help="The file's format, when it is not to be recognised.")
]
SkipBadOption = Annotated[
    bool, typer.Option("--skip-bad", help="Leave out what cannot be read, and go on with the rest.")
]
GateOption = Annotated[
    str | None,
    typer.Option(
        "--gate", help="The gate's version: by name, or a folder with its weights.", metavar="VERSION|PATH"
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
    typer.Option(
        "--settings",
        help="A settings file, as the app writes it for an agent, in place of the usual one.",
        dir_okay=False,
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON alone on standard output.")]
ForceOption = Annotated[bool, typer.Option("--force", help="Write over a file that is there.")]
RedactOption = Annotated[
    bool, typer.Option("--redact", help="Redact secrets: API keys, tokens, passwords, private keys.")
]
OutOption = Annotated[Path | None, typer.Option("--out", help="Write to this file instead.", dir_okay=False)]


def open_library(*, check: bool = False) -> Store:
    """The store of this machine, or of the settings.

    check: whether to look for damage first, which takes about 0.3 s for 100 MB that are not in memory yet.
    """
    from convgate.settings import load_settings
    from convgate.store import Store

    store = Store(load_settings().database)
    if check:
        store.check()
    return store


def open_source(file: Path) -> Source:
    """The file, or standard input for -, within the limits of the settings."""
    from convgate.settings import load_settings
    from convgate.transcripts.problems import Report
    from convgate.transcripts.source import source_of_bytes, source_of_path

    settings = load_settings()
    limit = settings.upload_limit_mb << 20
    from_pipe = str(file) == "-"
    report = Report("standard input" if from_pipe else file.name or str(file), settings.read_limit_seconds)
    if from_pipe:
        return source_of_bytes(sys.stdin.buffer.read(limit + 1), report, max_bytes=limit)
    return source_of_path(file, report, max_bytes=limit)


class _DryRun(Exception):  # noqa: N818 - nothing went wrong
    """Has a transaction undone as a whole."""


@contextmanager
def kept(store: Store, *, dry_run: bool) -> Iterator[Store]:
    """The store in one transaction, which is undone in a dry run."""
    with suppress(_DryRun), store.write():
        yield store
        if dry_run:
            raise _DryRun


def read_one(
    file: Path, *, which: str | None, format: str | None, skip_bad: bool, redact: bool = False
) -> Conversation:
    """The conversation of a file that is asked for; the first one unless `which` says another.

    redact: its secrets are redacted, and standard error says how many.
    """
    talk = _read_one(file, which=which, format=format, skip_bad=skip_bad)
    if redact:
        from convgate.redaction import Redactor

        redactor = Redactor()
        talk = redactor.redact(talk)
        tell(redactor.summary)
    return talk


def _read_one(file: Path, *, which: str | None, format: str | None, skip_bad: bool) -> Conversation:
    from convgate.transcripts.reading import read_source

    with status(f"Reading {file}"):
        transcript = read_source(open_source(file), format, skip_bad=skip_bad)
    tell_problems(transcript.problems)
    talks = transcript.conversations
    if which is None:
        if len(talks) > 1:
            tell(
                f"the file holds {len(talks)} conversations; taking the first ({talks[0].id}),"
                " --conversation takes another"
            )
        return talks[0]
    for talk in talks:
        if talk.id == which:
            return talk
    if which.isdecimal() and int(which) < len(talks):
        return talks[int(which)]
    known = ", ".join(talk.id for talk in talks[:10]) + (", …" if len(talks) > 10 else "")
    raise ConvgateError(
        f"{file}: there is no conversation {which!r}; there are 0 to {len(talks) - 1}: {known}"
    )


def check_moment(turn: int | None, question: str | None) -> None:
    """Refuse a turn together with a question."""
    if turn is not None and question is not None:
        raise typer.BadParameter("a turn or a question, not both", param_hint="--turn, --question")


def tell(sentence: str) -> None:
    """A sentence on standard error; what it quotes from a transcript cannot steer the terminal."""
    from convgate.transcripts.characters import printable

    typer.echo(f"convgate: {printable(sentence)}", err=True)


def tell_problems(problems: Problems) -> None:
    """The bad places of a file, each in a line of its own; of many, the first."""
    for problem in problems[:SHOWN]:
        tell(str(problem))
    if problems.total > SHOWN:
        tell(f"and {problems.total - SHOWN:,} more.")


def tell_error(error: ConvgateError) -> None:
    """Why a command failed; of a file with bad places, the first, and the way to do without them."""
    from convgate.transcripts.problems import BadLinesError

    if not isinstance(error, BadLinesError):
        tell(str(error))
        return
    tell_problems(error.problems.errors)
    count = f"{counted(error.bad, 'bad place')} in {error.file}"
    if error.readable:
        tell(
            f"{count}: nothing was taken. --skip-bad leaves {'it' if error.bad == 1 else 'them'} out and"
            f" takes the other {error.readable}."
        )
    else:
        tell(f"{count}, and nothing else to read.")


@contextmanager
def status(doing: str) -> Iterator[None]:
    """A moving line on standard error while something is done; nothing when that is no terminal."""
    from rich.console import Console
    from rich.text import Text

    console = Console(stderr=True)
    if console.is_terminal:
        with console.status(Text(doing)):
            yield
    else:
        yield


def parameters(assignments: list[str] | None) -> dict[str, Any]:
    """The values of `--set name=value`: JSON where it is JSON, else text.

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


@contextmanager
def encoding_progress() -> Iterator[Progress]:
    """A bar on standard error while texts are encoded, gone when done; nothing when it is no terminal."""
    from rich.console import Console
    from rich.progress import Progress as Bar

    console = Console(stderr=True)
    with Bar(console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("Loading the encoder", total=None)

        def report(done: int, total: int, /) -> None:
            bar.update(task, description="Encoding turns", completed=done, total=total)

        yield report


def write_json(values: Any, out: Path | None) -> None:
    """JSON to the file, or alone on standard output; NaN is never written."""
    write_text(json.dumps(values, ensure_ascii=False, indent=2, allow_nan=False) + "\n", out)


def write_text(text: str, out: Path | None) -> None:
    """Text to the file, whole or not at all, or to standard output."""
    if out is None:
        sys.stdout.write(text)
        return
    _write(text.encode(), out)


def write_export(content: bytes, out: Path, *, force: bool) -> None:
    """A file to keep, whole or not at all; one that is there only where `force` says that it may be lost."""
    if out.is_file() and not force:
        raise ConvgateError(
            f"{out} is there already and was left as it is: choose another --out, or --force writes over it"
        )
    _write(content, out)


def _write(content: bytes, out: Path) -> None:
    try:
        write_whole(out, content)
    except OSError as error:
        raise ConvgateError(f"{out} cannot be written: {error}") from error
