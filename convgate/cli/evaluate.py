"""`convgate evaluate`: measures policies on relevance sets."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from convgate.evaluation.judge import EvaluationProgress
    from convgate.evaluation.results import Evaluation
    from convgate.policies.base import Policy
    from convgate.transcripts import RelevanceSet

GATE = "gate"
INTERVALS_FROM_WIDTH = 115  # columns; a narrower terminal shows values without intervals


def evaluate(
    files: Annotated[list[Path], typer.Argument(help="Relevance sets (JSONL).", metavar="SET.jsonl…")],
    policy: Annotated[
        list[str] | None,
        typer.Option(help="A policy to measure; may be repeated. Every policy unless named."),
    ] = None,
    gate: Annotated[
        str | None, typer.Option(help="The gate to measure: a version or a path.", metavar="VERSION|PATH")
    ] = None,
    against: Annotated[
        str | None, typer.Option(help="Also show how the others differ from this policy (paired intervals).")
    ] = None,
    by_tag: Annotated[bool, typer.Option("--by-tag", help="Also show a table for each tag.")] = False,
    limit: Annotated[
        int | None,
        typer.Option(help="At most this many cases a set, evenly spread, for a quick look.", min=1),
    ] = None,
    skip_bad: Annotated[
        bool, typer.Option("--skip-bad", help="Leave out the lines that cannot be read.")
    ] = False,
    seed: Annotated[int, typer.Option(help="Seed of the bootstrap.", min=0)] = 0,
    json_output: Annotated[bool, typer.Option("--json", help="Print JSON alone on standard output.")] = False,
    markdown: Annotated[bool, typer.Option("--markdown", help="Print Markdown, intervals included.")] = False,
    out: Annotated[
        Path | None,
        typer.Option(help="Write to a file: Markdown with --markdown, else JSON.", dir_okay=False),
    ] = None,
) -> None:
    """Measure which turns policies choose, on relevance sets: ranking, selection, tokens kept."""
    if json_output and markdown:
        raise typer.BadParameter("--json and --markdown are two forms of one output; choose one")
    if out is not None and not out.absolute().parent.is_dir():
        raise typer.BadParameter(f"the folder of {out} does not exist", param_hint="--out")
    from convgate.evaluation.evaluate import evaluate as run
    from convgate.transcripts import read_relevance_set

    policies = _policies(policy, gate, against)
    sets = [_limited(read_relevance_set(file, skip_bad=skip_bad), file, limit) for file in files]
    with _progress_bar() as progress:
        evaluation = run(sets, policies, progress=progress, seed=seed)
    if json_output or markdown or out:
        form = _markdown if markdown else _json
        _write(form(evaluation, by_tag=by_tag, against=against), out)
    if not (json_output or markdown):
        _show(evaluation, by_tag=by_tag, against=against)


def _policies(names: list[str] | None, gate: str | None, against: str | None) -> list[Policy]:
    """The policies asked for, each once, and the one to compare with; they share one encoder."""
    from convgate.policies.registry import policy_names
    from convgate.selector import EncoderOnDemand, build_policy
    from convgate.settings import load_settings

    settings = load_settings()
    encoder = EncoderOnDemand(settings)
    wanted = dict.fromkeys([*(names or policy_names()), *([against] if against else [])])
    return [build_policy(name, settings, encoder, version=gate) for name in wanted]


def _limited(relevance_set: RelevanceSet, file: Path, limit: int | None) -> RelevanceSet:
    """The set with at most `limit` of its cases, evenly spread over it."""
    from convgate.errors import TranscriptError

    cases = relevance_set.cases
    if not cases:
        raise TranscriptError("it holds no cases, so there is nothing to measure", file=str(file))
    if limit is None or limit >= len(cases):
        return relevance_set
    return replace(relevance_set, cases=tuple(cases[i * len(cases) // limit] for i in range(limit)))


@contextmanager
def _progress_bar() -> Iterator[EvaluationProgress]:
    """A bar on standard error that shows one stage after the other; nothing when that is no terminal."""
    from rich.console import Console
    from rich.progress import Progress

    console = Console(stderr=True)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("", total=None)

        def report(stage: str, done: int, total: int, /) -> None:
            bar.update(task, description=stage, completed=done, total=total)

        yield report


def _json(evaluation: Evaluation, *, by_tag: bool, against: str | None) -> str:
    """The JSON of the design, tags always included; `against` adds each set's "differences"."""
    from convgate.evaluation.comparison import compare_all

    printed = evaluation.to_json()
    if against is not None:
        for name, result in evaluation.sets.items():
            compared = compare_all(result, baseline=against, seed=evaluation.seed)
            printed["sets"][name]["differences"] = {policy: one.to_json() for policy, one in compared.items()}
    return json.dumps(printed, ensure_ascii=False, allow_nan=False, indent=1) + "\n"


def _markdown(evaluation: Evaluation, *, by_tag: bool, against: str | None) -> str:
    from convgate.evaluation.report import markdown

    return markdown(evaluation, by_tag=by_tag, against=against)


def _write(text: str, out: Path | None) -> None:
    from convgate.evaluation.results import EvaluationError

    if out is None:
        typer.echo(text, nl=False)
        return
    try:
        out.write_text(text, encoding="utf-8")
    except OSError as error:
        raise EvaluationError(f"{out} cannot be written: {error}") from error


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
