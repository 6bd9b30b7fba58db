"""`convgate evaluate`: measures policies on relevance sets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from convgate.cli import inputs, options, output
from convgate.cli.batch import check_ray

if TYPE_CHECKING:
    from convgate.core.settings import Settings
    from convgate.evaluation.results import Evaluation, Summary

MIN_WIDTH_INTERVALS = 115  # columns; a narrower terminal shows values without intervals


def evaluate(
    files: options.SetsArgument,
    policy: Annotated[
        list[str] | None, typer.Option(help="A policy to measure; may be repeated. All by default.")
    ] = None,
    gate: options.GateOption = None,
    against: Annotated[
        str | None, typer.Option(help="Also show how the others differ from this policy (paired intervals).")
    ] = None,
    by_tag: Annotated[bool, typer.Option("--by-tag", help="Also show a table for each tag.")] = False,
    markdown: Annotated[bool, typer.Option("--markdown", help="Print Markdown, intervals included.")] = False,
    engine: Annotated[
        str, typer.Option(help="ray measures on all processors, or on a cluster.", metavar="local|ray")
    ] = "local",
    workers: options.WorkersOption = None,
    address: options.AddressOption = None,
    skip_bad: options.SkipBadOption = False,
    json_output: options.JsonOption = False,
    out: options.OutOption = None,
) -> None:
    """Measure policies on relevance sets: ranking, selection, tokens kept."""
    if json_output and markdown:
        raise typer.BadParameter("choose --json or --markdown")
    if engine not in ("local", "ray"):
        raise typer.BadParameter("local or ray", param_hint="--engine")
    if engine == "local" and (workers or address):
        raise typer.BadParameter("--workers and --address belong to --engine ray")
    options.check_folder(out, "--out")
    from convgate.evaluation.evaluate import evaluate as run
    from convgate.evaluation.report import markdown as to_markdown
    from convgate.policies.build import EncoderOnDemand, build_policy

    with output.progress_bar() as progress:
        sets = [inputs.read_set(file, skip_bad=skip_bad) for file in files]
        names, settings = _policies_asked_for(policy, gate, against)
        if engine == "ray":
            check_ray("convgate evaluate --engine ray")
            from convgate.batch.evaluation import evaluate_with_ray

            evaluation = evaluate_with_ray(
                sets, names, settings, version=gate, address=address, workers=workers, progress=progress
            )
        else:
            encoder = EncoderOnDemand(settings)
            policies = [build_policy(name, settings, encoder, version=gate) for name in names]
            evaluation = run(sets, policies, progress=progress)
    if markdown:
        output.write_text(to_markdown(evaluation, by_tag=by_tag, against=against), out)
        return
    output.write_result(
        _to_json(evaluation, against),
        lambda: _show(evaluation, by_tag=by_tag, against=against),
        json_output,
        out,
    )


def _policies_asked_for(
    names: list[str] | None, gate: str | None, against: str | None
) -> tuple[list[str], Settings]:
    """Return the policies asked for, each once, and the one to compare with; and the settings."""
    from convgate.core.settings import load_settings
    from convgate.policies.build import spec_of
    from convgate.policies.registry import policy_names, stages_of

    unique_names = dict.fromkeys([*(names or policy_names()), *([against] if against else [])])
    settings = load_settings()
    stages = [stage.name for name in unique_names for stage in stages_of(spec_of(settings, name))]
    if gate is not None and "gate" not in stages:
        raise typer.BadParameter("no policy that is measured has a gate", param_hint="--gate")
    return list(unique_names), settings


def _to_json(evaluation: Evaluation, against: str | None) -> dict[str, Any]:
    """Return the JSON of the interface; `against` adds "differences" to each set."""
    from convgate.evaluation.comparison import compare_all

    values = evaluation.to_json()
    if against is not None:
        for name, result in evaluation.sets.items():
            compared = compare_all(result, baseline=against, seed=evaluation.seed)
            values["sets"][name]["differences"] = {
                policy: _difference_json(against, difference) for policy, difference in compared.items()
            }
    return values


def _difference_json(baseline: str, difference: Summary) -> dict[str, Any]:
    values = difference.to_json()
    ci = values.pop("ci")
    return {"baseline": baseline, "difference": values, "ci": ci}


def _show(evaluation: Evaluation, *, by_tag: bool, against: str | None) -> None:
    from rich.console import Console

    from convgate.evaluation.report import LEGEND, rich_tables

    console = Console()
    intervals = console.width >= MIN_WIDTH_INTERVALS
    for table in rich_tables(evaluation, by_tag=by_tag, against=against, intervals=intervals):
        console.print(table)
    console.print(LEGEND, style="dim", markup=False, highlight=False)
    if not intervals:
        console.print("--markdown and --json show the intervals.", style="dim", highlight=False)
