"""`convgate sessions`: where the conversations and sessions of a transcript begin, and which are stored."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from convgate.cli.output import (
    ConversationOption,
    FormatOption,
    JsonOption,
    OutOption,
    SettingsFileOption,
    SkipBadOption,
    read_one,
    tell,
    write_json,
)
from convgate.cli.stored_sessions import show_stored

if TYPE_CHECKING:
    from convgate.conversation import Conversation
    from convgate.sessions import Boundaries, BoundaryRules


def sessions(
    file: Annotated[
        Path | None,
        typer.Argument(help="A transcript; - reads standard input.", metavar="FILE", allow_dash=True),
    ] = None,
    idle_gap: Annotated[
        float | None,
        typer.Option(help="A longer gap between messages ends a session; inf: none does.", metavar="SECONDS"),
    ] = None,
    continue_overrides_gap: Annotated[
        bool | None,
        typer.Option(
            "--continue-overrides-gap/--no-continue-overrides-gap",
            help='Whether "continue" goes on with the conversation after a longer gap.',
        ),
    ] = None,
    close_on_complete: Annotated[
        bool | None,
        typer.Option(
            "--close-on-complete/--no-close-on-complete",
            help="Whether a workflow state COMPLETE closes the conversation.",
        ),
    ] = None,
    conversation: ConversationOption = None,
    stored: Annotated[
        bool, typer.Option("--stored", help="List the sessions of running agents instead, the last 20.")
    ] = False,
    workspace: Annotated[
        str | None, typer.Option(help="Of the stored ones, those of this workspace alone.")
    ] = None,
    settings_file: SettingsFileOption = None,
    format: FormatOption = None,
    skip_bad: SkipBadOption = False,
    json_output: JsonOption = False,
    out: OutOption = None,
) -> None:
    """Tell where conversations and sessions begin, by times, commands and workflow states."""
    if (file is None) is not stored:
        raise typer.BadParameter("a FILE or --stored, one of the two")
    if workspace is not None and not stored:
        raise typer.BadParameter("--workspace belongs to --stored")
    if file is None:
        show_stored(workspace, json_output=json_output, out=out)
        return
    from convgate.sessions import BoundaryRules, segment
    from convgate.settings import load_settings

    usual = BoundaryRules.of(load_settings(settings_file))
    rules = replace(
        usual,
        idle_gap=usual.idle_gap if idle_gap is None else idle_gap,
        continue_overrides_gap=(
            usual.continue_overrides_gap if continue_overrides_gap is None else continue_overrides_gap
        ),
        close_on_complete=usual.close_on_complete if close_on_complete is None else close_on_complete,
    )
    talk = read_one(file, which=conversation, format=format, skip_bad=skip_bad)
    found = segment(talk.turns, rules)
    for problem in found.problems:
        tell(problem)
    if json_output or out:
        write_json(found.to_json(), out)
    else:
        _show(talk, found, rules)


def _show(talk: Conversation, found: Boundaries, rules: BoundaryRules) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from convgate.text import format_duration
    from convgate.transcripts.characters import printable
    from convgate.ui.wording import counted

    console = Console()
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, expand=True)
    table.add_column("message", justify="right", min_width=7)
    table.add_column("time", no_wrap=True)
    table.add_column("begins", min_width=12)
    table.add_column("why", ratio=2)
    table.add_column("text", overflow="ellipsis", no_wrap=True, ratio=1)
    for record in sorted((*found.records, *found.continued), key=lambda one: one.item):
        turn = talk.turns[record.item]
        begins = {"session": "session", "conversation": "conversation", "none": "nothing"}[record.kind]
        words = printable(" ".join(turn.text[:2_000].split()))
        time = f"{turn.timestamp:%Y-%m-%d %H:%M}" if turn.timestamp else ""
        table.add_row(
            str(record.item), time, begins, Text(printable(record.reason)), Text(words),
            style={"session": "bold blue", "none": "dim"}.get(record.kind, ""),
        )  # fmt: skip
    console.print(table)
    console.print(
        f"{counted(found.messages, 'message')} · {counted(len(found.session_starts), 'session')} ·"
        f" {counted(len(found.conversation_starts), 'conversation')} · idle gap"
        f" {'off' if rules.idle_gap == float('inf') else format_duration(rules.idle_gap)}",
        highlight=False,
    )
