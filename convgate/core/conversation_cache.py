"""A cache of what is computed from the turns of conversations: a longer one costs what it adds."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Generic, Protocol, Self, TypeVar

from convgate.core.conversation import Turn


class TurnColumns(Protocol):
    """A value computed turn by turn."""

    def first(self, n: int, /) -> Self:
        """Return the value of the first n turns."""
        ...


T = TypeVar("T", bound=TurnColumns)


class ConversationCache(Generic[T]):
    """The values of the `size` conversations used last; thread-safe."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._lock = threading.Lock()
        self._entries: list[tuple[list[Turn], T]] = []  # the newest last

    def get(self, turns: Sequence[Turn], extend: Callable[[T | None, list[Turn]], T]) -> T:
        """Return the value of the turns; `extend` adds turns to a known beginning's value, or to None."""
        turns = list(turns)
        with self._lock:
            entry = next((entry for entry in reversed(self._entries) if _begin_alike(entry[0], turns)), None)
        known, value = entry or ([], None)
        if value is not None and len(known) >= len(turns):
            return value.first(len(turns))
        value = extend(value, turns[len(known) :])
        with self._lock:
            self._entries = [other for other in self._entries if other is not entry][1 - self._size :]
            self._entries.append((turns, value))
        return value


def _begin_alike(known: list[Turn], turns: list[Turn]) -> bool:
    """Return whether one is the beginning of the other; fast, as turns are compared by identity first."""
    shared = min(len(known), len(turns))
    return shared > 0 and known[:shared] == turns[:shared]
