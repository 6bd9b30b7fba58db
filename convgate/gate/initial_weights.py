"""The names, shapes and untrained values of a gate's weights, by preset."""

from __future__ import annotations

import numpy as np

from convgate.gate.arrays import Floats
from convgate.gate.config import GateConfig
from convgate.gate.features import FEATURES

KINDS = 6  # width of the embedding of a message's kind
EVIDENCE = 12  # width of the evidence of a pair of turns
VALUES = 4  # width of the values that turns exchange
READING = 48  # width of the network that reads each turn
HEAD = 32

MEASURED = ("tiers.whitening.", "tiers.standardise.")
"""How the names begin of weights that are measured before training and not trained."""


def untrained_weights(config: GateConfig) -> dict[str, Floats]:
    """Return the weights of a gate that ranks by cosine similarity, by name."""
    make = _full_weights if config.preset == "full" else _reference_weights
    weights = {f"tiers.{name}": array for name, array in make(config).items()}
    return {**weights, "threshold_logit": _filled(0)}


def _reference_weights(config: GateConfig) -> dict[str, Floats]:
    dimension, hidden = config.dimension, config.hidden
    return {
        "bilinear.W": np.eye(dimension, dtype=np.float32),
        "bilinear.recency": _filled(0),
        "bilinear.decay_rate": _filled(-5),
        "attention.residual_gate": _filled(-5),
        **_linear("attention.turn_projection", hidden, dimension + 1),
        **_linear("attention.situation_projection", hidden, dimension),
        **_linear("attention.self_attention.query", hidden, hidden),
        **_linear("attention.self_attention.key", hidden, hidden),
        **_linear("attention.self_attention.value", hidden, hidden),
        **_linear("attention.cross_attention.query", hidden, hidden),
        **_linear("attention.cross_attention.key", hidden, hidden),
        **_linear("attention.cross_attention.value", hidden, hidden),
        **_linear("attention.head", 1, hidden),
    }


def _full_weights(config: GateConfig) -> dict[str, Floats]:
    dimension, hidden, heads, count = config.dimension, config.hidden, config.heads, len(FEATURES)
    weight = _filled(0, count)
    weight[0] = 1  # of the cosine
    return {
        "residual_gate": _filled(-1),
        "whitening.W": np.eye(dimension, dtype=np.float32),
        "whitening.mean": _filled(0, dimension),
        "standardise.usual": _filled(0, count),
        "standardise.spread": _filled(1, count),
        "bilinear.weight": weight,
        "bilinear.bias": _filled(0),
        **_linear("bilinear.kind", KINDS, count),
        "bilinear.by_kind.weight": _filled(0, count, KINDS),
        "attention.fading": _filled(1.5, heads),
        **_linear("attention.pair.0", hidden, count),
        **_linear("attention.pair.2", hidden, hidden),
        **_linear("attention.pair.4", heads + EVIDENCE, hidden),
        **_linear("attention.fresh", heads, EVIDENCE),
        **_linear("attention.value", VALUES, EVIDENCE),
        **_linear("attention.reading.0", READING, count + EVIDENCE + 2 * heads * VALUES + 4 * heads + 1),
        **_linear("attention.reading.2", READING, READING),
        **_linear("attention.relink", heads, READING),
        **_linear("attention.refresh", heads, EVIDENCE),
        **_linear("attention.head.0", HEAD, READING + 3 * heads + 1),
        **_linear("attention.head.2", 1, HEAD),
    }


def _linear(name: str, outputs: int, inputs: int) -> dict[str, Floats]:
    return {f"{name}.weight": _filled(0, outputs, inputs), f"{name}.bias": _filled(0, outputs)}


def _filled(value: float, *shape: int) -> Floats:
    return np.full(shape, value, dtype=np.float32)
