"""Weights on disk: safetensors with the config beside them as JSON, never pickle.

torch is imported only when weights are read or written, so that a list of gates comes up at once.
"""

from __future__ import annotations

import hashlib
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


def read_gate(
    folder: Path, *, encoder: EncoderIdentity | None = None, sha256: Mapping[str, str] | None = None
) -> Gate:
    """The gate in the folder, in evaluation mode.

    Raises GateError when a file is missing or damaged, is not the one whose hexadecimal digest `sha256` has
    under its name, the weights do not fit the config, hold NaN, or were made for another encoder than the one
    given (both are named).
    """
    import safetensors
    import torch
    from safetensors.torch import load

    from convgate.gate.model import Gate

    config = read_config(folder, sha256=sha256)
    check_encoder(config, encoder)
    try:
        weights = load(_read(folder, WEIGHTS, sha256))
    except (
        safetensors.SafetensorError,
        KeyError,
    ) as error:  # KeyError: a number format without a torch dtype
        raise _unreadable(folder, f"{WEIGHTS}: {error}") from error
    try:
        with torch.device("meta"):  # without memory: the config of a stranger may ask for any size
            Gate(config).load_state_dict(weights, assign=True)
    except (RuntimeError, TypeError) as error:
        raise GateError(f"the weights in {folder} do not fit its config: {error}") from error
    if not all(tensor.dtype == torch.float32 and tensor.isfinite().all() for tensor in weights.values()):
        raise GateError(f"the weights in {folder} hold NaN or infinite numbers, or others than float32")
    gate = Gate(config)
    gate.load_state_dict(weights)
    return gate.eval()


def read_config(folder: Path, *, sha256: Mapping[str, str] | None = None) -> GateConfig:
    """What the gate in the folder is built from, without its weights; GateError as in `read_gate`."""
    try:
        values = from_json(_read(folder, CONFIG, sha256), allow_inf_nan=False)
    except ValueError as error:
        raise _unreadable(folder, f"{CONFIG}: {error}") from error
    if not isinstance(values, dict):
        raise _unreadable(folder, f"{CONFIG} must be a JSON object")
    try:
        return GateConfig.from_json(values)
    except GateError as error:
        raise _unreadable(folder, f"{CONFIG}: {error}") from error


def check_encoder(config: GateConfig, encoder: EncoderIdentity | None) -> None:
    """GateError naming both, when the gate was made for another encoder than the one given."""
    if encoder is not None and config.encoder is not None and config.encoder != encoder:
        raise GateError(f"the gate was made for the encoder {config.encoder}, not for {encoder}")


def _read(folder: Path, name: str, sha256: Mapping[str, str] | None) -> bytes:
    try:
        content = (folder / name).read_bytes()
    except OSError as error:
        raise _unreadable(folder, str(error)) from error
    if sha256 is not None and (found := hashlib.sha256(content).hexdigest()) != sha256[name]:
        told = f"its SHA-256 is {found[:12]}…, expected {sha256[name][:12]}…"
        raise _unreadable(folder, f"{name} was changed or is damaged: {told}")
    return content


def _unreadable(folder: Path, why: str) -> GateError:
    return GateError(f"the gate in {folder} cannot be read: {why}")
