"""The diff of two sets of decisions, and steps from turn to turn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from convgate.core.decisions import TurnDecisions


@dataclass(frozen=True, eq=False, slots=True)
class Changes:
    """Turns, as indices in the conversation, that only one of two policies keeps."""

    up: NDArray[np.int64]  # kept now, dropped before
    down: NDArray[np.int64]  # dropped now, kept before

    @property
    def indices(self) -> NDArray[np.int64]:
        """Return all of them, in order."""
        return np.sort(np.concatenate([self.up, self.down]))

    def __len__(self) -> int:
        return len(self.up) + len(self.down)

    def of(self, index: int) -> str:
        """Return "up", "down" or "" for a turn."""
        if index in self.up:
            return "up"
        return "down" if index in self.down else ""


def changes(now: TurnDecisions, before: TurnDecisions) -> Changes:
    """Return the diff of two decisions about the same turns."""
    up, down = now.kept & ~before.kept, before.kept & ~now.kept
    return Changes(now.indices[up], now.indices[down])


Indices = NDArray[np.int64]


def following(indices: Sequence[int] | Indices, here: int | None) -> int | None:
    """Return the first of the increasing `indices` after `here`; after the last comes the first again.

    >>> following([2, 5, 9], 5), following([2, 5, 9], 9), following([2, 5, 9], None), following([], 3)
    (9, 2, 2, None)
    """
    if len(indices) == 0:
        return None
    if here is None:
        return int(indices[0])
    place = int(np.searchsorted(indices, here, side="right"))
    return int(indices[place % len(indices)])


def neighbours(indices: Sequence[int] | Indices, here: int) -> tuple[int | None, int | None]:
    """Return the last of the increasing `indices` before `here`, and the first after it; None at an end.

    >>> neighbours([2, 5, 9], 5), neighbours([2, 5, 9], 9), neighbours([], 3)
    ((2, 9), (5, None), (None, None))
    """
    before = int(np.searchsorted(indices, here, side="left")) - 1
    after = int(np.searchsorted(indices, here, side="right"))
    return (
        int(indices[before]) if before >= 0 else None,
        int(indices[after]) if after < len(indices) else None,
    )
