"""`convgate modes`: which kind of interaction each message of a file is, and what speaks for it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from convgate.cli.output import (
    JsonOption,
    OutOption,
    SkipBadOption,
    open_source,
    status,
    tell_problems,
    write_json,
)
from convgate.ui.wording import counted

if TYPE_CHECKING:
    from convgate.context.mode import ModeDecision
    from convgate.context.modes.message_file import FiledMessage
    from convgate.settings import Settings


def modes(
    file: Annotated[
        Path,
        typer.Argument(
            help="Messages, or a transcript; - reads standard input.", metavar="FILE.jsonl", allow_dash=True
        ),
    ],
    skip_bad: SkipBadOption = False,
    json_output: JsonOption = False,
    out: OutOption = None,
) -> None:
    """Find the mode of each message by itself: TASK, EXPLORATION, DEBUGGING, LEARNING or GENERAL.

    A line: {"content": "the cake sinks in the middle every time", "intent"?: "debug"}. Lines are independent:
    nothing is smoothed. Of a transcript, every user's turn is taken.
    """
    from convgate.context.modes.message_file import read_messages
    from convgate.settings import load_settings

    settings = load_settings()
    with status(f"Reading {file}"):
        messages, problems = read_messages(open_source(file), settings, skip_bad=skip_bad)
    tell_problems(problems)
    with status(f"Finding the mode of {counted(len(messages), 'message')}"):
        decisions = _decide(messages, settings)
    if json_output or out:
        write_json([decision.to_json() for decision in decisions], out)
    else:
        _show(messages, decisions)


def _decide(messages: list[FiledMessage], settings: Settings) -> list[ModeDecision]:
    """In their order; the classifier, and its encoder, are needed only where no intent says the mode."""
    from convgate.building import EncoderOnDemand
    from convgate.context.modes import asked_for, load_classifier

    open_ones = [message.text for message in messages if message.asked_for is None]
    found: Iterator[ModeDecision] = iter(())
    if open_ones:
        found = iter(load_classifier(EncoderOnDemand(settings), settings).classify_texts(open_ones))
    return [
        next(found) if message.asked_for is None else asked_for(message.item, message.asked_for)
        for message in messages
    ]


def _show(messages: list[FiledMessage], decisions: list[ModeDecision]) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console()
    talks = len({one.conversation for one in messages})
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, expand=True)
    table.add_column("line" if messages[0].conversation is None else "turn", justify="right", min_width=4)
    if talks > 1:
        table.add_column("conversation", max_width=18, overflow="ellipsis", no_wrap=True)
    table.add_column("mode", min_width=11)
    table.add_column("sure", justify="right", min_width=4)
    table.add_column("message", overflow="ellipsis", no_wrap=True, ratio=2)
    table.add_column("why", ratio=3)
    for one, decision in zip(messages, decisions, strict=True):
        talk = [one.conversation or ""] if talks > 1 else []
        why = decision.reason.partition(": ")[2]
        cells = [*talk, decision.mode, f"{decision.confidence:.2f}", one.text, why]
        style = "dim" if decision.mode == "GENERAL" else ""
        table.add_row(str(one.item), *(Text(_line(cell)) for cell in cells), style=style)
    console.print(table)
    counts = Counter(decision.mode for decision in decisions)
    told = ", ".join(f"{mode} {count:,}" for mode, count in counts.most_common())
    unsure = sum(decision.source == "low confidence" for decision in decisions)
    tail = f" · {unsure:,} of them GENERAL for want of confidence" if unsure else ""
    console.print(Text(f"{counted(len(messages), 'message')}: {told}{tail}"))


def _line(text: str) -> str:
    from convgate.transcripts.characters import printable

    return printable(" ".join(text[:2_000].split()))
