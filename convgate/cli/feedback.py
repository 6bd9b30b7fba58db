"""`convgate feedback`: which turns were relevant, as an agent reports it, from a file or one at a time."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from convgate.cli import inputs, options, output
from convgate.core.text import pluralize

if TYPE_CHECKING:
    from convgate.store import Saved


def feedback(
    file: Annotated[
        Path | None,
        typer.Argument(
            help="Lines of feedback; - reads standard input. Without it, the options give one piece.",
            metavar="FILE.jsonl",
            allow_dash=True,
        ),
    ] = None,
    conversation: Annotated[
        str | None, typer.Option(help="The conversation's key in the library.", metavar="KEY")
    ] = None,
    messages: Annotated[
        Path | None, typer.Option(help="Or a transcript with its messages.", metavar="FILE", dir_okay=False)
    ] = None,
    turn: Annotated[
        list[int] | None, typer.Option(help="An earlier message, from 0; may be repeated.", min=0)
    ] = None,
    relevant: Annotated[
        bool | None, typer.Option("--relevant/--not-relevant", help="Whether it was relevant.")
    ] = None,
    at: Annotated[
        int | None,
        typer.Option(
            help="The message that was answered; the last from the user or a tool by default.", min=0
        ),
    ] = None,
    question: options.QuestionOption = None,
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
    from convgate.core.settings import load_settings
    from convgate.labels.feedback import Feedback, keep_feedback, keep_feedback_lines, open_store
    from convgate.transcripts.openai_messages import file_message

    settings = load_settings()
    single = (conversation, messages, turn, relevant, at, question)
    if file is not None:
        if any(value is not None for value in single):
            raise typer.BadParameter("a file or the options of one piece, not both", param_hint="FILE.jsonl")
        with inputs.transaction(open_store(settings), dry_run=dry_run) as store:
            saved, problems = keep_feedback_lines(
                store, inputs.open_source(file), agent=source, skip_bad=skip_bad
            )
        output.tell_problems(problems)
    else:
        if (conversation is None) == (messages is None):
            raise typer.BadParameter(
                "the conversation: by its key, or a file", param_hint="--conversation, --messages"
            )
        if not turn or relevant is None:
            raise typer.BadParameter(
                "say which turn, and whether it was relevant", param_hint="--turn, --relevant"
            )
        about: Any = conversation
        if messages is not None:
            talk = inputs.read_one(messages, which=None, format=None, skip_bad=False)
            # Not as for an API, which spells names in ASCII: the library would not recognise it.
            about = [file_message(message) for message in talk.turns]
        piece = Feedback(about, tuple(turn), relevant, at, question, source)
        with inputs.transaction(open_store(settings), dry_run=dry_run) as store:
            saved = [keep_feedback(store, piece)]

    changed = pluralize(sum(each.changed for each in saved), "answer")
    text = f"{changed} new or different" + ("; this was a dry run." if dry_run else ".")
    values = {"kept": not dry_run, "feedback": [_feedback_json(each) for each in saved]}
    output.write_result(values, lambda: output.print_lines(text), json_output, out)


def _feedback_json(saved: Saved) -> dict[str, Any]:
    situation = saved.situation
    at = {"conversation": situation.conversation, "at": situation.turn} if situation else {}
    return {**output.pick(saved, "action", "changed"), "conversation": None, "at": None, **at}
