"""Tool units: an assistant's turn that calls tools, and all the results that answer it.

>>> from convgate.core.conversation import ToolCall, Turn
>>> turns = [
...     Turn.of("user", "Weather in Rome and Oslo?"),
...     Turn("assistant", tool_calls=(ToolCall("a", "weather", "{}"), ToolCall("b", "weather", "{}"))),
...     Turn.of("tool", "31 °C", tool_call_id="a"),
... ]
>>> find_tool_units(turns).units
(ToolUnit(call=1, results=(2,), missing=('b',)),)
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from convgate.core.conversation import ToolCall, Turn

RESULT_ROLES = frozenset({"tool", "function"})


def is_result(turn: Turn) -> bool:
    """Return whether the turn is a tool's result: by its role, or as it names the call that it answers."""
    return bool(turn.role in RESULT_ROLES or turn.tool_call_id) and not turn.is_instruction


def calls_of(turn: Turn) -> tuple[ToolCall, ...]:
    """Return the tool calls of the turn; none for users, instructions and results, whatever they carry."""
    if not turn.tool_calls or turn.role == "user" or turn.is_instruction or is_result(turn):
        return ()
    return turn.tool_calls


def is_from_user(turn: Turn) -> bool:
    """Return whether a turn is a user's: no instruction, answer, tool call or result."""
    return not (turn.is_instruction or turn.role == "assistant" or is_result(turn) or calls_of(turn))


@dataclass(frozen=True, slots=True)
class ToolUnit:
    """A turn with tool calls and their results, which only mean something together."""

    call: int  # index of the turn that calls
    results: tuple[int, ...]  # indices of the results, increasing, all after `call`
    missing: tuple[str, ...]  # ids of calls without a result (names where a call has no id), in call order

    @property
    def members(self) -> tuple[int, ...]:
        """Indices of all its turns, increasing."""
        return (self.call, *self.results)


@dataclass(frozen=True)
class ToolUnits:
    """All tool units of a list of turns; no turn is in two of them."""

    units: tuple[ToolUnit, ...]  # by the place of their call
    orphans: tuple[int, ...]  # indices of results whose call is not before them, increasing

    @cached_property
    def by_turn(self) -> Mapping[int, ToolUnit]:
        """The unit that each of its turns belongs to."""
        return {index: unit for unit in self.units for index in unit.members}


def find_tool_units(turns: Sequence[Turn]) -> ToolUnits:
    """Return the tool units of `turns`, in O(n).

    A result belongs to the nearest open call with its id before it, for ids can repeat. Where a result
    has no id (the legacy `function` role) it belongs to the nearest open call of its name, and where it
    has no name either (ShareGPT's observations) to the nearest open call.
    """
    waiting = _OpenCalls()
    calls: dict[int, list[_Call]] = {}
    results: defaultdict[int, list[int]] = defaultdict(list)
    orphans: list[int] = []
    for index, turn in enumerate(turns):
        if is_result(turn):
            call = waiting.close_for(turn)
            (orphans if call is None else results[call.turn]).append(index)
        elif turn_calls := calls_of(turn):
            calls[index] = [_Call(index, call.id, call.name) for call in turn_calls]
            waiting.add(calls[index])
    units = (
        ToolUnit(index, tuple(results[index]), tuple(call.label for call in turn_calls if call.open))
        for index, turn_calls in calls.items()
    )
    return ToolUnits(tuple(units), tuple(orphans))


@dataclass(slots=True, eq=False)
class _Call:
    turn: int
    id: str
    name: str
    open: bool = True

    @property
    def label(self) -> str:
        return self.id or self.name


class _OpenCalls:
    """The calls that still wait for a result, the nearest one first.

    Each call lies on three stacks and is closed through one; the others shed it when it comes to the top.
    """

    def __init__(self) -> None:
        self._all: list[_Call] = []
        self._by_id: defaultdict[str, list[_Call]] = defaultdict(list)
        self._by_name: defaultdict[str, list[_Call]] = defaultdict(list)

    def add(self, calls: Sequence[_Call]) -> None:
        for call in calls:
            self._all.append(call)
            self._by_id[call.id].append(call)
            self._by_name[call.name].append(call)

    def close_for(self, result: Turn) -> _Call | None:
        if result.tool_call_id:
            stack = self._by_id[result.tool_call_id]
        elif result.name:
            stack = self._by_name[result.name]
        else:
            stack = self._all
        while stack:
            call = stack.pop()
            if call.open:
                call.open = False
                return call
        return None
