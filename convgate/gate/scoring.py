"""The arithmetic of the full preset, in numpy.

Numbers are in rows over turns: (channels, turns). Training differentiates the same formulas in torch
(`convgate.training.full_tiers`); tests compare the two. Features of the message alone are the same for all
turns, so they are kept as one number each and enter a layer by its bias.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from convgate.embedding.base import Embeddings
from convgate.gate.arrays import Floats, Logits, logistic
from convgate.gate.features import FEATURES, PARTS, stack_features
from convgate.gate.links import LinkWindow

MIN_SHARE = 1e-3  # what is added to a share before its logarithm
MIN_LOG_SHARE = -8.0  # lower ones are raised to it
MASKED_LOGIT = -1e4  # its softmax is 0
MASKED_EVIDENCE = -10.0
MAX_SPREADS = 3.0
"""Standardised features are clipped to this: training shows nothing beyond it."""

_MESSAGE = PARTS.index("message")
_IS_MESSAGE = np.array([feature.part == "message" for feature in FEATURES])
_NAMES_OF_MESSAGE = [feature.name for feature in FEATURES if feature.part == "message"]
_NAMES_OF_TURNS = [feature.name for feature in FEATURES if feature.part != "message"]
_SELECTOR = np.array(
    [[feature.part == part for feature in FEATURES if feature.part != "message"] for part in PARTS],
    dtype=np.float32,
)


@dataclass(frozen=True, eq=False, slots=True)
class Inputs:
    """The standardised features of a message with n turns."""

    turns: Floats  # (V, n) those of pairs and turns
    message: Floats  # (M,) those of the message


class Scorer:
    """The weights of the full preset, and what is computed from them."""

    def __init__(self, weights: Mapping[str, Floats]) -> None:
        """Take the weights by their names within the tiers."""
        self._W, self._mean = weights["whitening.W"], weights["whitening.mean"]
        self.usual, self.spread = weights["standardise.usual"], weights["standardise.spread"]
        self._weight, self._bias = weights["bilinear.weight"], float(weights["bilinear.bias"])
        self._kind, self._by_kind = _Layer(weights, "bilinear.kind"), weights["bilinear.by_kind.weight"]
        is_message = np.flatnonzero(_IS_MESSAGE).tolist()
        self._pair = _Network(weights, "attention.pair", (0, 2, 4), is_message)
        self._reading = _Network(weights, "attention.reading", (0, 2), [*is_message, -1])
        self._head = _Network(weights, "attention.head", (0, 2), [-1])
        self._fresh, self._refresh, self._relink, self._value = (
            _Layer(weights, f"attention.{name}") for name in ("fresh", "refresh", "relink", "value")
        )
        self.decay = logistic(weights["attention.fading"]).astype(np.float32)  # (H,) λ

    def whiten(self, embeddings: Embeddings) -> Embeddings:
        """Return W(e − m) / |W(e − m)| of (..., d) embeddings: W evens out the directions of all texts."""
        vectors = (embeddings - self._mean) @ self._W.T
        vectors /= np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), 1e-12)
        return np.asarray(vectors)

    def standardise(self, values: Mapping[str, NDArray[Any]], n: int) -> Inputs:
        """Return the features of a message with n turns less their usual value, in units of their spread."""
        turns = stack_features(values, _NAMES_OF_TURNS, (n,))
        message = np.array([values[name].item() for name in _NAMES_OF_MESSAGE], dtype=np.float32)
        usual, spread = self.usual[:, None], self.spread[:, None]
        return Inputs(
            _standardise(turns, usual[~_IS_MESSAGE], spread[~_IS_MESSAGE]),
            _standardise(message, self.usual[_IS_MESSAGE], self.spread[_IS_MESSAGE]),
        )

    def weights(self, x: Inputs) -> Floats:
        """Return (F,) the tier-1 weights w + U tanh(V x̄ + v), x̄ the mean features of the history."""
        mean = np.zeros_like(self._weight)
        if x.turns.shape[1]:
            mean[~_IS_MESSAGE], mean[_IS_MESSAGE] = x.turns.mean(axis=1), x.message
        return np.asarray(self._weight + self._by_kind @ np.tanh(self._kind(mean)))

    def parts(self, x: Inputs) -> Logits:
        """Return (P, n) the parts of tier 1, in the order of PARTS; their sum is its logit."""
        weights = self.weights(x)
        parts: Logits = ((_SELECTOR * weights[~_IS_MESSAGE]) @ x.turns).astype(np.float64)
        parts[_MESSAGE] = float(weights[_IS_MESSAGE] @ x.message) + self._bias
        return parts

    def turn_links(self, features: Floats, is_turn: NDArray[np.bool_]) -> Floats:
        """Return (m, H, K) links of turns to the K turns before them; features (F, m, K), is_turn (m, K)."""
        x = _standardise(features.reshape(len(features), -1), self.usual[:, None], self.spread[:, None])
        outputs = self._pair(x).reshape(-1, *is_turn.shape)
        links, evidence = outputs[: len(self.decay)], outputs[len(self.decay) :]
        pooled = np.where(is_turn, evidence, MASKED_EVIDENCE).max(axis=2)
        shares, _, _ = _compute_shares(np.where(is_turn, links, MASKED_LOGIT), self._fresh(pooled))
        return np.asarray((shares * is_turn).transpose(1, 0, 2))

    def attend(self, x: Inputs, window: LinkWindow) -> Attended:
        """Return tier 2 for the newest w turns, those of the window."""
        turns = x.turns[:, x.turns.shape[1] - len(window.shares) :]
        links, evidence = self._read_pairs(turns, x.message)
        pooled = evidence.max(axis=1)
        new_logits = self._fresh(pooled)
        values = np.ones((1, len(self._value.bias) + 1, turns.shape[1]), dtype=np.float32)
        values[0, :-1] = self._value(evidence)
        earlier, later = window.contexts_of(values)
        first, log_shares = _follow_links(window, links, new_logits)
        best = links.max(axis=1, keepdims=True)
        hidden = self._read(turns, x.message, links - best, evidence, (earlier, later), first, log_shares)
        second, log_shares = _follow_links(
            window, links + self._relink(hidden), new_logits + self._refresh(pooled)
        )
        logits = np.asarray(self._score(hidden, second, log_shares), dtype=np.float64)
        return Attended(logits, values[0], (earlier, later), best, first, second)

    def attend_again(self, turns: Floats, message: Floats, attended: Attended) -> Logits:
        """Return (w,) the logits of tier 2 of turns with other features (V, w), each the only one to change.

        What a turn has from the others stays as it is; how it changes them, and they it in turn, is left out.
        """
        links, evidence = self._read_pairs(turns, message)
        change = self._value(evidence) - attended.values[:-1]
        contexts = []
        for sums in attended.contexts:
            contexts.append(sums.copy())
            contexts[-1][:, :-1] += change
        first, log_shares = attended.first.with_links(links)
        hidden = self._read(turns, message, links - attended.best, evidence, contexts, first, log_shares)
        second, log_shares = attended.second.with_links(links + self._relink(hidden))
        return np.asarray(self._score(hidden, second, log_shares), dtype=np.float64)

    def _read_pairs(self, turns: Floats, message: Floats) -> tuple[Floats, Floats]:
        """Return (H, w) logits of the message's links and (E, w) evidence."""
        outputs = self._pair(turns, message)
        return outputs[: len(self.decay)], outputs[len(self.decay) :]

    def _read(
        self,
        turns: Floats,
        message: Floats,
        below_best: Floats,
        evidence: Floats,
        contexts: Sequence[Floats],
        followed: Followed,
        log_shares: Floats,
    ) -> Floats:
        """Return (hidden, w) what the second network makes of the turns."""
        inputs = [
            turns,
            evidence,
            *((sums[:, :-1] / sums[:, -1:]).reshape(-1, turns.shape[1]) for sums in contexts),
            _log(followed.reach),
            _log(followed.step),
            np.maximum(log_shares, MIN_LOG_SHARE),
            np.maximum(below_best, MIN_LOG_SHARE),
        ]
        return _relu(self._reading(np.concatenate(inputs), np.append(message, followed.new)))

    def _score(self, hidden: Floats, followed: Followed, log_shares: Floats) -> Floats:
        """Return (w,) the head's logits."""
        inputs = [hidden, _log(followed.reach), _log(followed.step), np.maximum(log_shares, MIN_LOG_SHARE)]
        return np.asarray(self._head(np.concatenate(inputs), followed.new)[0])


