"""Both searches in one ranking, by reciprocal rank fusion."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from convgate.core.conversation import CurrentMessage, History
from convgate.core.decisions import Floats, TurnDecisions
from convgate.core.parameters import ParameterSet, setting
from convgate.embedding.base import Encoder
from convgate.gate.thresholds import TopK
from convgate.policies.base import EncoderMixin, decide_by_rule, history_indices
from convgate.policies.bm25 import bm25_scores
from convgate.policies.cosine import cosine_scores

_CONSTANT = 60  # Cormack, Clarke and Büttcher (2009)


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


@dataclass(frozen=True, slots=True)
class Hybrid(ParameterSet, EncoderMixin):
    """Keeps the k turns that cosine similarity and BM25 rank best together."""

    name: ClassVar[str] = "hybrid"
    needs_encoder: ClassVar[bool] = True
    label: ClassVar[str] = "Hybrid: cosine and BM25"
    ranks: ClassVar[bool] = True
    encoder: Encoder
    k: int = setting(10, "turns", low=0, high=10_000, step=1, help="How many turns are kept.")

    def decide(self, current: CurrentMessage, history: History) -> TurnDecisions:
        """Return the k best of the fused ranking."""
        scores = reciprocal_rank_fusion(
            cosine_scores(self.encoder, current, history), bm25_scores(current, history)
        )
        return decide_by_rule(self.name, history_indices(history), scores, TopK(self.k), learned=0.0)
