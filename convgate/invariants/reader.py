"""Read the invariants of conversations that grow, without their modes."""

from __future__ import annotations

from dataclasses import dataclass, field

from convgate.core.conversation import Turn
from convgate.core.conversation_cache import GrowingCache
from convgate.invariants.finding import InvariantFinder
from convgate.invariants.invariant import Invariant
from convgate.invariants.judge import KindJudge


@dataclass(eq=False, slots=True)
class _Progress:
    """A conversation as far as it was read."""

    turns: list[Turn] = field(default_factory=list)
    invariants: InvariantFinder = field(default_factory=InvariantFinder)


class InvariantReader:
    """Reads invariants; of conversations read last, one that goes on is read where it grew. Thread-safe."""

    def __init__(self, judge: KindJudge) -> None:
        self.judge = judge
        self._known: GrowingCache[_Progress] = GrowingCache()

    def read(self, turns: list[Turn]) -> list[Invariant]:
        """Return every invariant that the turns state, with its state after the last turn."""
        progress = self._known.take(lambda known: known.turns == turns[: len(known.turns)]) or _Progress()
        if new := turns[len(progress.turns) :]:
            progress.invariants.add(new, self.judge)
            progress.turns = list(turns)
        invariants = progress.invariants.invariants
        self._known.put(progress)
        return invariants
