"""Put a version into the package, with the figures that `convgate evaluate --json` measured on it.

    python -m tools.ship_weights VERSION EVALUATION.json…

The folder convgate/gate/weights/shipped is replaced.
"""

from __future__ import annotations

import json
import shutil
import sys
from dataclasses import fields
from pathlib import Path
from typing import Any

from convgate.core.settings import load_settings
from convgate.policies.gate import GatePolicy
from convgate.versions.card import Draft, Metric, MetricSet
from convgate.versions.catalog import Versions
from convgate.versions.version import write_version

SHIPPED = Path("convgate/gate/weights/shipped")
LIMITS = (
    "English was all that it was trained on; what it makes of other languages was not measured.",
    "Chats with an assistant, Ubuntu's help channel, small talk and dialogues are what it knows; other"
    " kinds of transcripts deserve a look, and labels of their own.",
    "It reads passages of 64 word pieces, of a very long turn 128 of them that are spread evenly.",
)


def main(name: str, *evaluations: str) -> None:
    """Write the folder anew from the version of that name."""
    version = Versions(load_settings().home).get(name)
    metrics = {}
    for file in evaluations:
        for set_name, measured in json.loads(Path(file).read_text(encoding="utf-8"))["sets"].items():
            metrics[set_name] = _measured(measured)
    card = version.card
    draft = Draft(**{field.name: getattr(card, field.name) for field in fields(Draft)} | {
        "metrics": metrics, "limits": LIMITS, "parent": None, "who": "",
    })  # fmt: skip
    new = SHIPPED.with_name("new")
    new.parent.mkdir(parents=True, exist_ok=True)
    write_version(new, version.load(), draft)
    if SHIPPED.exists():
        shutil.rmtree(SHIPPED)
    new.rename(SHIPPED)
    size = sum(path.stat().st_size for path in SHIPPED.iterdir())
    sys.stdout.write(f"{SHIPPED}: {size / 1e6:.2f} MB\n")


def _measured(measured: dict[str, Any]) -> MetricSet:
    gate = measured["policies"][GatePolicy.name]
    intervals = gate["ci"]
    values = {key: value for key, value in gate.items() if isinstance(value, float | None) and key != "ci"}
    return MetricSet(
        cases=measured["cases"],
        conversations=measured["conversations"],
        metrics={key: Metric(value, *intervals.get(key) or (None, None)) for key, value in values.items()},
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
