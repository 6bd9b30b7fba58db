"""A conversation up to the message to answer, as columns, so that a longer one costs only its growth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from hashlib import blake2b

from convgate.context.invariant import quote_line
from convgate.core.conversation import Turn
from convgate.core.decisions import Override
from convgate.gatekeeper.checks import Limits, check
from convgate.gatekeeper.exchange import Exchange
from convgate.messages.repair import Repair
from convgate.messages.table import MessageTable, is_pruned
from convgate.messages.tokens import TokenCounter, turn_tokens
from convgate.messages.units import ToolUnits, calls_of, is_from_user, is_result

MAX_CONVERSATIONS = 16
"""Conversations whose tables and readings are kept."""

_NO_LENGTHS = Limits(greeting=0, short_user=0, short_assistant=0)  # how long a turn is does not matter here


@dataclass(frozen=True, slots=True)
class DecisionMark:
    """A pattern of the gatekeeper by which a turn decides something or answers a question."""

    reason: str  # a sentence
    is_answer: bool = False
    question: int | None = None  # the index of the turn that it answers


@dataclass(eq=False)
class TurnTable:
    """One row per turn; the last is the current message, or a typed question. Immutable."""

    turns: list[Turn] = field(default_factory=list)
    tokens: list[int] = field(default_factory=list)  # with the frame
    digests: list[bytes] = field(default_factory=list)  # of the turn and all turns before it
    is_instruction: list[bool] = field(default_factory=list)
    is_user: list[bool] = field(default_factory=list)  # no instruction, answer, tool call or result
    user_turn: list[int | None] = field(default_factory=list)  # the last user's turn up to this one
    has_tools: list[bool] = field(default_factory=list)  # whether it calls a tool or is a result
    marks: list[DecisionMark | None] = field(default_factory=list)

    def first(self, count: int) -> TurnTable:
        """Return the rows of the first `count` turns."""
        return TurnTable(*(getattr(self, column.name)[:count] for column in fields(self)))

    def extend(self, new: Sequence[Turn], counter: TokenCounter | None) -> TurnTable:
        """Return a table of these rows and those of further turns."""
        table = self.first(len(self.turns))
        if new:
            table.tokens.extend(turn_tokens(new, counter).tolist())
        for turn in new:
            table._add(turn)
        return table

    def _add(self, turn: Turn) -> None:
        index = len(self.turns)
        is_user = is_from_user(turn)
        self.marks.append(_find_mark(turn, self.turns, is_user=is_user))
        self.turns.append(turn)
        self.digests.append(_digest(self.digests[-1] if self.digests else b"", turn))
        self.is_instruction.append(turn.is_instruction)
        self.is_user.append(is_user)
        self.user_turn.append(index if is_user else (self.user_turn[-1] if index else None))
        self.has_tools.append(is_result(turn) or bool(calls_of(turn)))

    @property
    def current(self) -> int:
        """The index of the current message."""
        return len(self.turns) - 1

    @cached_property
    def units(self) -> ToolUnits:
        """Tool calls with their results."""
        return self._repair.tool_units if any(self.has_tools) else ToolUnits((), ())

    @cached_property
    def _repair(self) -> Repair:
        """All turns except those that no valid list has."""
        repair = Repair(self.turns, [True] * len(self.turns), self.current)
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

    @cached_property
    def unsendable(self) -> Mapping[int, Override]:
        """Turns that are never sent, with the reasons: pruned ones, orphan results, calls without theirs."""
        rows = zip(self.is_instruction, self.is_user, strict=True)
        user_opens = next((is_user for instructs, is_user in rows if not instructs), True)
        has_pruned = any(map(is_pruned, self.turns))
        return {} if user_opens and not has_pruned and not any(self.has_tools) else self._repair.overrides

    def group(self, index: int, *, paired: bool = False) -> tuple[int, ...]:
        """Return the turns that are sent together with this one: its tool unit; if `paired`, its exchange."""
        if paired and (exchange := self._exchanges.get(index)):
            return exchange
        unit = self.units.by_turn.get(index)
        return unit.members if unit else (index,)

    @cached_property
    def _exchanges(self) -> Mapping[int, tuple[int, ...]]:
        """Each turn's exchange: a user's turn with what answers it; a late result goes with its call."""
        members: dict[int, list[int]] = {}
        opened: dict[int, int] = {}
        for index, asked in enumerate(self.user_turn):
            if self.is_instruction[index] or asked is None or index in self.unsendable:
                continue
            unit = self.units.by_turn.get(index)
            opened[index] = opened.get(unit.call, asked) if unit else asked
            members.setdefault(opened[index], []).append(index)
        return {index: tuple(members[first]) for index, first in opened.items()}


def _digest(before: bytes, turn: Turn) -> bytes:
    """Return a digest of what a model reads of the turn, and of `before`."""
    content = "\0".join((turn.role, turn.name or "", turn.tool_call_id or "", turn.scored_text))
    return blake2b(before + content.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _find_mark(turn: Turn, before: Sequence[Turn], *, is_user: bool) -> DecisionMark | None:
    """Return by what `turn` decides or answers something; None when it does neither.

    A user's turn may be a short answer to the last turn before it; instructions and tools decide nothing.
    """
    if not is_user:
        return _match(turn.text, "", is_user=False) if turn.role == "assistant" and turn.text else None
    places = range(len(before) - 1, -1, -1)
    question = next((i for i in places if not before[i].is_instruction and before[i].text.strip()), None)
    mark = _match(turn.text, "" if question is None else before[question].text, is_user=True)
    return replace(mark, question=question) if mark is not None and mark.is_answer else mark


def _match(text: str, question: str, *, is_user: bool) -> DecisionMark | None:
    if is_user:
        previous = (Turn.of("assistant", question),) if question else ()
        decision = check(Exchange(text, previous=previous), _NO_LENGTHS)
        if decision.rule == "answer":
            return DecisionMark(f"it answers what was asked before ({quote_line(text)}).", is_answer=True)
    else:
        decision = check(Exchange("", text), _NO_LENGTHS)
    match = next((match for match in decision.matches if match.category == "decision"), None)
    if match is None:
        return None
    line, _, _ = text[match.start :].partition("\n")
    return DecisionMark(f"it states a decision ({quote_line(line)}).")
