"""`convgate evaluate`: measures policies on relevance sets."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from convgate.cli import output
from convgate.core.errors import ConvgateError, TranscriptError

if TYPE_CHECKING:
    from convgate.evaluation.judged_cases import EvaluationProgress
    from convgate.evaluation.results import Evaluation
    from convgate.policies.base import Policy
    from convgate.transcripts import RelevanceSet

GATE = "gate"
INTERVALS_FROM_WIDTH = 115  # columns; a narrower terminal shows values without intervals

PlotsOption = Annotated[
    Path | None,
    typer.Option(
        "--plots",
        help="Also draw the curves, as an HTML file in this folder; it opens without a network.",
        metavar="FOLDER",
        file_okay=False,
    ),
]


def evaluate(
    files: Annotated[list[Path], typer.Argument(help="Relevance sets (JSONL).", metavar="SET.jsonl")],
    policy: Annotated[
        list[str] | None,
        typer.Option(help="A policy to measure; may be repeated. Every policy unless named."),
    ] = None,
    gate: output.GateOption = None,
    against: Annotated[
        str | None, typer.Option(help="Also show how the others differ from this policy (paired intervals).")
    ] = None,
    by_tag: Annotated[bool, typer.Option("--by-tag", help="Also show a table for each tag.")] = False,
    limit: Annotated[
        int | None,
        typer.Option(help="At most this many cases a set, evenly spread, for a quick look.", min=1),
    ] = None,
    skip_bad: output.SkipBadOption = False,
    seed: Annotated[int, typer.Option(help="Seed of the bootstrap.", min=0)] = 0,
    json_output: output.JsonOption = False,
    markdown: Annotated[bool, typer.Option("--markdown", help="Print Markdown, intervals included.")] = False,
    out: Annotated[
        Path | None,
        typer.Option(help="Write to a file: Markdown with --markdown, else JSON.", dir_okay=False),
    ] = None,
    plots: PlotsOption = None,
) -> None:
    """Measure policies on relevance sets: ranking, selection, tokens kept."""
    if json_output and markdown:
        raise typer.BadParameter("--json and --markdown are two forms of one output; choose one")
    if out is not None and not out.absolute().parent.is_dir():
        raise typer.BadParameter(f"the folder of {out} does not exist", param_hint="--out")
    make_folder(plots)
    from convgate.evaluation.evaluate import evaluate as run
    from convgate.evaluation.report import markdown as to_markdown

    with stage_bar() as progress:
        sets = [read_set(file, skip_bad=skip_bad, limit=limit) for file in files]
        policies = _policies(policy, gate, against)
        evaluation = run(sets, policies, progress=progress, seed=seed)
    if plots is not None:
        from convgate.figures.reports import evaluation_page

        output.write_text(evaluation_page(evaluation), plots / "evaluation.html")
    if markdown:
        output.write_text(to_markdown(evaluation, by_tag=by_tag, against=against), out)
    else:
        values = _json(evaluation, against)
        output.write_result(
            values, lambda: _show(evaluation, by_tag=by_tag, against=against), json_output, out
        )


def make_folder(plots: Path | None) -> None:
    """Make the folder for plots, before any work is done; ConvgateError when that cannot be."""
    if plots is None:
        return
    try:
        plots.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConvgateError(f"the folder {plots} cannot be made: {error}") from error


def _policies(names: list[str] | None, gate: str | None, against: str | None) -> list[Policy]:
    """Return the policies asked for, each once, and the one to compare with; they share one encoder."""
    from convgate.core.settings import load_settings
    from convgate.policies.build import EncoderOnDemand, build_policy, parameters_of
    from convgate.policies.registry import policy_names, stages_of

    wanted = dict.fromkeys([*(names or policy_names()), *([against] if against else [])])
    settings = load_settings()
    stages = [stage.name for name in wanted for stage in stages_of(name, parameters_of(settings, name))]
    if gate is not None and GATE not in stages:
        raise typer.BadParameter(
            "it names a gate to measure, but --policy leaves the gate out", param_hint="--gate"
        )
    encoder = EncoderOnDemand(settings)
    return [build_policy(name, settings, encoder, version=gate) for name in wanted]


def read_set(file: Path, *, skip_bad: bool, limit: int | None) -> RelevanceSet:
    """Return the set in the file, with at most `limit` of its cases, evenly spread over it.

    Prints its problems on standard error. Raises TranscriptError when it cannot be read or holds no cases.
    """
    from convgate.transcripts import read_relevance_set

    relevance_set = read_relevance_set(file, skip_bad=skip_bad)
    output.tell_problems(relevance_set.problems)
    cases = relevance_set.cases
    if not cases:
        raise TranscriptError("it holds no cases, so there is nothing to measure", file=str(file))
    if limit is None or limit >= len(cases):
        return relevance_set
    return replace(relevance_set, cases=tuple(cases[i * len(cases) // limit] for i in range(limit)))


@contextmanager
def stage_bar() -> Iterator[EvaluationProgress]:
    """Show a progress bar of one stage after the other on standard error; nothing when it is no terminal."""
    from rich.console import Console
    from rich.progress import Progress

    console = Console(stderr=True)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("Loading", total=None)

        def report(stage: str, done: int, total: int, /) -> None:
            bar.update(task, description=stage, completed=done, total=total)

        yield report


def _json(evaluation: Evaluation, against: str | None) -> dict[str, Any]:
    """Return the JSON of the interface; `against` adds "differences" to each set."""
    from convgate.evaluation.comparison import compare_all

    values = evaluation.to_json()
    if against is not None:
        for name, result in evaluation.sets.items():
            compared = compare_all(result, baseline=against, seed=evaluation.seed)
            values["sets"][name]["differences"] = {policy: one.to_json() for policy, one in compared.items()}
    return values


def _show(evaluation: Evaluation, *, by_tag: bool, against: str | None) -> None:
    from rich.console import Console

    from convgate.evaluation.report import LEGEND, rich_tables

    console = Console()
    intervals = console.width >= INTERVALS_FROM_WIDTH
    for table in rich_tables(evaluation, by_tag=by_tag, against=against, intervals=intervals):
        console.print(table)
    console.print(LEGEND, style="dim", markup=False, highlight=False)
    if not intervals:
        console.print(
            "A wider terminal, --markdown and --json show the intervals.", style="dim", highlight=False
        )
