"""`convgate evaluate`: measures policies on relevance sets."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from typer import Option

from convgate.cli import inputs, options, output
from convgate.cli.batch import check_ray
from convgate.cli.result import Part, Result, with_json

if TYPE_CHECKING:
    from convgate.core.settings import Settings
    from convgate.evaluation.results import Evaluation

MIN_WIDTH_INTERVALS = 115  # columns; a narrower terminal shows values without intervals


@with_json
def evaluate(
    files: options.SetsArgument,
    policy: Annotated[list[str] | None, Option(help="To measure; may be repeated. All by default.")] = None,
    gate: options.GateOption = None,
    against: Annotated[str | None, Option(help="Also show differences from this policy.")] = None,
    markdown: Annotated[bool, Option("--markdown", help="Print Markdown, intervals included.")] = False,
    engine: Annotated[Literal["local", "ray"], Option(help="ray: all processors, or a cluster.")] = "local",
    workers: options.WorkersOption = None,
    address: options.AddressOption = None,
    skip_bad: options.SkipBadOption = False,
) -> Result:
    """Measure policies on relevance sets: ranking, selection, tokens kept."""
    if engine == "local" and (workers or address):
        raise typer.BadParameter("--workers and --address belong to --engine ray")
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
    return Result(
        _to_json(evaluation, against),
        _show(evaluation, against=against),
        text=to_markdown(evaluation, against=against) if markdown else None,
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
    if against is None:
        return values
    for name, result in evaluation.sets.items():
        differences = values["sets"][name]["differences"] = {}
        for policy, difference in compare_all(result, baseline=against, seed=evaluation.seed).items():
            metrics = difference.to_json()
            ci = metrics.pop("ci")
            differences[policy] = {"baseline": against, "difference": metrics, "ci": ci}
    return values


def _show(evaluation: Evaluation, *, against: str | None) -> Iterator[Part]:
    from rich.console import Console

    from convgate.evaluation.report import LEGEND, rich_tables

    intervals = Console().width >= MIN_WIDTH_INTERVALS
    yield from rich_tables(evaluation, against=against, intervals=intervals)
    yield LEGEND
    if not intervals:
        yield "--markdown and --json show the intervals."
