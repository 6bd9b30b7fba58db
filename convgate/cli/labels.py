"""`convgate labels`: who said how much of which turns, and labels in files."""

from __future__ import annotations

import sys
from enum import StrEnum
from typing import Annotated

import typer

from convgate.cli.label_imports import import_, imports, undo_import
from convgate.cli.output import (
    ForceOption,
    JsonOption,
    OutOption,
    RedactOption,
    open_library,
    tell,
    write_export,
    write_json,
)
from convgate.errors import ConvgateError
from convgate.ui.wording import counted

labels = typer.Typer(
    no_args_is_help=False, help="Labels: which earlier turns matter, as people and agents say."
)


labels.command("import")(import_)
labels.command("imports")(imports)
labels.command("undo-import")(undo_import)


class Format(StrEnum):
    """What labels can be written as."""

    relevance_set = "relevance-set"
    csv = "csv"


class Switch(StrEnum):
    """On or off."""

    on = "on"
    off = "off"


@labels.callback(invoke_without_command=True)
def show(context: typer.Context, json_output: JsonOption = False, out: OutOption = None) -> None:
    """Tell how much is labelled, and by whom."""
    if context.invoked_subcommand:
        return
    from convgate.labels.gold import gold_counts
    from convgate.store import Labels
    from convgate.transcripts.characters import printable

    store = open_library()
    counts, annotators = gold_counts(store), Labels(store).annotators()
    if json_output or out:
        rows = [
            {
                "name": one.name,
                "kind": one.kind,
                "trains": one.trains,
                "answers": one.answers,
                "messages": one.situations,
                "last": one.last.isoformat() if one.last else None,
            }
            for one in annotators
        ]
        known = {
            "conversations": counts.conversations,
            "messages": counts.situations,
            "relevant": counts.relevant,
            "not_relevant": counts.not_relevant,
            "unsettled": counts.unsettled,
        }
        write_json({"known": known, "annotators": rows}, out)
        return
    typer.echo(
        f"Known: {counts.relevant:,} relevant and {counts.not_relevant:,} not relevant turns of"
        f" {counted(counts.situations, 'message')} in {counted(counts.conversations, 'conversation')};"
        f" {counts.unsettled:,} unsettled."
    )
    for one in annotators:
        trains = "" if one.trains else ", does not train"
        last = f", last {one.last:%Y-%m-%d %H:%M} UTC" if one.last else ""
        typer.echo(
            f"{printable(one.name)} ({one.kind}): {counted(one.answers, 'answer')} to"
            f" {counted(one.situations, 'message')}{last}{trains}"
        )


@labels.command()
def export(
    format: Annotated[
        Format, typer.Option("--format", help="A relevance set has everything; CSV is for spreadsheets.")
    ] = Format.relevance_set,
    annotator: Annotated[
        list[str] | None,
        typer.Option("--annotator", help="Only what this one says; may be repeated.", metavar="NAME"),
    ] = None,
    conversation: Annotated[
        list[str] | None,
        typer.Option("--conversation", help="Only this one, by its key; may be repeated.", metavar="KEY"),
    ] = None,
    redact: RedactOption = False,
    out: OutOption = None,
    force: ForceOption = False,
) -> None:
    """Write all labels to one file, to train on, to measure with, or to import again without loss."""
    from convgate.labels.exchange import write_labels
    from convgate.redaction import Redactor
    from convgate.store import Conversations, Labels

    store = open_library()
    known = {one.name for one in Labels(store).annotators()}
    if unknown := sorted(set(annotator or ()) - known):
        raise ConvgateError(f"nobody called {unknown[0]!r} has labelled anything")
    library = Conversations(store)
    keys = [library.summary(key).key for key in conversation] if conversation else None
    redactor = Redactor() if redact else None
    content = write_labels(
        store, format.value, annotators=annotator or None, conversations=keys, redactor=redactor
    )
    if redactor:
        tell(redactor.summary)
    if out is None:
        sys.stdout.write(content.decode())
        return
    write_export(content, out, force=force)


@labels.command()
def trains(
    name: Annotated[str, typer.Argument(help="The annotator.", metavar="NAME")],
    switch: Annotated[Switch, typer.Argument(help="Whether their answers are trained on.")],
) -> None:
    """Say whether somebody's answers are trained on and measured with."""
    from convgate.store import Labels
    from convgate.transcripts.characters import printable

    Labels(open_library()).set_trains(name, trains=switch is Switch.on)
    does = "are" if switch is Switch.on else "are not"
    typer.echo(f"The answers of {printable(name)} {does} trained on.")
