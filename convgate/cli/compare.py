"""`convgate versions compare`: two versions, or policies, side by side on relevance sets."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from convgate.cli.evaluate import read_set, stage_bar
from convgate.cli.output import JsonOption, OutOption, write_json

if TYPE_CHECKING:
    from convgate.evaluation.comparison import Sides
    from convgate.policies.base import Policy


def compare(
    a: Annotated[str, typer.Argument(help="A version, or a policy's name.", metavar="A")],
    b: Annotated[str, typer.Argument(help="The one to compare with it.", metavar="B")],
    files: Annotated[list[Path], typer.Argument(help="Relevance sets (JSONL).", metavar="SET.jsonl")],
    json_output: JsonOption = False,
    out: OutOption = None,
) -> None:
    """Measure two versions on relevance sets: metrics, their paired difference, turns fixed and broken."""
    from convgate.evaluation.comparison import side_by_side
    from convgate.evaluation.judged_cases import count_tokens, judge_set

    found: dict[str, Sides] = {}
    policies = _policies(a, b)
    with stage_bar() as progress:
        for file in files:
            chosen = read_set(file, skip_bad=False, limit=None)
            tokens = count_tokens(chosen, progress=progress)
            judged = [judge_set(chosen, one, tokens=tokens, progress=progress) for one in policies]
            found[chosen.name] = side_by_side(*judged)
    if json_output or out:
        sets = {name: _json(sides) for name, sides in found.items()}
        write_json({"a": a, "b": b, "sets": sets}, out)
        return
    for name, sides in found.items():
        _show(name, a, b, sides)


def _policies(*names: str) -> list[Policy]:
    """What the names choose, with one encoder; a policy's name stands before a version's."""
    from convgate.core.settings import load_settings
    from convgate.policies.build import EncoderOnDemand, build_policy
    from convgate.policies.registry import policy_names

    settings = load_settings()
    encoder = EncoderOnDemand(settings)
    return [
        build_policy(name, settings, encoder)
        if name in policy_names()
        else build_policy("gate", settings, encoder, version=name)
        for name in names
    ]


def _json(sides: Sides) -> dict[str, Any]:
    difference = sides.comparison.to_json()
    return {
        "cases": len(sides.a.cases),
        "turns": sides.counts,
        "a": sides.summary_a.to_json(),
        "b": sides.summary_b.to_json(),
        "difference": difference["difference"] | {"ci": difference["ci"]},
    }


def _show(name: str, a: str, b: str, sides: Sides) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from convgate.evaluation.metrics import LABELS
    from convgate.transcripts.characters import printable
    from convgate.versions.card import Metric
    from convgate.versions.markdown import measure

    console, counts = Console(), sides.counts
    title = f"{printable(name)}: {len(sides.a.cases):,} cases, {sum(counts.values()):,} judged turns"
    table = Table(title=Text(title, "bold"), title_justify="left", box=box.SIMPLE, pad_edge=False)
    for column in ("", a, b, "difference"):
        table.add_column(Text(column), overflow="fold")
    for metric, difference in sides.comparison.differences.items():
        one, other = sides.summary_a[metric], sides.summary_b[metric]
        if one.value is not None or other.value is not None:
            told = "–" if difference.value is None else f"{difference.value:+.3f}"
            if difference.interval:
                told += f" ({difference.interval[0]:+.2f} to {difference.interval[1]:+.2f})"
            values = (measure(Metric(value.value, value.low, value.high)) for value in (one, other))
            table.add_row(LABELS[metric], *values, told)
    console.print(table)
    console.print(
        f"{printable(b)} fixes {counts['fixed']:,} turns of {printable(a)} and breaks {counts['broken']:,};"
        f" both are wrong about {counts['both wrong']:,}.",
        markup=False,
        highlight=False,
    )
