"""Commands of a checkout's `tools/`, which is not packaged: `pretrain`, `corpus` and `bench`."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

import typer

from convgate.core.errors import SettingsError


def _forward(name: str, module: str, summary: str) -> Callable[[typer.Context], None]:
    """Return a command that gives its words to the `app` of a module of `tools/`."""

    def command(context: typer.Context) -> None:
        try:
            tool = import_module(module)
        except ModuleNotFoundError as error:
            if error.name is None or error.name.partition(".")[0] != "tools":
                raise
            raise SettingsError(
                f"`convgate {name}` needs a checkout of convgate: run `python -m convgate {name}` there"
            ) from error
        tool.app(args=context.args, prog_name=f"convgate {name}")

    command.__doc__ = f"{summary} Needs a checkout."
    return command


pretrain = _forward("pretrain", "tools.pretraining.train", "Train a gate from scratch.")
corpus = _forward("corpus", "tools.corpora.__main__", "Convert a public corpus to a relevance set.")
bench = _forward("bench", "tools.bench", "Measure speed and memory.")
