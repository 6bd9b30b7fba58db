"""A cache of what is computed from growing lists of turns or messages: a longer one costs what it adds."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any, Generic, Protocol, Self, TypeVar

MAX_CONVERSATIONS = 64
MAX_TURNS = 40_000
"""Of all conversations of a cache together; the newest conversation stays, however long it is."""


class Prefixed(Protocol):
    """A value computed turn by turn."""

    def first(self, n: int, /) -> Self:
        """Return the value of the first n turns."""
        ...


E = TypeVar("E")
T = TypeVar("T", bound=Prefixed)


class ConversationCache(Generic[T]):
    """The values of the conversations used last; thread-safe.

    A conversation is found again when its turns equal those that were computed, in order; turns are compared
    by identity first. copy: makes the copies that are compared and computed, where turns may change in place.
    """

    def __init__(self, copy: Callable[[Any], Any] | None = None) -> None:
        self._copy = copy
        self._lock = threading.Lock()
        self._entries: list[tuple[list[Any], T]] = []  # the newest last

    def get(self, turns: Sequence[Any], extend: Callable[[T | None, list[Any]], T]) -> T:
        """Return the value of the turns; `extend` adds turns to a known beginning's value, or to None.

        No lock is held while turns are compared or computed.
        """
        turns = list(turns)
        with self._lock:
            entries = self._entries
        entry: tuple[list[Any], T] | None = next(
            (entry for entry in reversed(entries) if _begin_alike(entry[0], turns)), None
        )
        known, value = entry or ([], None)
        if entry and len(known) >= len(turns):
            return entry[1].first(len(turns))
        if self._copy is not None:
            turns = known + [self._copy(turn) for turn in turns[len(known) :]]
        value = extend(value, turns[len(known) :])
        with self._lock:
            others = (other for other in self._entries if other is not entry)
            self._entries = keep_newest([*others, (turns, value)], lambda other: len(other[0]))
        return value


class Growing(Protocol):
    """What was read of a conversation so far; reading on changes it in place."""

    turns: list[Any]


G = TypeVar("G", bound=Growing)


class GrowingCache(Generic[G]):
    """What was read of the conversations used last, each taken out while it is read on; thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: list[G] = []  # the newest last

    def take(self, precedes: Callable[[G], bool]) -> G | None:
        """Take out the longest one that precedes what is read; None when there is none."""
        with self._lock:
            candidates = [known for known in self._known if precedes(known)]
            longest = max(candidates, key=lambda known: len(known.turns), default=None)
            if longest is not None:
                self._known.remove(longest)
        return longest

    def put(self, progress: G) -> None:
        """Keep one that was read as far as it goes."""
        with self._lock:
            self._known = keep_newest([*self._known, progress], lambda known: len(known.turns))


def keep_newest(entries: list[E], n_turns: Callable[[E], int]) -> list[E]:
    """Return the last entries within MAX_CONVERSATIONS and MAX_TURNS, the newest in any case."""
    turns = 0
    for place in range(len(entries) - 1, -1, -1):
        turns += n_turns(entries[place])
        if len(entries) - place > MAX_CONVERSATIONS or (turns > MAX_TURNS and place < len(entries) - 1):
            return entries[place + 1 :]
    return entries


def _begin_alike(known: list[Any], turns: list[Any]) -> bool:
    """Return whether one is the beginning of the other."""
    shared = min(len(known), len(turns))
    # the first turn alone before a copy of all: most conversations differ there
    return shared > 0 and known[0] == turns[0] and turns[:shared] == known[:shared]
