"""Commands of a checkout's `tools/`, which is not packaged: `pretrain`, `corpus` and `bench`."""

from __future__ import annotations

from importlib import import_module

import typer

from convgate.core.errors import SettingsError


def pretrain(context: typer.Context) -> None:
    """Train a gate from scratch. Needs a checkout."""
    _forward("pretrain", "tools.pretrain", context)


def corpus(context: typer.Context) -> None:
    """Convert a public corpus to a relevance set. Needs a checkout."""
    _forward("corpus", "tools.corpora.__main__", context)


def bench(context: typer.Context) -> None:
    """Measure speed and memory. Needs a checkout."""
    _forward("bench", "tools.bench", context)


def _forward(name: str, module: str, context: typer.Context) -> None:
    try:
        tool = import_module(module)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] != "tools":
            raise
        raise SettingsError(
            f"`convgate {name}` needs a checkout of convgate: run `python -m convgate {name}` there"
        ) from error
    tool.app(args=context.args, prog_name=f"convgate {name}")
