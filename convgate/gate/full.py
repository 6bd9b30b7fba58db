"""The tiers of the full preset, and the state of a conversation that is kept between messages."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import torch
from torch import Tensor, nn

from convgate.core.errors import GateError
from convgate.embedding.base import Embeddings
from convgate.embedding.chunks import unit_rows
from convgate.gate.arrays import Floats, Logits
from convgate.gate.columns import Columns, GrowableArray
from convgate.gate.config import GateConfig
from convgate.gate.facts import TurnFacts
from convgate.gate.feature_tier import FeatureTier
from convgate.gate.features import FEATURES, PARTS, Passages, turn_features
from convgate.gate.links import Band
from convgate.gate.normalise import MAX_SPREADS, Standardise, Whitening
from convgate.gate.one_thread import one_thread
from convgate.gate.scoring import Scorer
from convgate.gate.thread_tier import Threads, ThreadTier

_KINDS = 6  # width of the embedding of a message's kind
_BLOCK = 256  # turns whose links are computed at a time


class _TurnArrays:
    """The arrays of a conversation, growing turn by turn."""

    def __init__(self, tiers: FullTiers) -> None:
        config = tiers.config
        self.tiers = tiers
        self.scorer = Scorer(tiers.whitening, tiers.standardise, tiers.bilinear, tiers.attention)
        self.lock = threading.Lock()
        self.columns = Columns()
        self.embeddings = GrowableArray(np.float32, config.dimension)
        self.vectors = GrowableArray(np.float32, config.dimension)  # whitened
        self.passages = Passages(config.dimension)  # whitened
        self.raw_passages: list[Embeddings] = []  # as the encoder gave them
        # I − A and I − λA of each head, by columns
        self.bands = [GrowableArray(np.float32, config.band + 1) for _ in range(config.heads)]
        self.contexts = [GrowableArray(np.float32, config.band + 1) for _ in range(config.heads)]

    def grow(
        self, embeddings: Embeddings, facts: Sequence[TurnFacts], passages: Sequence[Embeddings]
    ) -> ThreadState:
        """Return the state with newer turns; GateError when their numbers differ."""
        if not len(embeddings) == len(facts) == len(passages):
            counts = f"{len(embeddings)} embeddings and the passages of {len(passages)}"
            raise GateError(f"{counts} are given for {len(facts)} turns")
        with one_thread():
            self._add(embeddings, facts, passages)
        return self.first(len(self.columns))

    def first(self, n: int) -> ThreadState:
        """Return the state of the first n turns."""
        start = max(0, n - self.tiers.config.window)
        bands, contexts = (
            tuple(Band(columns.first(n)[start:], n - start) for columns in heads)
            for heads in (self.bands, self.contexts)
        )
        ones = np.ones((n - start, 1), dtype=np.float32)
        earlier = np.stack([context.gather(ones)[:, 0] for context in contexts])
        later = np.stack([context.follow(ones)[:, 0] for context in contexts])
        return ThreadState(self, n, bands, contexts, earlier, later)

    def _add(
        self, embeddings: Embeddings, facts: Sequence[TurnFacts], passages: Sequence[Embeddings]
    ) -> None:
        tiers, band = self.tiers, self.tiers.config.band
        start = len(self.columns)
        self.embeddings.extend(embeddings)
        self.vectors.extend(tiers.whitening(torch.from_numpy(embeddings)).numpy())
        self.raw_passages.extend(passages)
        for turn, vectors in enumerate(passages, start):
            if len(vectors) > 1:
                self.passages.append(turn, tiers.whitening(torch.from_numpy(unit_rows(vectors))).numpy())
        for fact in facts:
            self.columns.append(fact)
        stop = len(self.columns)
        decay = tiers.attention.decay
        for columns in (*self.bands, *self.contexts):
            columns.extend(np.zeros((len(facts), band + 1), dtype=np.float32))
        for first in range(start, stop, _BLOCK):
            last = min(first + _BLOCK, stop)
            vectors = self.vectors.first(stop)
            features = turn_features(self.columns, vectors, self.passages, first, last, width=band)
            turns = torch.arange(first, last)[:, None] - torch.arange(1, band + 1)[None]
            links = tiers.attention.turn_links(tiers.standardise(torch.from_numpy(features)), turns >= 0)
            row, ago = torch.nonzero(turns >= 0, as_tuple=True)
            column = turns[row, ago].numpy()
            for head in range(tiers.config.heads):
                shares = links[row, ago, head].numpy()
                self.bands[head].first(stop)[column, ago.numpy() + 1] = -shares
                self.contexts[head].first(stop)[column, ago.numpy() + 1] = -shares * float(decay[head])


@dataclass(frozen=True, eq=False)
class ThreadState:
    """The first n turns of a conversation, with the links of the newest w, the tier-2 window."""

    arrays: _TurnArrays = field(repr=False)
    n: int
    bands: tuple[Band, ...]  # I − A of each head
    contexts: tuple[Band, ...]  # I − λA of each head
    earlier: Floats  # (H, w) total weight of the context of each turn from earlier turns
    later: Floats  # (H, w) and from later turns

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
        return self.arrays.first(n)

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
        scorer = self.arrays.scorer
        n_older = self.n - self.earlier.shape[1]
        with one_thread():
            x = self._standardise(embedding, facts)
            attention = scorer.attention(x[n_older:], self.bands, self.contexts, self.earlier, self.later)
            return dict(zip(PARTS, scorer.parts(x), strict=True)), attention

    def links(self, tier1: Logits, rows: Sequence[int]) -> Floats:
        """Return (len(rows), n) the links of the given turns, averaged over heads; none before the window."""
        config = self.arrays.tiers.config
        links = np.zeros((len(rows), self.n), dtype=np.float32)
        oldest = max(0, self.n - config.window)
        for place, row in enumerate(rows):
            earlier = np.arange(max(oldest, row - config.band), row)
            for columns in self.arrays.bands:
                links[place, earlier] -= columns.first(self.n)[earlier, row - earlier] / config.heads
        return links

    def semantic(self, embeddings: Embeddings, embedding: Embeddings, facts: TurnFacts | None) -> Logits:
        """Return (m,) the part of the tier-1 logit that each (m, d) embedding has by its cosine."""
        tiers = self.arrays.tiers
        weights = self.arrays.scorer.weights(self._standardise(embedding, facts))
        vectors, vector = (tiers.whitening(torch.from_numpy(array)) for array in (embeddings, embedding))
        cosines = np.asarray((vectors @ vector).double().numpy())
        features = (cosines - float(tiers.standardise.usual[0])) / float(tiers.standardise.spread[0])
        return float(weights[0]) * np.clip(features, -MAX_SPREADS, MAX_SPREADS)

    def _standardise(self, embedding: Embeddings, facts: TurnFacts | None) -> Floats:
        if facts is None:
            raise GateError("a gate of the full preset needs the facts of the message")
        arrays, vectors = self.arrays, self.arrays.vectors.first(self.n)
        return arrays.scorer.standardise(arrays.columns, vectors, arrays.passages, self.n, facts, embedding)


class FullTiers(nn.Module):
    """Whitening, features, the feature tier and the thread tier, blended by a residual gate.

    The thread tier scores the newest turns, as many as the config's window has, the feature tier all others.
    """

    def __init__(self, config: GateConfig) -> None:
        super().__init__()
        self.config = config
        self.whitening = Whitening(config.dimension)
        self.standardise = Standardise(len(FEATURES))
        self.bilinear = FeatureTier(_KINDS)
        self.attention = ThreadTier(config.hidden, config.heads)
        self.residual_gate = nn.Parameter(torch.tensor(-1.0))
        with torch.no_grad():
            self.bilinear.weight[0] = 1.0  # an untrained gate ranks by cosine

    @property
    def activation(self) -> Tensor:
        """() g, the share of the attention tier in the logit, 0…1."""
        return torch.sigmoid(self.residual_gate)

    def forward(self, turns: Tensor, messages: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """Return (B, n) logits of tier 1 and tier 2 for B messages of one conversation, differentiable.

        turns: (n, K, F) features of the turns with the turns before them, newest first, K the band;
        messages: (B, n, F) features of the messages with all turns, oldest first; mask: (B, n), True where a
        turn is before the message.
        """
        x = self.standardise(messages)
        tier1 = self.bilinear(x, mask)
        stop = mask.shape[1] - mask.flip(1).to(torch.uint8).argmax(dim=1)  # after the newest turn of each
        in_window = mask & (torch.arange(mask.shape[1]) >= (stop - self.config.window)[:, None])
        first = int(in_window.any(dim=0).to(torch.uint8).argmax())
        threads: Threads = self.attention.threads(self.standardise(turns[first:]), start=first)
        attention = self.attention(threads, x[:, first:], in_window[:, first:])
        attention = torch.where(in_window, nn.functional.pad(attention, (first, 0)), tier1)
        return tier1, attention

    def state(
        self, embeddings: Embeddings, facts: Sequence[TurnFacts], passages: Sequence[Embeddings]
    ) -> ThreadState:
        """Return the state of turns with (n, d) embeddings; GateError when their numbers differ."""
        return _TurnArrays(self).grow(embeddings, facts, passages)
