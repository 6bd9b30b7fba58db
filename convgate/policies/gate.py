"""The trainable gate as a policy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from convgate.core.conversation import CurrentMessage, History, Turn
from convgate.core.conversation_cache import ConversationCache
from convgate.core.decisions import TurnDecisions
from convgate.embedding.base import Embeddings, Encoder, Progress
from convgate.embedding.cache import CachedEncoder
from convgate.embedding.chunks import text_vectors
from convgate.embedding.states import states_beside
from convgate.gate.effects import Effects, effects_of
from convgate.gate.facts import TurnFacts, current_facts, encode_with_cues, read_facts
from convgate.gate.model import Gate, GateScores, GateState, Message
from convgate.gate.reasons import GateReasons
from convgate.gate.rule import Rule, TurnLimits
from convgate.gate.thresholds import Stricter
from convgate.messages.tokens import TokenCounter, turn_tokens
from convgate.policies.base import NO_LIMITS, EncoderMixin, decide_by_rule, history_indices


@dataclass(frozen=True, eq=False)
class ScoredHistory:
    """A history with its scores, on which several rules can decide without scoring again."""

    history: History
    scores: GateScores
    effects: Effects  # of the parts of the scores
    current: CurrentMessage

    @property
    def indices(self) -> NDArray[np.int64]:
        """(n,) the conversation's indices of the turns."""
        return history_indices(self.history)


@dataclass(frozen=True)
class GatePolicy(EncoderMixin):
    """Scores every turn with the gate and lets a rule decide."""

    name: ClassVar[str] = "gate"
    label: ClassVar[str] = "Gate"
    ranks: ClassVar[bool] = True
    gate: Gate
    encoder: Encoder
    rule: Rule = field(default_factory=Stricter)
    limits: TurnLimits = NO_LIMITS
    version: str = "untrained"
    counter: TokenCounter | None = None
    states: ConversationCache[GateState] = field(default_factory=ConversationCache, repr=False, compare=False)

    def with_rule(self, rule: Rule, limits: TurnLimits = NO_LIMITS) -> GatePolicy:
        """Return the same gate with another rule."""
        return replace(self, rule=rule, limits=limits)

    def decide(self, current: CurrentMessage, history: History) -> TurnDecisions:
        """Return one decision a turn, with score, threshold and the parts of its logit."""
        return self.decide_scored(self.score(current, history))

    def score(self, current: CurrentMessage, history: History) -> ScoredHistory:
        """Return the scores of the turns, before any rule; only texts that are not cached are encoded."""
        state, message = self.read(current, history)
        scores = self.gate.score(state, message)
        return ScoredHistory(history, scores, effects_of(state, message, scores), current)

    def read(self, current: CurrentMessage, history: History) -> tuple[GateState, Message]:
        """Return the state of the turns and the message, as the gate scores and explains them."""
        state = self.states.get(history.turns, self._extend)
        return state, self.read_message(current)

    def read_message(self, current: CurrentMessage) -> Message:
        """Return the message as the gate reads it."""
        self._encode_together([current.turn])
        vector = self.encoder.encode([current.turn.scored_text])[0]
        return Message(vector, current_facts(current, states_beside(self.encoder)))

    def read_turns(self, turns: Sequence[Turn]) -> tuple[Embeddings, list[TurnFacts], list[Embeddings]]:
        """Return the embeddings, facts and passages of turns, as `Gate.state` takes them."""
        self._encode_together(turns)
        passages = self.encoder.encode_passages([turn.scored_text for turn in turns])
        facts = read_facts(turns, states_beside(self.encoder))
        return text_vectors(passages, self.gate.config.dimension), facts, passages

    def encode_turns(self, turns: Sequence[Turn], progress: Progress | None = None) -> None:
        """Encode turns and read their cues in one pass, so that deciding finds both in the caches."""
        encode_with_cues(turns, self.encoder, progress=progress)

    def _encode_together(self, turns: Sequence[Turn]) -> None:
        if isinstance(self.encoder, CachedEncoder):  # another would encode the turns again when they are read
            self.encode_turns(turns)

    def _extend(self, state: GateState | None, turns: Sequence[Turn]) -> GateState:
        inputs = self.read_turns(turns)
        return self.gate.state(*inputs) if state is None else self.gate.extend(state, *inputs)

    def decide_scored(self, scored: ScoredHistory) -> TurnDecisions:
        """Return the rule's decisions on scores."""
        scores, tokens = scored.scores, None
        start, turns = scored.history.start, scored.history.turns
        if self.rule.needs_tokens:
            tokens = turn_tokens(turns, self.counter)
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
        reasons = GateReasons(scored.effects, decisions.kept, turns, scored.current, tokens)
        return replace(
            decisions,
            is_probability=self.gate.is_trained,
            reasons=cache(lambda index: reasons.of(index - start).renumber(lambda row: row + start))
            if self.gate.is_trained
            else None,
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
