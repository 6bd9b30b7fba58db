"""Tier 2: turns look at each other, then at the current message."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from convgate.embedding.precision import has_fast_bfloat16

_BLOCK_BYTES = 4 << 20  # a block of attention weights; larger ones leave the processor's cache
_BLOCK_ROWS = 64  # at least, so that a block is worth a matrix product
_BFLOAT16_FROM = 512  # keys; below it there is nothing to gain
_EXPONENT_LIMIT = 60.0  # exp of it, summed over any number of turns, is far from overflowing


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
    h_i = x_i + Σ_j softmax_j(q_i·k_j / √h) v_j      self-attention: a question pulls in its answer
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
        """(B, n) logits; masked rows hold values without meaning, an all-masked row is finite.

        turns: (B, n, d); tier1: (B, n) logits; current: (B, d); mask: (B, n), True where a turn is.
        """
        x = self.turn_projection(torch.cat([turns, tier1.unsqueeze(-1)], dim=-1))
        layer = self.self_attention
        seen = mask[:, None, :] | torch.eye(mask.shape[1], dtype=torch.bool, device=mask.device)
        mixed = F.scaled_dot_product_attention(
            layer.query(x), layer.key(x), layer.value(x), attn_mask=seen, scale=self.scale
        )
        h = x + mixed
        key, value = self._current_key_value(current)
        attention = torch.sigmoid(
            (self.cross_attention.query(h) @ key.unsqueeze(-1)) * self.scale
        )  # (B, n, 1)
        logits: Tensor = self.head(h + attention * value.unsqueeze(-2)).squeeze(-1)
        return logits

    def project(self, turns: Tensor) -> Tensor:
        """(n, 4h) scaled queries, keys, values and features of (n, d) turns whose tier-1 logit is 0.

        All four are linear in [e_i ; tier1_i], so what `project` gives is kept between messages, and a
        message adds tier1_i · `_direction()` to it.
        """
        weight, bias = self.turn_projection.weight[:, :-1], self.turn_projection.bias
        x, layer = F.linear(turns, weight, bias), self.self_attention
        return torch.cat([layer.query(x) * self.scale, layer.key(x), layer.value(x), x], dim=1)

    def score(self, projected: Tensor, tier1: Tensor, current: Tensor) -> Tensor:
        """(n,) the logits of `forward` for one conversation, without ever holding an n × n matrix.

        The head and the second step read two numbers of each h_i, both linear in it; so the values that the
        self-attention averages shrink from h numbers to two, and the matrix is consumed block by block.
        projected: (n, 4h) from `project`; tier1: (n,); current: (d,).
        """
        cross, half = self.cross_attention, projected.shape[1] // 2
        direction, (key, value) = self._direction(), self._current_key_value(current)
        readers = torch.stack([self.head.weight[0], cross.query.weight.T @ key * self.scale])  # (2, h)
        queries, keys = torch.addr(projected[:, :half], tier1, direction[:half]).chunk(2, dim=1)
        # (4, 2h): the two numbers of the values, then those of the features
        blocks = torch.kron(torch.eye(2, device=readers.device), readers)  # block-diagonal
        read = torch.addr(projected[:, half:] @ blocks.T, tier1, blocks @ direction[half:])
        mixed = read[:, 2:] + attend(queries, keys, read[:, :2])
        attention = torch.sigmoid(mixed[:, 1] + (cross.query.bias @ key) * self.scale)
        logits: Tensor = mixed[:, 0] + attention * (self.head.weight[0] @ value) + self.head.bias
        return logits

    def links(self, projected: Tensor, tier1: Tensor, rows: Tensor) -> Tensor:
        """(len(rows), n) how much each of the given turns attends to every turn; rows sum to 1."""
        half = projected.shape[1] // 2
        queries, keys = torch.addr(projected[:, :half], tier1, self._direction()[:half]).chunk(2, dim=1)
        return torch.softmax(queries[rows] @ keys.T, dim=-1)

    def _direction(self) -> Tensor:
        """(4h,) what one unit of tier-1 logit adds to a row of `project`."""
        x, layer = self.turn_projection.weight[:, -1], self.self_attention
        weights = (layer.query.weight * self.scale, layer.key.weight, layer.value.weight)
        return torch.cat([*(weight @ x for weight in weights), x])

    def _current_key_value(self, current: Tensor) -> tuple[Tensor, Tensor]:
        s = self.situation_projection(current)
        return self.cross_attention.key(s), self.cross_attention.value(s)


def attend(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    """(n, m) softmax(queries · keysᵀ) · values, one block of queries after the other.

    queries: (n, h), already scaled; keys: (k, h); values: (k, m). From 512 keys on, and where the processor
    multiplies bfloat16 in hardware, the weights are computed in bfloat16: a relative error of at most 2⁻⁸
    for each weight, averaged out over the sum.
    """
    reduced = len(keys) >= _BFLOAT16_FROM and has_fast_bfloat16()
    dtype = torch.bfloat16 if reduced else queries.dtype
    # |q·k| ≤ |q||k|: when that bound is small, no row needs its maximum subtracted before exp.
    bounded = _longest(queries) * _longest(keys) < _EXPONENT_LIMIT
    queries, keys_t = queries.to(dtype), keys.to(dtype).T
    weighted = torch.cat([values, values.new_ones(len(values), 1)], dim=1).to(dtype)
    out = values.new_empty(len(queries), values.shape[1])
    step = max(_BLOCK_ROWS, _BLOCK_BYTES // max(1, len(keys) * dtype.itemsize))
    for start in range(0, len(queries), step):
        weights = queries[start : start + step] @ keys_t
        if not bounded:
            weights.sub_(weights.amax(dim=1, keepdim=True))
        block = (weights.exp_() @ weighted).to(values.dtype)
        out[start : start + step] = block[:, :-1] / block[:, -1:]
    return out


def _longest(rows: Tensor) -> float:
    return float(torch.linalg.vector_norm(rows, dim=1).max())
