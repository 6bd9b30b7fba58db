"""The identity of an encoder, its number format, and the bundled weights."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from convgate.core import bundled_encoder as bundled
from convgate.core.errors import EncoderError, GateError
from convgate.embedding.base import EncoderIdentity
from convgate.embedding.precision import has_fast_bfloat16, resolve_dtype
from convgate.gate.config import GateConfig
from convgate.gate.files import build_gate, gate_files
from convgate.gate.model import Gate

FLOAT32 = EncoderIdentity("minilm", "abc", "float32", "mean of 254-piece chunks", "", 384)
BFLOAT16 = replace(FLOAT32, dtype="bfloat16")

OTHERS = {
    "model": replace(BFLOAT16, model="mpnet"),
    "revision": replace(BFLOAT16, revision="def"),
    "dtype": replace(BFLOAT16, dtype="int8"),
    "chunking": replace(BFLOAT16, chunking="first 254 pieces"),
    "prefix": replace(BFLOAT16, prefix="query: "),
    "dimension": replace(BFLOAT16, dimension=768),
}


def test_a_number_format_that_agrees_is_no_difference_either_way():
    assert FLOAT32.differences(BFLOAT16) == BFLOAT16.differences(FLOAT32) == []


@pytest.mark.parametrize("field", OTHERS)
def test_everything_else_is_a_difference_and_is_named(field: str):
    assert FLOAT32.differences(OTHERS[field]) == OTHERS[field].differences(FLOAT32) == [field]


@pytest.mark.parametrize(("made_for", "here"), [(FLOAT32, BFLOAT16), (BFLOAT16, FLOAT32)])
def test_a_gate_loads_where_the_same_model_computes_in_another_format(
    made_for: EncoderIdentity, here: EncoderIdentity
):
    files = gate_files(Gate(GateConfig(encoder=made_for)))
    assert build_gate(files, "a test", encoder=here).config.encoder == made_for


@pytest.mark.parametrize("field", OTHERS)
def test_a_gate_of_another_encoder_is_refused_with_the_difference(field: str):
    files = gate_files(Gate(GateConfig(encoder=FLOAT32)))
    with pytest.raises(GateError):
        build_gate(files, "a test", encoder=OTHERS[field])


@pytest.fixture
def processor(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, bool]]:
    """What the processor is said to be capable of; to be filled."""
    capabilities: dict[str, bool] = {"architecture": "x86_64", "avx512_f": True, "avx512_bf16": False}
    monkeypatch.setattr(torch.cpu, "get_capabilities", lambda: capabilities)
    has_fast_bfloat16.cache_clear()
    yield capabilities
    has_fast_bfloat16.cache_clear()


@pytest.mark.parametrize("capability", ["avx512_bf16", "amx_bf16"])
def test_auto_is_bfloat16_where_the_processor_multiplies_it(processor: dict[str, bool], capability: str):
    processor[capability] = True
    assert resolve_dtype("auto", "cpu") == "bfloat16"


def test_auto_is_float32_where_bfloat16_would_be_imitated(processor: dict[str, bool]):
    assert resolve_dtype("auto", "cpu") == "float32"


def test_damaged_bundled_weights_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "model.safetensors").write_bytes(b"not the weights")
    monkeypatch.setattr(bundled, "bundled_folder", lambda: tmp_path)
    with pytest.raises(EncoderError):
        bundled.verify_bundled_weights.__wrapped__()
