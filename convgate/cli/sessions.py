"""`convgate sessions`: where the conversations and sessions of a transcript begin."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from convgate.cli import inputs, options, output
from convgate.cli.result import Part, Result, Table, with_json
from convgate.core.text import format_duration, pluralize

if TYPE_CHECKING:
    from collections.abc import Iterator

    from convgate.core.conversation import Conversation
    from convgate.policies.sessions import Boundaries, BoundaryRules


@with_json
def sessions(
    file: options.FileArgument,
    idle_gap: Annotated[
        float | None,
        typer.Option(help="A longer gap between messages ends a session; inf: none does.", metavar="SECONDS"),
    ] = None,
    continue_overrides_gap: Annotated[
        bool | None,
        typer.Option(
            "--continue-overrides-gap/--no-continue-overrides-gap",
            help='Whether "continue" continues the conversation after a longer gap.',
        ),
    ] = None,
    close_on_complete: Annotated[
        bool | None,
        typer.Option(
            "--close-on-complete/--no-close-on-complete",
            help="Whether a workflow state COMPLETE closes the conversation.",
        ),
    ] = None,
    which: options.ConversationOption = None,
    settings_file: options.SettingsFileOption = None,
    format: options.FormatOption = None,
    skip_bad: options.SkipBadOption = False,
) -> Result:
    """Show where conversations and sessions begin, by times, commands and workflow states."""
    from convgate.core.settings import load_settings
    from convgate.policies.sessions import BoundaryRules, segment

    overrides: dict[str, Any] = {
        "idle_gap_seconds": idle_gap,
        "continue_overrides_gap": continue_overrides_gap,
        "close_on_complete": close_on_complete,
    }
    changes = {name: value for name, value in overrides.items() if value is not None}
    rules = replace(BoundaryRules.of(load_settings(settings_file)), **changes)
    conversation = inputs.read_one(file, which=which, format=format, skip_bad=skip_bad)
    boundaries = segment(conversation.turns, rules)
    for problem in boundaries.problems:
        output.print_note(problem)
    return Result(boundaries.to_json(), _show(conversation, boundaries, rules))


def _show(conversation: Conversation, boundaries: Boundaries, rules: BoundaryRules) -> Iterator[Part]:
    records = sorted((*boundaries.records, *boundaries.continued), key=lambda record: record.index)
    rows = []
    for record in records:
        turn = conversation.turns[record.index]
        time = f"{turn.timestamp:%Y-%m-%d %H:%M}" if turn.timestamp else ""
        begins = "nothing" if record.kind == "none" else record.kind
        row = {"message": record.index, "time": time, "begins": begins, "reason": record.reason}
        rows.append(row | {"text": turn.text})
    styles = [{"session": "bold", "none": "dim"}.get(record.kind, "") for record in records]
    yield Table(rows, {"time": "word", "begins": "word", "text": "line"}, styles)
    gap = "off" if rules.idle_gap_seconds == float("inf") else format_duration(rules.idle_gap_seconds)
    counts = (
        pluralize(boundaries.messages, "message"),
        pluralize(len(boundaries.session_starts), "session"),
        pluralize(len(boundaries.conversation_starts), "conversation"),
    )
    yield f"{' · '.join(counts)} · idle gap {gap}"
