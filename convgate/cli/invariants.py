"""`convgate invariants`: what a user said that must hold."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from convgate.cli import inputs, options
from convgate.cli.result import Result, Table, with_json
from convgate.core.text import pluralize

if TYPE_CHECKING:
    from convgate.invariants.invariant import Invariant


@with_json
def invariants(
    file: options.FileArgument,
    turn: Annotated[
        int | None, typer.Option(help="What holds after message N, from 0; the last by default.", metavar="N")
    ] = None,
    which: options.ConversationOption = None,
    format: options.FormatOption = None,
    skip_bad: options.SkipBadOption = False,
) -> Result:
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

    active = sum(invariant.active for invariant in all_invariants)
    summary = f"{pluralize(len(turns), 'message')} · {pluralize(len(all_invariants), 'invariant')}"
    return Result(
        [invariant.to_json() for invariant in all_invariants],
        _list_invariants(all_invariants),
        f"{summary}, {active} of them active" if all_invariants else summary,
    )


def _list_invariants(invariants: Sequence[Invariant]) -> Table:
    rows = []
    for invariant in invariants:
        state = (
            "pinned"
            if invariant.pinned and invariant.active
            else invariant.state_text.replace("message ", "")
        )
        row = {"message": invariant.source, "type": invariant.type.replace("_", " "), "state": state}
        rows.append(row | {"statement": invariant.text, "reason": invariant.reason})
    styles = ["" if invariant.active else "dim" for invariant in invariants]
    return Table(rows, {"type": "word", "state": "word"}, styles)
