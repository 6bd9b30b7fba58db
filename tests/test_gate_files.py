"""Weights on disk: saved gates are read back, damaged or unfit ones are refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.numpy import load_file, save_file

from convgate.core.errors import GateError
from convgate.gate.config import PRESETS, GateConfig
from convgate.gate.files import CONFIG, WEIGHTS, gate_files, read_gate
from convgate.gate.initial_weights import untrained_weights
from convgate.gate.model import Gate
from convgate.training.gate_module import GateModule
from tests.gates import trained_gate


def save_gate(gate: Gate, folder: Path) -> None:
    folder.mkdir(exist_ok=True)
    for name, content in gate_files(gate).items():
        (folder / name).write_bytes(content)


@pytest.mark.parametrize(
    "gate", [trained_gate(), *(GateModule(GateConfig(preset=one), seed=1).to_gate() for one in PRESETS)]
)
def test_saved_gate_is_the_same_when_read(tmp_path: Path, gate: Gate):
    save_gate(gate, tmp_path / "version")
    read = read_gate(tmp_path / "version")
    assert read.fingerprint == gate.fingerprint
    assert read.config == gate.config
    assert gate_files(read) == gate_files(gate)


@pytest.mark.parametrize("preset", PRESETS)
def test_weights_go_to_torch_and_back(preset: str):
    gate = GateModule(GateConfig(preset=preset), seed=1).to_gate()
    assert GateModule.of(gate).to_gate().fingerprint == gate.fingerprint
    expected = {name: array.shape for name, array in untrained_weights(gate.config).items()}
    assert {name: array.shape for name, array in gate.weights.items()} == expected
    assert gate.parameter_count == sum(p.numel() for p in GateModule(gate.config).parameters())


def test_module_is_float32_while_another_thread_loads_an_encoder():
    torch.set_default_dtype(torch.bfloat16)  # as transformers does meanwhile
    try:
        module = GateModule(GateConfig())
    finally:
        torch.set_default_dtype(torch.float32)
    assert {tensor.dtype for tensor in module.state_dict().values()} == {torch.float32}


@pytest.mark.parametrize(
    ("preset", "name", "value", "message"),
    [
        ("reference", "threshold_logit", float("nan"), "NaN"),
        ("reference", "tiers.bilinear.W", 3e38, "not finite"),
        ("full", "tiers.attention.pair.0.weight", 3e38, "not finite"),
    ],
)
def test_weights_that_give_no_finite_scores_are_refused(
    tmp_path: Path, preset: str, name: str, value: float, message: str
):
    save_gate(Gate(GateConfig(preset=preset)), tmp_path)
    weights = load_file(tmp_path / WEIGHTS)
    weights[name] = np.full_like(weights[name], value)
    save_file(weights, tmp_path / WEIGHTS)
    with pytest.raises(GateError, match=message):
        read_gate(tmp_path)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda weights: weights.pop("threshold_logit"), "threshold_logit is missing"),
        (lambda weights: weights.update(more=np.zeros(1, np.float32)), "more is unknown"),
        (lambda weights: weights.update(threshold_logit=np.zeros(())), "float32"),
    ],
)
def test_weights_of_other_names_or_number_formats_are_refused(
    tmp_path: Path, change: Callable[[dict[str, np.ndarray]], object], message: str
):
    save_gate(Gate(), tmp_path)
    weights = load_file(tmp_path / WEIGHTS)
    change(weights)
    save_file(weights, tmp_path / WEIGHTS)
    with pytest.raises(GateError, match=message):
        read_gate(tmp_path)


UNKNOWN_FORMAT = json.dumps({"a": {"dtype": "F4", "shape": [2], "data_offsets": [0, 1]}}).encode()


@pytest.mark.parametrize(
    ("file", "content"),
    [
        pytest.param(WEIGHTS, gate_files(Gate())[WEIGHTS][:1000], id="cut off"),
        pytest.param(
            WEIGHTS,
            len(UNKNOWN_FORMAT).to_bytes(8, "little") + UNKNOWN_FORMAT + b"\0",
            id="a number format that numpy lacks",
        ),
        pytest.param(
            CONFIG,
            json.dumps(GateConfig().to_json() | {"dimension": 512, "hidden": 32}).encode(),
            id="weights of another size",
        ),
        *((CONFIG, text) for text in (b"{", b"[]", b"[" * 100_000, b'{"dimension": 384.5}')),
        *((CONFIG, text) for text in (b'{"dimension": "many"}', b'{"preset": "magic"}')),
    ],
)
def test_a_damaged_file_is_refused(tmp_path: Path, file: str, content: bytes):
    save_gate(Gate(), tmp_path)
    (tmp_path / file).write_bytes(content)
    with pytest.raises(GateError):
        read_gate(tmp_path)
