"""Scoring one message by the full preset, in numpy.

It is a hundred operations on a few hundred rows, for which torch's dispatch costs a third on top of the work.
The formulas are those of the tiers' `forward`, which training differentiates; tests compare the two.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from torch import Tensor, nn

from convgate.gate.arrays import Floats, Logits
from convgate.gate.columns import Columns
from convgate.gate.facts import TurnFacts
from convgate.gate.feature_tier import PART_OF, FeatureTier
from convgate.gate.features import PARTS, Passages, message_features
from convgate.gate.links import Band
from convgate.gate.normalise import MAX_SPREADS, Standardise, Whitening
from convgate.gate.thread_tier import MIN_LOG_SHARE, MIN_SHARE, ThreadTier

Layer = Callable[[Floats], Floats]

_MESSAGE = PARTS.index("message")


class Scorer:
    """The weights of both tiers as arrays; they share memory with the modules."""

    def __init__(
        self, whitening: Whitening, standardise: Standardise, tier1: FeatureTier, tier2: ThreadTier
    ) -> None:
        self._W, self._mean = _array(whitening.W), _array(whitening.mean)
        self._usual, self._spread = _array(standardise.usual), _array(standardise.spread)
        self._weight, self._bias = _array(tier1.weight), _array(tier1.bias)
        self._kind, self._by_kind = _layer(tier1.kind), _layer(tier1.by_kind)
        self._heads = tier2.heads
        self._pair, self._reading, self._head = (
            _network(network) for network in (tier2.pair, tier2.reading, tier2.head)
        )
        self._fresh, self._refresh, self._relink, self._value = (
            _layer(layer) for layer in (tier2.fresh, tier2.refresh, tier2.relink, tier2.value)
        )

    def standardise(
        self,
        columns: Columns,
        vectors: Floats,
        passages: Passages,
        n: int,
        fact: TurnFacts,
        embedding: Floats,
    ) -> Floats:
        """Return (n, F) standardised features of a message with the first n turns."""
        vector = self._W @ (embedding - self._mean)
        vector /= max(float(np.linalg.norm(vector)), 1e-12)
        features = message_features(columns, vectors, passages, fact, vector, n)
        features -= self._usual  # in place: a copy of all turns takes as long as the rest
        features /= self._spread
        return np.clip(features, -MAX_SPREADS, MAX_SPREADS, out=features)

    def weights(self, x: Floats) -> Floats:
        """Return (F,) the tier-1 weights for a message with (n, F) standardised features."""
        mean = x.mean(axis=0) if len(x) else np.zeros_like(self._weight)
        return self._weight + self._by_kind(np.tanh(self._kind(mean)))

    def parts(self, x: Floats) -> Logits:
        """Return (P, n) the parts of tier 1, in the order of PARTS; their sum is its logit."""
        selector = np.zeros((x.shape[1], len(PARTS)), dtype=np.float32)
        selector[np.arange(len(PART_OF)), PART_OF] = self.weights(x)
        parts = (x @ selector).T.astype(np.float64)
        parts[_MESSAGE] += self._bias
        return parts

    def attention(
        self, x: Floats, bands: Sequence[Band], contexts: Sequence[Band], earlier: Floats, later: Floats
    ) -> Logits:
        """Return (w,) the logits of tier 2.

        x: (w, F). bands, contexts: I − A and I − λA of each head. earlier, later: (H, w) the total weight
        of the context of each turn, from earlier and from later turns.
        """
        x = np.ascontiguousarray(x)
        outputs = self._pair(x)
        links, evidence = outputs[:, : self._heads], outputs[:, self._heads :]
        pooled = evidence.max(axis=0)
        new_logits = self._fresh(pooled)
        shares, log_shares, new = _compute_shares(links, new_logits)
        values = np.asfortranarray(self._value(evidence))
        inputs = [
            x,
            evidence,
            *(band.gather(values) / total[:, None] for band, total in zip(contexts, earlier, strict=True)),
            *(band.follow(values) / total[:, None] for band, total in zip(contexts, later, strict=True)),
            _log(_reach(bands, shares)),
            np.maximum(log_shares, MIN_LOG_SHARE),
            np.maximum(links - links.max(axis=0), MIN_LOG_SHARE),
            _broadcast_mean(new, len(x)),
        ]
        hidden = self._reading(np.concatenate(inputs, axis=1))
        links, new_logits = links + self._relink(hidden), new_logits + self._refresh(pooled)
        shares, log_shares, new = _compute_shares(links, new_logits)
        log_shares = np.maximum(log_shares, MIN_LOG_SHARE)
        inputs = [hidden, _log(_reach(bands, shares)), log_shares, _broadcast_mean(new, len(x))]
        return np.asarray(self._head(np.concatenate(inputs, axis=1))[:, 0], dtype=np.float64)


def _array(tensor: Tensor) -> Floats:
    return np.asarray(tensor.detach().numpy())


def _layer(linear: nn.Linear, *, relu: bool = False) -> Layer:
    weight = _array(linear.weight).T
    bias = None if linear.bias is None else _array(linear.bias)

    def apply(x: Floats) -> Floats:
        y = x @ weight
        if bias is not None:
            y += bias
        return np.maximum(y, 0, out=y) if relu else y

    return apply


def _network(modules: nn.Sequential) -> Layer:
    is_relu = [isinstance(module, nn.ReLU) for module in modules]
    layers = [
        _layer(module, relu=before_relu)
        for module, before_relu in zip(modules, [*is_relu[1:], False], strict=True)
        if isinstance(module, nn.Linear)
    ]

    def apply(x: Floats) -> Floats:
        for layer in layers:
            x = layer(x)
        return x

    return apply


def _compute_shares(links: Floats, new_logits: Floats) -> tuple[Floats, Floats, Floats]:
    """Return the shares (w, H) of one message, their logarithms, and that of a new topic (H,)."""
    max_logit = np.maximum(links.max(axis=0), new_logits)
    exp_links, exp_new = np.exp(links - max_logit), np.exp(new_logits - max_logit)
    total = exp_links.sum(axis=0) + exp_new
    log_total = max_logit + np.log(total)
    return exp_links / total, links - log_total, new_logits - log_total


def _reach(bands: Sequence[Band], shares: Floats) -> Floats:
    """Return (w, 2H) what following links reaches by each head, and each turn's sum of it by one link."""
    reach = [band.follow(shares[:, head, None]) for head, band in enumerate(bands)]
    return np.concatenate([*reach, *map(Band.step, bands, reach)], axis=1)


def _log(shares: Floats) -> Floats:
    return np.log(np.maximum(shares, 0) + np.float32(MIN_SHARE))


def _broadcast_mean(new: Floats, count: int) -> Floats:
    return np.full((count, 1), new.mean(), dtype=np.float32)
