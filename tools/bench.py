"""Speed and memory, as ratios within one run.

python -m tools.bench --help
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any

import typer

from convgate.cli.main import main
from convgate.cli.options import JsonOption, OutOption
from convgate.cli.output import write_json

if TYPE_CHECKING:
    from rich.console import Console


app = typer.Typer(add_completion=False)


@app.command()
def bench(
    json_output: JsonOption = False,
    out: OutOption = None,
    encoder: Annotated[bool, typer.Option(help="Also time what needs the encoder.")] = True,
    rounds: Annotated[int, typer.Option(help="Rounds of each comparison.", min=1)] = 15,
) -> None:
    """Measure scoring against a naive gate, memory, the encoder and re-scoring."""
    from rich.console import Console

    console = Console(stderr=True)
    with console.status("Measuring") as status:
        results = _measure(status.update, encoder=encoder, rounds=rounds)
    if json_output or out:
        write_json(results, out)
    else:
        _show(Console(), results)


def _measure(doing: Callable[[str], None], *, encoder: bool, rounds: int) -> dict[str, Any]:
    from convgate.embedding.precision import has_fast_bfloat16
    from tools.benchmark.full import time_full_scoring, time_growth
    from tools.benchmark.memory import scoring_memory
    from tools.benchmark.speed import largest_difference, time_help, time_rescoring, time_scoring

    results: dict[str, Any] = {
        "preset": "reference",
        "bfloat16": has_fast_bfloat16(),
        "scoring": {},
        "full_scoring": {},
    }
    for n, goal in ((1_000, 4.0), (10_000, 6.0)):
        doing(f"Scoring {n:,} turns")
        compared = time_scoring(n, rounds=rounds if n < 5_000 else max(3, rounds // 3))
        results["scoring"][str(n)] = {**compared.to_json(), "goal": goal}
    results["largest_logit_difference"] = largest_difference(1_000)
    for n, goal in ((1_000, 10.0), (10_000, 100.0)):
        doing(f"Scoring {n:,} turns with the full preset")
        compared = time_full_scoring(n, rounds=rounds if n < 5_000 else max(3, rounds // 3))
        results["full_scoring"][str(n)] = {**compared.to_json(), "goal": goal}
    doing("Scoring 100,000 turns")
    growth = time_growth(10_000, 10, rounds=max(3, rounds // 3))
    results["full_growth"] = {**growth.to_json(), "from": 10_000, "to": 100_000, "goal_below": 14.0}
    doing("Memory")
    results["memory_mb"] = {"10000": scoring_memory(10_000), "goal_below": 200.0}
    doing("convgate --help")
    results["help_seconds"] = {"median": time_help(), "goal_below": 0.5}
    if encoder:
        from convgate.embedding.sentence_transformer import SentenceTransformerEncoder
        from tools.benchmark.encoding import measure_encoder

        doing("The encoder")
        results["encoder"] = measure_encoder(rounds=max(3, rounds // 3)).to_json()
        doing("A new message in 1,000 turns")
        rescoring = time_rescoring(SentenceTransformerEncoder.load(), rounds=rounds)
        results["rescoring_1000"] = {
            "encode_one_ms": rescoring.baseline_ms,
            "decide_again_ms": rescoring.ours_ms,
            "times_encoding": 1 / rescoring.ratio,
            "goal_below": 3.0,
        }
        from convgate.context.builder import ContextBuilder
        from convgate.core.settings import load_settings
        from tools.benchmark.context import measure_context

        doing("The context of 1,000 turns")
        results["context"] = measure_context(ContextBuilder.of(load_settings()), rounds=rounds).to_json()
    return results


def _show(console: Console, results: dict[str, Any]) -> None:
    difference = results["largest_logit_difference"]
    for n, row in results["scoring"].items():
        console.print(
            f"Scoring {int(n):,} turns: naive {row['baseline_ms']:.1f} ms, convgate {row['ours_ms']:.1f} ms,"
            f" {row['ratio']:.1f}× faster (goal {row['goal']:.0f}×; {row['median_ratio']:.1f}× by medians)"
        )
    console.print(f"Largest difference to the naive gate's logits: {difference:.1e}")
    for n, row in results["full_scoring"].items():
        console.print(
            f"Scoring {int(n):,} turns with the full preset: naive reference {row['baseline_ms']:.1f} ms,"
            f" full {row['ours_ms']:.1f} ms, {row['ratio']:.1f}× faster (goal {row['goal']:.0f}×)"
        )
    growth = results["full_growth"]
    console.print(
        f"From {growth['from']:,} to {growth['to']:,} turns the full preset takes {growth['ratio']:.1f}× as"
        f" long (goal below {growth['goal_below']:.0f}×)"
    )
    memory = results["memory_mb"]["10000"]
    memory_text = "not told by this system" if memory is None else f"{memory:.0f} MB (goal below 200 MB)"
    console.print(f"Peak memory of scoring 10,000 turns above the loaded model: {memory_text}")
    if encoder := results.get("encoder"):
        corpus, message = encoder["corpus"], encoder["message"]
        goal = f"goal {encoder['goal']:.0f}×; " if encoder["goal"] else ""
        console.print(
            f"Encoding {encoder['texts']} texts: {encoder['baseline']} {corpus['baseline_ms']:,.0f} ms,"
            f" convgate in {encoder['dtype']} {corpus['ours_ms']:,.0f} ms, {corpus['ratio']:.1f}× faster"
            f" ({goal}{corpus['median_ratio']:.1f}× by medians)"
        )
        console.print(
            f"Encoding one short message: {message['baseline_ms']:.1f} ms, convgate"
            f" {message['ours_ms']:.1f} ms, {message['ratio']:.1f}× faster"
        )
        console.print(
            f"Smallest cosine to the vector in float32: {encoder['worst_cosine']:.4f}"
            f" (goal {encoder['goal_cosine']})"
        )
    if rescoring := results.get("rescoring_1000"):
        console.print(
            f"Deciding 1,000 turns again for one new message: {rescoring['decide_again_ms']:.1f} ms,"
            f" {rescoring['times_encoding']:.2f} × the {rescoring['encode_one_ms']:.1f} ms of encoding it"
            f" (goal below 3 ×)"
        )
    if context := results.get("context"):
        _show_context(console, context)
    console.print(f"convgate --help: {results['help_seconds']['median']:.2f} s (goal below 0.5 s)")


def _show_context(console: Console, context: dict[str, Any]) -> None:
    warm, grown = context["warm"], context["grown"]
    console.print(
        f"Mode, invariants, packing on {context['turns']:,} turns: {warm['ours_ms']:.1f} ms,"
        f" {context['times_scoring']:.1f} × the gate's {warm['baseline_ms']:.1f} ms (goal below"
        f" {context['goal_below']:.0f} ×; {context['times_scoring_median']:.1f} × by medians)"
    )
    console.print(
        f"The same when the conversation has grown: {grown['ours_ms']:.1f} ms,"
        f" {context['times_scoring_grown']:.1f} × the gate's {grown['baseline_ms']:.1f} ms"
        f" ({context['times_scoring_grown_median']:.1f} × by medians); at first sight"
        f" {context['first_rest_ms']:,.0f} ms beside {context['first_gate_ms']:,.0f} ms"
    )


if __name__ == "__main__":
    main(app)
