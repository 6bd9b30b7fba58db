"""`convgate gatekeep`: which exchanges of a file are worth storing, and why."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from convgate.cli import inputs, options, output
from convgate.core.text import pluralize

if TYPE_CHECKING:
    from collections.abc import Sequence

    from convgate.gatekeeper.decision import GatekeeperDecision
    from convgate.gatekeeper.exchange import Exchange
    from convgate.gatekeeper.statistics import Statistics
    from convgate.transcripts.records import FileRecord


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
    skip_bad: options.SkipBadOption = False,
    json_output: options.JsonOption = False,
    out: options.OutOption = None,
) -> None:
    """Decide whether each exchange is worth storing, with the reason.

    A line: {"user": "PostgreSQL", "assistant": "Done.", "previous"?: [{"role": "assistant", "content":
    "Which database?"}, …]}, the earlier messages oldest first. In a transcript, every exchange is decided.
    """
    from convgate.core.settings import load_settings
    from convgate.gatekeeper.exchange_file import read_exchanges
    from convgate.gatekeeper.gatekeeper import Gatekeeper

    settings = load_settings()
    gatekeeper = Gatekeeper.of(settings, rules=rules)
    with output.status(f"Reading {file}"):
        records, problems = read_exchanges(inputs.open_source(file), skip_bad=skip_bad)
    output.print_problems(problems)
    with output.status(f"Deciding {pluralize(len(records), 'exchange')}"), gatekeeper:
        decisions = [gatekeeper.decide(record.value, index=record.item) for record in records]
    output.write_result(
        [decision.to_json() for decision in decisions],
        lambda: _show(records, decisions, gatekeeper.statistics),
        json_output,
        out,
    )


def _show(
    records: Sequence[FileRecord[Exchange]],
    decisions: Sequence[GatekeeperDecision],
    statistics: Statistics,
) -> None:
    rows = []
    for record, decision in zip(records, decisions, strict=True):
        categories = ", ".join(decision.categories)
        cells = (record.item, decision.outcome, categories, record.value.user, decision.explanation)
        rows.append((cells, "bold blue" if decision.keep else "dim"))
    item = "line" if records[0].conversation is None else "turn"
    output.print_table(
        {item: "number", "decision": "word", "category": "word", "user": "line", "reason": "prose"}, rows
    )
    output.print_lines(
        f"{pluralize(statistics.decided, 'exchange')}: {statistics.kept:,} kept"
        f" ({statistics.keep_rate or 0:.0%})"
    )
    if statistics.model.calls:
        output.print_fields(asdict(statistics.model), "language model")
