"""`convgate invariants`: what the user of a conversation said that has to hold on, and what became of it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from convgate.cli.output import (
    ConversationOption,
    FormatOption,
    JsonOption,
    OutOption,
    SkipBadOption,
    read_one,
    write_json,
)

if TYPE_CHECKING:
    from convgate.context.invariant import Invariant

_SHOWN = 2_000  # characters of a statement


def invariants(
    file: Annotated[
        Path, typer.Argument(help="A transcript; - reads standard input.", metavar="FILE", allow_dash=True)
    ],
    turn: Annotated[
        int | None,
        typer.Option(
            help="What holds once message N was said (0-based); the last unless given.", metavar="N"
        ),
    ] = None,
    conversation: ConversationOption = None,
    format: FormatOption = None,
    skip_bad: SkipBadOption = False,
    json_output: JsonOption = False,
    out: OutOption = None,
) -> None:
    """List what has to hold: safety requirements, corrections, hard constraints, the error that blocks."""
    from convgate.context.invariants import find_invariants
    from convgate.context.invariants.judge import load_judge
    from convgate.errors import ConversationError
    from convgate.settings import load_settings

    talk = read_one(file, which=conversation, format=format, skip_bad=skip_bad)
    if turn is not None and not 0 <= turn < len(talk):
        extent = f"messages 0 to {len(talk) - 1}" if len(talk) else "no messages"
        raise ConversationError(f"message {turn} asked for, but the conversation has {extent}")
    turns = talk.turns if turn is None else talk.turns[: turn + 1]
    found = find_invariants(turns, load_judge(load_settings()))
    if json_output or out:
        write_json([one.to_json() for one in found], out)
    else:
        _show(found, len(turns))


def _show(found: Sequence[Invariant], turns: int) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from convgate.transcripts.characters import printable
    from convgate.ui.wording import counted

    console = Console()
    if found:
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False, expand=True)
        table.add_column("message", justify="right", min_width=7)
        table.add_column("type", min_width=11)
        table.add_column("state", min_width=10)
        table.add_column("statement", ratio=2)
        table.add_column("why", ratio=1)
        for one in found:
            words = printable(" ".join(one.text[:_SHOWN].split()))
            table.add_row(
                str(one.source), one.type.replace("_", " "), _state(one), Text(words),
                Text(printable(one.reason)), style="" if one.active else "dim",
            )  # fmt: skip
        console.print(table)
    active = sum(one.active for one in found)
    console.print(
        f"{counted(turns, 'message')} · {counted(len(found), 'invariant')}"
        + (f", {active} of them {'holds' if active == 1 else 'hold'}" if found else ""),
        highlight=False,
    )


def _state(one: Invariant) -> str:
    if one.superseded_by is not None:
        return f"superseded by {one.superseded_by}"
    if one.ended_by is not None:
        return f"{one.state} by {one.ended_by}"
    return "pinned" if one.pinned else one.state
