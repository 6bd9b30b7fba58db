"""The gate: both tiers, blended by a residual gate, and the learned threshold."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import numpy as np

from convgate.core.errors import GateError
from convgate.embedding.base import Embeddings, check_embeddings
from convgate.gate.arrays import Floats, Logits, logistic
from convgate.gate.config import GateConfig
from convgate.gate.facts import TurnFacts
from convgate.gate.full import FullTiers, ThreadState
from convgate.gate.initial_weights import MEASURED, untrained_weights
from convgate.gate.reference import ReferenceTiers, TurnState

CONTEXTUAL = "contextual"

GateState = TurnState | ThreadState


def use_one_thread() -> None:
    """Let numpy's BLAS use one thread, in all of the process and from now on.

    It is not set back: OpenBLAS ignores changes by other threads than the one that started its pool.
    """
    for library in _blas():
        library.set_num_threads(1)


@cache
def _blas() -> tuple[Any, ...]:
    """Return the BLAS libraries that are loaded when the first gate is made, numpy's among them."""
    from threadpoolctl import ThreadpoolController  # half of what importing numpy takes, and only needed here

    return tuple(ThreadpoolController().select(user_api="blas").lib_controllers)


@dataclass(frozen=True, eq=False, slots=True)
class Message:
    """The message to answer, as the gate reads it."""

    embedding: Embeddings  # (d,)
    facts: TurnFacts | None = None  # the reference preset does not read them


@dataclass(frozen=True, eq=False)
class GateScores:
    """The scores of one history against one current message, oldest turn first."""

    scores: Logits  # (n,) in 0…1, the logistic of `logits`
    logits: Logits  # (n,) the sum of `parts`
    tier1: Logits  # (n,)
    attention: Logits  # (n,); tier 1 for turns before the attention tier's window
    parts: dict[str, Logits]  # each (n,); those of tier 1, then contextual
    activation: float  # g in 0…1: the share of the attention tier in the logit
    learned_threshold: float  # in 0…1


