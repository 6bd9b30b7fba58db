"""Exact full self-attention in memory that grows with n, not n²."""

from __future__ import annotations

import torch
from torch import Tensor

from convgate.embedding.precision import has_fast_bfloat16

_BLOCK_BYTES = 4 << 20  # a block of attention weights; larger ones leave the processor's cache
_BLOCK_ROWS = 64  # at least, so that a block is worth a matrix product
_BFLOAT16_FROM = 512  # keys; below it there is nothing to gain
_EXPONENT_LIMIT = 60.0  # exp of it, summed over any number of turns, is far from overflowing


def attend(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    """(n, m) softmax(queries · keysᵀ) · values, one block of queries after the other.

    queries: (n, h), already scaled; keys: (k, h); values: (k, m). From 512 keys on, and where the processor
    multiplies bfloat16 in hardware, the weights are computed in bfloat16: a relative error of at most 2⁻⁸
    for each weight, averaged out over the sum.
    """
    reduced = len(keys) >= _BFLOAT16_FROM and has_fast_bfloat16()
    dtype = torch.bfloat16 if reduced else queries.dtype
    # |q·k| ≤ |q||k|: when that bound is small, no row needs its maximum subtracted before exp.
    bounded = _longest(queries) * _longest(keys) < _EXPONENT_LIMIT
    queries, keys_t = queries.to(dtype), keys.to(dtype).T
    weighted = torch.cat([values, values.new_ones(len(values), 1)], dim=1).to(dtype)
    out = values.new_empty(len(queries), values.shape[1])
    step = max(_BLOCK_ROWS, _BLOCK_BYTES // max(1, len(keys) * dtype.itemsize))
    for start in range(0, len(queries), step):
        weights = queries[start : start + step] @ keys_t
        if not bounded:
            weights.sub_(weights.amax(dim=1, keepdim=True))
        block = (weights.exp_() @ weighted).to(values.dtype)
        out[start : start + step] = block[:, :-1] / block[:, -1:]
    return out


def _longest(rows: Tensor) -> float:
    return float(torch.linalg.vector_norm(rows, dim=1).max())
