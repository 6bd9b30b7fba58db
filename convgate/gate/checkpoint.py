"""Weights on disk: safetensors with the config beside them as JSON, never pickle.

torch is imported only when weights are read or written, so that a list of gates comes up at once.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic_core import from_json

from convgate.embedding.base import EncoderIdentity
from convgate.errors import GateError
from convgate.files import write_whole
from convgate.gate.config import GateConfig

if TYPE_CHECKING:
    from convgate.gate.model import Gate

WEIGHTS, CONFIG = "gate.safetensors", "gate.json"


def gate_files(gate: Gate) -> dict[str, bytes]:
    """The contents of the files that hold the gate, by name."""
    from safetensors.torch import save

    weights = {name: tensor.detach().cpu().contiguous() for name, tensor in gate.state_dict().items()}
    config = json.dumps(gate.config.to_json(), indent=2) + "\n"
    return {WEIGHTS: save(weights), CONFIG: config.encode()}


def save_gate(gate: Gate, folder: Path) -> None:
    """Write weights and config into the folder, each whole or not at all; GateError when it cannot be."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in gate_files(gate).items():
            write_whole(folder / name, content)
    except OSError as error:
        raise GateError(f"the gate cannot be written to {folder}: {error}") from error


def read_gate(folder: Path, *, encoder: EncoderIdentity | None = None) -> Gate:
    """The gate in the folder, in evaluation mode.

    Raises GateError when a file is missing or damaged, the weights do not fit the config, hold NaN, or were
    made for another encoder than the one given (both are named).
    """
    where = f"the gate in {folder}"
    try:
        files = {name: (folder / name).read_bytes() for name in (CONFIG, WEIGHTS)}
    except OSError as error:
        raise GateError(f"{where} cannot be read: {error}") from error
    return build_gate(files, where, encoder=encoder)


def build_gate(files: Mapping[str, bytes], where: str, *, encoder: EncoderIdentity | None = None) -> Gate:
    """The gate in the contents of its files, by name; `where` is for GateError, as in `read_gate`."""
    import safetensors
    import torch
    from safetensors.torch import load

    from convgate.gate.model import Gate

    config = parse_config(files[CONFIG], where)
    check_encoder(config, encoder)
    try:
        weights = load(files[WEIGHTS])
    except (safetensors.SafetensorError, KeyError) as error:  # KeyError: a number format that torch lacks
        raise GateError(f"{where} cannot be read: {WEIGHTS}: {error}") from error
    try:
        with torch.device("meta"):  # without memory: the config of a stranger may ask for any size
            Gate(config).load_state_dict(weights, assign=True)
    except (RuntimeError, TypeError) as error:
        raise GateError(f"the weights of {where} do not fit its config: {error}") from error
    if not all(tensor.dtype == torch.float32 and tensor.isfinite().all() for tensor in weights.values()):
        raise GateError(f"the weights of {where} hold NaN or infinite numbers, or others than float32")
    gate = Gate(config)
    gate.load_state_dict(weights)
    return gate.eval()


def parse_config(content: bytes, where: str) -> GateConfig:
    """What a gate is built from, out of the content of its config file; GateError as in `build_gate`."""
    try:
        values = from_json(content, allow_inf_nan=False)
        if not isinstance(values, dict):
            raise GateError("it must be a JSON object")
        return GateConfig.from_json(values)
    except (ValueError, GateError) as error:
        raise GateError(f"{where} cannot be read: {CONFIG}: {error}") from error


def check_encoder(config: GateConfig, encoder: EncoderIdentity | None) -> None:
    """GateError naming both and where they differ, when the gate was made for another encoder."""
    if encoder is None or config.encoder is None:
        return
    if names := config.encoder.differences(encoder):
        raise GateError(
            f"the gate was made for the encoder {config.encoder}, not for {encoder}:"
            f" they differ in {', '.join(names)}"
        )
