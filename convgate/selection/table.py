"""A conversation up to the message to answer, as columns, so that a longer one costs only its growth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from convgate.core.conversation import Turn
from convgate.core.decisions import Override
from convgate.messages.repair import Repair, find_exchanges
from convgate.messages.table import MessageTable
from convgate.messages.tokens import TokenCounter, turn_tokens
from convgate.messages.units import calls_of, is_result


@dataclass(eq=False)
class TurnTable:
    """One row per turn; the last is the current message, or a typed question. Immutable."""

    messages: MessageTable = field(default_factory=MessageTable)
    costs: NDArray[np.int64] = field(
        default_factory=lambda: np.zeros(0, dtype=np.int64)
    )  # tokens, with frame
    tokens: list[int] = field(default_factory=list)  # the same
    digests: list[bytes] = field(default_factory=list)  # of the turn and all turns before it
    user_turn: list[int | None] = field(default_factory=list)  # the last user's turn up to this one

    def first(self, count: int) -> TurnTable:
        """Return the rows of the first `count` turns."""
        return TurnTable(
            self.messages.first(count),
            self.costs[:count],
            self.tokens[:count],
            self.digests[:count],
            self.user_turn[:count],
        )

    def extend(self, new: Sequence[Turn], counter: TokenCounter | None) -> TurnTable:
        """Return a table of these rows and those of further turns."""
        if not new:
            return self
        start, messages = len(self.turns), self.messages.extend(new)
        costs = turn_tokens(new, counter)
        digests, user_turn = list(self.digests), list(self.user_turn)
        for index, turn in enumerate(new, start):
            is_user = bool(messages.is_user[index])
            digests.append(_digest(digests[-1] if digests else b"", turn))
            user_turn.append(index if is_user else (user_turn[-1] if index else None))
        return TurnTable(
            messages,
            np.concatenate([self.costs, costs]),
            [*self.tokens, *costs.tolist()],
            digests,
            user_turn,
        )

    @property
    def turns(self) -> list[Turn]:
        """The turns themselves."""
        return self.messages.turns

    @property
    def is_instruction(self) -> NDArray[np.bool_]:
        """(n,)"""
        return self.messages.is_instruction

    @cached_property
    def current(self) -> int:
        """The index of the current message."""
        return len(self.turns) - 1

    @cached_property
    def total(self) -> int:
        """Tokens of all turns."""
        return int(self.costs.sum())

    def has_tools(self, index: int) -> bool:
        """Return whether the turn calls a tool or is a result."""
        turn = self.turns[index]
        return is_result(turn) or bool(calls_of(turn))

    @cached_property
    def is_unsendable(self) -> NDArray[np.bool_]:
        """(n,) turns that are never sent: pruned ones, orphan results, calls without theirs."""
        return self._repair(chosen=False).dropped

    @cached_property
    def unsendable(self) -> Mapping[int, Override]:
        """The same turns, with the reasons."""
        return self._repair(chosen=True).overrides

    def _repair(self, *, chosen: bool) -> Repair:
        """Return a repair that dropped what no valid list has."""
        repair = Repair(self.messages, np.full(len(self.turns), chosen), self.current)
        repair.leave_what_cannot_stay()
        return repair

    @cached_property
    def current_unit(self) -> tuple[int, ...]:
        """The current message with the tool call that it belongs to, and that call's other results."""
        return self.group(self.current)

    @cached_property
    def last_exchange(self) -> range:
        """The user's turn before the current message, and all that followed it.

        While a tool's result is answered, that is what belongs to the same question.
        """
        before = self.user_turn[self.current - 1] if self.current else None
        return range(self.current if before is None else before, self.current)

    def group(self, index: int, *, paired: bool = False) -> tuple[int, ...]:
        """Return the turns that are sent together with this one: its tool unit; if `paired`, its exchange."""
        if paired:
            group = self._exchange_of[index]
            order, ordered = self._exchanges
            low, high = np.searchsorted(ordered, [group, group + 1])
            return tuple(order[low:high].tolist())
        unit = self.messages.units.by_turn.get(index)
        return unit.members if unit else (index,)

    @cached_property
    def _exchange_of(self) -> NDArray[np.int64]:
        """(n,) the user's turn that each turn answers, or is; alone: its own index."""
        is_free = ~(self.is_instruction | self.is_unsendable)
        groups = find_exchanges(self.messages.is_user & is_free, self.messages.unit_call)
        return np.where(is_free, groups, np.arange(len(groups)))

    @cached_property
    def _exchanges(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The turns by their exchange, and the exchange of each."""
        order = np.argsort(self._exchange_of, kind="stable")
        return order, self._exchange_of[order]

    def by_group(self, values: NDArray[Any], reduce: np.ufunc, *, paired: bool) -> NDArray[Any]:
        """Return (n,) `np.add` or `np.minimum` over the (n,) values of each turn's group."""
        result = values.copy()
        for groups in (self.messages.unit_call, self._exchange_of) if paired else (self.messages.unit_call,):
            members = np.flatnonzero(groups >= 0)
            if len(members):
                reduced = np.zeros_like(values) if reduce is np.add else values.copy()
                reduce.at(reduced, groups[members], values[members])
                result[members] = reduced[groups[members]]
        return result


def _digest(before: bytes, turn: Turn) -> bytes:
    """Return a digest of what a model reads of the turn, and of `before`."""
    content = "\0".join(
        (turn.role, turn.name or "", turn.tool_call_id or "", *turn.also_answers, turn.scored_text)
    )
    return blake2b(before + content.encode("utf-8", "surrogatepass"), digest_size=16).digest()
