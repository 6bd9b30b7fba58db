"""`convgate feedback`: what an agent tells of earlier messages, from a file or one at a time."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from convgate.cli.output import (
    JsonOption,
    OutOption,
    QuestionOption,
    SkipBadOption,
    kept,
    open_source,
    tell_problems,
    write_json,
)
from convgate.ui.wording import counted

if TYPE_CHECKING:
    from convgate.store import Saved, Store

_SHOWN = 10  # changes that a dry run lists


def feedback(
    file: Annotated[
        Path | None,
        typer.Argument(
            help="Lines of feedback; - reads standard input. Without it, the options tell one piece.",
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
        bool | None, typer.Option("--relevant/--not-relevant", help="Whether it mattered.")
    ] = None,
    at: Annotated[
        int | None,
        typer.Option(
            help="The message that was answered; the last from the user or a tool unless given.", min=0
        ),
    ] = None,
    question: QuestionOption = None,
    source: Annotated[str, typer.Option(help="The agent's name.")] = "agent",
    version: Annotated[str | None, typer.Option(help="The gate's version that chose.")] = None,
    implicit: Annotated[
        bool, typer.Option("--implicit", help="It was concluded, and nobody said so.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Tell what would be stored, and store nothing.")
    ] = False,
    skip_bad: SkipBadOption = False,
    json_output: JsonOption = False,
    out: OutOption = None,
) -> None:
    """Store feedback from an agent in the log of labels: all lines of a file, or none when one is bad.

    A line: {"messages": […] or "conversation": KEY, "turn": 3 or [3, 4], "relevant": true, "at"?,
    "question"?, "source"?, "version"?, "how"?: "explicit" or "implicit"}
    """
    from convgate.labels.feedback import Feedback, keep_feedback, open_store
    from convgate.labels.feedback_file import keep_feedback_lines
    from convgate.settings import load_settings

    settings = load_settings()
    single = (conversation, messages, turn, relevant, at, question, version)
    if file is not None:
        if implicit or any(value is not None for value in single):
            raise typer.BadParameter("a file or the options of one piece, not both", param_hint="FILE.jsonl")
        with kept(open_store(settings), dry_run=dry_run) as store:
            saved, problems = keep_feedback_lines(store, open_source(file), agent=source, skip_bad=skip_bad)
            changes = _changes(store, saved) if dry_run else []
        tell_problems(problems)
    else:
        if (conversation is None) == (messages is None):
            raise typer.BadParameter(
                "the conversation: by its key, or a file", param_hint="--conversation, --messages"
            )
        if not turn or relevant is None:
            raise typer.BadParameter(
                "say which turn, and whether it mattered", param_hint="--turn, --relevant"
            )
        about = _messages(messages) if messages is not None else str(conversation)
        how = "implicit" if implicit else "explicit"
        piece = Feedback(about, tuple(turn), relevant, at, question, source, version, how)  # type: ignore[arg-type]
        with kept(open_store(settings), dry_run=dry_run) as store:
            saved = [keep_feedback(store, piece)]
            changes = _changes(store, saved) if dry_run else []
    if json_output or out:
        write_json({"kept": not dry_run, "feedback": [_result(one) for one in saved]}, out)
        return
    changed = sum(one.changed for one in saved)
    if dry_run:
        for line in changes[:_SHOWN]:
            typer.echo(line)
        if len(changes) > _SHOWN:
            typer.echo(f"… and {len(changes) - _SHOWN:,} more.")
        typer.echo(f"{counted(changed, 'answer')} new or different; nothing was stored: this was a dry run.")
    elif changed:
        typer.echo(f"{counted(changed, 'answer')} new or different now.")
    else:
        typer.echo("Nothing is different now: all of it was known already.")


def _changes(store: Store, saved: list[Saved]) -> list[str]:
    """What would be different, a line for each turn; to be asked for before a dry run is undone."""
    from convgate.labels.spellings import in_words
    from convgate.store.labels import Labels
    from convgate.transcripts.characters import printable

    told = []
    for action in (one.action for one in saved if one.action is not None):
        for one in Labels(store).changes(action):
            key, at = one.situation.conversation, one.situation.turn
            message = f"message {at}" if at is not None else f"question {one.situation.question[:60]!r}"
            before, after = (in_words(value or "no answer") for value in (one.before, one.after))
            told.append(printable(f"{key}, {message}, turn {one.turn}, {one.annotator}: {before} → {after}"))
    return told


def _messages(file: Path) -> Any:
    """The first conversation of a transcript, as messages."""
    from convgate.cli.output import read_one
    from convgate.transcripts.openai_writing import file_message

    # Not as for an API, which spells names in ASCII: the library's conversation would not be recognised.
    return [file_message(turn) for turn in read_one(file, which=None, format=None, skip_bad=False).turns]


def _result(saved: Saved) -> dict[str, Any]:
    where = saved.situation
    return {
        "action": saved.action,
        "changed": saved.changed,
        "conversation": where.conversation if where else None,
        "at": where.turn if where else None,
    }
