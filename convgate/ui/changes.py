"""How two ways of choosing turns differ: against a baseline, or against another policy."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from convgate.decisions import TurnDecisions


@dataclass(frozen=True, eq=False, slots=True)
class Changes:
    """Turns, as indices in the conversation, that one way keeps and the other drops."""

    up: NDArray[np.int64]  # kept now, dropped before
    down: NDArray[np.int64]  # dropped now, kept before
    alike: int  # how many are decided the same

    @property
    def indices(self) -> NDArray[np.int64]:
        """All of them, in order."""
        return np.sort(np.concatenate([self.up, self.down]))

    def __len__(self) -> int:
        return len(self.up) + len(self.down)

    def of(self, index: int) -> str:
        """What happened to a turn: "up", "down" or ""."""
        if index in self.up:
            return "up"
        return "down" if index in self.down else ""


def changes(now: TurnDecisions, before: TurnDecisions) -> Changes:
    """The difference between decisions about the same turns."""
    up, down = now.kept & ~before.kept, before.kept & ~now.kept
    return Changes(now.indices[up], now.indices[down], int(len(now) - up.sum() - down.sum()))
