"""`convgate batch`: decides about many conversations with Ray."""

from __future__ import annotations

from dataclasses import asdict
from importlib.util import find_spec
from typing import Annotated, Literal

import typer
from typer import Argument, Option

from convgate.cli import options, output
from convgate.cli.result import JsonOption, Result, emit
from convgate.core.errors import MissingExtraError
from convgate.core.text import pluralize


def check_ray(command: str) -> None:
    """Raise MissingExtraError without the extra `ray`; Ray itself is imported by `ray_cluster` alone."""
    if not all(map(find_spec, ("pyarrow", "ray"))):
        raise MissingExtraError(f'`{command}` needs Ray: pip install "convgate[ray]"')


def batch(
    locations: Annotated[list[str], Argument(help="Transcripts or Parquet: files, folders, s3://…")],
    out: Annotated[str, Option(help="The folder of the results, a path or an address.", metavar="DIR")],
    policy: options.PolicyOption = None,
    gate: options.GateOption = None,
    settings_file: options.SettingsFileOption = None,
    turns: Annotated[Literal["last", "all"], Option(help="Messages of a conversation to answer.")] = "last",
    context: Annotated[bool, Option("--context", help="Add mode and invariants.")] = False,
    embeddings: Annotated[bool, Option("--embeddings", help="Also write the vector of every turn.")] = False,
    format: options.FormatOption = None,
    workers: options.WorkersOption = None,
    num_gpus: Annotated[float, Option(help="GPUs of each worker, such as 0.5, for its encoder.", min=0)] = 0,
    address: options.AddressOption = None,
    json_output: JsonOption = False,
) -> None:
    """Decide about many conversations; writes Parquet, and goes on where a killed run stopped."""
    check_ray("convgate batch")
    from convgate.batch.decisions import BatchOptions, resolve_options
    from convgate.batch.run import run_batch
    from convgate.core.settings import load_settings

    settings = load_settings(settings_file)
    chosen = resolve_options(
        BatchOptions(settings, policy or settings.policy, gate, turns, context, embeddings, format)
    )
    with output.progress_bar() as progress:
        try:
            summary = run_batch(
                locations, out, chosen, address=address, workers=workers, num_gpus=num_gpus, progress=progress
            )
        except KeyboardInterrupt:
            output.print_note("Stopped. The same command goes on after the finished parts.")
            raise typer.Exit(130) from None
    result = Result(
        asdict(summary),
        f"{pluralize(summary.conversations, 'conversation')}, {pluralize(summary.turns, 'turn')}:"
        f" {pluralize(summary.decisions, 'answered message')} in {summary.seconds:,.0f} s",
        f"{pluralize(summary.parts, 'part')} written to {out}, {summary.parts_skipped:,} finished before",
    )
    emit(result, is_json=json_output)
    if summary.bad and not json_output:
        output.print_note(f"{pluralize(summary.bad, 'bad row')} left out; {out}/bad/ says where and why")
