"""A cache of the states of recent conversations, so that a new message costs only what it adds."""

from __future__ import annotations

import threading
from collections.abc import Sequence

from convgate.core.conversation import Turn
from convgate.embedding.base import Encoder
from convgate.embedding.chunks import text_vectors
from convgate.gate.facts import facts_of
from convgate.gate.model import Gate, State

_CONVERSATIONS = 4  # of 10,000 turns each, 100 MB


class KeptStates:
    """States by the turns they were made from; the state of a history that grew is extended."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: list[tuple[list[Turn], State]] = []  # the newest last

    def state(self, gate: Gate, encoder: Encoder, turns: Sequence[Turn]) -> State:
        """Return the state of these turns; only turns after a known beginning are encoded."""
        turns = list(turns)
        with self._lock:
            entry = next((entry for entry in reversed(self._kept) if _begins(entry[0], turns)), None)
        n_known = 0 if entry is None else len(entry[0])
        if entry is not None and n_known >= len(turns):
            return entry[1].first(len(turns))
        new = turns[n_known:]
        passages = encoder.encode_passages([turn.scored_text for turn in new])
        vectors = text_vectors(passages, gate.config.dimension)
        inputs = vectors, [facts_of(turn) for turn in new], passages
        state = gate.state(*inputs) if entry is None else gate.extended(entry[1], *inputs)
        with self._lock:
            self._kept = [other for other in self._kept if other is not entry][1 - _CONVERSATIONS :]
            self._kept.append((turns, state))
        return state


def _begins(kept: Sequence[Turn], turns: Sequence[Turn]) -> bool:
    """Whether one is the beginning of the other; fast, for turns are compared by identity first."""
    shared = min(len(kept), len(turns))
    return shared > 0 and kept[:shared] == turns[:shared]
