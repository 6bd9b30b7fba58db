"""Weights on disk: safetensors with the config beside them as JSON, never pickle."""

from __future__ import annotations

import json
from pathlib import Path

import safetensors
import torch
from safetensors.torch import load_file, save

from convgate.embedding.base import EncoderIdentity
from convgate.errors import GateError
from convgate.files import write_whole
from convgate.gate.config import GateConfig
from convgate.gate.model import Gate

WEIGHTS, CONFIG = "gate.safetensors", "gate.json"


def save_gate(gate: Gate, folder: Path) -> None:
    """Write weights and config into the folder, each file whole or not at all."""
    folder.mkdir(parents=True, exist_ok=True)
    _write(folder / WEIGHTS, save({name: tensor.contiguous() for name, tensor in gate.state_dict().items()}))
    _write(folder / CONFIG, (json.dumps(gate.config.to_json(), indent=2) + "\n").encode())


def read_gate(folder: Path, *, encoder: EncoderIdentity | None = None) -> Gate:
    """The gate in the folder, in evaluation mode.

    Raises GateError when a file is missing or damaged, the weights do not fit the config, hold NaN, or were
    made for another encoder than the one given (both are named).
    """
    try:
        config = GateConfig.from_json(json.loads((folder / CONFIG).read_text(encoding="utf-8")))
        weights = load_file(folder / WEIGHTS)
    except (OSError, ValueError, safetensors.SafetensorError) as error:
        raise GateError(f"the gate in {folder} cannot be read: {error}") from error
    check_encoder(config, encoder)
    gate = Gate(config)
    try:
        gate.load_state_dict(weights)
    except RuntimeError as error:
        raise GateError(f"the weights in {folder} do not fit its config: {error}") from error
    if not all(bool(torch.isfinite(tensor).all()) for tensor in gate.state_dict().values()):
        raise GateError(f"the weights in {folder} hold NaN or infinite numbers")
    return gate.eval()


def check_encoder(config: GateConfig, encoder: EncoderIdentity | None) -> None:
    """GateError naming both, when the gate was made for another encoder than the one given."""
    if encoder is not None and config.encoder is not None and config.encoder != encoder:
        raise GateError(f"the gate was made for the encoder {config.encoder}, not for {encoder}")


def _write(path: Path, content: bytes) -> None:
    try:
        write_whole(path, content)
    except OSError as error:
        raise GateError(f"{path} cannot be written: {error}") from error
