"""Weights on disk: safetensors with the config beside them as JSON, never pickle.

torch is imported only when weights are read or written, so that listing versions is fast.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from convgate.core.conversation import Turn
from convgate.core.errors import GateError
from convgate.embedding.base import EncoderIdentity
from convgate.gate.config import GateConfig, parse_config
from convgate.gate.facts import facts_of

if TYPE_CHECKING:
    from convgate.gate.model import Gate

WEIGHTS, CONFIG = "gate.safetensors", "gate.json"


def gate_files(gate: Gate) -> dict[str, bytes]:
    """Return the contents of the files that hold the gate, by name."""
    from safetensors.torch import save

    weights = {name: tensor.detach().cpu().contiguous() for name, tensor in gate.state_dict().items()}
    config = json.dumps(gate.config.to_json(), indent=2) + "\n"
    return {WEIGHTS: save(weights), CONFIG: config.encode()}


def read_gate(folder: Path, *, encoder: EncoderIdentity | None = None) -> Gate:
    """Return the gate in the folder, in evaluation mode.

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
    import safetensors
    import torch
    from safetensors.torch import load

    from convgate.gate.model import Gate

    config = parse_config(files[CONFIG], f"{where} cannot be read: {CONFIG}")
    check_encoder(config, encoder)
    try:
        weights = load(files[WEIGHTS])
    except (safetensors.SafetensorError, KeyError) as error:  # KeyError: a number format that torch lacks
        raise GateError(f"{where} cannot be read: {WEIGHTS}: {error}") from error
    gate = Gate(config).float()  # another thread may change torch's default number format for a moment
    try:
        gate.load_state_dict(weights)
    except (RuntimeError, TypeError) as error:
        raise GateError(f"the weights of {where} do not fit its config: {error}") from error
    if not all(tensor.dtype == torch.float32 and tensor.isfinite().all() for tensor in weights.values()):
        raise GateError(f"the weights of {where} hold NaN or infinite numbers, or others than float32")
    if not _scores_are_finite(gate.eval()):
        raise GateError(f"the weights of {where} are so large that scores are not finite")
    return gate


def _scores_are_finite(gate: Gate) -> bool:
    """Return whether the scores, links and semantic parts of a small conversation are finite."""
    from convgate.gate.model import Message

    vectors = np.random.default_rng(0).normal(size=(4, gate.config.dimension)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    texts = ("Where is it?", "At the port.", "Why?", "And when does it open?")
    *facts, current = (facts_of(Turn.of("user", text)) for text in texts)
    message = Message(vectors[3], current)
    with np.errstate(all="ignore"):
        state = gate.state(vectors[:3], facts)
        scores = gate.score(state, message)
        links = gate.links(state, scores, range(3))
        semantic = gate.semantic(vectors[:3], state, message)
    results: list[Any] = [scores.logits, *scores.parts.values(), links.ravel(), semantic]
    return bool(np.isfinite(np.concatenate(results)).all())


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