@dataclass(frozen=True, eq=False, slots=True)
class Followed:
    """What the links of the message reach, each (H, w)."""

    shares: Floats  # of the message's links
    log_total: Floats  # (H, 1) of the softmax over turns and a new topic
    reach: Floats  # by any number of links
    step: Floats  # the reach of the turns one link away
    new: Floats  # (1,) mean log share of a new topic

    def with_links(self, links: Floats) -> tuple[Followed, Floats]:
        """Return it with other logits of the message's links, (H, w), and the logarithms of their shares."""
        log_shares = links - self.log_total
        shares = np.exp(log_shares)
        return replace(self, shares=shares, reach=self.reach - self.shares + shares), log_shares


@dataclass(frozen=True, eq=False, slots=True)
class Attended:
    """Tier 2 of w turns, and what it is computed from."""

    logits: Logits  # (w,)
    values: Floats  # (D + 1, w) what each turn gives the others; the last row is 1
    contexts: tuple[Floats, Floats]  # (H, D + 1, w) sums over earlier and later turns, its own among them
    best: Floats  # (H, 1) highest logit of the message's links
    first: Followed  # by the first links of the message, and by the updated ones
    second: Followed


class _Layer:
    """y = W x + b of (inputs,) or (inputs, n) numbers."""

    def __init__(self, weights: Mapping[str, Floats], name: str) -> None:
        self.weight, self.bias = weights[f"{name}.weight"], weights[f"{name}.bias"]

    def __call__(self, x: Floats) -> Floats:
        y = self.weight @ x
        y += self.bias if x.ndim == 1 else self.bias[:, None]
        return np.asarray(y)


