"""A conversation up to the message to answer, as columns, so that a longer one costs only its growth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from convgate.core.conversation import Turn, prefix_hashes
from convgate.core.decisions import REPAIR, Override
from convgate.core.text import join_words, quote
from convgate.messages.tokens import TokenCounter, turn_tokens
from convgate.messages.units import ToolUnit, ToolUnits, calls_of, find_tool_units, is_from_user, is_result
from convgate.transcripts.dialects.base import Dialect
from convgate.transcripts.message_reader import dialect_of, find_mark

INCOMPLETE_TOOL_UNIT = "incomplete_tool_unit"
ORPHAN_RESULT = "orphan_result"
PRUNED = "pruned"

Flags = NDArray[np.bool_]
Integers = NDArray[np.int64]

_PRUNED_UNIT = "its tool call, or a result of the same call, was pruned."
_ORPHAN = "it is a tool's result, and no earlier message makes the call for it."


def _no_flags() -> Flags:
    return np.zeros(0, dtype=np.bool_)


def _no_integers() -> Integers:
    return np.zeros(0, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class TurnTable:
    """One row per turn; the last is the current message, or a typed question. Immutable."""

    turns: list[Turn] = field(default_factory=list)
    is_instruction: Flags = field(default_factory=_no_flags)  # (n,)
    is_user: Flags = field(default_factory=_no_flags)  # no instruction, answer, call or result
    is_pruned: Flags = field(default_factory=_no_flags)
    is_held: Flags = field(default_factory=_no_flags)  # sent whatever a policy decides
    unit_call: Integers = field(default_factory=_no_integers)
    """(n,) the call of the tool unit that the turn belongs to, -1 without one."""
    costs: Integers = field(default_factory=_no_integers)  # (n,) tokens, with frame
    known_hashes: list[bytes] = field(default_factory=list)  # the first of `hashes`
    units: ToolUnits = field(default_factory=ToolUnits)
    dialect_turn: int | None = None  # the first turn whose source shows its dialect

    def __len__(self) -> int:
        return len(self.turns)

    def first(self, n: int) -> TurnTable:
        """Return the rows of the first n turns; a result after them is missing."""
        if n == len(self):
            return self
        turns, units = self.turns[:n], self.units
        if (self.unit_call[n:] >= 0).any() or any(orphan >= n for orphan in units.orphans):
            units = find_tool_units(turns)
        return TurnTable(
            turns,
            self.is_instruction[:n],
            self.is_user[:n],
            self.is_pruned[:n],
            self.is_held[:n],
            self.unit_call[:n],
            self.costs[:n],
            self._hashes_so_far[:n],
            units,
            None if self.dialect_turn is None or self.dialect_turn >= n else self.dialect_turn,
        )

    def extend(self, new: Sequence[Turn], counter: TokenCounter | None) -> TurnTable:
        """Return a table of these rows and those of further turns."""
        if not new:
            return self
        start = len(self)
        units = self.units.extend(new, start)
        dialect_turn = self.dialect_turn
        if dialect_turn is None:
            rows = enumerate(new, start)
            dialect_turn = next((row for row, turn in rows if turn.source and find_mark(turn.source)), None)
        calls = (units.by_turn.get(index) for index in range(start, start + len(new)))
        return TurnTable(
            [*self.turns, *new],
            _append(self.is_instruction, [turn.is_instruction for turn in new]),
            _append(self.is_user, [is_from_user(turn) for turn in new]),
            _append(self.is_pruned, [turn.pruned is not None for turn in new]),
            _append(self.is_held, [turn.held_because is not None for turn in new]),
            _append(self.unit_call, [-1 if unit is None else unit.call for unit in calls]),
            np.concatenate([self.costs, turn_tokens(new, counter)]),
            self._hashes_so_far,
            units,
            dialect_turn,
        )

    @property
    def dialect(self) -> Dialect:
        """The dialect of the turns' sources."""
        return dialect_of([] if self.dialect_turn is None else [self.turns[self.dialect_turn].source or {}])

    @property
    def current(self) -> int:
        """The index of the current message."""
        return len(self) - 1

    @cached_property
    def hashes(self) -> list[bytes]:
        """A hash of each turn and all turns before it, made when it is read."""
        known = self.known_hashes
        new = prefix_hashes(self.turns[len(known) :], after=known[-1] if known else b"")
        return [*known, *new[1:]]

    @property
    def _hashes_so_far(self) -> list[bytes]:
        hashes: list[bytes] = self.__dict__.get("hashes", self.known_hashes)
        return hashes

    @cached_property
    def tokens(self) -> list[int]:
        """The costs as a list, which is faster to read one by one."""
        tokens: list[int] = self.costs.tolist()
        return tokens

    @cached_property
    def total(self) -> int:
        """Tokens of all turns."""
        return int(self.costs.sum())

    def has_tools(self, index: int) -> bool:
        """Return whether the turn calls a tool or is a result."""
        turn = self.turns[index]
        return is_result(turn) or bool(calls_of(turn))

    def user_turn(self, index: int) -> int | None:
        """Return the last user's turn up to this one."""
        row = int(self._user_turns[index])
        return row if row >= 0 else None

    @cached_property
    def _user_turns(self) -> Integers:
        """(n,) the same of every turn; -1 for none."""
        return np.maximum.accumulate(np.where(self.is_user, np.arange(len(self)), -1))

    @cached_property
    def unsendable(self) -> Mapping[int, Override]:
        """Turns that are never sent, with the reasons: pruned ones, orphan results, calls without theirs."""
        return self.find_unsendable(self.current)

    @cached_property
    def is_unsendable(self) -> Flags:
        """(n,) the same turns."""
        return self.flags(self.unsendable)

    def find_unsendable(self, current: int | None) -> dict[int, Override]:
        """Return the turns that no valid list has; `current` and the response that it is of may stay."""
        unit = None if current is None else self.units.by_turn.get(current)
        current_call = unit.call if unit else None
        reasons = dict[int, tuple[str, str]]()
        for index in np.flatnonzero(self.is_pruned).tolist():
            reasons[index] = (PRUNED, f"it was pruned: {self.turns[index].pruned}")
        pruned_calls = {*self.unit_call[self.is_pruned].tolist()} - {-1, current_call}
        for index in self._rows_of(pruned_calls):
            reasons.setdefault(index, (PRUNED, _PRUNED_UNIT))
        for index in self.units.orphans:
            reasons.setdefault(index, (ORPHAN_RESULT, _ORPHAN))
        for index in self._rows_of({*self.units.incomplete} - {current_call}):
            if not self.is_instruction[index]:
                reason = _explain_incomplete(self.units.by_turn[index], index)
                reasons.setdefault(index, (INCOMPLETE_TOOL_UNIT, reason))
        if current is not None:
            reasons.pop(current, None)
        return {
            index: Override(rule, reason, "for a valid list", REPAIR, kept=False)
            for index, (rule, reason) in reasons.items()
        }

    def _rows_of(self, calls: set[int | Any]) -> list[int]:
        """Return the turns of the units with these calls."""
        return np.flatnonzero(np.isin(self.unit_call, [*calls])).tolist() if calls else []

    def flags(self, indices: Mapping[int, Any] | Sequence[int]) -> Flags:
        """Return (n,) True for these turns."""
        flags = np.zeros(len(self), dtype=np.bool_)
        flags[list(indices)] = True
        return flags

    @cached_property
    def current_unit(self) -> tuple[int, ...]:
        """The current message with the tool call that it belongs to, and that call's other results."""
        return self.group(self.current)

    @cached_property
    def last_exchange(self) -> range:
        """The user's turn before the current message, and all that followed it.

        While a tool's result is answered, that is what belongs to the same question.
        """
        before = self.user_turn(self.current - 1) if self.current else None
        return range(self.current if before is None else before, self.current)

    def group(self, index: int, *, paired: bool = False) -> tuple[int, ...]:
        """Return the turns that are sent together with this one: its tool unit; if `paired`, its exchange."""
        if paired:
            group = self._exchange_of[index]
            order, ordered = self._exchanges
            low, high = np.searchsorted(ordered, [group, group + 1])
            return tuple(order[low:high].tolist())
        unit = self.units.by_turn.get(index)
        return unit.members if unit else (index,)

    def find_exchanges(self, is_dropped: Flags) -> Integers:
        """Return (n,) the user's turn that each turn answers, or is; alone: its own index.

        Instructions and (n,) dropped turns are alone. A result belongs to the exchange of its call.
        """
        rows, is_free = np.arange(len(self)), ~(self.is_instruction | is_dropped)
        opened = np.maximum.accumulate(np.where(self.is_user & is_free, rows, -1))
        groups = np.where(opened >= 0, opened, rows)
        has_call = (self.unit_call >= 0) & (self.unit_call != rows)
        groups[has_call] = groups[self.unit_call[has_call]]
        return np.where(is_free, groups, rows)

    @cached_property
    def _exchange_of(self) -> Integers:
        return self.find_exchanges(self.is_unsendable)

    @cached_property
    def _exchanges(self) -> tuple[Integers, Integers]:
        """The turns by their exchange, and the exchange of each."""
        order = np.argsort(self._exchange_of, kind="stable")
        return order, self._exchange_of[order]

    def by_group(self, values: NDArray[Any], reduce: np.ufunc, *, paired: bool) -> NDArray[Any]:
        """Return (n,) `np.add` or `np.minimum` over the (n,) values of each turn's group."""
        result = values.copy()
        for groups in (self.unit_call, self._exchange_of) if paired else (self.unit_call,):
            members = np.flatnonzero(groups >= 0)
            if len(members):
                reduced = np.zeros_like(values) if reduce is np.add else values.copy()
                reduce.at(reduced, groups[members], values[members])
                result[members] = reduced[groups[members]]
        return result


def _append(column: NDArray[Any], new: Sequence[int]) -> NDArray[Any]:
    return np.concatenate([column, np.array(new, dtype=column.dtype)])


def _explain_incomplete(unit: ToolUnit, index: int) -> str:
    if not unit.missing:
        return "it is of a response of the model that broke off; APIs refuse its beginning alone."
    missing = join_words((quote(id, 40) for id in unit.missing), max_words=3)
    if index == unit.call:
        return f"it calls a tool, and the result is missing for {missing}; models refuse such a call."
    return f"its call lacks the result for {missing}, and a call leaves with all its results."
