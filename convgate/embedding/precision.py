"""The number format that an encoder computes in, by the processor unless it is named."""

from __future__ import annotations

from functools import cache

import torch

from convgate.core.errors import EncoderError
from convgate.embedding.base import DTYPES

AUTO = "auto"


def resolve_dtype(dtype: str, device: str) -> str:
    """Return "float32" or "bfloat16": as named, or what "auto" means on this device.

    "auto" is bfloat16 on a processor that multiplies it in hardware; without that it is slower than float32.
    Raises EncoderError for any other name.
    """
    if dtype == AUTO:
        return "bfloat16" if device == "cpu" and has_fast_bfloat16() else "float32"
    if dtype not in DTYPES:
        raise EncoderError(f"an encoder's dtype is {AUTO}, {' or '.join(DTYPES)}; got {dtype!r}")
    return dtype


@cache
def has_fast_bfloat16() -> bool:
    """Return whether this processor multiplies bfloat16 matrices in hardware."""
    capabilities = torch.cpu.get_capabilities()
    return bool(capabilities.get("avx512_bf16") or capabilities.get("amx_bf16"))
