"""What the commands share: reading the file, showing progress, writing the result."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from convgate.errors import ConvgateError

if TYPE_CHECKING:
    from convgate.conversation import Conversation
    from convgate.embedding.base import Progress

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
    typer.Option("--gate", help="The gate's version: a folder with its weights.", metavar="VERSION|PATH"),
]
RuleOption = Annotated[str | None, typer.Option("--rule", help="The gate's threshold rule.")]
SetOption = Annotated[
    list[str] | None,
    typer.Option(
        "--set", help="A parameter of the rule or policy, such as k=5; may be repeated.", metavar="NAME=VALUE"
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON alone on standard output.")]
OutOption = Annotated[Path | None, typer.Option("--out", help="Write to this file instead.", dir_okay=False)]


def read_one(file: Path, *, which: str | None, format: str | None, skip_bad: bool) -> Conversation:
    """The conversation of a file that is asked for; the first one unless `which` says another."""
    from convgate.transcripts import read_conversations

    if str(file) == "-":
        source, name = sys.stdin.buffer.read(), "standard input"
        transcript = read_conversations(source, name=name, format=format, skip_bad=skip_bad)
    else:
        transcript = read_conversations(file, format=format, skip_bad=skip_bad)
    for problem in transcript.problems:
        typer.echo(f"convgate: {problem}", err=True)
    talks = transcript.conversations
    if not talks:
        raise ConvgateError(f"{file}: there is no conversation in it")
    if which is None:
        if len(talks) > 1:
            typer.echo(
                f"convgate: the file holds {len(talks)} conversations; taking the first ({talks[0].id}),"
                " --conversation takes another",
                err=True,
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
    partial = out.with_name(out.name + ".partial")
    try:
        partial.write_text(text, encoding="utf-8")
        partial.replace(out)
    except OSError as error:
        partial.unlink(missing_ok=True)
        raise ConvgateError(f"{out} cannot be written: {error}") from error
