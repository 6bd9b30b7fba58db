"""The command `convgate`. Heavy imports happen only when a subcommand runs.

Exit codes: 0 done; 1 a ConvgateError, printed on standard error; 2 wrong usage; 130 interrupted.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from convgate import __version__
from convgate.cli.batch import batch
from convgate.cli.calibrate import calibrate
from convgate.cli.context import context, invariants, modes
from convgate.cli.evaluate import evaluate
from convgate.cli.experiment import experiment
from convgate.cli.feedback import feedback
from convgate.cli.gatekeep import gatekeep
from convgate.cli.labels import import_conversations, labels
from convgate.cli.mcp import mcp
from convgate.cli.monitor import monitor, record_outcome
from convgate.cli.output import print_error
from convgate.cli.prune import prune
from convgate.cli.rollout import rollout
from convgate.cli.selection import score, select
from convgate.cli.serve import serve
from convgate.cli.sessions import sessions
from convgate.cli.tools import FORWARDED, bench, corpus, pretrain
from convgate.cli.training import train
from convgate.cli.versions import versions
from convgate.core.errors import ConvgateError

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Which earlier turns of a conversation should a language model see?",
)


@app.command("app")
def open_app(
    port: Annotated[
        int | None, typer.Option(help="The port; the first free one from 8501 by default.", min=1, max=65535)
    ] = None,
    address: Annotated[
        str, typer.Option(help="The address to listen on; 127.0.0.1 serves this machine only.")
    ] = "127.0.0.1",
    host: Annotated[
        list[str], typer.Option(help="A further host name of the app, such as a proxy's; may be repeated.")
    ] = [],  # noqa: B006
    read_only: Annotated[
        bool, typer.Option("--read-only", help="Show the data folder without changing it.")
    ] = False,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open a browser window.")] = True,
) -> None:
    """Start the web app on this machine."""
    from convgate.core.settings import load_settings

    settings = load_settings()  # reports a wrong setting before a browser opens
    # The server changes the working directory, so no path may depend on it.
    encoder = Path(settings.encoder)
    os.environ["CONVGATE_HOME"] = str(settings.home)
    os.environ["CONVGATE_ENCODER"] = str(encoder.absolute()) if encoder.is_dir() else settings.encoder
    if file := os.environ.get("CONVGATE_CONFIG"):
        os.environ["CONVGATE_CONFIG"] = str(Path(file).expanduser().absolute())
    if read_only:
        os.environ["CONVGATE_READ_ONLY"] = "true"

    from convgate.ui.server import serve

    serve(settings, address=address, port=port, hosts=host, browser=browser)


for command in (
    score, select, evaluate, calibrate, train, sessions, invariants, context, feedback, gatekeep, modes,
    record_outcome, monitor, prune, serve, mcp, batch,
):  # fmt: skip
    app.command()(command)
app.command("import")(import_conversations)
for tool in (pretrain, corpus, bench):
    app.command(**FORWARDED)(tool)
app.add_typer(labels, name="labels")
app.add_typer(versions, name="versions")
app.add_typer(experiment, name="experiment")
app.add_typer(rollout, name="rollout")


def _print_version(is_requested: bool) -> None:
    if is_requested:
        typer.echo(f"convgate {__version__}")
        raise typer.Exit


@app.callback()
def show_version(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """Accept --version before a subcommand."""


def main(command: Callable[[], object] = app) -> None:
    """Run the command line; print a ConvgateError as one sentence instead of a traceback."""
    try:
        command()
    except ConvgateError as error:
        print_error(error)
        sys.exit(1)
