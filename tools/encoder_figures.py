"""How the shipped gate does with other encoders, calibrated or not, next to the encoder's plain cosine.

    pip install model2vec "skeletoken<0.7"
    python -m tools.encoder_figures SET.jsonl ... [--cases N]

The encoders are the bundled one, its first four layers, and static vectors distilled from it. Not calibrated
means the shipped weights on embeddings that are not whitened; for the bundled encoder, the shipped version as
it is. F1 is of the version's own rule, and of the ten most similar turns.
"""

from __future__ import annotations

import argparse
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer.modules import StaticEmbedding

from convgate.core.bundled_encoder import BUNDLED_MODEL, bundled_folder
from convgate.core.settings import load_settings
from convgate.embedding import Encoder, default_encoder
from convgate.evaluation.evaluate import evaluate
from convgate.gate.initial_weights import untrained_weights
from convgate.gate.model import Gate
from convgate.policies.base import Policy
from convgate.policies.gate import GatePolicy
from convgate.policies.search import CosineTopK
from convgate.training.encoder_calibration import calibrate_encoder
from convgate.training.sets import read_unlabelled
from convgate.transcripts.cases import RelevanceSet
from convgate.transcripts.relevance_sets import read_relevance_set
from convgate.versions import SHIPPED, Versions


def main() -> None:
    """Print a table of MAP / F1 for each set."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("files", nargs="+", type=Path, metavar="SET.jsonl")
    parser.add_argument("--cases", type=int, help="the first N cases of each set; all unless given")
    arguments = parser.parse_args()
    sets = [read_relevance_set(file) for file in arguments.files]
    sets = [replace(relevance_set, cases=relevance_set.cases[: arguments.cases]) for relevance_set in sets]
    print("| encoder | set | calibrated | not calibrated | cosine, top 10 |\n|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for name, model in encoders(Path(folder)).items():
            print_rows(name, default_encoder(model, home=None), sets)


def encoders(folder: Path) -> dict[str, str]:
    """Return the model to load for each encoder, by its name in the table; make what is not bundled."""
    four = SentenceTransformer(str(bundled_folder()), local_files_only=True)
    model: Any = four[0].auto_model
    model.encoder.layer, model.config.num_hidden_layers = model.encoder.layer[:4], 4
    four.save(str(folder / "four"))
    static = StaticEmbedding.from_distillation(str(bundled_folder()), device="cpu")
    SentenceTransformer(modules=[static]).save(str(folder / "static"))
    return {
        "bundled": BUNDLED_MODEL,
        "its first four layers": str(folder / "four"),
        "static, 256 dimensions": str(folder / "static"),
    }


def print_rows(name: str, encoder: Encoder, sets: list[RelevanceSet]) -> None:
    """Print a row for each set."""
    settings = load_settings()
    version = Versions(settings.home).get(SHIPPED)
    gate, own = version.load(), default_encoder(home=settings.home)
    conversations = [each for text in read_unlabelled(()) for each in text.cases.conversations.values()]
    gates = {
        "calibrated": calibrate_encoder(gate, own, encoder, conversations),
        "not calibrated": _not_calibrated(gate, encoder),
    }
    policies: dict[str, Policy] = {
        how: GatePolicy(gate=gate, encoder=encoder, rule=version.card.rule) for how, gate in gates.items()
    }
    policies["cosine"] = CosineTopK(encoder)
    for set_name, result in evaluate(sets, policies).sets.items():
        metrics = [result.policies[how].overall for how in policies]
        cells = [f"{each['map'].value:.3f} / {each['f1'].value:.3f}".replace("0.", ".") for each in metrics]
        print(f"| {name} | {set_name} | {' | '.join(cells)} |", flush=True)


def _not_calibrated(gate: Gate, encoder: Encoder) -> Gate:
    assert gate.config.encoder is not None
    if not gate.config.encoder.differences(encoder.identity):
        return gate
    config = replace(gate.config, dimension=encoder.identity.dimension, encoder=encoder.identity)
    learned = {name: value for name, value in gate.weights.items() if ".whitening." not in name}
    return Gate(config, untrained_weights(config) | learned)


if __name__ == "__main__":
    main()
