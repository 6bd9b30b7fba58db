"""`convgate import`, `feedback` and `labels`: conversations and labels in the library."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from typer import Argument, Option

from convgate.cli import inputs, options, output
from convgate.cli.result import Part, Result, Table, fields, pick, show, with_json, write_export, write_text
from convgate.core.errors import ConvgateError
from convgate.core.home import login_name
from convgate.core.text import pluralize

if TYPE_CHECKING:
    from convgate.labels.imports import Import
    from convgate.store import ActionRecord, Addition

labels = typer.Typer(
    no_args_is_help=False, help="Labels: which earlier turns are relevant, by people and agents."
)


@with_json
def import_conversations(
    files: Annotated[list[Path], Argument(help="Transcripts; - reads standard input.", allow_dash=True)],
    format: options.FormatOption = None,
    skip_bad: options.SkipBadOption = False,
    redact: options.RedactOption = False,
    workspace: Annotated[str | None, Option(help="The project of new conversations.", metavar="NAME")] = None,
    dry_run: options.DryRunOption = False,
) -> Result:
    """Add the conversations of files, archives and folders to the library.

    Everything is read once before anything is added, so that a bad file adds nothing; then one conversation
    is added after the other. Those that the library has already are left unchanged.
    """
    from convgate.messages.tokens import turn_tokens
    from convgate.store import Conversations, NewConversation
    from convgate.transcripts.redaction import Redactor

    for file in files:
        reader = inputs.open_reader(file, format)
        for _ in output.read_all(reader):
            pass  # one at a time, for a file may be larger than the memory
        output.close_reader(reader, skip_bad=skip_bad)
        output.print_note(f"{reader.report.file}: {reader.summary}")
    redactor = Redactor()
    added: list[tuple[Addition, str]] = []
    with inputs.writable_library(dry_run=dry_run) as store:
        library = Conversations(store)
        for file in files:
            reader = inputs.open_reader(file, format)
            read = output.read_all(reader)
            for conversation in map(redactor.redact, read) if redact else read:
                n_tokens = int(turn_tokens(conversation.turns).sum())
                new = NewConversation(conversation, reader.report.file, n_tokens, workspace=workspace)
                added += [(addition, new.origin) for addition in library.add([new])]
    if redact:
        output.print_note(redactor.summary)

    rows = [pick(addition, "key", "title", "new") | {"origin": origin} for addition, origin in added]
    return Result({"conversations": rows}, _show_added([addition for addition, _ in added], dry_run=dry_run))


def _show_added(additions: list[Addition], *, dry_run: bool) -> Iterator[Part]:
    for addition in additions:
        state = "added  " if addition.new else "known  "
        more = " (with further turns)" if addition.grown else ""
        yield f"{addition.key}  {state}{addition.title}{more}"
    n_new = sum(addition.new for addition in additions)
    end = "; this was a dry run." if dry_run else "."
    yield f"{n_new:,} added, {len(additions) - n_new:,} in the library already{end}"


@with_json
def feedback(
    file: options.LinesArgument,
    source: Annotated[str, Option(help="The agent's name.")] = "agent",
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


@labels.callback(invoke_without_command=True)
@with_json
def show_labels(context: typer.Context) -> Result | None:
    """Show how much is labelled, and by whom."""
    if context.invoked_subcommand:
        return None
    from convgate.labels.gold import gold_counts
    from convgate.store import Labels

    store = inputs.open_library()
    counts = pick(gold_counts(store), "messages", "conversations", "relevant", "not_relevant", "undecided")
    rows = [
        pick(annotator, "name", "kind", "trains", "answers", "last", "messages")
        for annotator in Labels(store).annotators()
    ]
    table = Table(rows, empty="Nobody has labelled anything yet.")
    return Result({"known": counts, "annotators": rows}, fields(counts, "known"), table)


@labels.command("import")
@with_json
def import_labels(
    files: Annotated[list[Path], Argument(help="Relevance sets, or lists of relevant turns.")],
    annotator: Annotated[str | None, Option(help="The annotator, where a file does not name one.")] = None,
    conversation: Annotated[str | None, Option(help="Its key, where a file does not name one.")] = None,
    dry_run: options.DryRunOption = False,
    skip_bad: options.SkipBadOption = False,
) -> Result:
    """Add the labels of files: all of them, or none when a file has a bad row.

    Conversations of a relevance set that the library does not have are added. Each file is an import of its
    own, which can be undone.
    """
    from convgate.labels.exchange import keep_labels, read_labels

    results = []
    with inputs.writable_library(dry_run=dry_run) as store:
        imports = [
            read_labels(source, store, annotator=annotator, conversation=conversation, skip_bad=skip_bad)
            for source in map(inputs.open_source, files)
        ]
        for labels_import in imports:
            output.print_problems(labels_import.problems)
        with store.write():
            for labels_import in imports:
                saved = keep_labels(store, labels_import, by=annotator or login_name())
                results.append(_import_json(labels_import, None if dry_run else saved))

    end = "This was a dry run." if dry_run else "Undo with `convgate labels undo`."
    lines = (fields(result, result["file"]) for result in results)
    return Result({"kept": not dry_run, "files": results}, lines, end)


def _import_json(labels_import: Import, saved: ActionRecord | None) -> dict[str, Any]:
    return {
        "file": labels_import.name,
        "format": labels_import.format,
        "labels": len(labels_import.entries),
        "import": saved.action if saved else None,
        "changed": saved.changed if saved else 0,
        **pick(labels_import, "added", "known", "replaced"),
        "annotators": dict(labels_import.annotators),
        "conversations": [
            pick(item, "key", "title", "labels", "new") for item in labels_import.conversations
        ],
        "problems": [str(problem) for problem in labels_import.problems],
        "problems_total": labels_import.problems.total,
    }


@labels.command()
def undo(
    annotator: Annotated[str | None, Option(help="Whose last action; your own by default.")] = None,
) -> None:
    """Undo the last action of an annotator: an import, an answer or feedback. Answers changed since stay."""
    from convgate.store import Labels

    name = annotator or login_name()
    saved = Labels(inputs.open_library()).undo(name)
    if saved is None:
        raise ConvgateError(f"there is nothing of {name!r} to undo")
    unchanged = f" Left alone, because changed since: {saved.left:,}." if saved.left else ""
    show(f"Undone; labels as before it: {saved.changed:,}.{unchanged}")


@labels.command()
def export(
    format: Annotated[Literal["relevance-set", "csv"], Option(help="CSV has less.")] = "relevance-set",
    annotator: Annotated[list[str] | None, Option(help="Only this one; may be repeated.")] = None,
    conversation: Annotated[list[str] | None, Option(help="Only this key; may be repeated.")] = None,
    redact: options.RedactOption = False,
    out: options.OutOption = None,
    force: options.ForceOption = False,
) -> None:
    """Write all labels to one file, for training, evaluation or import; CSV is for spreadsheets."""
    from convgate.labels.exchange import write_labels
    from convgate.store import Conversations, Labels
    from convgate.transcripts.redaction import Redactor

    store = inputs.open_library()
    names = {item.name for item in Labels(store).annotators()}
    if unknown := sorted(set(annotator or ()) - names):
        raise ConvgateError(f"no annotator is called {unknown[0]!r}")
    library = Conversations(store)
    keys = [library.summary(key).key for key in conversation] if conversation else None
    redactor = Redactor() if redact else None
    content = write_labels(store, format, annotators=annotator or None, conversations=keys, redactor=redactor)
    if redactor:
        output.print_note(redactor.summary)
    if out is None:
        write_text(content.decode(), None)
    else:
        write_export(content, out, force=force)


@labels.command()
@with_json
def calibration(
    draw: Annotated[bool, Option("--draw", help="Draw 20 judged turns for the lead annotator.")] = False,
    lead: Annotated[str | None, Option(help="The lead annotator; your user name by default.")] = None,
    week: Annotated[str | None, Option(help="To draw from, such as 2026-W48; last week by default.")] = None,
) -> Result:
    """Show how well the judges agree with a lead annotator, week by week; draw a week with --draw."""
    from convgate.labels.weekly_agreement import calibration, draw_calibration

    store = inputs.open_library()
    queue = draw_calibration(store, lead or login_name(), week=week) if draw else None
    result = calibration(store)
    rows = [week.to_json() for week in result.weeks]
    nothing_drawn = "Nothing was judged in that week that the lead annotator has not answered."
    return Result(
        {"queue": queue, "state": result.state, "summary": result.summary, "weeks": rows},
        [nothing_drawn] if draw and queue is None else [],
        Table(rows, names=("week", "lead", "drawn", "answered", "decided", "agreed", "kappa")),
        result.summary,
    )


@labels.command()
def trains(
    name: Annotated[str, Argument(help="The annotator.", metavar="NAME")],
    switch: Annotated[Literal["on", "off"], Argument(help="Whether their answers are trained on.")],
) -> None:
    """Set whether an annotator's answers are trained on and evaluated with."""
    from convgate.store import Labels

    Labels(inputs.open_library()).set_trains(name, trains=switch == "on")
    show(f"The answers of {name} {'are' if switch == 'on' else 'are not'} trained on.")
