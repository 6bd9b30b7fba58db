"""What commands print on standard error: problems and progress."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

import typer

from convgate.core.errors import ConvgateError
from convgate.core.text import join_words, pluralize

if TYPE_CHECKING:
    from convgate.core.conversation import Conversation
    from convgate.embedding.base import Progress
    from convgate.evaluation.judged_cases import EvaluationProgress
    from convgate.transcripts.problems import Problems
    from convgate.transcripts.reading import TranscriptReader

SHOWN = 20  # bad places of a file that are listed


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


def close_reader(reader: TranscriptReader, *, skip_bad: bool) -> None:
    """Close the reader of a file; print which other formats fit it, and its problems."""
    if reader.alternatives:
        others = join_words(reader.alternatives, last="or")
        print_note(f"{reader.report.file}: read as {reader.format}; --format can choose {others}")
    print_problems(reader.close(skip_bad=skip_bad))


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
            bar.update(task, description=stage, completed=done, total=total or 1)

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
