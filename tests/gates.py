"""Gates and embeddings for tests."""

from __future__ import annotations

import numpy as np
import torch

from convgate.embedding.base import Embeddings
from convgate.gate.config import GateConfig
from convgate.gate.model import Gate


def trained_gate(*, seed: int = 0, dimension: int = 384) -> Gate:
    """A gate whose every part does something, as after training."""
    gate = Gate(GateConfig(dimension=dimension), seed=seed)
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in gate.parameters():
            parameter.add_(0.1 * torch.randn(parameter.shape, generator=generator))
        gate.tiers.bilinear.recency.fill_(0.3)
        gate.tiers.bilinear.decay_rate.fill_(-1.0)
        gate.tiers.attention.residual_gate.fill_(0.5)
        gate.tiers.attention.head.weight.mul_(5)
    return gate.eval()


def unit_vectors(n: int, *, seed: int = 0, dimension: int = 384) -> Embeddings:
    """(n, d) random unit vectors."""
    vectors = np.random.default_rng(seed).normal(size=(n, dimension)).astype(np.float32)
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), dtype=np.float32)
