"""The tiers of the reference preset in torch, for training; the formulas are in `convgate.gate.reference`."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from convgate.gate.config import GateConfig


class BilinearTier(nn.Module):
    """Tier 1.

    W starts as the identity, the recency weight at 0 and the decay rate at −5, so that an untrained tier
    ranks by cosine and the oldest turn loses 0.007.
    """

    def __init__(self, dimension: int) -> None:
        super().__init__()
        self.W = nn.Parameter(torch.eye(dimension))
        self.recency = nn.Parameter(torch.zeros(()))
        self.decay_rate = nn.Parameter(torch.tensor(-5.0))

    def forward(self, turns: Tensor, current: Tensor, position: Tensor) -> Tensor:
        """Return (B, n) logits.

        turns: (B, n, d) unit vectors; current: (B, d) unit vectors; position: (B, n) in [0, 1].
        """
        semantic = (turns @ (current @ self.W).unsqueeze(-1)).squeeze(-1)
        decay = torch.expm1(-F.softplus(self.decay_rate) * (1 - position))
        return semantic + self.recency * position + decay


class QKV(nn.Module):
    """The three projections of an attention layer, each hidden → hidden."""

    def __init__(self, hidden: int) -> None:
        super().__init__()
        self.query = nn.Linear(hidden, hidden)
        self.key = nn.Linear(hidden, hidden)
        self.value = nn.Linear(hidden, hidden)


class AttentionTier(nn.Module):
    """Tier 2: self-attention over the turns, then attention to the current message.

    The score head starts at zero and the residual gate at σ(−5), so an untrained tier changes nothing.
    """

    def __init__(self, dimension: int, hidden: int) -> None:
        super().__init__()
        self.scale = 1 / math.sqrt(hidden)
        self.turn_projection = nn.Linear(dimension + 1, hidden)
        self.situation_projection = nn.Linear(dimension, hidden)
        self.self_attention = QKV(hidden)
        self.cross_attention = QKV(hidden)
        self.head = nn.Linear(hidden, 1)
        self.residual_gate = nn.Parameter(torch.tensor(-5.0))
        nn.init.zeros_(self.head.weight)
        nn.init.zeros_(self.head.bias)

    def forward(self, turns: Tensor, tier1: Tensor, current: Tensor, mask: Tensor) -> Tensor:
        """Return (B, n) logits; masked places hold finite values without meaning, in an all-masked row too.

        turns: (B, n, d); tier1: (B, n) logits; current: (B, d); mask: (B, n), True where a turn is.
        """
        x = self.turn_projection(torch.cat([turns, tier1.unsqueeze(-1)], dim=-1))
        layer, cross = self.self_attention, self.cross_attention
        attn_mask = mask[:, None, :] | torch.eye(mask.shape[1], dtype=torch.bool, device=mask.device)
        h = x + F.scaled_dot_product_attention(
            layer.query(x), layer.key(x), layer.value(x), attn_mask=attn_mask, scale=self.scale
        )
        s = self.situation_projection(current)
        attention = torch.sigmoid((cross.query(h) @ cross.key(s).unsqueeze(-1)) * self.scale)  # (B, n, 1)
        logits: Tensor = self.head(h + attention * cross.value(s).unsqueeze(-2)).squeeze(-1)
        return logits


class ReferenceTiersModule(nn.Module):
    """The bilinear tier and the attention tier, 221,828 parameters."""

    def __init__(self, config: GateConfig) -> None:
        super().__init__()
        self.bilinear = BilinearTier(config.dimension)
        self.attention = AttentionTier(config.dimension, config.hidden)

    @property
    def activation(self) -> Tensor:
        """() g, the share of the attention tier in the logit, 0…1."""
        return torch.sigmoid(self.attention.residual_gate)

    def forward(self, turns: Tensor, current: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """Return (B, n) logits of tier 1 and tier 2, differentiable.

        turns: (B, n, d); current: (B, d); mask: (B, n), True where a turn is.
        """
        count = mask.sum(dim=1, keepdim=True)
        position = (mask.cumsum(dim=1) - 1).clamp(min=0) / (count - 1).clamp(min=1)
        position = torch.where(count > 1, position.clamp(max=1), torch.ones_like(position))
        tier1 = self.bilinear(turns, current, position)
        return tier1, torch.where(count > 1, self.attention(turns, tier1, current, mask), tier1)
