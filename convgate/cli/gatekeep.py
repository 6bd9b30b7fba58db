"""`convgate gatekeep`: which exchanges of a file are worth storing, and why."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Option

from convgate.cli import inputs, options, output
from convgate.cli.result import Part, Result, Table, fields, with_json
from convgate.core.text import pluralize

if TYPE_CHECKING:
    from convgate.gatekeeper.decision import GatekeeperDecision
    from convgate.gatekeeper.exchange import Exchange
    from convgate.gatekeeper.statistics import Statistics
    from convgate.transcripts.records import FileRecord


@with_json
def gatekeep(
    file: options.LinesArgument,
    rules: Annotated[Path | None, Option(help="Your own rules (YAML).", metavar="RULES.yaml")] = None,
    skip_bad: options.SkipBadOption = False,
) -> Result:
    """Decide whether each exchange is worth storing, with the reason.

    A line: {"user": "PostgreSQL", "assistant": "Done.", "previous"?: [{"role": "assistant", "content":
    "Which database?"}, …]}, the earlier messages oldest first. In a transcript, every exchange is decided.
    """
    from convgate.core.settings import load_settings
    from convgate.gatekeeper.exchange_file import read_exchanges
    from convgate.gatekeeper.gatekeeper import load_gatekeeper

    gatekeeper = load_gatekeeper(load_settings(), rules=rules)
    with output.status(f"Reading {file}"):
        records, problems = read_exchanges(inputs.open_source(file), skip_bad=skip_bad)
    output.print_problems(problems)
    with output.status(f"Deciding {pluralize(len(records), 'exchange')}"), gatekeeper:
        decisions = [gatekeeper.decide(record.value, index=record.item) for record in records]
    values = [decision.to_json() for decision in decisions]
    return Result(values, _show(records, decisions, gatekeeper.statistics))


def _show(
    records: Sequence[FileRecord[Exchange]], decisions: Sequence[GatekeeperDecision], statistics: Statistics
) -> Iterator[Part]:
    item = "line" if records[0].conversation is None else "turn"
    rows = [
        {
            item: record.item,
            "decision": decision.outcome,
            "category": ", ".join(decision.categories),
            "user": record.value.user,
            "reason": decision.explanation,
        }
        for record, decision in zip(records, decisions, strict=True)
    ]
    styles = ["bold blue" if decision.keep else "dim" for decision in decisions]
    yield Table(rows, {"decision": "word", "category": "word", "user": "line"}, styles)
    rate = statistics.keep_rate or 0
    yield f"{pluralize(statistics.decided, 'exchange')}: {statistics.kept:,} kept ({rate:.0%})"
    if statistics.model.calls:
        yield fields(asdict(statistics.model), "language model")
