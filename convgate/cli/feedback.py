"""`convgate feedback`: which turns were relevant, as an agent reports it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from convgate.cli import inputs, options, output
from convgate.core.text import pluralize

if TYPE_CHECKING:
    from convgate.store import ActionRecord


def feedback(
    file: Annotated[
        Path,
        typer.Argument(
            help="Lines of feedback; - reads standard input.", metavar="FILE.jsonl", allow_dash=True
        ),
    ],
    source: Annotated[str, typer.Option(help="The agent's name.")] = "agent",
    dry_run: options.DryRunOption = False,
    skip_bad: options.SkipBadOption = False,
    json_output: options.JsonOption = False,
    out: options.OutOption = None,
) -> None:
    """Store feedback from an agent in the label log: all lines of a file, or none when one is bad.

    A line: {"messages": […] or "conversation": KEY, "turn": 3 or [3, 4], "relevant": true, "at"?,
    "question"?, "source"?, "version"?, "how"?: "explicit" or "implicit"}
    """
    from convgate.labels.feedback import keep_feedback_lines

    lines = inputs.open_source(file)
    with inputs.writable_library(dry_run=dry_run) as store, store.write():
        saved, problems = keep_feedback_lines(store, lines, agent=source, skip_bad=skip_bad)
    output.print_problems(problems)
    changed = pluralize(sum(result.changed for result in saved), "answer")
    text = f"{changed} new or different" + ("; this was a dry run." if dry_run else ".")
    values = {"kept": not dry_run, "feedback": [_feedback_json(result) for result in saved]}
    output.write_result(values, lambda: output.print_lines(text), json_output, out)


def _feedback_json(saved: ActionRecord) -> dict[str, Any]:
    current = saved.current
    at = {"conversation": current.conversation, "at": current.turn} if current else {}
    return {**output.pick(saved, "action", "changed"), "conversation": None, "at": None, **at}
