"""`convgate feedback`: which turns were relevant, as an agent reports it."""

from __future__ import annotations

from typing import Annotated

import typer

from convgate.cli import inputs, options, output
from convgate.cli.result import Result, pick, with_json
from convgate.core.text import pluralize


@with_json
def feedback(
    file: options.LinesArgument,
    source: Annotated[str, typer.Option(help="The agent's name.")] = "agent",
    dry_run: options.DryRunOption = False,
    skip_bad: options.SkipBadOption = False,
) -> Result:
    """Store feedback from an agent in the label log: all lines of a file, or none when one is bad.

    A line: {"messages": […] or "conversation": KEY, "turn": 3 or [3, 4], "relevant": true, "at"?,
    "question"?, "source"?, "version"?, "how"?: "explicit" or "implicit"}
    """
    from convgate.labels.feedback import keep_feedback_lines

    lines = inputs.open_source(file)
    with inputs.writable_library(dry_run=dry_run) as store, store.write():
        actions, problems = keep_feedback_lines(store, lines, agent=source, skip_bad=skip_bad)
    output.print_problems(problems)
    rows = []
    for action in actions:
        current = action.current
        at = {"conversation": current and current.conversation, "at": current and current.turn}
        rows.append(pick(action, "action", "changed") | at)
    changed = pluralize(sum(action.changed for action in actions), "answer")
    end = "; this was a dry run." if dry_run else "."
    return Result({"kept": not dry_run, "feedback": rows}, f"{changed} new or different{end}")
