"""The tiers of the reference preset: a bilinear form, and self-attention over all turns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from convgate.embedding.base import Embeddings
from convgate.gate.arrays import Logits
from convgate.gate.attention import AttentionTier
from convgate.gate.config import GateConfig
from convgate.gate.facts import TurnFacts


class BilinearTier(nn.Module):
    """logit_i = sᵀ W e_i + w·p_i − (1 − exp(−softplus(ρ)·a_i)), as named parts that add up to it.

    p_i = i / (n − 1) is the position in [0, 1], a_i = 1 − p_i the age. W starts as the identity, w at 0
    and ρ at −5, so that an untrained tier ranks by cosine and the oldest turn loses 0.007.
    """

    def __init__(self, dimension: int) -> None:
        super().__init__()
        self.W = nn.Parameter(torch.eye(dimension))
        self.recency = nn.Parameter(torch.zeros(()))
        self.decay_rate = nn.Parameter(torch.tensor(-5.0))

    def forward(self, turns: Tensor, current: Tensor, position: Tensor) -> dict[str, Tensor]:
        """Return the parts of the tier-1 logit, each (..., n).

        turns: (..., n, d) unit vectors; current: (..., d) unit vectors; position: (..., n) in [0, 1].
        """
        query = current @ self.W  # sᵀ W first: one row instead of n
        semantic = turns @ query if query.dim() == 1 else (turns @ query.unsqueeze(-1)).squeeze(-1)
        return {
            "semantic": semantic,
            "recency": self.recency * position,
            "decay": torch.expm1(-F.softplus(self.decay_rate) * (1 - position)),
        }


def positions(n: int) -> Tensor:
    """Return (n,) the position of each turn from 0 (oldest) to 1 (newest); a single turn has 1.

    >>> positions(3).tolist(), positions(1).tolist()
    ([0.0, 0.5, 1.0], [1.0])
    """
    return torch.linspace(0, 1, n) if n > 1 else torch.ones(n)


@dataclass(frozen=True, eq=False)
class TurnState:
    """The turns of a conversation, and what does not depend on the message."""

    tiers: ReferenceTiers = field(repr=False)
    turns: Tensor  # (n, d)
    projected: Tensor  # (n, 4h) as `AttentionTier.project` gives them

    def __len__(self) -> int:
        return len(self.turns)

    @property
    def embeddings(self) -> Embeddings:
        """(n, d) as the encoder gave them."""
        return np.asarray(self.turns.numpy(), dtype=np.float32)

    @property
    def facts(self) -> Sequence[TurnFacts]:
        """No facts: the reference reads embeddings alone."""
        return ()

    @property
    def passages(self) -> Sequence[Embeddings]:
        """One passage a turn: its embedding."""
        return [row[None] for row in self.embeddings]

    def first(self, n: int) -> TurnState:
        """Return the state of the first n of its turns."""
        return TurnState(self.tiers, self.turns[:n], self.projected[:n])

    def extend(
        self, embeddings: Embeddings, facts: Sequence[TurnFacts], passages: Sequence[Embeddings]
    ) -> TurnState:
        """Return the state with (m, d) newer turns added."""
        new = self.tiers.state(embeddings, facts, passages)
        turns = torch.cat([self.turns, new.turns])
        return TurnState(self.tiers, turns, torch.cat([self.projected, new.projected]))

    def score(self, embedding: Embeddings, facts: TurnFacts | None) -> tuple[dict[str, Logits], Logits]:
        """Return the parts of tier 1, each (n,), and the logits of tier 2, (n,) or none of a single turn."""
        s = torch.from_numpy(embedding)
        parts = self.tiers.bilinear(self.turns, s, positions(len(self)))
        logits = torch.stack(list(parts.values()))
        arrays: dict[str, Logits] = dict(zip(parts, logits.double().numpy(), strict=True))
        if len(self) < 2:
            return arrays, np.zeros(0)
        attention = self.tiers.attention.score(self.projected, logits.sum(dim=0), s)
        return arrays, attention.double().numpy()

    def links(self, tier1: Logits, rows: Sequence[int]) -> Embeddings:
        """Return (len(rows), n) the attention of the given turns."""
        weights = self.tiers.attention.links(
            self.projected, torch.from_numpy(tier1).float(), torch.tensor(list(rows), dtype=torch.long)
        )
        return np.asarray(weights.numpy(), dtype=np.float32)

    def semantic(self, embeddings: Embeddings, embedding: Embeddings, facts: TurnFacts | None) -> Logits:
        """Return (m,) sᵀ W e of each (m, d) embedding."""
        parts = self.tiers.bilinear(
            torch.from_numpy(embeddings), torch.from_numpy(embedding), positions(len(embeddings))
        )
        return np.asarray(parts["semantic"].double().numpy())


class ReferenceTiers(nn.Module):
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
        tier1 = torch.stack(list(self.bilinear(turns, current, position).values())).sum(dim=0)
        return tier1, torch.where(count > 1, self.attention(turns, tier1, current, mask), tier1)

    def state(
        self, embeddings: Embeddings, facts: Sequence[TurnFacts], passages: Sequence[Embeddings]
    ) -> TurnState:
        """Return the state of turns with (n, d) embeddings."""
        turns = torch.from_numpy(embeddings)
        return TurnState(self, turns, self.attention.project(turns))
