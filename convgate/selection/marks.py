"""Turns that decide something or answer a question, by the gatekeeper's patterns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from convgate.core.conversation import Turn
from convgate.gatekeeper.checks import LengthLimits, check
from convgate.gatekeeper.exchange import Exchange
from convgate.invariants.invariant import quote_line
from convgate.messages.units import is_from_user

_NO_LENGTHS = LengthLimits(
    greeting=0, short_user=0, short_assistant=0
)  # how long a turn is does not matter here


@dataclass(frozen=True, slots=True)
class DecisionMark:
    """A pattern of the gatekeeper by which a turn decides something or answers a question."""

    reason: str  # a sentence
    is_answer: bool = False
    question: int | None = None  # the index of the turn that it answers


@dataclass(frozen=True, eq=False)
class Marks:
    """The marks of a conversation's turns. Immutable; a longer conversation costs what it adds."""

    turns: Sequence[Turn] = ()
    by_turn: dict[int, DecisionMark] = field(default_factory=dict)  # increasing

    def first(self, n: int) -> Marks:
        """Return the marks of the first n turns."""
        return Marks(self.turns[:n], {index: mark for index, mark in self.by_turn.items() if index < n})

    def extend(self, new: Sequence[Turn]) -> Marks:
        """Return these marks and those of further turns."""
        turns = [*self.turns, *new]
        marks = ((index, _find_mark(turns, index)) for index in range(len(self.turns), len(turns)))
        return Marks(turns, self.by_turn | {index: mark for index, mark in marks if mark})


def _find_mark(turns: Sequence[Turn], index: int) -> DecisionMark | None:
    """Return by what turn `index` decides or answers something; None when it does neither.

    A user's turn may be a short answer to the last turn before it; instructions and tools decide nothing.
    """
    turn = turns[index]
    if not is_from_user(turn):
        return _match(turn.text, "", is_user=False) if turn.role == "assistant" and turn.text else None
    places = range(index - 1, -1, -1)
    question = next((i for i in places if not turns[i].is_instruction and turns[i].text.strip()), None)
    mark = _match(turn.text, "" if question is None else turns[question].text, is_user=True)
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
