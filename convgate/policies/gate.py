"""The trainable gate as a policy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from convgate.core.conversation import CurrentMessage, History, Turn
from convgate.core.conversation_cache import ConversationCache
from convgate.core.decisions import TurnDecisions
from convgate.embedding.base import Encoder
from convgate.embedding.chunks import text_vectors
from convgate.gate.facts import current_facts, facts_of
from convgate.gate.model import Gate, GateScores, Message, State
from convgate.gate.thresholds import Limits, MaxMissed, Rule, Stricter, TokenBudget
from convgate.messages.tokens import TokenCounter, turn_tokens
from convgate.policies.base import NO_LIMITS, EncoderMixin, decide_by_rule, history_indices


@dataclass(frozen=True, eq=False)
class ScoredHistory:
    """A history with its scores, on which several rules can decide without scoring again."""

    history: History
    scores: GateScores

    @property
    def indices(self) -> NDArray[np.int64]:
        """(n,) the conversation's indices of the turns."""
        return history_indices(self.history)


@dataclass(frozen=True)
class GatePolicy(EncoderMixin):
    """Scores every turn with the gate and lets a rule decide."""

    name: ClassVar[str] = "gate"
    needs_encoder: ClassVar[bool] = True
    label: ClassVar[str] = "Gate"
    ranks: ClassVar[bool] = True
    gate: Gate
    encoder: Encoder
    rule: Rule = field(default_factory=Stricter)
    limits: Limits = NO_LIMITS
    version: str = "untrained"
    counter: TokenCounter | None = None
    states: ConversationCache[State] = field(default_factory=ConversationCache, repr=False, compare=False)

    def with_rule(self, rule: Rule, limits: Limits = NO_LIMITS) -> GatePolicy:
        """Return the same gate with another rule."""
        return replace(self, rule=rule, limits=limits)

    def decide(self, current: CurrentMessage, history: History) -> TurnDecisions:
        """Return one decision a turn, with score, threshold and the parts of its logit."""
        return self.decide_scored(self.score(current, history))

    def score(self, current: CurrentMessage, history: History) -> ScoredHistory:
        """Return the scores of the turns, before any rule; only texts that are not cached are encoded."""
        state, message = self.read(current, history)
        return ScoredHistory(history, self.gate.score(state, message))

    def read(self, current: CurrentMessage, history: History) -> tuple[State, Message]:
        """Return the state of the turns and the message, as the gate scores and explains them."""
        state = self.states.get(history.turns, self._extend)
        vector = self.encoder.encode([current.turn.scored_text])[0]
        return state, Message(vector, current_facts(current))

    def _extend(self, state: State | None, turns: Sequence[Turn]) -> State:
        passages = self.encoder.encode_passages([turn.scored_text for turn in turns])
        vectors = text_vectors(passages, self.gate.config.dimension)
        inputs = vectors, [facts_of(turn) for turn in turns], passages
        return self.gate.state(*inputs) if state is None else self.gate.extend(state, *inputs)

    def decide_scored(self, scored: ScoredHistory) -> TurnDecisions:
        """Return the rule's decisions on scores."""
        scores, tokens = scored.scores, None
        if isinstance(self.rule, MaxMissed | TokenBudget):
            tokens = turn_tokens(scored.history.turns, self.counter)
        decisions = decide_by_rule(
            self.name,
            scored.indices,
            scores.scores,
            self.rule,
            learned=scores.learned_threshold,
            limits=self.limits,
            tokens=tokens,
            note=lambda index: self._note(scored.history.conversation.turns[index].scored_text),
        )
        return replace(
            decisions,
            logits=scores.logits,
            tier1=scores.tier1,
            attention=scores.attention,
            parts=scores.parts,
            gate_activation=scores.activation,
        )

    def _note(self, text: str) -> str | None:
        if not text.strip():
            return "The turn has no text, so only its place could be scored."
        count = self.encoder.count_chunks(text)
        if count.encoded == count.total:
            return None
        passages = f"{count.encoded} of its {count.total:,} passages"
        return f"It is longer than the encoder reads: only {passages}, spread evenly, were embedded."
