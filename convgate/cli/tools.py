"""`convgate pretrain` and `convgate bench`: commands of a checkout's `tools/`, which is not packaged."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import typer

from convgate.core.errors import SettingsError

FORWARDED: dict[str, Any] = {
    "add_help_option": False,
    "context_settings": {"allow_extra_args": True, "ignore_unknown_options": True},
}


def pretrain(context: typer.Context) -> None:
    """Train a gate from scratch. Needs a checkout."""
    _forward("pretrain", context)


def bench(context: typer.Context) -> None:
    """Measure speed and memory. Needs a checkout."""
    _forward("bench", context)


def _forward(name: str, context: typer.Context) -> None:
    try:
        tool = import_module(f"tools.{name}")
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] != "tools":
            raise
        raise SettingsError(
            f"`convgate {name}` needs a checkout of convgate: run `python -m tools.{name}` there"
        ) from error
    tool.app(args=context.args, prog_name=f"convgate {name}")