class _Network:
    """Layers with ReLU between them; the inputs at `shared`, in this order, are the same for all turns."""

    def __init__(
        self, weights: Mapping[str, Floats], name: str, places: Sequence[int], shared: Sequence[int]
    ) -> None:
        self._first, *self._others = (_Layer(weights, f"{name}.{place}") for place in places)
        self._of_turns = np.delete(self._first.weight, shared, axis=1)
        self._of_shared = self._first.weight[:, shared]

    def __call__(self, x: Floats, shared: Floats | None = None) -> Floats:
        """Return (outputs, n) of (inputs, n) numbers, `shared` being those that are the same for all n."""
        if shared is None:
            x = self._first(x)
        else:
            x = self._of_turns @ x
            x += (self._of_shared @ shared + self._first.bias)[:, None]
        for layer in self._others:
            x = layer(_relu(x))
        return x


def _relu(x: Floats) -> Floats:
    return np.maximum(x, 0, out=x)


def _standardise(x: Floats, usual: Floats, spread: Floats) -> Floats:
    """Return the features in units of their spread, computed in place: copying them takes as long."""
    x -= usual
    x /= spread
    return np.clip(x, -MAX_SPREADS, MAX_SPREADS, out=x)


def _compute_shares(links: Floats, new_logits: Floats) -> tuple[Floats, Floats, Floats]:
    """Return shares (..., n) by a softmax over turns and a new topic, their logarithms, and the topic's."""
    max_logit = np.maximum(links.max(axis=-1), new_logits)
    exp_links, exp_new = np.exp(links - max_logit[..., None]), np.exp(new_logits - max_logit)
    total = exp_links.sum(axis=-1) + exp_new
    log_total = max_logit + np.log(total)
    return exp_links / total[..., None], links - log_total[..., None], new_logits - log_total


def _follow_links(window: LinkWindow, links: Floats, new_logits: Floats) -> tuple[Followed, Floats]:
    """Return what the message's links, (H, w) logits, reach, and the logarithms of their shares."""
    shares, log_shares, new = _compute_shares(links, new_logits)
    reach = window.reach(shares[:, None])[:, 0]
    log_total = (links - log_shares)[:, :1]
    return Followed(shares, log_total, reach, window.step(reach), new.mean(keepdims=True)), log_shares


def _log(shares: Floats) -> Floats:
    return np.log(np.maximum(shares, 0) + np.float32(MIN_SHARE))
