"""What starting costs: CPU seconds and peak memory of whole processes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

CHECKOUT = Path(__file__).resolve().parents[2]
TURNS = 300

_SELECT = "import json, sys, convgate; convgate.load().select(json.load(open(sys.argv[1])))"


@dataclass(frozen=True, slots=True)
class Start:
    """What one kind of process costs, its interpreter's start included."""

    name: str
    cpu_seconds: float  # user and system, of all its threads: the median of the rounds
    peak_mb: float  # resident, the largest of the rounds
    goal_seconds: float | None
    goal_mb: float | None


def measure_starts(*, rounds: int) -> list[Start]:
    """Return the figures of each kind of process.

    A first run, which is not counted, fills the cache of vectors and that of bytecode; the goals are for
    installed packages, whose bytecode is there.
    """
    with TemporaryDirectory(prefix="convgate-bench-") as folder:
        file = Path(folder, "conversation.json")
        file.write_text(json.dumps(messages(TURNS)), encoding="utf-8")
        environment = {
            key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"
        } | {
            "PYTHONPATH": str(CHECKOUT),
            "PYTHONPYCACHEPREFIX": str(Path(folder, "bytecode")),
            "CONVGATE_HOME": str(Path(folder, "home")),
        }
        command, one = ["-m", "convgate"], str(file)
        kinds: Sequence[tuple[str, list[str], float | None, float | None]] = (
            ("import convgate", ["-c", "import convgate"], 0.15, None),
            ("convgate --help", [*command, "--help"], None, None),
            ("convgate select --policy last_k", [*command, "select", one, "--policy", "last_k"], 0.6, 300.0),
            (f"convgate select, {TURNS} cached turns", [*command, "select", one], 1.5, 300.0),
            (f"load().select, {TURNS} cached turns", ["-c", _SELECT, one], None, 300.0),
        )
        costs: list[list[tuple[float, float]]] = [[] for _ in kinds]
        for number in range(rounds + 1):
            for kind, kept in zip(kinds, costs, strict=True):
                cost = run_process([sys.executable, *kind[1]], environment, folder)
                if number:
                    kept.append(cost)
    return [
        Start(name, median(cpu for cpu, _ in kept), max(memory for _, memory in kept), seconds, megabytes)
        for (name, _, seconds, megabytes), kept in zip(kinds, costs, strict=True)
    ]


def run_process(words: Sequence[str], environment: Mapping[str, str], folder: str) -> tuple[float, float]:
    """Return a process's CPU seconds and peak resident MB; raises CalledProcessError when it fails."""
    process = subprocess.Popen(words, env=environment, cwd=folder, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, words)
    unit = 1 if sys.platform == "darwin" else 1_024  # of ru_maxrss, in bytes
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss * unit / 1e6


def messages(n: int) -> list[dict[str, str]]:
    """Return n turns and a current message, no two alike."""
    turns = [
        {
            "role": "assistant" if index % 2 else "user",
            "content": f"Part {index} of the plan: shall test {index * 7 % 31} run before noon, or after?",
        }
        for index in range(n)
    ]
    return [*turns, {"role": "user", "content": "And when does the second test run?"}]
