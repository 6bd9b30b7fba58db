"""The rules that keep and drop turns until a list of messages is valid, one method each."""

from __future__ import annotations

import numpy as np

from convgate.core.conversation import Turn
from convgate.core.decisions import HOLD, REPAIR, Override
from convgate.messages.table import Flags, TurnTable
from convgate.messages.units import ToolUnit, is_result

INSTRUCTIONS = "instructions"
CURRENT = "current"
HELD = "held"
TOOL_UNIT = "tool_unit"
ANSWER_PAIR = "answer_pair"
FIRST_USER = "first_user"
AFTER_CURRENT = "after_current"


class Repair:
    """One run over the turns up to the current one, its steps called in the order in which they stand.

    No turn changes twice: a dropped turn stays dropped, and others are only ever added.
    """

    def __init__(self, table: TurnTable, chosen: Flags, current: int | None) -> None:
        """Drop what no valid list has."""
        self.table, self.current = table, current
        unsendable = table.find_unsendable(None) if current is None else table.unsendable
        self.dropped = table.flags(unsendable)
        self.kept = chosen & ~self.dropped  # (n,)
        self.overrides = {index: why for index, why in unsendable.items() if chosen[index]}
        self.current_unit: ToolUnit | None = None if current is None else table.units.by_turn.get(current)

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
            groups = table.find_exchanges(self.dropped)
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
        if (asked := self.table.user_turn(first)) is not None:
            reason = "an answer to it is kept, and the messages do not open with an answer."
            self._keep(asked, FIRST_USER, reason)

    def _keep(self, index: int, rule: str, reason: str) -> None:
        if not self.kept[index]:
            self.kept[index] = True
            stage = HOLD if rule in (INSTRUCTIONS, HELD, CURRENT) else REPAIR
            self.overrides[index] = Override(rule, reason, stage=stage, kept=True)


def _same_unit(turn: Turn) -> str:
    if turn.continues or turn.needs_next:
        return "it is of the same response of the model as what is kept, and they are sent together."
    if not is_result(turn):
        return "it makes a tool call whose result is kept, and one is not sent without the other."
    return "it is the result of a tool call that is kept, and one is not sent without the other."
