"""Both searches in one ranking, by reciprocal rank fusion."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from convgate.conversation import Conversation, History, Situation
from convgate.decisions import Floats, TurnDecisions
from convgate.embedding.base import Encoder, Progress
from convgate.gate.thresholds import TopK
from convgate.policies.base import encode_ahead, history_indices
from convgate.policies.bm25 import bm25_scores
from convgate.policies.cosine import cosine_scores
from convgate.policies.scored import decide_by_rule

_CONSTANT = 60  # Cormack, Clarke and Büttcher (2009)


def reciprocal_rank_fusion(*rankings: Floats) -> NDArray[np.float64]:
    """(n,) Σ 1 / (60 + rank) over the rankings, rank 1 the highest score; ties share their mean rank.

    >>> reciprocal_rank_fusion(np.array([3.0, 1.0]), np.array([2.0, 0.0])).round(4).tolist()
    [0.0328, 0.0323]
    """
    return np.asarray(sum(1 / (_CONSTANT + rankdata(-scores)) for scores in rankings), dtype=np.float64)


@dataclass(frozen=True, slots=True)
class Hybrid:
    """Keeps the k turns that cosine similarity and BM25 rank best together."""

    name: ClassVar[str] = "hybrid"
    label: ClassVar[str] = "Hybrid: cosine and BM25"
    ranks: ClassVar[bool] = True
    encoder: Encoder
    k: int = 10

    def prepare(self, conversations: Sequence[Conversation], *, progress: Progress | None = None) -> None:
        """Encode the conversations' turns in one go."""
        encode_ahead(self.encoder, conversations, progress)

    def decide(self, situation: Situation, history: History) -> TurnDecisions:
        """The k best of the fused ranking."""
        scores = reciprocal_rank_fusion(
            cosine_scores(self.encoder, situation, history), bm25_scores(situation, history)
        )
        return decide_by_rule(self.name, history_indices(history), scores, TopK(self.k), learned=0.0)
