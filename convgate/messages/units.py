"""Tool units: what a model gave in one response with calls of tools, and all the results that answer it.

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
from dataclasses import dataclass, field, replace
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


def split_exchanges(turns: Sequence[Turn]) -> list[list[int]]:
    """Return the turns of each exchange: a user's, and all that answer it up to the next user's.

    Instructions are in none. What is said before the first user's turn is an exchange too.
    """
    exchanges: list[list[int]] = []
    for index, turn in enumerate(turns):
        if turn.is_instruction:
            continue
        if is_from_user(turn) or not exchanges:
            exchanges.append([])
        exchanges[-1].append(index)
    return exchanges


def _is_of_unit(turn: Turn) -> bool:
    return turn.continues or turn.needs_next or is_result(turn) or bool(calls_of(turn))


@dataclass(frozen=True, slots=True)
class ToolUnit:
    """A response of a model and the results of its calls, which only mean something together."""

    call: int  # index of the turn that calls, or of the first one of the response
    results: tuple[int, ...]  # indices of the results and of the response's other turns, increasing
    missing: tuple[str, ...]  # ids of calls without a result (names where a call has no id), in call order

    @property
    def members(self) -> tuple[int, ...]:
        """Indices of all its turns, increasing."""
        return (self.call, *self.results)


@dataclass(frozen=True)
class ToolUnits:
    """All tool units of a list of turns; no turn is in two of them."""

    by_turn: Mapping[int, ToolUnit] = field(
        default_factory=dict
    )  # the unit that each of its turns belongs to
    orphans: tuple[int, ...] = ()  # indices of results whose call is not before them, increasing
    _open: _OpenCalls = field(default_factory=lambda: _OpenCalls(), repr=False, compare=False)
    _broken_off: frozenset[int] = frozenset()  # the calls of units that end with a turn that needs the next

    @cached_property
    def units(self) -> tuple[ToolUnit, ...]:
        """The units by the place of their call."""
        return tuple(unit for index, unit in sorted(self.by_turn.items()) if index == unit.call)

    @property
    def incomplete(self) -> list[int]:
        """The calls of units with a result missing, or the rest of the response, increasing."""
        return sorted({*self._open.turns, *self._broken_off})

    def extend(self, turns: Sequence[Turn], start: int) -> ToolUnits:
        """Return the units with further turns, of which the first has the index `start`."""
        new = [(index, turn) for index, turn in enumerate(turns, start) if _is_of_unit(turn)]
        if not new:
            return self
        by_turn, orphans, waiting = dict(self.by_turn), list(self.orphans), self._open.copy()
        broken_off = set(self._broken_off)
        for index, turn in new:
            call: int | None = index
            if is_result(turn):
                call = waiting.close_for(turn)
            elif turn.continues and index:
                call = by_turn[index - 1].call if index - 1 in by_turn else index - 1
            if call is None:
                orphans.append(index)
                continue
            waiting.add([_Call(call, made.id, made.name) for made in calls_of(turn)])
            if turn.needs_next:
                broken_off.add(call)
            elif not is_result(turn):
                broken_off.discard(call)
            others = by_turn[call].results if call in by_turn else ()
            unit = ToolUnit(call, (*others, index) if index != call else (), waiting.labels(call))
            by_turn.update(dict.fromkeys(unit.members, unit))
        return ToolUnits(by_turn, tuple(orphans), waiting, frozenset(broken_off))


def find_tool_units(turns: Sequence[Turn]) -> ToolUnits:
    """Return the tool units of `turns`, in O(n).

    A result belongs to the nearest open call with its id before it, for ids can repeat. Where a result
    has no id (the legacy `function` role) it belongs to the nearest open call of its name, and where it
    has no name either (ShareGPT's observations) to the nearest open call.
    """
    return ToolUnits().extend(turns, 0)


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
        self.turns: dict[int, list[_Call]] = {}  # the open calls of each turn that has some

    def copy(self) -> _OpenCalls:
        """Return the same open calls, which close apart from these."""
        copied = _OpenCalls()
        copied.add([replace(call) for call in self._all if call.open])
        return copied

    def labels(self, turn: int) -> tuple[str, ...]:
        """Return the labels of the open calls of a turn, in order."""
        return tuple(call.label for call in self.turns.get(turn, ()))

    def add(self, calls: Sequence[_Call]) -> None:
        """Add calls, nearer than all others."""
        for call in calls:
            self._all.append(call)
            self._by_id[call.id].append(call)
            self._by_name[call.name].append(call)
            self.turns.setdefault(call.turn, []).append(call)

    def close_for(self, result: Turn) -> int | None:
        """Close the calls that a result answers, and return their turn; None when one is not open.

        Results of calls of several turns, in one message, answer none: no API has such messages.
        """
        if result.tool_call_id:
            # a result may have the name of its call in place of an id
            wanted = [
                [self._by_id[id], self._by_name[id]] for id in (result.tool_call_id, *result.also_answers)
            ]
        else:
            wanted = [[self._by_name[result.name] if result.name else self._all]]
        calls, stacks = [], []
        for candidates in wanted:
            found = next(((call, stack) for stack in candidates if (call := self._take_nearest(stack))), None)
            calls.append(found[0] if found else None)
            stacks.append(found[1] if found else candidates[0])
        turns = {call.turn if call else None for call in calls}
        turn = turns.pop() if len(turns) == 1 else None
        for call, stack in zip(calls, stacks, strict=True):
            if call and turn is None:  # it waits on
                call.open = True
                stack.append(call)
            elif call:
                self.turns[call.turn].remove(call)
        if turn is not None and not self.turns[turn]:
            del self.turns[turn]
        return turn

    @staticmethod
    def _take_nearest(stack: list[_Call]) -> _Call | None:
        """Take the nearest open call from a stack."""
        while stack:
            call = stack.pop()
            if call.open:
                call.open = False
                return call
        return None
