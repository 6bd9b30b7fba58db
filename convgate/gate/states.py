"""The states of the conversations looked at last, so that a new message costs only what it adds."""

from __future__ import annotations

import threading
from collections.abc import Sequence

from convgate.embedding.base import Encoder
from convgate.gate.model import Gate, TurnState

_CONVERSATIONS = 4  # of 10,000 turns each, 70 MB


class KeptStates:
    """Turn states by the texts they were made from; a history that grew is extended, not made anew."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: list[tuple[list[str], TurnState]] = []  # the newest last

    def state(self, gate: Gate, encoder: Encoder, texts: list[str]) -> TurnState:
        """The state of the turns with these texts; only texts beyond a kept beginning are encoded."""
        with self._lock:
            found = next((entry for entry in reversed(self._kept) if _begins(entry[0], texts)), None)
        if found is None:
            state = gate.state(encoder.encode(texts))
        elif len(found[0]) >= len(texts):
            return found[1][: len(texts)]
        else:
            state = gate.extended(found[1], encoder.encode(texts[len(found[0]) :]))
        with self._lock:
            self._kept = [entry for entry in self._kept if entry is not found][1 - _CONVERSATIONS :]
            self._kept.append((texts, state))
        return state


def _begins(kept: Sequence[str], texts: Sequence[str]) -> bool:
    """Whether one is the beginning of the other; texts are compared by identity first, so this is quick."""
    shared = min(len(kept), len(texts))
    return shared > 0 and kept[:shared] == texts[:shared]
