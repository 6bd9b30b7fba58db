"""What a policy is: everything that chooses turns has this one shape."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from convgate.conversation import History, Situation
from convgate.decisions import TurnDecisions


class Policy(Protocol):
    """Decides for every turn of a history whether the model sees it.

    A policy that needs embeddings takes an encoder when it is built; the others never pay for one.
    """

    name: str
    ranks: bool  # whether its scores order the turns by relevance; else ranking metrics are null

    def decide(self, situation: Situation, history: History) -> TurnDecisions:
        """One decision a turn of the history, in its order; an empty history gives none."""
        ...


def history_indices(history: History) -> NDArray[np.int64]:
    """(n,) the conversation's indices of the history's turns."""
    return np.arange(history.start, history.stop, dtype=np.int64)
