"""The command `convgate`. Heavy imports happen only when a subcommand runs.

Exit codes: 0 done; 1 a ConvgateError, printed on standard error; 2 wrong usage; 130 interrupted.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer
from typer import Option

from convgate import __version__
from convgate.cli.output import print_error
from convgate.core.errors import ConvgateError

# Before numpy is imported: OpenBLAS's threads spin for 0.06 s of CPU at every start unless told to sleep.
os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", "4")  # 2^4 cycles
gc.set_threshold(50_000)  # of the thousands of objects that imports make, none is garbage

# In the order of `convgate --help`. Only the module of the command that runs is imported.
_COMMANDS = {
    "score": "selection.score",
    "select": "selection.select",
    "evaluate": "evaluate.evaluate",
    "errors": "errors.errors",
    "bill": "bill.bill",
    "batch": "batch.batch",
    "calibrate": "calibrate.calibrate",
    "train": "training.train",
    "sessions": "sessions.sessions",
    "invariants": "invariants.invariants",
    "feedback": "labels.feedback",
    "gatekeep": "gatekeep.gatekeep",
    "modes": "modes.modes",
    "record-outcome": "monitor.record_outcome",
    "monitor": "monitor.monitor",
    "prune": "prune.prune",
    "serve": "serve.serve",
    "mcp": "serve.mcp",
    "import": "labels.import_conversations",
    "pretrain": "tools.pretrain",
    "corpus": "tools.corpus",
    "bench": "tools.bench",
    "labels": "labels.labels",
    "versions": "versions.versions",
    "experiment": "experiment.experiment",
    "rollout": "rollout.rollout",
}
_FORWARDED: dict[str, Any] = {
    "add_help_option": False,
    "context_settings": {"allow_extra_args": True, "ignore_unknown_options": True},
}
"""How commands of `tools/` take words: they parse them themselves."""


def open_app(
    port: Annotated[int | None, Option(help="A free one from 8501 by default.", min=1, max=65535)] = None,
    address: Annotated[str, Option(help="To listen on; 127.0.0.1: this machine only.")] = "127.0.0.1",
    host: Annotated[list[str], Option(help="A further host name, such as a proxy's.")] = [],  # noqa: B006
    read_only: Annotated[bool, Option("--read-only", help="Show the data folder unchanged.")] = False,
    browser: Annotated[bool, Option("--browser/--no-browser", help="Open a browser window.")] = True,
) -> None:
    """Start the web app on this machine."""
    from convgate.core.extras import needs_extra
    from convgate.core.settings import load_settings

    with needs_extra("app", "`convgate app`"):
        import plotly  # noqa: F401
        import statsmodels  # noqa: F401

        from convgate.ui.server import serve

    settings = load_settings()  # reports a wrong setting before a browser opens
    # The server changes the working directory, so no path may depend on it.
    encoder = Path(settings.encoder)
    os.environ["CONVGATE_HOME"] = str(settings.home)
    os.environ["CONVGATE_ENCODER"] = str(encoder.absolute()) if encoder.is_dir() else settings.encoder
    if file := os.environ.get("CONVGATE_CONFIG"):
        os.environ["CONVGATE_CONFIG"] = str(Path(file).expanduser().absolute())
    if read_only:
        os.environ["CONVGATE_READ_ONLY"] = "true"
    serve(settings, address=address, port=port, hosts=host, browser=browser)


def _print_version(is_requested: bool) -> None:
    if is_requested:
        typer.echo(f"convgate {__version__}")
        raise typer.Exit


def show_version(
    version: Annotated[
        bool, Option("--version", callback=_print_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Accept --version before a subcommand."""


def build_app(words: Sequence[str]) -> typer.Typer:
    """Return the command line with the command that the words begin with, else with all commands."""
    app = typer.Typer(
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        help="Which earlier turns of a conversation should a language model see?",
    )
    app.callback()(show_version)
    name = words[0] if words else ""
    if name not in _COMMANDS:
        app.command("app")(open_app)
    for command in [name] if name in _COMMANDS else _COMMANDS:
        module, _, attribute = _COMMANDS[command].partition(".")
        target = getattr(import_module(f"convgate.cli.{module}"), attribute)
        if isinstance(target, typer.Typer):
            app.add_typer(target, name=command)
        else:
            app.command(command, **(_FORWARDED if module == "tools" else {}))(target)
    return app


def main(command: Callable[[], object] | None = None) -> None:
    """Run the command line, or another; print a ConvgateError as one sentence instead of a traceback."""
    try:
        (command or build_app(sys.argv[1:]))()
    except ConvgateError as error:
        print_error(error)
        sys.exit(1)
