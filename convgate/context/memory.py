"""What a builder remembers of earlier requests of the same conversation.

A conversation is recognised by its own beginning: each request is kept under a digest of all turns up to the
message that it answered. A conversation that goes on finds its last request that way, one that branches off
finds the last before the branch, and two that differ never meet.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from convgate.context.invariant import Invariant
from convgate.context.mode import Mode

REQUESTS = 2_000
"""How many requests are remembered; the least recently used ones are forgotten first."""


@dataclass(frozen=True, eq=False, slots=True)
class Remembered:
    """One request."""

    current: int  # the turn that it answered
    intents: Mapping[int, Mode]  # that the caller named so far, by turn
    sent: NDArray[np.int64]  # (m,) the messages: a turn's index, or a number below 0 for another message
    tokens: int  # of them
    breaches: tuple[Invariant, ...]  # that were missing in this or an earlier request of the conversation


def number_of(text: str) -> int:
    """The number of a message that is no turn: the same for the same text, as long as the program runs."""
    return -1 - (hash(text) & 0x7FFF_FFFF_FFFF)


class Memory:
    """Remembers the requests made last; thread-safe."""

    def __init__(self, size: int = REQUESTS) -> None:
        self._size = size
        self._lock = threading.Lock()
        self._requests: OrderedDict[bytes, Remembered] = OrderedDict()

    def __len__(self) -> int:
        return len(self._requests)

    def before(self, chain: Sequence[bytes]) -> Remembered | None:
        """The last request of this conversation before its present message; `chain` has a digest a turn."""
        with self._lock:
            if not self._requests:
                return None
            for place in range(len(chain) - 2, -1, -1):
                if found := self._requests.get(chain[place]):
                    self._requests.move_to_end(chain[place])
                    return found
        return None

    def keep(self, digest: bytes, request: Remembered) -> None:
        """Remember a request under the digest of the turn that it answered."""
        with self._lock:
            self._requests[digest] = request
            self._requests.move_to_end(digest)
            while len(self._requests) > self._size:
                self._requests.popitem(last=False)
