"""Similarity search: the cosine of the turn's embedding with the current message's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from convgate.core.conversation import CurrentMessage, History
from convgate.core.decisions import TurnDecisions
from convgate.core.parameters import ParameterSet, setting
from convgate.embedding.base import Encoder, check_embeddings
from convgate.gate.thresholds import Absolute, TopK
from convgate.policies.base import EncoderMixin, decide_by_rule, history_indices


def cosine_scores(encoder: Encoder, current: CurrentMessage, history: History) -> NDArray[np.float64]:
    """Return (n,) cosine similarity of each turn with the current message, −1…1; 0 where a text is blank."""
    vectors = encoder.encode([*(turn.scored_text for turn in history), current.turn.scored_text])
    check_embeddings(vectors, dimension=encoder.identity.dimension, source="the encoder")
    return np.asarray(vectors[:-1] @ vectors[-1], dtype=np.float64)


@dataclass(frozen=True, slots=True)
class Cosine(ParameterSet, EncoderMixin):
    """Keeps turns whose cosine similarity with the current message reaches a threshold."""

    name: ClassVar[str] = "cosine"
    needs_encoder: ClassVar[bool] = True
    label: ClassVar[str] = "Cosine above a threshold"
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
    needs_encoder: ClassVar[bool] = True
    label: ClassVar[str] = "Cosine top k"
    ranks: ClassVar[bool] = True
    encoder: Encoder
    k: int = setting(10, "turns", low=0, high=10_000, step=1, help="How many turns are kept.")

    def decide(self, current: CurrentMessage, history: History) -> TurnDecisions:
        """Return the k most similar turns."""
        scores = cosine_scores(self.encoder, current, history)
        return decide_by_rule(self.name, history_indices(history), scores, TopK(self.k), learned=0.0)
