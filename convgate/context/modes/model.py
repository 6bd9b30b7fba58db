"""What the classifier computes: one sum of weights for each mode."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class ModeModel:
    """A linear model: logits = embedding · weights + bias."""

    weights: Floats  # (d, modes)
    bias: Floats  # (modes,)

    def probabilities(self, embeddings: Floats) -> Floats:
        """(n, modes), rows sum to 1."""
        logits = embeddings @ self.weights + self.bias
        odds = np.exp(logits - logits.max(axis=1, keepdims=True))
        return np.asarray(odds / odds.sum(axis=1, keepdims=True), dtype=np.float32)
