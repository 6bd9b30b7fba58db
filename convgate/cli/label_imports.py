"""`convgate labels import`: labels out of files, what was imported, and taking an import back."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from convgate.cli.output import (
    JsonOption,
    OutOption,
    SkipBadOption,
    kept,
    open_library,
    tell_problems,
    write_json,
)
from convgate.home import login_name
from convgate.ui.wording import counted

if TYPE_CHECKING:
    from convgate.labels.imported import Import
    from convgate.store import Saved


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

    Conversations of a relevance set that the library does not have are added. Each file is an import of its
    own, which can be taken back, and is compared with what holds after the files before it.
    """
    from convgate.labels.exchange import keep_labels, read_labels
    from convgate.labels.imported import compared
    from convgate.settings import load_settings

    store, by = open_library(check=True), annotator or login_name()
    settings = load_settings()
    read = [
        read_labels(
            file,
            file.name,
            store,
            annotator=annotator,
            conversation=conversation,
            skip_bad=skip_bad,
            max_bytes=settings.upload_limit_mb << 20,
            time_limit=settings.read_limit_seconds,
        )
        for file in files
    ]
    for found in read:
        tell_problems(found.problems)
    results = []
    with kept(store, dry_run=dry_run):
        for one in read:
            found = compared(store, one)
            saved = keep_labels(store, found, by=by)
            results.append(_result(found, None if dry_run else saved))
    if json_output or out:
        write_json({"kept": not dry_run, "files": results}, out)
        return
    for result in results:
        _tell_result(result, kept=not dry_run)


def imports(json_output: JsonOption = False, out: OutOption = None) -> None:
    """List the imports, newest first: which file, by whom and when."""
    from convgate.store.labels import Labels
    from convgate.transcripts.characters import printable

    found = Labels(open_library()).imports()
    if json_output or out:
        rows = [
            {
                "number": one.number,
                "file": one.file,
                "by": one.by,
                "at": one.at.isoformat(),
                "labels": one.labels,
                "undone": one.undone,
            }
            for one in found
        ]
        write_json({"imports": rows}, out)
        return
    for one in found:
        undone = ", undone" if one.undone else ""
        typer.echo(
            f"{one.number:>6}  {one.at:%Y-%m-%d %H:%M} UTC  {printable(one.file)}:"
            f" {counted(one.labels, 'label')} by {printable(one.by)}{undone}"
        )
    if not found:
        typer.echo("No labels were imported yet.")


def undo_import(
    number: Annotated[
        int, typer.Argument(help="Its number, from `convgate labels imports`.", metavar="NUMBER", min=1)
    ],
) -> None:
    """Take an import back, whoever made it. What was answered otherwise since stays."""
    from convgate.store.labels import Labels

    saved = Labels(open_library()).undo_import(number)
    left = f" Left alone, because changed since: {saved.left:,}." if saved.left else ""
    typer.echo(f"Import {number} is undone; labels as before it: {saved.changed:,}.{left}")


def _result(found: Import, saved: Saved | None) -> dict[str, Any]:
    return {
        "file": found.name,
        "format": found.format,
        "labels": len(found.entries),
        "import": saved.action if saved else None,
        "changed": saved.changed if saved else 0,
        "added": found.added,
        "known": found.known,
        "replaced": found.replaced,
        "annotators": dict(found.annotators),
        "conversations": [
            {"key": one.key, "title": one.title, "labels": one.labels, "new": one.new}
            for one in found.conversations
        ],
        "problems": [str(problem) for problem in found.problems],
        "problems_total": found.problems.total,
    }


def _tell_result(result: dict[str, Any], *, kept: bool) -> None:
    from convgate.transcripts.characters import printable

    new = sum(one["new"] for one in result["conversations"])
    whose = ", ".join(f"{name} {count:,}" for name, count in result["annotators"].items())
    where = counted(len(result["conversations"]), "conversation")
    where += f", {new:,} of them new to the library" if new else ""
    typer.echo(
        printable(f"{result['file']}: {counted(result['labels'], 'label')} ({whose})") + f" on {where}."
    )
    typer.echo(
        f"{result['added']:,} new, {result['known']:,} known already, {result['replaced']:,} in place of"
        " another answer."
    )
    if not kept:
        typer.echo("Nothing was stored: this was a dry run.")
    elif result["import"] is not None:
        typer.echo(f"`convgate labels undo-import {result['import']}` takes this back.")
