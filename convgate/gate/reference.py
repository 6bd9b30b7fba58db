"""The reference preset: a bilinear form, then self-attention over all turns."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from convgate.embedding.base import Embeddings
from convgate.gate.arrays import Floats, Logits, logistic
from convgate.gate.config import GateConfig
from convgate.gate.facts import TurnFacts

_BLOCK_BYTES = 1 << 20  # a block of attention weights; larger ones leave the processor's cache
_MIN_BLOCK_ROWS = 64  # at least, so that a block is worth a matrix product
_MAX_EXPONENT = 60.0  # exp of it, summed over any number of turns, is far from overflowing


class ReferenceTiers:
    """Tier 1, a bilinear form with recency and decay, and tier 2, attention.

    logit_i = sᵀ W e_i + w·p_i − (1 − exp(−softplus(ρ)·a_i))    tier 1, p_i = i / (n − 1), a_i = 1 − p_i
    x_i = P [e_i ; tier1_i]                                     turn projection, d + 1 → h
    h_i = x_i + Σ_j softmax_j(q_i·k_j / √h) v_j                 self-attention
    a_i = σ(q'(h_i)·k'(Ss) / √h)                                how much turn i attends to the current message
    logit_i = head(h_i + a_i v'(Ss))                            tier 2
    """

    def __init__(self, config: GateConfig, weights: Mapping[str, Floats]) -> None:
        """Take the weights by their names within the tiers."""
        self._W = weights["bilinear.W"]
        self._recency, rate = float(weights["bilinear.recency"]), float(weights["bilinear.decay_rate"])
        self._decay_rate = float(np.logaddexp(0, rate))
        self.activation = float(logistic(weights["attention.residual_gate"]))  # g, the share of tier 2, 0…1
        layers = {name.removeprefix("attention."): array for name, array in weights.items()}
        self._layers, self._scale = layers, 1 / math.sqrt(config.hidden)
        # All four are linear in x_i: scaled queries, keys, values and x_i itself.
        names = [f"self_attention.{name}" for name in ("query", "key", "value")]
        scales = (self._scale, 1, 1)
        weight = np.concatenate(
            [layers[f"{name}.weight"] * np.float32(scale) for name, scale in zip(names, scales, strict=True)]
            + [np.eye(config.hidden, dtype=np.float32)]
        )
        bias = np.concatenate(
            [layers[f"{name}.bias"] * np.float32(scale) for name, scale in zip(names, scales, strict=True)]
            + [np.zeros(config.hidden, dtype=np.float32)]
        )
        projection = weight @ layers["turn_projection.weight"]
        self._of_turn = np.ascontiguousarray(projection[:, :-1].T)  # (d, 4h)
        self._of_tier1 = np.ascontiguousarray(projection[:, -1])  # (4h,) what one unit of tier 1 adds
        self._bias = weight @ layers["turn_projection.bias"] + bias

    def state(
        self, embeddings: Embeddings, facts: Sequence[TurnFacts], passages: Sequence[Embeddings]
    ) -> TurnState:
        """Return the state of turns with (n, d) embeddings."""
        return TurnState(self, embeddings, embeddings @ self._of_turn + self._bias)

    def parts(self, turns: Embeddings, current: Embeddings) -> dict[str, Floats]:
        """Return the parts of tier 1, each (n,); turns: (n, d), current: (d,)."""
        position = positions(len(turns))
        return {
            "semantic": turns @ (current @ self._W),  # sᵀ W first: one row instead of n
            "recency": self._recency * position,
            "decay": np.expm1(-self._decay_rate * (1 - position)),
        }

    def attention(self, projected: Floats, tier1: Floats, current: Embeddings) -> Logits:
        """Return (n,) the logits of tier 2, without holding an n × n matrix.

        The head and the second step use two linear projections of each h_i; so the self-attention averages
        two numbers per turn instead of h, and its matrix is computed block by block. The second step attends
        to the message alone, so its key competes with a zero key, which gives the logistic function.
        projected: (n, 4h); tier1: (n,); current: (d,).
        """
        s, head = self._linear("situation_projection", current), self._layers["head.weight"][0]
        key, value = (self._linear(f"cross_attention.{name}", s) for name in ("key", "value"))
        query = self._layers["cross_attention.query.weight"].T @ key * np.float32(self._scale)
        readout = np.stack([head, query], axis=1)  # (h, 2)
        hidden = len(readout)
        rest, added = projected[:, 2 * hidden :], self._of_tier1[2 * hidden :]
        values, features = (
            rest[:, part] @ readout + np.outer(tier1, added[part] @ readout)
            for part in (slice(hidden), slice(hidden, None))
        )
        h = features + attend(*self._queries_keys(projected, tier1), values)
        bias = float(self._layers["cross_attention.query.bias"] @ key) * self._scale
        attention = logistic(h[:, 1].astype(np.float64) + bias)
        logits: Logits = h[:, 0] + attention * float(head @ value) + float(self._layers["head.bias"][0])
        return logits

    def links(self, projected: Floats, tier1: Floats, rows: Sequence[int]) -> Floats:
        """Return (len(rows), n) the attention weights of the given turns; rows sum to 1."""
        queries, keys = self._queries_keys(projected, tier1)
        logits = queries[list(rows)] @ keys.T
        weights = np.exp(logits - logits.max(axis=1, keepdims=True, initial=-np.inf))
        return np.asarray(weights / weights.sum(axis=1, keepdims=True))

    def _queries_keys(self, projected: Floats, tier1: Floats) -> tuple[Floats, Floats]:
        hidden = projected.shape[1] // 4
        both = projected[:, : 2 * hidden] + np.outer(tier1, self._of_tier1[: 2 * hidden])
        return both[:, :hidden], both[:, hidden:]

    def _linear(self, name: str, x: Floats) -> Floats:
        return np.asarray(self._layers[f"{name}.weight"] @ x + self._layers[f"{name}.bias"])


@dataclass(frozen=True, eq=False, slots=True)
class TurnState:
    """The turns of a conversation, and what does not depend on the message."""

    tiers: ReferenceTiers = field(repr=False)
    embeddings: Embeddings  # (n, d) as the encoder gave them
    projected: Floats  # (n, 4h) scaled queries, keys, values and features of turns whose tier-1 logit is 0

    def __len__(self) -> int:
        return len(self.embeddings)

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
        return TurnState(self.tiers, self.embeddings[:n], self.projected[:n])

    def extend(
        self, embeddings: Embeddings, facts: Sequence[TurnFacts], passages: Sequence[Embeddings]
    ) -> TurnState:
        """Return the state with (m, d) newer turns added."""
        new = self.tiers.state(embeddings, facts, passages)
        all_embeddings = np.concatenate([self.embeddings, embeddings])
        return TurnState(self.tiers, all_embeddings, np.concatenate([self.projected, new.projected]))

    def score(self, embedding: Embeddings, facts: TurnFacts | None) -> tuple[dict[str, Logits], Logits]:
        """Return the parts of tier 1, each (n,), and the logits of tier 2, (n,) or none of a single turn."""
        parts = self.tiers.parts(self.embeddings, embedding)
        arrays: dict[str, Logits] = {name: part.astype(np.float64) for name, part in parts.items()}
        if len(self) < 2:
            return arrays, np.zeros(0)
        tier1 = np.sum(list(parts.values()), axis=0)
        return arrays, self.tiers.attention(self.projected, tier1, embedding)

    def links(self, tier1: Logits, rows: Sequence[int]) -> Floats:
        """Return (len(rows), n) the attention of the given turns."""
        return self.tiers.links(self.projected, tier1.astype(np.float32), rows)

    def semantic(self, embeddings: Embeddings, embedding: Embeddings, facts: TurnFacts | None) -> Logits:
        """Return (m,) sᵀ W e of each (m, d) embedding."""
        return self.tiers.parts(embeddings, embedding)["semantic"].astype(np.float64)


def positions(n: int) -> Floats:
    """Return (n,) the position of each turn from 0 (oldest) to 1 (newest); a single turn has 1.

    >>> positions(3).tolist(), positions(1).tolist()
    ([0.0, 0.5, 1.0], [1.0])
    """
    return np.linspace(0, 1, n, dtype=np.float32) if n > 1 else np.ones(n, dtype=np.float32)


def attend(queries: Floats, keys: Floats, values: Floats) -> Floats:
    """Return (n, m) softmax(queries · keysᵀ) · values, computed in blocks of queries.

    queries: (n, h), already scaled; keys: (k, h); values: (k, m).
    """
    # |q·k| ≤ |q||k|: when that bound is small, no row needs its maximum subtracted before exp.
    is_bounded = _max_norm(queries) * _max_norm(keys) < _MAX_EXPONENT
    values_and_ones = np.concatenate([values, np.ones_like(values[:, :1])], axis=1)
    out = np.empty((len(queries), values.shape[1]), dtype=np.float32)
    step = max(_MIN_BLOCK_ROWS, _BLOCK_BYTES // max(1, keys[:, 0].size * keys.itemsize))
    for start in range(0, len(queries), step):
        weights = queries[start : start + step] @ keys.T
        if not is_bounded:
            weights -= weights.max(axis=1, keepdims=True)
        block = np.exp(weights, out=weights) @ values_and_ones
        out[start : start + step] = block[:, :-1] / block[:, -1:]
    return out


def _max_norm(rows: Floats) -> float:
    return float(np.sqrt(np.einsum("ij,ij->i", rows, rows).max()))
