"""The yardstick: the same gate as one writes it first, everything computed again for each message."""

from __future__ import annotations

import torch
from torch import Tensor

from convgate.training.gate_module import GateModule
from convgate.training.reference_tiers import ReferenceTiersModule


@torch.inference_mode()
def naive_logits(gate: GateModule, turns: Tensor, current: Tensor) -> Tensor:
    """(n,) the logits of `Gate.score`, by dense n × n attention over turns projected anew.

    turns: (n, d); current: (d,). The bilinear product is taken the cheap way round (sᵀW first), so that
    the comparison is about the attention tier alone.
    """
    tiers, n = gate.tiers, len(turns)
    assert isinstance(tiers, ReferenceTiersModule)
    tier, position = tiers.attention, torch.linspace(0, 1, n)
    tier1 = tiers.bilinear(turns[None], current[None], position[None])[0]
    x = tier.turn_projection(torch.cat([turns, tier1[:, None]], dim=1))
    layer = tier.self_attention
    weights = torch.softmax(layer.query(x) @ layer.key(x).T * tier.scale, dim=-1)
    mixed = x + weights @ layer.value(x)
    s, cross = tier.situation_projection(current), tier.cross_attention
    attention = torch.sigmoid(cross.query(mixed) @ cross.key(s) * tier.scale)
    logits = tier.head(mixed + attention[:, None] * cross.value(s)).squeeze(-1)
    activation = torch.sigmoid(tier.residual_gate)
    blended: Tensor = (1 - activation) * tier1 + activation * logits
    return blended
