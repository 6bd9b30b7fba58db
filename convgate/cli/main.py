"""The command `convgate`: each subcommand in a file of its own, heavy imports only when one runs.

Exit codes: 0 done; 1 a ConvgateError, told on standard error; 2 wrong usage; 130 interrupted.
"""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from convgate import __version__
from convgate.cli.app import open_app
from convgate.cli.calibrate import calibrate
from convgate.cli.context import context
from convgate.cli.corpus import corpus
from convgate.cli.evaluate import evaluate
from convgate.cli.feedback import feedback
from convgate.cli.gatekeep import gatekeep
from convgate.cli.import_ import import_
from convgate.cli.invariants import invariants
from convgate.cli.labels import labels
from convgate.cli.modes import modes
from convgate.cli.monitor import monitor
from convgate.cli.output import tell_error
from convgate.cli.record_outcome import record_outcome
from convgate.cli.score import score
from convgate.cli.select import select
from convgate.cli.sessions import sessions
from convgate.cli.tools import FORWARDED, bench, pretrain
from convgate.cli.training import train
from convgate.cli.versions import versions
from convgate.errors import ConvgateError

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Which earlier turns of a conversation should a language model see?",
)
app.command("app")(open_app)
app.command("score")(score)
app.command("select")(select)
app.command("evaluate")(evaluate)
app.command("calibrate")(calibrate)
app.command("pretrain", **FORWARDED)(pretrain)
app.command("train")(train)
app.command("sessions")(sessions)
app.command("invariants")(invariants)
app.command("context")(context)
app.command("import")(import_)
app.command("feedback")(feedback)
app.command("gatekeep")(gatekeep)
app.command("modes")(modes)
app.command("record-outcome")(record_outcome)
app.command("monitor")(monitor)
app.command("bench", **FORWARDED)(bench)
app.add_typer(labels, name="labels")
app.add_typer(versions, name="versions")
app.add_typer(corpus, name="corpus")


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"convgate {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Take the options that stand before a subcommand."""


def main(command: typer.Typer = app) -> None:
    """Run the command line; a ConvgateError is told as a sentence instead of a traceback."""
    try:
        command()
    except ConvgateError as error:
        tell_error(error)
        sys.exit(1)
