"""Batches with Ray: overhead, memory and throughput, and a run whose worker is killed.

python -m tools.benchmark.batch --help
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any

import psutil
import typer

from convgate.batch.decisions import BatchDecider, BatchOptions, resolve_options
from convgate.batch.inputs import list_files, read_parts
from convgate.batch.output import OutputFolder
from convgate.batch.run import run_batch, write_part
from convgate.core.settings import load_settings

_TURNS = 100  # of a conversation
_SAMPLE_SECONDS = 0.5

app = typer.Typer(add_completion=False)
Policy = Annotated[str, typer.Option(help="last_k reads, decides and writes without an encoder.")]
PartTurns = Annotated[int, typer.Option(help="Turns of a part.", min=100)]


@app.command()
def overhead(
    turns: int = 50_000, policy: Policy = "gate", rounds: int = 3, part_turns: PartTurns = 5_000
) -> None:
    """Compare Ray with one process that does the same work, in alternation; start of Ray included."""
    with tempfile.TemporaryDirectory() as folder:
        path = _write_conversations(Path(folder, "in.jsonl"), turns)
        results: dict[str, list[dict[str, float]]] = {"alone": [], "ray": []}
        for number in range(rounds):
            for engine, runs in results.items():
                out = Path(folder, f"{engine}-{number}")
                runs.append(_measure(engine, path, out, policy, part_turns))
    alone, ray = (min(runs, key=lambda run: run["seconds"]) for runs in results.values())
    ratios = {name: ray[name] / alone[name] for name in ("seconds", "cpu_seconds")}
    _print({"turns": turns, "policy": policy, "runs": results, "ray / alone, best runs": ratios})


@app.command()
def memory(sizes: list[int], policy: Policy = "gate", part_turns: PartTurns = 5_000) -> None:
    """Measure the peak memory of driver, workers and Ray's processes over inputs of so many turns."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for turns in sizes:
            path = _write_conversations(Path(folder, f"{turns}.jsonl"), turns)
            rows.append(
                {"turns": turns, **_measure("ray", path, Path(folder, f"out-{turns}"), policy, part_turns)}
            )
            _print(rows[-1])


@app.command()
def kill(turns: int = 50_000, policy: Policy = "gate", part_turns: PartTurns = 1_000) -> None:
    """Kill a worker in the middle, and count what is missing and what is there twice."""
    with tempfile.TemporaryDirectory() as folder:
        path = _write_conversations(Path(folder, "in.jsonl"), turns)
        out = Path(folder, "out")
        with _start("ray", path, out, policy, part_turns) as process:
            while _n_parts(out) < turns // part_turns // 2:
                time.sleep(0.05)
            tree = psutil.Process(process.pid).children(recursive=True)
            worker = next(each for each in tree if each.name().startswith("ray::MapWorker"))
            worker.kill()
            process.wait()
        rows = _conversations_in(out)
        expected = {f"c{number}" for number in range(turns // _TURNS)}
        _print(
            {
                "killed": worker.pid,
                "exit_code": process.returncode,
                "rows": rows.total(),
                "duplicates": sum(count - 1 for count in rows.values()),
                "missing": len(expected - rows.keys()),
            }
        )


@app.command(hidden=True)
def run(engine: str, path: Path, out: Path, policy: str, part_turns: int) -> None:
    """Run one batch in this process or with Ray."""
    options = resolve_options(BatchOptions(load_settings(), policy, part_turns=part_turns))
    if engine == "ray":
        run_batch([str(path)], str(out), options)
    else:
        _run_alone(path, out, options)


def _run_alone(path: Path, out: Path, options: BatchOptions) -> None:
    files, folder = list_files([str(path)]), OutputFolder.open(str(out))
    finished, decider = folder.begin(options, files), BatchDecider(options)
    for part in read_parts(files[0], part_turns=options.part_turns, finished=finished):
        write_part(part, decider, folder)


def _start(engine: str, path: Path, out: Path, policy: str, part_turns: int) -> subprocess.Popen[bytes]:
    module = ["-m", "tools.benchmark.batch", "run"]
    return subprocess.Popen([sys.executable, *module, engine, str(path), str(out), policy, str(part_turns)])


def _measure(engine: str, path: Path, out: Path, policy: str, part_turns: int) -> dict[str, float]:
    """Return wall and processor seconds of a run, and the peak memory of all its processes.

    Memory is the sum of proportional set sizes, so that shared memory, the object store's too, counts once.
    """
    started, peak = time.monotonic(), 0.0
    cpu: dict[int, float] = {}
    with _start(engine, path, out, policy, part_turns) as process:
        while process.poll() is None:
            total = 0.0
            with suppress(psutil.NoSuchProcess):
                root = psutil.Process(process.pid)
                for each in (root, *root.children(recursive=True)):
                    with suppress(psutil.NoSuchProcess, psutil.ZombieProcess):
                        total += each.memory_full_info().pss / 2**20
                        times = each.cpu_times()
                        cpu[each.pid] = times.user + times.system
            peak = max(peak, total)
            with suppress(subprocess.TimeoutExpired):
                process.wait(_SAMPLE_SECONDS)
        seconds = time.monotonic() - started
    if process.returncode:
        raise typer.Exit(process.returncode)
    n_turns = sum(1 for _ in path.open()) * _TURNS
    return {
        "seconds": round(seconds, 2),
        "cpu_seconds": round(sum(cpu.values()), 2),
        "turns_per_second": round(n_turns / seconds, 1),
        "peak_mb": round(peak, 1),
    }


def _write_conversations(path: Path, turns: int) -> Path:
    """Write conversations of short turns, nearly all different."""
    source = random.Random(0)
    words = [
        f"{a}{b}" for a in ("ba", "ce", "do", "fi", "gu", "la", "me", "no") for b in ("rt", "sk", "ll", "n")
    ]
    with path.open("w") as file:
        for number in range(turns // _TURNS):
            messages = [
                {"role": ("user", "assistant")[index % 2], "content": " ".join(source.choices(words, k=6))}
                for index in range(_TURNS)
            ]
            file.write(json.dumps({"id": f"c{number}", "messages": messages}) + "\n")
    return path


def _n_parts(out: Path) -> int:
    return len(list((out / "decisions").glob("[!_]*.parquet")))


def _conversations_in(out: Path) -> Counter[str]:
    from pyarrow import parquet

    files = (out / "decisions").glob("[!_]*.parquet")
    return Counter(id for file in files for id in parquet.read_table(file)["conversation"].to_pylist())


def _print(values: Any) -> None:
    print(json.dumps(values, indent=2), flush=True)


if __name__ == "__main__":
    app()
