"""Weights on disk: safetensors with the config beside them as JSON, never pickle."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load, save

from convgate.core.conversation import Turn
from convgate.core.errors import GateError
from convgate.embedding.base import EncoderIdentity
from convgate.gate.arrays import Floats
from convgate.gate.config import GateConfig, parse_config
from convgate.gate.facts import facts_of
from convgate.gate.initial_weights import untrained_weights
from convgate.gate.model import Gate, Message

WEIGHTS, CONFIG = "gate.safetensors", "gate.json"
_MAX_LOGIT = 1e30  # of a small conversation; with larger ones, others overflow float32


def gate_files(gate: Gate) -> dict[str, bytes]:
    """Return the contents of the files that hold the gate, by name."""
    config = json.dumps(gate.config.to_json(), indent=2) + "\n"
    return {WEIGHTS: save(dict(gate.weights)), CONFIG: config.encode()}


def read_gate(folder: Path, *, encoder: EncoderIdentity | None = None) -> Gate:
    """Return the gate in the folder.

    Raises GateError when a file is missing or damaged, the weights do not fit the config, hold NaN or give
    scores that are not finite, or were made for another encoder than the one given (both are named).
    """
    where = f"the gate in {folder}"
    try:
        files = {name: (folder / name).read_bytes() for name in (CONFIG, WEIGHTS)}
    except OSError as error:
        raise GateError(f"{where} cannot be read: {error}") from error
    return build_gate(files, where, encoder=encoder)


def build_gate(files: Mapping[str, bytes], where: str, *, encoder: EncoderIdentity | None = None) -> Gate:
    """Return the gate in the contents of its files, by name; GateError with `where` as in `read_gate`."""
    config = parse_config(files[CONFIG], f"{where} cannot be read: {CONFIG}")
    check_encoder(config, encoder)
    try:
        weights = load(files[WEIGHTS])
    except (SafetensorError, KeyError) as error:  # KeyError: a number format that numpy lacks
        raise GateError(f"{where} cannot be read: {WEIGHTS}: {error}") from error
    if problem := _find_mismatch(config, weights):
        raise GateError(f"the weights of {where} do not fit its config: {problem}")
    if not all(array.dtype == np.float32 and np.isfinite(array).all() for array in weights.values()):
        raise GateError(f"the weights of {where} hold NaN or infinite numbers, or others than float32")
    with np.errstate(all="ignore"):
        gate = Gate(config, weights)
        if not _scores_are_finite(gate):
            raise GateError(f"the weights of {where} are so large that scores are not finite")
    return gate


def _find_mismatch(config: GateConfig, weights: Mapping[str, Floats]) -> str:
    """Return the first name or shape that the config does not lead to; empty when there is none."""
    shapes = {name: array.shape for name, array in untrained_weights(config).items()}
    for name in sorted(shapes.keys() | weights.keys()):
        if name not in weights:
            return f"{name} is missing"
        if name not in shapes:
            return f"{name} is unknown"
        if weights[name].shape != shapes[name]:
            return f"{name} has the shape {weights[name].shape}, not {shapes[name]}"
    return ""


def _scores_are_finite(gate: Gate) -> bool:
    """Return whether the scores, links and semantic parts of a small conversation are finite."""
    vectors = np.random.default_rng(0).normal(size=(4, gate.config.dimension)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    texts = ("Where is it?", "At the port.", "Why?", "And when does it open?")
    *facts, current = (facts_of(Turn.of("user", text)) for text in texts)
    message = Message(vectors[3], current)
    state = gate.state(vectors[:3], facts)
    scores = gate.score(state, message)
    links = gate.links(state, scores, range(3))
    semantic = gate.semantic(vectors[:3], state, message)
    results: list[Any] = [scores.logits, *scores.parts.values(), links.ravel(), semantic]
    return bool((np.abs(np.concatenate(results)) < _MAX_LOGIT).all())


def check_encoder(config: GateConfig, encoder: EncoderIdentity | None) -> None:
    """Raise GateError with both and their differences when the gate was made for another encoder."""
    if encoder is None or config.encoder is None:
        return
    if names := config.encoder.differences(encoder):
        command = f"convgate calibrate --encoder {shlex.quote(encoder.model)}"
        remedy = f". `{command}` makes a version for the latter" if config.preset == "full" else ""
        raise GateError(
            f"the gate was made for the encoder {config.encoder}, not for {encoder}:"
            f" they differ in {', '.join(names)}{remedy}"
        )
