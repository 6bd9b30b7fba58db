"""Policies that search the history for the current message: by similarity, by words, and by both."""

from __future__ import annotations

import logging
from collections import Counter
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from convgate.core.conversation import CurrentMessage, History
from convgate.core.decisions import Floats, Reason, TurnDecisions
from convgate.core.parameters import ParameterSet, setting
from convgate.embedding.base import Encoder, check_embeddings
from convgate.gate.columns import inverse_frequency
from convgate.gate.quotes import quote_words, whose_words
from convgate.gate.thresholds import Absolute, TopK
from convgate.policies.base import EncoderMixin, decide_by_rule, history_indices
from convgate.text.words import stems, words

_CONSTANT = 60  # Cormack, Clarke and Büttcher (2009)

cached_words = lru_cache(maxsize=100_000)(words)


def bm25_scores(current: CurrentMessage, history: History) -> NDArray[np.float64]:
    """Return (n,) BM25 of each turn for the current message: Lucene's variant, k1 1.5, b 0.75."""
    corpus = [list(cached_words(turn.scored_text)) for turn in history]
    vocabulary = {word for document in corpus for word in document}
    query = [word for word in cached_words(current.turn.scored_text) if word in vocabulary]
    if not query:
        return np.zeros(len(corpus))
    import bm25s  # and scipy, which a policy without BM25 does not need

    logging.getLogger("bm25s").setLevel(logging.WARNING)  # it logs every index that it builds, as DEBUG
    index = bm25s.BM25(method="lucene", k1=1.5, b=0.75)
    index.index(corpus, show_progress=False)
    return np.asarray(index.get_scores(query), dtype=np.float64)


def cosine_scores(encoder: Encoder, current: CurrentMessage, history: History) -> NDArray[np.float64]:
    """Return (n,) cosine similarity of each turn with the current message, −1…1; 0 where a text is blank."""
    vectors = encoder.encode([*(turn.scored_text for turn in history), current.turn.scored_text])
    check_embeddings(vectors, dimension=encoder.identity.dimension, source="the encoder")
    return np.asarray(vectors[:-1] @ vectors[-1], dtype=np.float64)


def reciprocal_rank_fusion(*rankings: Floats) -> NDArray[np.float64]:
    """Return (n,) Σ 1 / (60 + rank) over the rankings, rank 1 the highest score; ties share their mean rank.

    >>> reciprocal_rank_fusion(np.array([3.0, 1.0]), np.array([2.0, 0.0])).round(4).tolist()
    [0.0328, 0.0323]
    """
    return np.asarray(sum(1 / (_CONSTANT + _ranks(scores)) for scores in rankings), dtype=np.float64)


def _ranks(scores: Floats) -> NDArray[np.float64]:
    """Return (n,) 1 for the highest score to n; equal scores share the mean of their ranks."""
    _, groups, counts = np.unique(-scores, return_inverse=True, return_counts=True)
    return (np.cumsum(counts) - (counts - 1) / 2)[groups]


@dataclass(frozen=True, eq=False)
class SharedWords:
    """The words that turns share with the current message, as reasons, counted when the first one is read."""

    current: CurrentMessage
    history: History

    def __call__(self, index: int) -> Reason:
        """Return the rarest words that turn `index` shares with the message."""
        text = self.history[index - self.history.start].scored_text
        shared = self._weights.keys() & set(stems(cached_words(text)))
        rarest = sorted(shared, key=lambda stem: (-self._weights[stem], stem))
        clause = quote_words(text, rarest, self.current)
        if clause is None:
            clause = Reason(
                f"{'only frequent ones' if shared else 'none'} of {whose_words(self.current)} words"
            )
        return replace(clause, text=f"{clause.text}.")

    @cached_property
    def _weights(self) -> dict[str, float]:
        """The weights of the message's stems, without those that are common everywhere."""
        wanted = set(stems(cached_words(self.current.turn.scored_text)))
        counts = Counter(
            stem
            for turn in self.history
            for stem in wanted.intersection(stems(cached_words(turn.scored_text)))
        )
        weights = {stem: inverse_frequency(stem, counts[stem], len(self.history)) for stem in wanted}
        return {stem: weight for stem, weight in weights.items() if weight}


@dataclass(frozen=True, slots=True)
class Cosine(ParameterSet, EncoderMixin):
    """Keeps turns whose cosine similarity with the current message reaches a threshold."""

    name: ClassVar[str] = "cosine"
    label: ClassVar[str] = "Cosine: similar meaning, above a threshold"
    ranks: ClassVar[bool] = True
    encoder: Encoder
    threshold: float = setting(0.35, "threshold", low=-1.0, high=1.0, step=0.01, help="A cosine, −1…1.")

    def decide(self, current: CurrentMessage, history: History) -> TurnDecisions:
        """Return turns by their cosine similarity."""
        scores = cosine_scores(self.encoder, current, history)
        return decide_by_rule(self.name, history_indices(history), scores, Absolute(), learned=self.threshold)


@dataclass(frozen=True, slots=True)
class CosineTopK(ParameterSet, EncoderMixin):
    """Keeps the k turns of the highest cosine similarity, whatever it is."""

    name: ClassVar[str] = "cosine_top_k"
    label: ClassVar[str] = "Cosine top k: the most similar turns"
    ranks: ClassVar[bool] = True
    encoder: Encoder
    k: int = setting(10, "turns", low=0, high=10_000, step=1, help="How many turns are kept.")

    def decide(self, current: CurrentMessage, history: History) -> TurnDecisions:
        """Return the k most similar turns."""
        scores = cosine_scores(self.encoder, current, history)
        return decide_by_rule(self.name, history_indices(history), scores, TopK(self.k), learned=0.0)


@dataclass(frozen=True, slots=True)
class BM25(ParameterSet):
    """Keeps the k turns that match the current message's words best; turns that share none are dropped."""

    name: ClassVar[str] = "bm25"
    label: ClassVar[str] = "BM25: search by words"
    ranks: ClassVar[bool] = True
    k: int = setting(10, "turns", low=0, high=10_000, step=1, help="How many turns are kept.")

    def decide(self, current: CurrentMessage, history: History) -> TurnDecisions:
        """Return the k best lexical matches."""
        scores = bm25_scores(current, history)
        rule, indices = TopK(self.k, above=0.0), history_indices(history)
        decisions = decide_by_rule(self.name, indices, scores, rule, learned=0.0)
        return replace(decisions, reasons=SharedWords(current, history))


@dataclass(frozen=True, slots=True)
class Hybrid(ParameterSet, EncoderMixin):
    """Keeps the k turns that cosine similarity and BM25 rank best together."""

    name: ClassVar[str] = "hybrid"
    label: ClassVar[str] = "Hybrid: search by words and meaning"
    ranks: ClassVar[bool] = True
    encoder: Encoder
    k: int = setting(10, "turns", low=0, high=10_000, step=1, help="How many turns are kept.")

    def decide(self, current: CurrentMessage, history: History) -> TurnDecisions:
        """Return the k best of the fused ranking."""
        scores = reciprocal_rank_fusion(
            cosine_scores(self.encoder, current, history), bm25_scores(current, history)
        )
        decisions = decide_by_rule(self.name, history_indices(history), scores, TopK(self.k), learned=0.0)
        return replace(decisions, reasons=SharedWords(current, history))
