"""`convgate gatekeep`: which exchanges of a file are worth storing, and why."""

from __future__ import annotations

from enum import StrEnum
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
    from convgate.gatekeeper.decision import GatekeeperDecision
    from convgate.gatekeeper.exchange_file import FiledExchange
    from convgate.gatekeeper.statistics import Statistics

_SHOWN = 5  # exchanges kept by default that are listed


class Mode(StrEnum):
    """Who decides."""

    PATTERN = "pattern"
    HYBRID = "hybrid"
    LLM = "llm"
    DISABLED = "disabled"


def gatekeep(
    file: Annotated[
        Path,
        typer.Argument(
            help="Exchanges, or a transcript; - reads standard input.", metavar="FILE.jsonl", allow_dash=True
        ),
    ],
    rules: Annotated[
        Path | None,
        typer.Option(help="Your own rules (YAML) instead of those of the settings.", metavar="RULES.yaml"),
    ] = None,
    mode: Annotated[
        Mode | None,
        typer.Option(help="Who decides: patterns, a language model too (hybrid, llm), or nobody."),
    ] = None,
    skip_bad: SkipBadOption = False,
    json_output: JsonOption = False,
    out: OutOption = None,
) -> None:
    """Decide by its words whether each exchange is worth storing, and say why.

    A line: {"user": "PostgreSQL", "assistant": "Done.", "previous"?: [{"role": "assistant", "content":
    "Which database?"}, …]}, the earlier messages oldest first. Of a transcript, every exchange is decided.
    """
    from convgate.gatekeeper.exchange_file import read_exchanges
    from convgate.gatekeeper.gatekeeper import Gatekeeper
    from convgate.settings import load_settings

    settings = load_settings()
    gatekeeper = Gatekeeper.of(settings, mode=mode.value if mode else None, rules=rules)
    with status(f"Reading {file}"):
        exchanges, problems = read_exchanges(open_source(file), skip_bad=skip_bad)
    tell_problems(problems)
    with status(f"Deciding about {counted(len(exchanges), 'exchange')}"), gatekeeper:
        decisions = [gatekeeper.decide(one.exchange, item=one.item) for one in exchanges]
    if json_output or out:
        write_json([decision.to_json() for decision in decisions], out)
    else:
        _show(exchanges, decisions, gatekeeper.statistics)


def _show(
    exchanges: list[FiledExchange], decisions: list[GatekeeperDecision], statistics: Statistics
) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from convgate.gatekeeper.statistics import BY_DEFAULT

    console = Console()
    talks = len({one.conversation for one in exchanges})
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, expand=True)
    table.add_column("line" if exchanges[0].conversation is None else "turn", justify="right", min_width=4)
    if talks > 1:
        table.add_column("conversation", max_width=18, overflow="ellipsis", no_wrap=True)
    table.add_column("", min_width=4)
    table.add_column("category", min_width=8, max_width=17, overflow="ellipsis", no_wrap=True)
    table.add_column("user", overflow="ellipsis", no_wrap=True, ratio=2)
    table.add_column("why", ratio=3)
    for one, decision in zip(exchanges, decisions, strict=True):
        words = [decision.outcome, ", ".join(decision.categories), one.exchange.user]
        talk = [one.conversation or ""] if talks > 1 else []
        cells = [Text(_line(told)) for told in (*talk, *words, decision.reason.partition(": ")[2])]
        table.add_row(str(one.item), *cells, style="bold blue" if decision.keep else "dim")
    console.print(table)
    console.print(Text(_summary(statistics)))
    if statistics.model.calls:
        console.print(Text(_model(statistics)))
    by_default = [
        one
        for one, decision in zip(exchanges, decisions, strict=True)
        if decision.keep and decision.rule in BY_DEFAULT
    ]
    if by_default:
        console.print(f"\nKept because nothing spoke against it ({len(by_default):,}), for you to look at:")
        for one in by_default[:_SHOWN]:
            console.print(Text(f"  {one.item}  {_line(one.exchange.user)}"[:150]))
        if len(by_default) > _SHOWN:
            console.print(f"  … and {len(by_default) - _SHOWN:,} more; --json has them all.")


def _summary(statistics: Statistics) -> str:
    kept = {name: of.kept for name, of in statistics.categories.items() if of.kept}
    told = ", ".join(f"{name} {count:,}" for name, count in sorted(kept.items(), key=lambda entry: -entry[1]))
    share = f"{statistics.kept:,} kept ({statistics.keep_rate or 0:.0%})"
    summary = f"{counted(statistics.decided, 'exchange')}: {share}"
    return f"{summary} · of the kept: {told}" if told else summary


def _model(statistics: Statistics) -> str:
    use = statistics.model
    took = f"{use.prompt_tokens:,} + {use.completion_tokens:,} tokens, {use.seconds:.1f} s"
    cost = f", cost {use.cost:.4f}" if use.cost else ""
    failed = f", {use.failures:,} without a decision" if use.failures else ""
    left = f", {use.not_asked:,} times not asked as it failed" if use.not_asked else ""
    return f"language model: {counted(use.calls, 'call')}, {took}{cost}{failed}{left}"


def _line(text: str) -> str:
    from convgate.transcripts.characters import printable

    return printable(" ".join(text[:2_000].split()))
