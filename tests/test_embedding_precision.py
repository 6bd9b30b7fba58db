"""The number format follows the processor, unless it is named."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import torch

from convgate.building import EncoderOnDemand
from convgate.embedding.precision import has_fast_bfloat16, resolve_dtype
from convgate.errors import EncoderError
from convgate.settings import load_settings
from convgate.ui import services
from tests.fakes import FakeEncoder


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


def test_auto_is_float32_on_a_processor_that_tells_nothing(processor: dict[str, bool]):
    processor.clear()
    assert resolve_dtype("auto", "cpu") == "float32"


@pytest.mark.parametrize("device", ["cuda", "cuda:1", "mps"])
def test_auto_on_a_graphics_card_is_not_decided_by_the_processor(processor: dict[str, bool], device: str):
    processor["avx512_bf16"] = True
    assert resolve_dtype("auto", device) == "float32"


@pytest.mark.parametrize("named", ["float32", "bfloat16"])
def test_a_named_format_holds_on_every_processor(processor: dict[str, bool], named: str):
    for processor["avx512_bf16"] in (False, True):
        has_fast_bfloat16.cache_clear()
        assert resolve_dtype(named, "cpu") == named


def test_another_format_is_refused():
    with pytest.raises(EncoderError, match="an encoder's dtype is auto, float32 or bfloat16; got 'int8'"):
        resolve_dtype("int8", "cpu")


class ClosableEncoder(FakeEncoder):
    def close(self) -> None: ...


def test_the_setting_reaches_an_agents_encoder(monkeypatch: pytest.MonkeyPatch):
    asked = []
    monkeypatch.setattr(
        "convgate.building.default_encoder", lambda _, **options: asked.append(options) or FakeEncoder()
    )
    monkeypatch.setenv("CONVGATE_ENCODER_DTYPE", "bfloat16")
    EncoderOnDemand(load_settings())()
    assert [options["dtype"] for options in asked] == ["bfloat16"]


def test_the_setting_reaches_the_apps_encoder_and_a_change_loads_another(monkeypatch: pytest.MonkeyPatch):
    asked = []
    monkeypatch.setattr(
        "convgate.embedding.default.default_encoder",
        lambda _, **options: asked.append(options) or ClosableEncoder(),
    )
    for dtype in ("bfloat16", "bfloat16", "float32"):
        monkeypatch.setenv("CONVGATE_ENCODER_DTYPE", dtype)
        settings = load_settings()
        services.encoder(settings.encoder, settings.device, settings.home)
    assert [options["dtype"] for options in asked] == ["bfloat16", "float32"]
