"""The full preset: the state of a conversation that is kept between messages, and scoring on it."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from convgate.core.errors import GateError
from convgate.embedding.base import Embeddings
from convgate.embedding.chunks import unit_rows
from convgate.gate.arrays import Floats, Logits, logistic
from convgate.gate.columns import Columns, GrowableArray
from convgate.gate.config import GateConfig
from convgate.gate.facts import TurnFacts
from convgate.gate.features import PARTS, Passages, message_values, turn_features
from convgate.gate.links import Links, LinkWindow
from convgate.gate.scoring import MAX_SPREADS, Inputs, Scorer

_BLOCK = 256  # turns whose links are computed at a time


class FullTiers:
    """Tier 1, a weighted sum of features, and tier 2, which follows links between turns.

    Tier 2 scores the newest turns, as many as the config's window has, tier 1 all others.
    """

    def __init__(self, config: GateConfig, weights: Mapping[str, Floats]) -> None:
        """Take the weights by their names within the tiers."""
        self.config, self.scorer = config, Scorer(weights)
        self.activation = float(logistic(weights["residual_gate"]))  # g, the share of tier 2, 0…1

    def state(
        self, embeddings: Embeddings, facts: Sequence[TurnFacts], passages: Sequence[Embeddings]
    ) -> ThreadState:
        """Return the state of turns with (n, d) embeddings; GateError when their numbers differ."""
        return _TurnArrays(self).grow(embeddings, facts, passages)


class _TurnArrays:
    """The arrays of a conversation, growing turn by turn."""

    def __init__(self, tiers: FullTiers) -> None:
        config = tiers.config
        self.tiers = tiers
        self.lock = threading.Lock()
        self.columns = Columns()
        self.embeddings = GrowableArray(np.float32, config.dimension)
        self.vectors = GrowableArray(np.float32, config.dimension)  # whitened
        self.passages = Passages(config.dimension)  # whitened
        self.raw_passages: list[Embeddings] = []  # as the encoder gave them
        self.links = Links(tiers.scorer.decay, config.band)

    def grow(
        self, embeddings: Embeddings, facts: Sequence[TurnFacts], passages: Sequence[Embeddings]
    ) -> ThreadState:
        """Return the state with newer turns; GateError when their numbers differ."""
        if not len(embeddings) == len(facts) == len(passages):
            counts = f"{len(embeddings)} embeddings and the passages of {len(passages)}"
            raise GateError(f"{counts} are given for {len(facts)} turns")
        self._add(embeddings, facts, passages)
        return ThreadState(self, len(self.columns))

    def _add(
        self, embeddings: Embeddings, facts: Sequence[TurnFacts], passages: Sequence[Embeddings]
    ) -> None:
        scorer, band = self.tiers.scorer, self.tiers.config.band
        start = len(self.columns)
        self.embeddings.extend(embeddings)
        self.vectors.extend(scorer.whiten(embeddings))
        self.raw_passages.extend(passages)
        for turn, vectors in enumerate(passages, start):
            if len(vectors) > 1:
                self.passages.append(turn, scorer.whiten(unit_rows(vectors)))
        for fact in facts:
            self.columns.append(fact)
        stop = len(self.columns)
        for first in range(start, stop, _BLOCK):
            last = min(first + _BLOCK, stop)
            vectors = self.vectors.first(stop)
            features = turn_features(self.columns, vectors, self.passages, first, last, width=band)
            is_turn = np.arange(first, last)[:, None] >= np.arange(band, 0, -1)
            for shares in scorer.turn_links(features, is_turn):
                self.links.append(shares)


@dataclass(frozen=True, eq=False, slots=True)
class ThreadState:
    """The first n turns of a conversation."""

    arrays: _TurnArrays = field(repr=False)
    n: int

    def __len__(self) -> int:
        return self.n

    @property
    def embeddings(self) -> Embeddings:
        """(n, d) as the encoder gave them."""
        return self.arrays.embeddings.first(self.n)

    @property
    def facts(self) -> Sequence[TurnFacts]:
        """The facts of the turns."""
        return self.arrays.columns.facts[: self.n]

    @property
    def passages(self) -> Sequence[Embeddings]:
        """The (p, d) vectors of each turn's passages, as the encoder gave them."""
        return self.arrays.raw_passages[: self.n]

    def first(self, n: int) -> ThreadState:
        """Return the state of the first n of its turns."""
        return ThreadState(self.arrays, n)

    def extend(
        self, embeddings: Embeddings, facts: Sequence[TurnFacts], passages: Sequence[Embeddings]
    ) -> ThreadState:
        """Return the state with newer turns added; only these are computed."""
        with self.arrays.lock:
            # After an interrupted extension the lengths differ, and the state is computed anew.
            if len(self.arrays.embeddings) == len(self.arrays.columns) == self.n:
                return self.arrays.grow(embeddings, facts, passages)
        all_embeddings = np.concatenate([self.embeddings, embeddings])  # other turns were added before
        return self.arrays.tiers.state(all_embeddings, [*self.facts, *facts], [*self.passages, *passages])

    def score(self, embedding: Embeddings, facts: TurnFacts | None) -> tuple[dict[str, Logits], Logits]:
        """Return the parts of tier 1, each (n,), and the logits of tier 2 for the newest w turns (w,)."""
        if not self.n:
            return {part: np.zeros(0) for part in PARTS}, np.zeros(0)
        scorer = self.arrays.tiers.scorer
        x = self.inputs(embedding, facts)
        return dict(zip(PARTS, scorer.parts(x), strict=True)), scorer.attend(x, self.window).logits

    def links(self, tier1: Logits, rows: Sequence[int]) -> Floats:
        """Return (len(rows), n) the links of the given turns, averaged over heads; none before the window."""
        links = np.zeros((len(rows), self.n), dtype=np.float32)
        shares, band = self.arrays.links.shares.first(self.n), self.arrays.tiers.config.band
        for place, row in enumerate(rows):
            start = max(self._oldest, row - band)
            links[place, start:row] = shares[row].mean(axis=0)[band - row + start :]
        return links

    def semantic(self, embeddings: Embeddings, embedding: Embeddings, facts: TurnFacts | None) -> Logits:
        """Return (m,) the part of the tier-1 logit that each (m, d) embedding has by its cosine."""
        scorer = self.arrays.tiers.scorer
        weight = scorer.weights(self.inputs(embedding, facts))[0]
        cosines = (scorer.whiten(embeddings) @ scorer.whiten(embedding)).astype(np.float64)
        features = (cosines - float(scorer.usual[0])) / float(scorer.spread[0])
        return float(weight) * np.clip(features, -MAX_SPREADS, MAX_SPREADS)

    @property
    def window(self) -> LinkWindow:
        """The links among the newest turns, which tier 2 scores."""
        return self.arrays.links.window(self._oldest, self.n)

    def inputs(self, embedding: Embeddings, facts: TurnFacts | None) -> Inputs:
        """Return the standardised features of a message; GateError without its facts."""
        if facts is None:
            raise GateError("a gate of the full preset needs the facts of the message")
        arrays, scorer = self.arrays, self.arrays.tiers.scorer
        vectors, vector = arrays.vectors.first(self.n), scorer.whiten(embedding)
        values = message_values(arrays.columns, vectors, arrays.passages, facts, vector, self.n)
        return scorer.standardise(values, self.n)

    @property
    def _oldest(self) -> int:
        return max(0, self.n - self.arrays.tiers.config.window)
