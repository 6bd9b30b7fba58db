"""Similarity search: the cosine of the turn's embedding with the current message's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from convgate.conversation import Conversation, History, Situation
from convgate.decisions import TurnDecisions
from convgate.embedding.base import Encoder, Progress
from convgate.gate.thresholds import Absolute, Limits, Rule, TopK
from convgate.policies.base import encode_ahead, history_indices
from convgate.policies.scored import NO_LIMITS, decide_by_rule


def cosine_scores(encoder: Encoder, situation: Situation, history: History) -> NDArray[np.float64]:
    """(n,) cosine similarity of each turn with the situation, −1…1; 0 where a text is blank."""
    vectors = encoder.encode([*(turn.scored_text for turn in history), situation.turn.scored_text])
    return np.asarray(vectors[:-1] @ vectors[-1], dtype=np.float64)


@dataclass(frozen=True, slots=True)
class Cosine:
    """Keeps turns whose cosine similarity with the current message reaches a threshold."""

    name: ClassVar[str] = "cosine"
    label: ClassVar[str] = "Cosine above a threshold"
    ranks: ClassVar[bool] = True
    encoder: Encoder
    rule: Rule = field(default_factory=lambda: Absolute(0.35))
    limits: Limits = NO_LIMITS

    def prepare(self, conversations: Sequence[Conversation], *, progress: Progress | None = None) -> None:
        """Encode the conversations' turns in one go."""
        encode_ahead(self.encoder, conversations, progress)

    def decide(self, situation: Situation, history: History) -> TurnDecisions:
        """Turns by their cosine similarity."""
        scores = cosine_scores(self.encoder, situation, history)
        return decide_by_rule(
            self.name, history_indices(history), scores, self.rule, learned=0.35, limits=self.limits
        )


@dataclass(frozen=True, slots=True)
class CosineTopK:
    """Keeps the k turns of the highest cosine similarity, whatever it is."""

    name: ClassVar[str] = "cosine_top_k"
    label: ClassVar[str] = "Cosine top k"
    ranks: ClassVar[bool] = True
    encoder: Encoder
    k: int = 10

    def prepare(self, conversations: Sequence[Conversation], *, progress: Progress | None = None) -> None:
        """Encode the conversations' turns in one go."""
        encode_ahead(self.encoder, conversations, progress)

    def decide(self, situation: Situation, history: History) -> TurnDecisions:
        """The k most similar turns."""
        scores = cosine_scores(self.encoder, situation, history)
        return decide_by_rule(self.name, history_indices(history), scores, TopK(self.k), learned=0.0)