class Gate:
    """logit = (1 − g)·tier1 + g·attention, g = σ(residual gate); score = σ(logit).

    The preset determines the tiers. With one turn there is nothing to attend to, and the reference preset
    uses tier 1 alone. A gate without weights is untrained: it ranks by cosine similarity. Training has the
    same gate as a torch module, `convgate.training.gate_module`.
    """

    def __init__(self, config: GateConfig | None = None, weights: Mapping[str, Floats] | None = None) -> None:
        """Take the weights by name, of the shapes of `untrained_weights`; they must not be changed later."""
        use_one_thread()
        self.config = config or GateConfig()
        self.weights = untrained_weights(self.config) if weights is None else weights
        named = {name.removeprefix("tiers."): array for name, array in self.weights.items()}
        self.tiers: ReferenceTiers | FullTiers = _TIERS[self.config.preset](self.config, named)

    def state(
        self,
        embeddings: Embeddings,
        facts: Sequence[TurnFacts] = (),
        passages: Sequence[Embeddings] | None = None,
    ) -> GateState:
        """Return the state of turns, which is computed once for all messages.

        embeddings: (n, d); facts: one a turn, which the full preset reads; passages: (p, d) a turn, None when
        each turn is one passage. Raises EncoderError for NaN or infinite rows, GateError for another
        dimension or number of facts or passages.
        """
        embeddings = self._check(embeddings, "a turn")
        return self.tiers.state(embeddings, facts, self._passages(embeddings, passages))

    def extend(
        self,
        state: GateState,
        embeddings: Embeddings,
        facts: Sequence[TurnFacts] = (),
        passages: Sequence[Embeddings] | None = None,
    ) -> GateState:
        """Return the state with (m, d) newer turns added."""
        embeddings = self._check(embeddings, "a turn")
        return state.extend(embeddings, facts, self._passages(embeddings, passages))

    def remove_turn(self, state: GateState, row: int) -> GateState:
        """Return the state of the turns without turn `row`."""
        rows = [other for other in range(len(state)) if other != row]
        facts, passages = state.facts, state.passages
        return self.tiers.state(
            state.embeddings[rows],
            [facts[other] for other in rows if facts],
            [passages[other] for other in rows],
        )

    def score(self, state: GateState, message: Message) -> GateScores:
        """Return the scores of all turns for the message; GateError when the preset needs missing facts."""
        embedding = self._check(message.embedding[None], "the current message")[0]
        parts, attention = state.score(embedding, message.facts)
        tier1, activation = sum(parts.values(), start=np.zeros(len(state))), self.tiers.activation
        tier2 = tier1.copy()  # for turns before the attention tier's window
        tier2[len(tier2) - len(attention) :] = attention
        parts[CONTEXTUAL] = activation * (tier2 - tier1)
        logits = tier1 + parts[CONTEXTUAL]
        return GateScores(
            scores=logistic(logits),
            logits=logits,
            tier1=tier1,
            attention=tier2,
            parts=parts,
            activation=activation,
            learned_threshold=self.learned_threshold,
        )

    def links(self, state: GateState, scores: GateScores, rows: Sequence[int]) -> Embeddings:
        """Return (len(rows), n) the attention of the given turns to all turns, 0…1 each.

        Rows of the reference preset sum to 1, those of the full preset to at most 1; the rest is the share of
        a new topic.
        """
        return state.links(scores.tier1, rows)

    def semantic(self, embeddings: Embeddings, state: GateState, message: Message) -> Logits:
        """Return (m,) the part of the logit of (m, d) vectors by their similarity to the message."""
        vectors = self._check(embeddings, "a turn")
        return state.semantic(vectors, message.embedding, message.facts)

    @property
    def learned_threshold(self) -> float:
        """The absolute threshold that training found, 0…1; 0.5 in an untrained gate."""
        return float(logistic(self.weights["threshold_logit"]))

    @cached_property
    def is_trained(self) -> bool:
        """Whether weights that training changes, besides the threshold, differ from an untrained gate's."""
        return any(
            not np.array_equal(self.weights[name], array)
            for name, array in untrained_weights(self.config).items()
            if not name.startswith((*MEASURED, "threshold_logit"))
        )

    @property
    def parameter_count(self) -> int:
        """How many trainable numbers the gate has."""
        return sum(array.size for name, array in self.weights.items() if not name.startswith(MEASURED))

    @cached_property
    def fingerprint(self) -> str:
        """A hash of config and weights, for the keys of caches."""
        digest = hashlib.blake2b(repr(self.config).encode(), digest_size=16)
        for name, array in sorted(self.weights.items()):
            digest.update(name.encode())
            digest.update(array.tobytes())
        return digest.hexdigest()

    def _passages(
        self, embeddings: Embeddings, passages: Sequence[Embeddings] | None
    ) -> Sequence[Embeddings]:
        if passages is None:
            return [row[None] for row in embeddings]
        return [self._check(vectors, "a passage") for vectors in passages]

    def _check(self, embeddings: Embeddings, what: str) -> Embeddings:
        if embeddings.ndim != 2 or embeddings.shape[1] != self.config.dimension:
            got = embeddings.shape[-1] if embeddings.ndim else 0
            remedy = "`convgate calibrate --encoder NAME` makes a version for another one"
            raise GateError(
                f"the gate reads embeddings of {self.config.dimension} dimensions; {what} has {got}"
                f" (was it encoded with another encoder?{f' {remedy}' * (self.config.preset == 'full')})"
            )
        vectors = np.ascontiguousarray(embeddings, dtype=np.float32)
        return check_embeddings(vectors, dimension=self.config.dimension, source=f"the embedding of {what}")


_TIERS: dict[str, type[ReferenceTiers | FullTiers]] = {"reference": ReferenceTiers, "full": FullTiers}
