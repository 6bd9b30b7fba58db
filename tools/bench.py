"""Speed and memory, as ratios within one run: `convgate bench [PART…]`.

Two more take long and are run by themselves: `python -m tools.benchmark.batch` and
`python -m tools.benchmark.annotators`.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import asdict
from typing import Annotated, Any, NamedTuple

import typer

from convgate.cli.main import main
from convgate.cli.result import Result, Table, with_json
from convgate.core.errors import SettingsError
from convgate.core.processors import count_processors

app = typer.Typer(add_completion=False)


class Row(NamedTuple):
    """A line of the table."""

    what: str
    measured: str
    goal: str = ""


Part = Callable[[int], tuple[Any, list[Row]]]  # from the number of rounds to JSON values and rows


@app.command()
@with_json
def bench(
    parts: Annotated[
        list[str] | None, typer.Argument(help="cold-start, first-sight, steady, encoder, budget, scoring.")
    ] = None,
    threads: Annotated[
        int | None, typer.Option(help="Processors to use; all by default. Linux only.", min=1)
    ] = None,
    rounds: Annotated[int, typer.Option(help="Rounds of each comparison.", min=1)] = 15,
) -> Result:
    """Measure what starting, a first sight, a message in a long run, the encoder and scoring cost.

    All parts take about 15 minutes on two cores.
    """
    from convgate.cli.output import status

    if unknown := set(parts or ()) - set(PARTS):
        raise SettingsError(f"there is no part {min(unknown)}; there are {', '.join(PARTS)}")
    processors = _limit_processors(threads)
    results: dict[str, Any] = {"threads": processors}
    tables: list[str | Table] = []
    for name in parts or PARTS:
        with status(f"Measuring {name}"):
            results[name], rows = PARTS[name](rounds)
        tables += [f"{name}, {processors} processors", Table([row._asdict() for row in rows])]
    return Result(results, *tables)


def _limit_processors(threads: int | None) -> int:
    """Keep this process, and those that it starts, to so many processors; return how many it has."""
    if threads is not None:  # before numpy is imported, whose BLAS counts them then
        if not hasattr(os, "sched_setaffinity"):
            raise SettingsError("--threads works on Linux alone; without it all processors are used")
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:threads])
    return count_processors()


def _cold_start(rounds: int) -> tuple[Any, list[Row]]:
    from tools.benchmark.cold_start import measure_starts

    starts = measure_starts(rounds=max(3, rounds // 2))
    rows = []
    for start in starts:
        goals = [
            *([f"{start.goal_seconds:g} s"] if start.goal_seconds else []),
            *([f"{start.goal_mb:g} MB"] if start.goal_mb else []),
        ]
        measured = f"{start.cpu_seconds:.2f} s of CPU, {start.peak_mb:.0f} MB"
        rows.append(Row(start.name, measured, ", ".join(goals)))
    return [asdict(start) for start in starts], rows


def _first_sight(rounds: int) -> tuple[Any, list[Row]]:
    from tools.benchmark.first_sight import GOAL, TURNS, measure_first_sight

    compared = measure_first_sight(rounds=max(2, rounds // 5))
    measured = f"{1 / compared.ratio:.2f} × encoding them ({compared.baseline_ms / 1e3:.1f} s)"
    return asdict(compared), [Row(f"first sight of {TURNS:,} turns", measured, f"{GOAL} ×")]


def _steady(rounds: int) -> tuple[Any, list[Row]]:
    from tools.benchmark.steady import measure_steady

    result = measure_steady()
    rows = []
    for n, cost in result["message"].items():
        for what, times in zip(("selecting", "with a budget"), cost["times_encoding"], strict=True):
            measured = f"{times:.2f} × encoding it ({cost['encode_ms']:.1f} ms)"
            rows.append(Row(f"a message in {int(n):,} turns, {what}", measured, f"{cost['goal_below']} ×"))
    for what, growth in result["growth"].items():
        measured = f"{growth['ratio']:.2f} × the 100th ({growth['early_ms']:.1f} ms)"
        memory = f"{growth['early_mb']:.0f} → {growth['last_mb']:.0f} MB"
        rows.append(Row(f"the 2,000th step of a long run, {what}", f"{measured}, {memory}", "1.3 ×"))
    threads = result["threads"]
    same = "the same results" if threads["same_results"] else "OTHER RESULTS"
    measured = f"{threads['throughput']:.2f} × serial, {same}"
    return result, [*rows, Row("eight threads on one gate", measured, f"{threads['goal']} ×")]


def _encoder(rounds: int) -> tuple[Any, list[Row]]:
    from tools.benchmark.encoding import GOAL_COSINE, measure_encoder

    speed = measure_encoder(rounds=max(3, rounds // 3))
    return asdict(speed), [
        Row(
            f"encoding {speed.texts:,} texts",
            f"{speed.corpus.ours_ms / 1e3:.1f} s, {speed.corpus.ratio:.1f} times as fast as the library",
        ),
        Row(
            "encoding a short message",
            f"{speed.message.ours_ms:.1f} ms, {speed.message.ratio:.1f} times as fast as the library",
        ),
        Row("smallest cosine to the library's vector", f"{speed.worst_cosine:.6f}", f"{GOAL_COSINE}"),
    ]


def _budget(rounds: int) -> tuple[Any, list[Row]]:
    from convgate.core.settings import load_settings
    from convgate.selection.load import load
    from tools.benchmark.budget import measure_budget

    speed = measure_budget(load(load_settings().updated(guard={"log": False})), rounds=rounds)
    rows = [
        Row(
            f"mode, invariants, packing on {speed.turns:,} turns{how}",
            f"{1 / compared.ratio:.1f} × scoring ({compared.baseline_ms:.1f} ms)",
            "3 ×",
        )
        for how, compared in (("", speed.warm), (", grown by an exchange", speed.grown))
    ]
    return asdict(speed), rows


def _scoring(rounds: int) -> tuple[Any, list[Row]]:
    from tools.benchmark.full import time_full_scoring, time_growth
    from tools.benchmark.memory import scoring_memory
    from tools.benchmark.speed import largest_difference, time_scoring

    results: dict[str, Any] = {}
    rows = []
    for preset, measure, goals in (
        ("reference", time_scoring, {1_000: 4, 10_000: 6}),
        ("full", time_full_scoring, {1_000: 10, 10_000: 100}),
    ):
        for n, goal in goals.items():
            compared = measure(n, rounds=rounds if n < 5_000 else max(3, rounds // 3))
            results[f"{preset}_{n}"] = asdict(compared)
            measured = f"{compared.ours_ms:.1f} ms, {compared.ratio:.1f} times as fast as the naive gate"
            rows.append(Row(f"scoring {n:,} turns, preset {preset}", measured, f"{goal}"))
    growth = time_growth(10_000, 10, rounds=max(3, rounds // 3))
    memory = scoring_memory(10_000)
    difference = largest_difference(1_000)
    results |= {"growth": asdict(growth), "memory_mb": memory, "largest_logit_difference": difference}
    rows += [
        Row("scoring 100,000 turns", f"{growth.ratio:.1f} × scoring 10,000", "14 ×"),
        Row("peak memory of scoring 10,000 turns", "" if memory is None else f"{memory:.0f} MB", "200 MB"),
        Row("largest difference to the naive gate's logits", f"{difference:.1e}"),
    ]
    return results, rows


PARTS: dict[str, Part] = {
    "cold-start": _cold_start,
    "first-sight": _first_sight,
    "encoder": _encoder,
    "steady": _steady,
    "budget": _budget,
    "scoring": _scoring,
}


if __name__ == "__main__":
    main(app)
