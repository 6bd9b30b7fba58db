"""Tier 1 of the full preset: each turn alone, a weighted sum of its features."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor, nn

from convgate.gate.features import FEATURES, PARTS

PART_OF = np.array([PARTS.index(feature.part) for feature in FEATURES])


class FeatureTier(nn.Module):
    """logit_i = Σ_k w_k(m)·x_ik + b, as named parts that add up to it.

    x are the features less their usual value, in units of their usual spread: a feature at its usual value
    counts 0. The weights depend on the kind of message: w(m) = w + U tanh(V x̄ + v), x̄ the mean features of
    the history. The bias counts to the part "message".
    """

    def __init__(self, kinds: int) -> None:
        super().__init__()
        count = len(FEATURES)
        self.weight = nn.Parameter(torch.zeros(count))
        self.bias = nn.Parameter(torch.zeros(()))
        self.kind = nn.Linear(count, kinds)  # V, v
        self.by_kind = nn.Linear(kinds, count, bias=False)  # U
        nn.init.zeros_(self.by_kind.weight)

    def weights(self, mean: Tensor) -> Tensor:
        """Return (..., F) weights for messages whose histories have (..., F) mean standardised features."""
        change: Tensor = self.by_kind(torch.tanh(self.kind(mean)))
        return self.weight + change

    def forward(self, features: Tensor, mask: Tensor) -> Tensor:
        """Return (..., n) logits of (..., n, F) features; mask (..., n)."""
        is_turn = mask[..., None].to(features.dtype)
        mean = (features * is_turn).sum(dim=-2) / is_turn.sum(dim=-2).clamp(min=1)
        return (features @ self.weights(mean).unsqueeze(-1)).squeeze(-1) + self.bias
