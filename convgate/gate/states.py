"""The states of the conversations looked at last, so that a new message costs only what it adds."""

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
    """States by the turns they were made from; a history that grew is extended, not made anew."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: list[tuple[list[Turn], State]] = []  # the newest last

    def state(self, gate: Gate, encoder: Encoder, turns: Sequence[Turn]) -> State:
        """The state of these turns; only turns beyond a kept beginning are encoded."""
        turns = list(turns)
        with self._lock:
            found = next((entry for entry in reversed(self._kept) if _begins(entry[0], turns)), None)
        known = 0 if found is None else len(found[0])
        if found is not None and known >= len(turns):
            return gate.first(found[1], len(turns))
        new = turns[known:]
        passages = encoder.encode_passages([turn.scored_text for turn in new])
        vectors = text_vectors(passages, gate.config.dimension)
        read = vectors, [facts_of(turn) for turn in new], passages
        state = gate.state(*read) if found is None else gate.extended(found[1], *read)
        with self._lock:
            self._kept = [entry for entry in self._kept if entry is not found][1 - _CONVERSATIONS :]
            self._kept.append((turns, state))
        return state


def _begins(kept: Sequence[Turn], turns: Sequence[Turn]) -> bool:
    """Whether one is the beginning of the other; turns are compared by identity first, so this is quick."""
    shared = min(len(kept), len(turns))
    return shared > 0 and kept[:shared] == turns[:shared]
