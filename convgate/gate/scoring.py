"""Scoring one message by the full preset, in numpy.

It is a hundred operations on a few hundred rows, for which torch's dispatch costs a third on top of the work.
The formulas are those of the tiers' `forward`, which training differentiates; tests hold the two together.
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
from convgate.gate.thread_tier import FLOOR, MIN_SHARE, ThreadTier

Layer = Callable[[Floats], Floats]

_MESSAGE = PARTS.index("message")


class Scorer:
    """The weights of both tiers as arrays; they share memory with the modules, and change as these do."""

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

    def standard(
        self,
        columns: Columns,
        vectors: Floats,
        passages: Passages,
        n: int,
        fact: TurnFacts,
        embedding: Floats,
    ) -> Floats:
        """(n, F) standardised features of a message with the first n turns."""
        vector = self._W @ (embedding - self._mean)
        vector /= max(float(np.linalg.norm(vector)), 1e-12)
        features = message_features(columns, vectors, passages, fact, vector, n)
        features -= self._usual  # in place: a copy of all turns takes as long as the rest
        features /= self._spread
        return np.clip(features, -MAX_SPREADS, MAX_SPREADS, out=features)

    def weights(self, x: Floats) -> Floats:
        """(F,) what each of the (n, F) standardised features counts in tier 1."""
        mean = x.mean(axis=0) if len(x) else np.zeros_like(self._weight)
        return self._weight + self._by_kind(np.tanh(self._kind(mean)))

    def parts(self, x: Floats) -> Logits:
        """(P, n) the parts of tier 1, in the order of PARTS; their sum is its logit."""
        selector = np.zeros((x.shape[1], len(PARTS)), dtype=np.float32)
        selector[np.arange(len(PART_OF)), PART_OF] = self.weights(x)
        parts = (x @ selector).T.astype(np.float64)
        parts[_MESSAGE] += self._bias
        return parts

    def attention(
        self, x: Floats, bands: Sequence[Band], contexts: Sequence[Band], above: Floats, below: Floats
    ) -> Logits:
        """(w,) the logits of tier 2.

        x: (w, F). bands, contexts: I − A and I − λA of each head. above, below: (H, w) how much context each
        turn has.
        """
        x = np.ascontiguousarray(x)
        outputs = self._pair(x)
        links, evidence = outputs[:, : self._heads], outputs[:, self._heads :]
        best = evidence.max(axis=0)
        fresh = self._fresh(best)
        share, log, new = _shares(links, fresh)
        values = np.asfortranarray(self._value(evidence))
        seen = [
            x,
            evidence,
            *(band.gather(values) / weight[:, None] for band, weight in zip(contexts, above, strict=True)),
            *(band.follow(values) / weight[:, None] for band, weight in zip(contexts, below, strict=True)),
            _log(_reached(bands, share)),
            np.maximum(log, FLOOR),
            np.maximum(links - links.max(axis=0), FLOOR),
            _broadcast_mean(new, len(x)),
        ]
        read = self._reading(np.concatenate(seen, axis=1))
        share, log, new = _shares(links + self._relink(read), fresh + self._refresh(best))
        seen = [read, _log(_reached(bands, share)), np.maximum(log, FLOOR), _broadcast_mean(new, len(x))]
        return np.asarray(self._head(np.concatenate(seen, axis=1))[:, 0], dtype=np.float64)


def _array(tensor: Tensor) -> Floats:
    return np.asarray(tensor.detach().numpy())


def _layer(linear: nn.Linear, *, rectified: bool = False) -> Layer:
    weight = _array(linear.weight).T
    bias = None if linear.bias is None else _array(linear.bias)

    def apply(x: Floats) -> Floats:
        y = x @ weight
        if bias is not None:
            y += bias
        return np.maximum(y, 0, out=y) if rectified else y

    return apply


def _network(modules: nn.Sequential) -> Layer:
    rectified = [isinstance(module, nn.ReLU) for module in modules]
    layers = [
        _layer(module, rectified=after)
        for module, after in zip(modules, [*rectified[1:], False], strict=True)
        if isinstance(module, nn.Linear)
    ]

    def apply(x: Floats) -> Floats:
        for layer in layers:
            x = layer(x)
        return x

    return apply


def _shares(links: Floats, fresh: Floats) -> tuple[Floats, Floats, Floats]:
    """`links.shares` for one message: the shares (w, H), their logarithms, and that of something new (H,)."""
    most = np.maximum(links.max(axis=0), fresh)
    powers, new = np.exp(links - most), np.exp(fresh - most)
    total = powers.sum(axis=0) + new
    less = most + np.log(total)
    return powers / total, links - less, fresh - less


def _reached(bands: Sequence[Band], share: Floats) -> Floats:
    """(w, 2H) what following links reaches by each head, and what each turn sees of it one link away."""
    reach = [band.follow(share[:, head, None]) for head, band in enumerate(bands)]
    return np.concatenate([*reach, *map(Band.one_step, bands, reach)], axis=1)


def _log(share: Floats) -> Floats:
    return np.log(np.maximum(share, 0) + np.float32(MIN_SHARE))


def _broadcast_mean(new: Floats, count: int) -> Floats:
    return np.full((count, 1), new.mean(), dtype=np.float32)
