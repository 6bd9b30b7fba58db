"""Tier 1: each turn alone against the situation."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F


class BilinearTier(nn.Module):
    """logit_i = sᵀ W e_i + w·p_i − (1 − exp(−softplus(ρ)·a_i)), as named parts that add up to it.

    p_i = i / (n − 1) is the position in [0, 1], a_i = 1 − p_i the age. W starts as the identity, w at 0
    and ρ at −5, so that an untrained tier ranks by cosine and the oldest turn loses 0.007.
    """

    def __init__(self, dimension: int) -> None:
        super().__init__()
        identity = torch.zeros(dimension, dimension)
        if not identity.is_meta:  # where numbers do not exist; diagonals there load torch's compiler first
            identity.fill_diagonal_(1.0)
        self.W = nn.Parameter(identity)
        self.recency = nn.Parameter(torch.zeros(()))
        self.decay_rate = nn.Parameter(torch.tensor(-5.0))

    def forward(self, turns: Tensor, situation: Tensor, position: Tensor) -> dict[str, Tensor]:
        """Parts of the tier-1 logit, each (..., n).

        turns: (..., n, d) unit vectors; situation: (..., d) unit vectors; position: (..., n) in [0, 1].
        """
        query = situation @ self.W  # sᵀ W first: one row instead of n
        semantic = turns @ query if query.dim() == 1 else (turns @ query.unsqueeze(-1)).squeeze(-1)
        return {
            "semantic": semantic,
            "recency": self.recency * position,
            "decay": torch.expm1(-F.softplus(self.decay_rate) * (1 - position)),
        }


def positions(n: int) -> Tensor:
    """(n,) place of each turn from 0 (oldest) to 1 (newest); a single turn has 1.

    >>> positions(3).tolist(), positions(1).tolist()
    ([0.0, 0.5, 1.0], [1.0])
    """
    return torch.linspace(0, 1, n) if n > 1 else torch.ones(n)
