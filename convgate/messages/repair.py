"""The rules that keep and drop turns until a list of messages is valid, one method each."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from convgate.core.conversation import Turn
from convgate.core.decisions import HOLD, REPAIR, Override
from convgate.core.text import join_words, quote
from convgate.messages.table import MessageTable
from convgate.messages.units import ToolUnit, is_result

INSTRUCTIONS = "instructions"
CURRENT = "current"
HELD = "held"
TOOL_UNIT = "tool_unit"
ANSWER_PAIR = "answer_pair"
FIRST_USER = "first_user"
INCOMPLETE_TOOL_UNIT = "incomplete_tool_unit"
ORPHAN_RESULT = "orphan_result"
PRUNED = "pruned"
AFTER_CURRENT = "after_current"

_PRUNED_UNIT = "its tool call, or a result of the same call, was pruned."
_ORPHAN = "it is a tool's result, and no earlier message makes the call for it."

Flags = NDArray[np.bool_]


class Repair:
    """One run over the turns up to the current one, its steps called in the order in which they stand.

    No turn changes twice: a dropped turn stays dropped, and others are only ever added.
    """

    def __init__(self, table: MessageTable, chosen: Flags, current: int | None) -> None:
        self.table, self.current = table, current
        self.kept = chosen.copy()  # (n,)
        self.dropped = np.zeros(len(table), dtype=np.bool_)
        self.overrides: dict[int, Override] = {}
        self.current_unit: ToolUnit | None = None if current is None else table.units.by_turn.get(current)

    def leave_what_cannot_stay(self) -> None:
        """Drop pruned turns, orphan results and incomplete units. The current unit stays."""
        table, units = self.table, self.table.units
        current_call = self.current_unit.call if self.current_unit else None
        self._drop(
            table.is_pruned,
            PRUNED,
            lambda index: f"it was pruned: {table.turns[index].pruned}",
        )
        pruned_calls = {*table.unit_call[table.is_pruned].tolist()} - {-1, current_call}
        if pruned_calls:
            self._drop(np.isin(table.unit_call, list(pruned_calls)), PRUNED, lambda _: _PRUNED_UNIT)
        if units.orphans:
            orphans = np.zeros_like(self.dropped)
            orphans[list(units.orphans)] = True
            self._drop(orphans, ORPHAN_RESULT, lambda _: _ORPHAN)
        if incomplete := [call for call in units.incomplete if call != current_call]:
            rows = np.isin(table.unit_call, incomplete) & ~table.is_instruction
            self._drop(rows, INCOMPLETE_TOOL_UNIT, self._explain_incomplete)

    def keep_what_always_stays(self) -> None:
        """Keep instructions, turns that are held, and the current turn."""
        for index in np.flatnonzero(self.table.is_instruction).tolist():
            role = self.table.turns[index].role
            self.kept[index] = False  # named as such even where they were chosen
            self._keep(index, INSTRUCTIONS, f"instructions to the model ({role} messages) are always sent.")
        for index in np.flatnonzero(self.table.is_held & ~self.dropped).tolist():
            self._keep(index, HELD, self.table.turns[index].held_because or "")
        if self.current is not None:
            self._keep(self.current, CURRENT, "it is the current message, the one to answer.")

    def keep_whole_groups(self, *, pair_answers: bool) -> None:
        """Keep whole units, or with `pair_answers` questions and their answers, of which a turn is kept."""
        table = self.table
        is_free = ~(self.dropped | table.is_instruction)
        is_kept, calls = self.kept & is_free, table.unit_call
        in_unit = np.zeros_like(self.kept)
        if (calls >= 0).any():
            is_in_unit = ~self.dropped & (calls >= 0)
            kept_calls = np.zeros_like(self.kept)
            kept_calls[calls[self.kept & is_in_unit]] = True
            in_unit = is_in_unit & kept_calls[calls]
            for index in np.flatnonzero(in_unit & ~self.kept).tolist():
                self._keep(index, TOOL_UNIT, _same_unit(table.turns[index]))
        if pair_answers and len(table):
            groups = find_exchanges(is_free & table.is_user, calls)
            kept_groups = np.zeros_like(self.kept)
            kept_groups[groups[is_kept]] = True
            for index in np.flatnonzero(is_free & kept_groups[groups] & ~in_unit & ~self.kept).tolist():
                self._keep(index, ANSWER_PAIR, "its question or its answer is kept, and they stay together.")

    def open_with_a_user(self) -> None:
        """Keep the user's turn before the first kept one when that is an answer of the assistant's."""
        others = np.flatnonzero(self.kept & ~self.table.is_instruction).tolist()
        first = next((row for row in others if not self.table.turns[row].needs_next), None)
        if first is None or self.table.is_user[first]:
            return
        asked = np.flatnonzero(self.table.is_user[:first])
        if len(asked):
            reason = "an answer to it is kept, and the messages do not open with an answer."
            self._keep(int(asked[-1]), FIRST_USER, reason)

    def _explain_incomplete(self, index: int) -> str:
        unit = self.table.units.by_turn[index]
        if not unit.missing:
            return "it is of a response of the model that broke off; APIs refuse its beginning alone."
        missing = join_words((quote(id, 40) for id in unit.missing), max_words=3)
        if index == unit.call:
            return f"it calls a tool, and the result is missing for {missing}; models refuse such a call."
        return f"its call lacks the result for {missing}, and a call leaves with all its results."

    def _drop(self, rows: Flags, rule: str, explain: Callable[[int], str]) -> None:
        new = rows & ~self.dropped
        if self.current is not None:
            new[self.current] = False
        self.dropped |= new
        for index in np.flatnonzero(new & self.kept).tolist():
            self.overrides[index] = Override(rule, explain(index), stage=REPAIR, kept=False)
        self.kept &= ~new

    def _keep(self, index: int, rule: str, reason: str) -> None:
        if not self.kept[index]:
            self.kept[index] = True
            stage = HOLD if rule in (INSTRUCTIONS, HELD, CURRENT) else REPAIR
            self.overrides[index] = Override(rule, reason, stage=stage, kept=True)


def find_exchanges(opens: Flags, unit_call: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return (n,) the turn that opens the exchange of each turn, or its own index before any.

    opens: (n,) turns that open one. A result belongs to the exchange of its call; unit_call as in the table.
    """
    rows = np.arange(len(opens))
    opened = np.maximum.accumulate(np.where(opens, rows, -1))
    groups = np.where(opened >= 0, opened, rows)
    is_result = (unit_call >= 0) & (unit_call != rows)
    groups[is_result] = groups[unit_call[is_result]]
    return groups


def _same_unit(turn: Turn) -> str:
    if turn.continues or turn.needs_next:
        return "it is of the same response of the model as what is kept, and they are sent together."
    if not is_result(turn):
        return "it makes a tool call whose result is kept, and one is not sent without the other."
    return "it is the result of a tool call that is kept, and one is not sent without the other."
