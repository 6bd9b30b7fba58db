"""What the full preset measures on its training data before it learns anything."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import torch

from convgate.embedding.base import Embeddings
from convgate.gate.full import FullTiers
from convgate.training.episodes import Episode

_STRENGTH = 0.5  # of the whitening: 0 none, 1 all directions alike
_LEAST_SPREAD = 0.05
_PER_EPISODE = 400  # rows that are drawn from an episode


def measure_embeddings(tiers: FullTiers, embeddings: Embeddings) -> None:
    """Set the whitening from (n, d) embeddings: W = V diag(σ^-½) Vᵀ of their principal directions V."""
    mean = embeddings.mean(axis=0)
    values, vectors = np.linalg.eigh(np.cov((embeddings - mean).T))
    scale = np.maximum(values, 1e-8) ** (-_STRENGTH / 2)
    whitening = vectors @ np.diag(scale / scale.mean()) @ vectors.T
    tiers.whitening.W.copy_(torch.from_numpy(whitening.astype(np.float32)))
    tiers.whitening.mean.copy_(torch.from_numpy(mean.astype(np.float32)))


def measure_features(tiers: FullTiers, sets: Iterable[Sequence[Episode]], *, seed: int) -> None:
    """Set usual value and spread of the features; every set counts alike."""
    rng = np.random.default_rng(seed)
    means, squares = [], []
    for episodes in sets:
        rows = [
            rng.permutation(np.concatenate([q.features for q in episode.questions]))[:_PER_EPISODE]
            for episode in (episodes[i] for i in rng.permutation(len(episodes))[:100])
        ]
        features = np.concatenate(rows).astype(np.float64)
        means.append(features.mean(axis=0))
        squares.append((features**2).mean(axis=0))
    usual = np.mean(means, axis=0)
    spread = np.sqrt(np.maximum(np.mean(squares, axis=0) - usual**2, 0))
    tiers.standardise.usual.copy_(torch.from_numpy(usual.astype(np.float32)))
    tiers.standardise.spread.copy_(torch.from_numpy(np.maximum(spread, _LEAST_SPREAD).astype(np.float32)))
