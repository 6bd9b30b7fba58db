"""Which parts of the default gate earn their place: trained anew without each, and measured.

    python -m tools.ablations FOLDER --train SET… --measure SET… [--only VARIANT…] [--epochs N]

Each variant's figures go to FOLDER/VARIANT.json, and those that are there already are left as they are: a run
that was cut off goes on, and several processes can share the work when --only gives each its own. All of
them make FOLDER/ablations.md. F1 is of the rule `expected`.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import torch

from convgate.core.files import write_whole
from convgate.core.settings import load_settings
from convgate.embedding import Encoder, default_encoder
from convgate.evaluation.evaluate import evaluate
from convgate.gate.features import FEATURES, PARTS
from convgate.gate.model import Gate
from convgate.gate.thresholds import Expected
from convgate.policies.gate import GatePolicy
from convgate.training.episodes import Episode
from convgate.training.epochs import TrainingSettings
from convgate.training.full_tiers import FullTiersModule
from convgate.training.gate_module import GateModule
from convgate.training.split import PRETRAINING_SHARE, hold_out
from convgate.training.trainer import Trainer
from convgate.transcripts import RelevanceSet
from convgate.transcripts.relevance_sets import read_relevance_set
from convgate.versions import Versions
from tools.pretraining.sets import PretrainingPlan

_ALWAYS_USUAL = 1e30  # a spread by which a feature is at its usual value whatever it is
_OPEN, _CLOSED = 30.0, -30.0  # of the residual gate, as logits
Episodes = Mapping[str, Sequence[Episode]]


def main() -> None:
    """Train and measure what is asked for and not there yet."""
    arguments = _arguments()
    folder: Path = arguments.folder
    folder.mkdir(parents=True, exist_ok=True)
    encoder = default_encoder(home=load_settings().home)
    settings = TrainingSettings(epochs=arguments.epochs)
    plan = PretrainingPlan(tuple(arguments.train), settings)
    gate, _ = plan.load_gate(encoder, Versions(load_settings().home))
    full, episodes = plan.read_episodes(plan.read_sets(_print_stage), gate, encoder, _print_stage)
    measured = [read_relevance_set(path) for path in arguments.measure]
    for name in [name for name in variants() if not arguments.only or name in arguments.only]:
        if not (file := folder / f"{name}.json").exists():
            gate = _trained(_variant(name, full, encoder, settings), episodes, settings)
            _write(file, gate, encoder, measured)
    (folder / "ablations.md").write_text(table(folder), encoding="utf-8")


def _print_stage(stage: str, done: int, total: int, /) -> None:
    if not done:
        sys.stderr.write(f"{stage}\n")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--train", type=Path, nargs="+", required=True)
    parser.add_argument("--measure", type=Path, nargs="+", required=True)
    parser.add_argument("--only", nargs="*", choices=list(variants()), metavar="VARIANT")
    parser.add_argument("--epochs", type=int, default=4)
    return parser.parse_args()


def variants() -> dict[str, Callable[[FullTiersModule], None]]:
    """What is done to the tiers before they are trained, by the variant's name."""

    def fixed(logit: float) -> Callable[[FullTiersModule], None]:
        def fix(tiers: FullTiersModule) -> None:
            tiers.residual_gate.fill_(logit)
            tiers.residual_gate.requires_grad = False

        return fix

    def without(*names: str) -> Callable[[FullTiersModule], None]:
        columns = [
            place for place, feature in enumerate(FEATURES) if {feature.part, feature.name} & set(names)
        ]

        def flatten(tiers: FullTiersModule) -> None:
            tiers.standardise.spread[columns] = _ALWAYS_USUAL

        return flatten

    return {
        "both tiers": lambda tiers: None,
        "tier 1 alone": fixed(_CLOSED),
        "tier 2 alone": fixed(_OPEN),
        **{f"without {part}": without(part) for part in PARTS},
        "without cues": without("needs", "continues", "returns", "turn_needs", "turn_instruction"),
        "reference preset": lambda tiers: None,
    }


@torch.no_grad()
def _variant(name: str, full: Gate, encoder: Encoder, settings: TrainingSettings) -> Gate:
    if name == "reference preset":
        plan = PretrainingPlan((), settings, preset="reference")
        return plan.load_gate(encoder, Versions(load_settings().home))[0]
    module = GateModule.of(full)
    assert isinstance(module.tiers, FullTiersModule)
    variants()[name](module.tiers)
    return module.to_gate()


def _trained(gate: Gate, episodes: Episodes, settings: TrainingSettings) -> Gate:
    training, validation = hold_out(episodes, share=PRETRAINING_SHARE)
    trainer = Trainer(gate, training, validation, settings)
    return trainer.run(lambda epoch: sys.stderr.write(f"{epoch}\n")).to_gate()


def _write(file: Path, gate: Gate, encoder: Encoder, sets: Sequence[RelevanceSet]) -> None:
    figures = evaluate(sets, [GatePolicy(gate=gate, encoder=encoder, rule=Expected())]).to_json()
    figures |= {"activation": gate.tiers.activation}
    write_whole(file, json.dumps(figures).encode())


def table(folder: Path) -> str:
    """MAP / F1 of every variant on every set that it was measured on."""
    figures: dict[str, dict[str, Any]] = {
        file.stem: json.loads(file.read_text(encoding="utf-8")) for file in sorted(folder.glob("*.json"))
    }
    order = [name for name in variants() if name in figures]
    sets = list(dict.fromkeys(name for variant in figures.values() for name in variant["sets"]))
    lines = [f"| | {' | '.join(sets)} | g |", "|---" * (len(sets) + 2) + "|"]
    for name in order:
        cells = [_cell(figures[name]["sets"].get(set_name)) for set_name in sets]
        lines.append(f"| {name} | {' | '.join(cells)} | {_short(figures[name]['activation'], 2)} |")
    return "MAP / F1\n\n" + "\n".join(lines) + "\n"


def _cell(measured: dict[str, Any] | None) -> str:
    if measured is None:
        return ""
    gate = measured["policies"][GatePolicy.name]
    return f"{_short(gate['map'], 3)} / {_short(gate['f1'], 3)}"


def _short(value: float, digits: int) -> str:
    """0…1 without the zero before the point."""
    return f"{value:.{digits}f}".removeprefix("0")


if __name__ == "__main__":
    main()
