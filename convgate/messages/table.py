"""What makes a list of messages valid, as columns, so that a longer one costs only its growth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from convgate.core.conversation import Turn
from convgate.messages.units import ToolUnits, find_tool_units, is_from_user
from convgate.transcripts.dialects.base import Dialect
from convgate.transcripts.message_reader import dialect_of, find_mark


def _no_flags() -> NDArray[np.bool_]:
    return np.zeros(0, dtype=np.bool_)


@dataclass(frozen=True, eq=False)
class MessageTable:
    """One row per turn. Immutable."""

    turns: list[Turn] = field(default_factory=list)
    is_instruction: NDArray[np.bool_] = field(default_factory=_no_flags)  # (n,)
    is_user: NDArray[np.bool_] = field(default_factory=_no_flags)  # no instruction, answer, call or result
    is_pruned: NDArray[np.bool_] = field(default_factory=_no_flags)
    is_held: NDArray[np.bool_] = field(default_factory=_no_flags)  # sent whatever a policy decides
    unit_call: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    """(n,) the call of the tool unit that the turn belongs to, -1 without one."""
    units: ToolUnits = field(default_factory=ToolUnits)
    marked: int | None = None  # the first turn whose source shows its dialect

    def __len__(self) -> int:
        return len(self.turns)

    def first(self, n: int) -> MessageTable:
        """Return the rows of the first n turns; a result after them is missing."""
        if n == len(self):
            return self
        turns, units = self.turns[:n], self.units
        if (self.unit_call[n:] >= 0).any() or any(orphan >= n for orphan in units.orphans):
            units = find_tool_units(turns)
        return MessageTable(
            turns,
            self.is_instruction[:n],
            self.is_user[:n],
            self.is_pruned[:n],
            self.is_held[:n],
            self.unit_call[:n],
            units,
            None if self.marked is None or self.marked >= n else self.marked,
        )

    @property
    def dialect(self) -> Dialect:
        """The dialect of the turns' sources."""
        return dialect_of([] if self.marked is None else [self.turns[self.marked].source or {}])

    def extend(self, new: Sequence[Turn]) -> MessageTable:
        """Return a table of these rows and those of further turns."""
        start = len(self)
        units = self.units.extend(new, start)
        marked = self.marked
        if marked is None:
            rows = enumerate(new, start)
            marked = next((row for row, turn in rows if turn.source and find_mark(turn.source)), None)
        calls = (units.by_turn.get(index) for index in range(start, start + len(new)))
        return MessageTable(
            [*self.turns, *new],
            _append(self.is_instruction, [turn.is_instruction for turn in new]),
            _append(self.is_user, [is_from_user(turn) for turn in new]),
            _append(self.is_pruned, [turn.pruned is not None for turn in new]),
            _append(self.is_held, [turn.held_because is not None for turn in new]),
            _append(self.unit_call, [-1 if unit is None else unit.call for unit in calls]),
            units,
            marked,
        )


def _append(column: NDArray[Any], new: Sequence[int]) -> NDArray[Any]:
    return np.concatenate([column, np.array(new, dtype=column.dtype)])
