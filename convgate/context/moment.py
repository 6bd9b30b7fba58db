"""The conversation up to the message to answer, with what packing has to know of each turn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from convgate.context.columns import Columns
from convgate.conversation import Turn
from convgate.decisions import Override
from convgate.messages.repair import Repair
from convgate.messages.tokens import TokenCounter
from convgate.messages.units import ToolUnits

_NO_UNITS = ToolUnits((), ())


@dataclass(frozen=True, eq=False)
class Moment:
    """A conversation as it is when a message has to be answered: the last of its turns.

    A question that somebody typed stands last too.
    """

    columns: Columns  # one row or more

    @classmethod
    def of(cls, turns: Sequence[Turn], counter: TokenCounter | None = None) -> Moment:
        """The moment at the last of `turns`."""
        return cls(Columns().extended(turns, counter))

    @property
    def turns(self) -> list[Turn]:
        """All of them, the present one last."""
        return self.columns.turns

    @property
    def tokens(self) -> list[int]:
        """Of each turn, with its frame."""
        return self.columns.tokens

    @property
    def is_user(self) -> list[bool]:
        """Of each turn, whether a person says it: it is no instruction, answer, tool call or result."""
        return self.columns.is_user

    @property
    def asked(self) -> list[int | None]:
        """Of each turn, the nearest user's turn up to it; None before the first."""
        return self.columns.asked

    @property
    def current(self) -> int:
        """The index of the message to answer; as many turns stand before it."""
        return len(self.turns) - 1

    @cached_property
    def units(self) -> ToolUnits:
        """Tool calls with their results."""
        return self._whole.found if any(self.columns.tooled) else _NO_UNITS

    @cached_property
    def _whole(self) -> Repair:
        """All turns but those that no valid list has; what repairs add besides, they have already."""
        repair = Repair(self.turns, [True] * len(self.turns), self.current)
        repair.leave_what_cannot_stay()
        return repair

    @cached_property
    def present(self) -> tuple[int, ...]:
        """The message to answer with the tool call that it belongs to, and that call's other results."""
        unit = self.units.by_turn.get(self.current)
        return unit.members if unit else (self.current,)

    @cached_property
    def last_exchange(self) -> range:
        """What was said last before the present message: a user's turn and all that followed it.

        While a tool's result is answered, that is what belongs to the same question.
        """
        before = self.asked[self.current - 1] if self.current else None
        return range(self.current if before is None else before, self.current)

    @cached_property
    def unsendable(self) -> Mapping[int, Override]:
        """Turns that no valid list has, with the reasons: orphan results, calls without theirs, and so on."""
        opens = next(
            (user for rule, user in zip(self.columns.instructs, self.is_user, strict=True) if not rule),
            True,
        )
        if opens and not any(self.columns.tooled):
            return {}
        return self._whole.overrides

    def together(self, index: int, *, paired: bool = False) -> tuple[int, ...]:
        """The turns that are sent with this one or not at all: its tool unit; if `paired`, its exchange."""
        if paired and (exchange := self._exchanges.get(index)):
            return exchange
        unit = self.units.by_turn.get(index)
        return unit.members if unit else (index,)

    @cached_property
    def _exchanges(self) -> Mapping[int, tuple[int, ...]]:
        """Each turn's exchange: a user's turn with what answers it; a late result goes with its call."""
        members: dict[int, list[int]] = {}
        opened: dict[int, int] = {}
        for index, asked in enumerate(self.asked):
            if self.columns.instructs[index] or asked is None or index in self.unsendable:
                continue
            unit = self.units.by_turn.get(index)
            opened[index] = opened.get(unit.call, asked) if unit else asked
            members.setdefault(opened[index], []).append(index)
        exchanges = {first: tuple(turns) for first, turns in members.items()}
        return {index: exchanges[first] for index, first in opened.items()}
