"""Tier 2 of the reference preset: self-attention over the turns, then attention to the current message."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from convgate.embedding.precision import has_fast_bfloat16

_BLOCK_BYTES = 4 << 20  # a block of attention weights; larger ones leave the processor's cache
_MIN_BLOCK_ROWS = 64  # at least, so that a block is worth a matrix product
_BFLOAT16_MIN_KEYS = 512  # keys; below it there is nothing to gain
_MAX_EXPONENT = 60.0  # exp of it, summed over any number of turns, is far from overflowing


class QKV(nn.Module):
    """The three projections of an attention layer, each hidden → hidden."""

    def __init__(self, hidden: int) -> None:
        super().__init__()
        self.query = nn.Linear(hidden, hidden)
        self.key = nn.Linear(hidden, hidden)
        self.value = nn.Linear(hidden, hidden)


class AttentionTier(nn.Module):
    """One logit per turn from the turn, the other turns and the current message.

    x_i = P [e_i ; tier1_i]                          turn projection, d + 1 → h
    h_i = x_i + Σ_j softmax_j(q_i·k_j / √h) v_j      self-attention
    a_i = σ(q'(h_i)·k'(Ss) / √h)                     how much turn i attends to the current message
    logit_i = head(h_i + a_i v'(Ss))

    The second step attends to the current message alone, and a softmax over one key is always 1.
    So the key competes with a zero key and value, as in `torch.nn.MultiheadAttention(add_zero_attn=True)`:
    softmax over {q·k, 0} is the logistic function above.

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
        layer = self.self_attention
        attn_mask = mask[:, None, :] | torch.eye(mask.shape[1], dtype=torch.bool, device=mask.device)
        h = x + F.scaled_dot_product_attention(
            layer.query(x), layer.key(x), layer.value(x), attn_mask=attn_mask, scale=self.scale
        )
        key, value = self._current_key_value(current)
        attention = torch.sigmoid(
            (self.cross_attention.query(h) @ key.unsqueeze(-1)) * self.scale
        )  # (B, n, 1)
        logits: Tensor = self.head(h + attention * value.unsqueeze(-2)).squeeze(-1)
        return logits

    def project(self, turns: Tensor) -> Tensor:
        """Return (n, 4h) scaled queries, keys, values and features of (n, d) turns whose tier-1 logit is 0.

        All four are linear in [e_i ; tier1_i], so the result is kept between messages, and a message adds
        tier1_i · `_tier1_projection()` to it.
        """
        weight, bias = self.turn_projection.weight[:, :-1], self.turn_projection.bias
        x, layer = F.linear(turns, weight, bias), self.self_attention
        return torch.cat([layer.query(x) * self.scale, layer.key(x), layer.value(x), x], dim=1)

    def score(self, projected: Tensor, tier1: Tensor, current: Tensor) -> Tensor:
        """Return (n,) the logits of `forward` for one conversation, without holding an n × n matrix.

        The head and the second step use two linear projections of each h_i; so the self-attention averages
        two numbers per turn instead of h, and its matrix is computed block by block.
        projected: (n, 4h) from `project`; tier1: (n,); current: (d,).
        """
        cross, half = self.cross_attention, projected.shape[1] // 2
        added, (key, value) = self._tier1_projection(), self._current_key_value(current)
        readout = torch.stack([self.head.weight[0], cross.query.weight.T @ key * self.scale])  # (2, h)
        queries, keys = torch.addr(projected[:, :half], tier1, added[:half]).chunk(2, dim=1)
        # (4, 2h) block-diagonal: the two numbers of the values, then those of the features
        blocks = torch.kron(torch.eye(2, device=readout.device), readout)
        numbers = torch.addr(projected[:, half:] @ blocks.T, tier1, blocks @ added[half:])
        h = numbers[:, 2:] + attend(queries, keys, numbers[:, :2])
        attention = torch.sigmoid(h[:, 1] + (cross.query.bias @ key) * self.scale)
        logits: Tensor = h[:, 0] + attention * (self.head.weight[0] @ value) + self.head.bias
        return logits

    def links(self, projected: Tensor, tier1: Tensor, rows: Tensor) -> Tensor:
        """Return (len(rows), n) the attention weights of the given turns; rows sum to 1."""
        half = projected.shape[1] // 2
        added = self._tier1_projection()[:half]
        queries, keys = torch.addr(projected[:, :half], tier1, added).chunk(2, dim=1)
        return torch.softmax(queries[rows] @ keys.T, dim=-1)

    def _tier1_projection(self) -> Tensor:
        """Return (4h,) what one unit of tier-1 logit adds to a row of `project`."""
        x, layer = self.turn_projection.weight[:, -1], self.self_attention
        weights = (layer.query.weight * self.scale, layer.key.weight, layer.value.weight)
        return torch.cat([*(weight @ x for weight in weights), x])

    def _current_key_value(self, current: Tensor) -> tuple[Tensor, Tensor]:
        s = self.situation_projection(current)
        return self.cross_attention.key(s), self.cross_attention.value(s)


def attend(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    """Return (n, m) softmax(queries · keysᵀ) · values, computed in blocks of queries.

    queries: (n, h), already scaled; keys: (k, h); values: (k, m). From 512 keys on, and where the processor
    multiplies bfloat16 in hardware, the weights are computed in bfloat16: a relative error of at most 2⁻⁸
    for each weight, averaged out over the sum.
    """
    use_bfloat16 = len(keys) >= _BFLOAT16_MIN_KEYS and has_fast_bfloat16()
    dtype = torch.bfloat16 if use_bfloat16 else queries.dtype
    # |q·k| ≤ |q||k|: when that bound is small, no row needs its maximum subtracted before exp.
    is_bounded = _max_norm(queries) * _max_norm(keys) < _MAX_EXPONENT
    queries, keys_t = queries.to(dtype), keys.to(dtype).T
    values_and_ones = torch.cat([values, values.new_ones(len(values), 1)], dim=1).to(dtype)
    out = values.new_empty(len(queries), values.shape[1])
    step = max(_MIN_BLOCK_ROWS, _BLOCK_BYTES // max(1, len(keys) * dtype.itemsize))
    for start in range(0, len(queries), step):
        weights = queries[start : start + step] @ keys_t
        if not is_bounded:
            weights.sub_(weights.amax(dim=1, keepdim=True))
        block = (weights.exp_() @ values_and_ones).to(values.dtype)
        out[start : start + step] = block[:, :-1] / block[:, -1:]
    return out


def _max_norm(rows: Tensor) -> float:
    return float(torch.linalg.vector_norm(rows, dim=1).max())
