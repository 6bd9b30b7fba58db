"""Peak memory of scoring, measured in a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from convgate.core.errors import ConvgateError

_STATUS, _CLEAR = Path("/proc/self/status"), Path("/proc/self/clear_refs")


def scoring_memory(n: int) -> float | None:
    """MB above the loaded model and its inputs that scoring n turns needs at its peak.

    None where the system does not tell a process's peak (it is read from /proc).
    """
    if not _CLEAR.exists():
        return None
    run = subprocess.run(
        [sys.executable, "-m", "tools.benchmark.memory", str(n)], capture_output=True, text=True, check=False
    )
    if run.returncode:
        raise ConvgateError(f"memory could not be measured: {run.stderr.strip().splitlines()[-1:]}")
    return float(json.loads(run.stdout)["peak_mb"])


def _megabytes(field: str) -> float:
    line = next(line for line in _STATUS.read_text().splitlines() if line.startswith(field))
    return int(line.split()[1]) / 1024


def _measure(n: int) -> float:
    from convgate.gate.model import Message
    from tools.benchmark.speed import perturbed_module, random_embeddings

    gate, embeddings = perturbed_module().to_gate(), random_embeddings(n)
    current = random_embeddings(1, seed=1)[0]
    # What a first call sets up once is no scoring.
    gate.score(gate.state(embeddings[:600]), Message(current))
    before = _megabytes("VmRSS:")
    _CLEAR.write_text("5")  # sets the peak back to the present
    gate.score(gate.state(embeddings), Message(current))
    return max(0.0, _megabytes("VmHWM:") - before)


if __name__ == "__main__":
    sys.stdout.write(json.dumps({"peak_mb": _measure(int(sys.argv[1]))}))
