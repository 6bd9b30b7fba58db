"""The rules that keep and drop turns until a list of messages is valid, one method each."""

from __future__ import annotations

from collections.abc import Sequence

from convgate.core.conversation import Turn
from convgate.core.decisions import Override
from convgate.core.text import join_words, quote
from convgate.messages.units import ToolUnit, find_tool_units, is_from_user

STAGE = "messages"
"""The stage that overrides name."""

INSTRUCTIONS = "instructions"
CURRENT = "current"
TOOL_UNIT = "tool_unit"
ANSWER_PAIR = "answer_pair"
FIRST_USER = "first_user"
INCOMPLETE_TOOL_UNIT = "incomplete_tool_unit"
ORPHAN_RESULT = "orphan_result"
PRUNED = "pruned"
AFTER_CURRENT = "after_current"

PRUNED_FIELD = "pruned_reason"
"""The field of a turn that was pruned from what is stored: why, as a part of a sentence."""


class Repair:
    """One run over the turns up to the current one, its steps called in the order in which they stand.

    No turn changes twice: a dropped turn stays dropped, and others are only ever added.
    """

    def __init__(self, turns: Sequence[Turn], chosen: list[bool], current: int | None) -> None:
        self.turns, self.current = turns, current
        self.kept = list(chosen)
        self.dropped = [False] * len(turns)
        self.overrides: dict[int, Override] = {}
        self.tool_units = find_tool_units(turns)
        self.current_unit: ToolUnit | None = None if current is None else self.tool_units.by_turn.get(current)
        self.is_user = [is_from_user(turn) for turn in turns]

    def leave_what_cannot_stay(self) -> None:
        """Drop pruned turns, orphan results, incomplete units and what precedes every user.

        The current unit stays.
        """
        for index, turn in enumerate(self.turns):
            if is_pruned(turn):
                self._drop(index, PRUNED, f"it was pruned: {turn.metadata[PRUNED_FIELD]}")
        for index in self.tool_units.orphans:
            self._drop(
                index, ORPHAN_RESULT, "it is a tool's result, and no earlier message makes the call for it."
            )
        for unit in self.tool_units.units:
            if unit.missing and unit is not self.current_unit:
                self._drop_incomplete(unit)
        opening = next((index for index, user in enumerate(self.is_user) if user), len(self.turns))
        for index in range(opening):
            if not (self.turns[index].is_instruction or self.dropped[index]):
                self._drop_unanswering(index)

    def keep_what_always_stays(self) -> None:
        """Keep instructions and the current turn."""
        for index, turn in enumerate(self.turns):
            if turn.is_instruction:
                self.kept[index] = False  # named as such even where they were chosen
                self._keep(
                    index, INSTRUCTIONS, f"instructions to the model ({turn.role} messages) are always sent."
                )
        if self.current is not None:
            self._keep(self.current, CURRENT, "it is the current message, the one to answer.")

    def keep_whole_groups(self, *, pair_answers: bool) -> None:
        """Keep whole units, or with `pair_answers` questions and their answers, of which a turn is kept."""
        groups = self._groups(pair_answers=pair_answers)
        in_group: set[int] = set()  # groups of which a turn is kept
        in_unit: set[int] = set()  # calls of units of which a turn is kept
        for index, group in groups.items():
            if self.kept[index]:
                in_group.add(group)
                if unit := self.tool_units.by_turn.get(index):
                    in_unit.add(unit.call)
        for index, group in groups.items():
            unit = self.tool_units.by_turn.get(index)
            if unit and unit.call in in_unit:
                self._keep(index, TOOL_UNIT, _same_unit(index, unit))
            elif group in in_group:
                self._keep(index, ANSWER_PAIR, "its question or its answer is kept, and they stay together.")

    def open_with_a_user(self) -> None:
        """Keep the user's turn before the first kept one when that is the assistant's."""
        first = next(
            (i for i, stays in enumerate(self.kept) if stays and not self.turns[i].is_instruction), None
        )
        if first is None or self.is_user[first]:
            return
        asked = next((index for index in range(first - 1, -1, -1) if self.is_user[index]), None)
        if asked is not None:
            reason = "an answer to it is kept, and the messages have to open with a user's."
            self._keep(asked, FIRST_USER, reason)

    def _groups(self, *, pair_answers: bool) -> dict[int, int]:
        """Return each turn's group: its unit's call, or with paired answers the user's turn it answers."""
        groups: dict[int, int] = {}
        asked = None
        for index, turn in enumerate(self.turns):
            if self.dropped[index] or turn.is_instruction:
                continue
            unit = self.tool_units.by_turn.get(index)
            if self.is_user[index]:
                groups[index] = asked = index
            elif unit and index != unit.call:
                groups[index] = groups[unit.call]
            else:
                groups[index] = asked if pair_answers and asked is not None else index
        return groups

    def _drop_incomplete(self, unit: ToolUnit) -> None:
        missing = join_words((quote(id, 40) for id in unit.missing), max_words=3)
        self._drop(
            unit.call,
            INCOMPLETE_TOOL_UNIT,
            f"it calls a tool, and the result is missing for {missing}; models refuse such a call.",
        )
        for index in unit.results:
            self._drop(
                index,
                INCOMPLETE_TOOL_UNIT,
                f"its call lacks the result for {missing}, and a call leaves with all its results.",
            )

    def _drop_unanswering(self, index: int) -> None:
        unit = self.tool_units.by_turn.get(index)
        if unit is not None and unit is self.current_unit:
            return
        reason = "no user's message comes before it, and the messages have to open with one."
        for member in unit.members if unit else (index,):
            self._drop(member, FIRST_USER, reason)

    def _drop(self, index: int, rule: str, reason: str) -> None:
        if index == self.current or self.dropped[index]:
            return
        self.dropped[index] = True
        if self.kept[index]:
            self.kept[index] = False
            self.overrides[index] = Override(rule, reason, stage=STAGE, kept=False)

    def _keep(self, index: int, rule: str, reason: str) -> None:
        if not self.kept[index]:
            self.kept[index] = True
            self.overrides[index] = Override(rule, reason, stage=STAGE, kept=True)


def is_pruned(turn: Turn) -> bool:
    """Return whether the turn was pruned from what is stored."""
    return PRUNED_FIELD in turn.metadata


def _same_unit(index: int, unit: ToolUnit) -> str:
    if index == unit.call:
        return "it makes a tool call whose result is kept, and one is not sent without the other."
    return "it is the result of a tool call that is kept, and one is not sent without the other."
