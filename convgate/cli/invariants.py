"""`convgate invariants`: what a user said that must hold."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from convgate.cli import inputs, options, output
from convgate.core.text import pluralize

if TYPE_CHECKING:
    from convgate.invariants.invariant import Invariant


def invariants(
    file: options.FileArgument,
    turn: Annotated[
        int | None,
        typer.Option(help="What holds after message N, from 0; the last by default.", metavar="N"),
    ] = None,
    which: options.ConversationOption = None,
    format: options.FormatOption = None,
    skip_bad: options.SkipBadOption = False,
    json_output: options.JsonOption = False,
    out: options.OutOption = None,
) -> None:
    """List what must hold: safety requirements, corrections, hard constraints, the blocking error."""
    from convgate.core.errors import ConversationError
    from convgate.core.settings import load_settings
    from convgate.invariants import find_invariants
    from convgate.invariants.judge import load_judge

    conversation = inputs.read_one(file, which=which, format=format, skip_bad=skip_bad)
    if turn is not None and not 0 <= turn < len(conversation):
        extent = f"messages 0 to {len(conversation) - 1}" if len(conversation) else "no messages"
        raise ConversationError(f"message {turn} asked for, but the conversation has {extent}")
    turns = conversation.turns if turn is None else conversation.turns[: turn + 1]
    all_invariants = find_invariants(turns, load_judge(load_settings()))

    def show() -> None:
        if all_invariants:
            _show_invariants(all_invariants)
        active = sum(invariant.active for invariant in all_invariants)
        summary = f"{pluralize(len(turns), 'message')} · {pluralize(len(all_invariants), 'invariant')}"
        output.print_lines(f"{summary}, {active} of them active" if all_invariants else summary)

    output.write_result([invariant.to_json() for invariant in all_invariants], show, json_output, out)


def _show_invariants(invariants: Sequence[Invariant]) -> None:
    rows = []
    for invariant in invariants:
        state: str = "pinned" if invariant.pinned and invariant.active else invariant.state
        for ended_by in (invariant.superseded_by, invariant.ended_by):
            state += "" if ended_by is None else f" by {ended_by}"
        type = invariant.type.replace("_", " ")
        cells = (invariant.source, type, state, invariant.text, invariant.reason)
        rows.append((cells, "" if invariant.active else "dim"))
    output.print_table(
        {"message": "number", "type": "word", "state": "word", "statement": "prose", "reason": "prose"}, rows
    )
