"""Whitening of embeddings and standardising of features, measured before training and not learned."""

from __future__ import annotations

import torch
from torch import Tensor, nn

MAX_SPREADS = 3.0
"""Standardised features are clipped to this: training shows nothing beyond it."""


class Standardise(nn.Module):
    """Features less their usual value, in units of their usual spread; both are measured before training."""

    usual: Tensor
    spread: Tensor

    def __init__(self, count: int) -> None:
        super().__init__()
        self.register_buffer("usual", torch.zeros(count))
        self.register_buffer("spread", torch.ones(count))

    def forward(self, features: Tensor) -> Tensor:
        """(..., F) to (..., F)."""
        return (features - self.usual).div_(self.spread).clamp_(-MAX_SPREADS, MAX_SPREADS)


class Whitening(nn.Module):
    """v = W(e − m) / |W(e − m)|: W evens out the directions that all turns share.

    W and m are measured on embeddings before training, not learned; an untrained gate has W = I and m = 0.
    """

    W: Tensor
    mean: Tensor

    def __init__(self, dimension: int) -> None:
        super().__init__()
        self.register_buffer("W", torch.eye(dimension))
        self.register_buffer("mean", torch.zeros(dimension))

    def forward(self, embeddings: Tensor) -> Tensor:
        """(..., d) to unit vectors (..., d)."""
        return nn.functional.normalize((embeddings - self.mean) @ self.W.T, dim=-1)
