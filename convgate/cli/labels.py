"""`convgate labels`: who said how much of which turns, and labels in files."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from convgate.cli.output import (
    ForceOption,
    JsonOption,
    OutOption,
    SkipBadOption,
    tell_problems,
    write_export,
    write_json,
)
from convgate.errors import ConvgateError
from convgate.home import login_name

if TYPE_CHECKING:
    from convgate.labels.imported import Import
    from convgate.store import Store

labels = typer.Typer(
    no_args_is_help=False, help="Labels: which earlier turns matter, as people and agents say."
)


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

    store = _store()
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
        f" {counts.situations:,} messages in {counts.conversations:,} conversations;"
        f" {counts.unsettled:,} unsettled."
    )
    for one in annotators:
        trains = "" if one.trains else ", does not train"
        last = f", last {one.last:%Y-%m-%d %H:%M} UTC" if one.last else ""
        typer.echo(
            f"{printable(one.name)} ({one.kind}): {one.answers:,} answers to"
            f" {one.situations:,} messages{last}{trains}"
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
    out: OutOption = None,
    force: ForceOption = False,
) -> None:
    """Write all labels to one file, to train on, to measure with, or to import again without loss."""
    from convgate.labels.exchange import write_labels
    from convgate.store import Conversations, Labels

    store = _store()
    known = {one.name for one in Labels(store).annotators()}
    if unknown := sorted(set(annotator or ()) - known):
        raise ConvgateError(f"nobody called {unknown[0]!r} has labelled anything")
    library = Conversations(store)
    keys = [library.summary(key).key for key in conversation] if conversation else None
    content = write_labels(store, format.value, annotators=annotator or None, conversations=keys)
    if out is None:
        sys.stdout.write(content.decode())
        return
    write_export(content, out, force=force)


@labels.command("import")
def import_(
    files: Annotated[
        list[Path],
        typer.Argument(help="Relevance sets, CSV tables, or lists of relevant turns.", metavar="FILE"),
    ],
    annotator: Annotated[
        str | None, typer.Option(help="Whose answers they are, where a file does not say so.")
    ] = None,
    conversation: Annotated[
        str | None,
        typer.Option(
            "--conversation",
            help="The key of the one in the library that they are about, likewise.",
            metavar="KEY",
        ),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Tell what a file says, and keep nothing.")
    ] = False,
    skip_bad: SkipBadOption = False,
    json_output: JsonOption = False,
    out: OutOption = None,
) -> None:
    """Add the labels of files: all of them, or none when a file has a bad row.

    Conversations of a relevance set that the library does not have are added. Each file is one action that
    you can undo on the Label page.
    """
    from convgate.labels.exchange import keep_labels, read_labels
    from convgate.settings import load_settings

    store, by = _store(), annotator or login_name()
    limit = load_settings().upload_limit_mb << 20
    read = [
        read_labels(
            file,
            file.name,
            store,
            annotator=annotator,
            conversation=conversation,
            skip_bad=skip_bad,
            max_bytes=limit,
        )
        for file in files
    ]
    for found in read:
        tell_problems(found.problems)
    changed = [0] * len(read)
    if not dry_run:
        with store.write():
            changed = [keep_labels(store, found, by=by).changed for found in read]
    results = [_result(found, count) for found, count in zip(read, changed, strict=True)]
    if json_output or out:
        write_json({"kept": not dry_run, "files": results}, out)
        return
    for result in results:
        _tell_result(result, kept=not dry_run)


@labels.command()
def trains(
    name: Annotated[str, typer.Argument(help="The annotator.", metavar="NAME")],
    switch: Annotated[Switch, typer.Argument(help="Whether their answers are trained on.")],
) -> None:
    """Say whether somebody's answers are trained on and measured with."""
    from convgate.store import Labels
    from convgate.transcripts.characters import printable

    Labels(_store()).set_trains(name, trains=switch is Switch.on)
    does = "are" if switch is Switch.on else "are not"
    typer.echo(f"The answers of {printable(name)} {does} trained on.")


def _store() -> Store:
    from convgate.settings import load_settings
    from convgate.store import Store

    return Store(load_settings().database)


def _result(found: Import, changed: int) -> dict[str, Any]:
    return {
        "file": found.name,
        "format": found.format,
        "labels": len(found.entries),
        "changed": changed,
        "added": found.added,
        "known": found.known,
        "replaced": found.replaced,
        "annotators": dict(found.annotators),
        "conversations": [
            {"key": one.key, "title": one.title, "labels": one.labels, "new": one.new}
            for one in found.conversations
        ],
        "problems": [str(problem) for problem in found.problems],
    }


def _tell_result(result: dict[str, Any], *, kept: bool) -> None:
    from convgate.transcripts.characters import printable

    talks = len(result["conversations"])
    new = sum(one["new"] for one in result["conversations"])
    whose = ", ".join(f"{name} {count:,}" for name, count in result["annotators"].items())
    where = f"{talks:,} conversation{'s' * (talks != 1)}"
    where += f", {new:,} of them new to the library" if new else ""
    typer.echo(
        printable(f"{result['file']}: {result['labels']:,} label{'s' * (result['labels'] != 1)} ({whose})")
        + f" on {where}."
    )
    typer.echo(
        f"{result['added']:,} new, {result['known']:,} known already, {result['replaced']:,} in place of"
        " another answer."
    )
    if not kept:
        typer.echo("Nothing was stored: this was a dry run.")
