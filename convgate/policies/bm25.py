"""Lexical match: BM25 of the current message's words over the history's turns."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from convgate.core.conversation import CurrentMessage, History
from convgate.core.decisions import TurnDecisions
from convgate.core.parameters import ParameterSet, setting
from convgate.gate.thresholds import TopK
from convgate.policies.base import decide_by_rule, history_indices
from convgate.text.words import words

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


@dataclass(frozen=True, slots=True)
class BM25(ParameterSet):
    """Keeps the k turns that match the current message's words best; turns that share none are dropped."""

    name: ClassVar[str] = "bm25"
    needs_encoder: ClassVar[bool] = False
    label: ClassVar[str] = "BM25"
    ranks: ClassVar[bool] = True
    k: int = setting(10, "turns", low=0, high=10_000, step=1, help="How many turns are kept.")

    def decide(self, current: CurrentMessage, history: History) -> TurnDecisions:
        """Return the k best lexical matches."""
        scores = bm25_scores(current, history)
        return decide_by_rule(
            self.name, history_indices(history), scores, TopK(self.k, above=0.0), learned=0.0
        )
