"""What goes to the model, and why: the result of `Selector.select`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import Any

from convgate.core.conversation import Conversation, CurrentMessage, Turn
from convgate.core.decisions import TurnDecisions, Why
from convgate.elision.elide import Elision
from convgate.guardrails.request import Fallback
from convgate.invariants.invariant import Invariant
from convgate.messages.check import check_valid
from convgate.modes.budgets import SectionName
from convgate.modes.mode import Mode, ModeDecision
from convgate.selection.caching import CacheReport
from convgate.selection.memory import PrefixReport
from convgate.transcripts import write_conversation


@dataclass(frozen=True, slots=True)
class PlacedTurn:
    """A turn in its section, or a message that was added."""

    index: int | None  # 0-based in the conversation; None for a message that is none of its turns
    tokens: int
    explain: Callable[[], Why] = field(repr=False, compare=False)

    @property
    def explanation(self) -> str:
        """A sentence without the outcome, made when it is read."""
        return self.explain().explanation

    @property
    def reason(self) -> str:
        """The whole sentence; an added message has no outcome."""
        return self.explanation if self.index is None else self.explain().sentence(kept=True)


@dataclass(frozen=True)
class Section:
    """One part of what is sent within a budget."""

    name: SectionName
    budget: int  # tokens, after scaling, before what others left over
    tokens: int  # of its turns
    place: Callable[[], Iterable[PlacedTurn]] = field(repr=False, compare=False)

    @cached_property
    def turns(self) -> tuple[PlacedTurn, ...]:
        """Its turns in the order of the conversation, added messages first; made when they are read."""
        return tuple(self.place())


@dataclass(frozen=True, eq=False)
class Budgeted:
    """How a budget was spent: the mode, its sections, and what they could not do."""

    total: int  # tokens of everything that is sent
    mode: Mode  # that was applied
    mode_decision: ModeDecision  # of the message to answer, by itself; of its question, for a tool's result
    labels: Mapping[int, Mode]  # by turn: the mode that it belongs to
    sections: tuple[Section, ...]  # all six, in order; the message to answer is in none
    breaches: tuple[Invariant, ...]  # held, missing here or before: the baseline was sent instead
    fallbacks: tuple[Fallback, ...]


@dataclass(frozen=True, eq=False)
class Selection:
    """What goes to the model, and why. Indices are 0-based; `messages` are the caller's own objects.

    Other objects are one that quotes, one that joins neighbours where the API refuses two of one role, and
    copies with stubs of tool results.
    """

    messages: list[Mapping[str, Any]]  # valid, in order
    decisions: TurnDecisions  # one for every earlier turn, with the stage that decided
    indices: list[int]  # of the messages in the conversation, without a typed question
    invariants: tuple[Invariant, ...]  # all that the turns state, active or not
    tokens: int  # of `messages`
    tokens_total: int  # had everything up to the message to answer been sent
    missing_results: tuple[str, ...]  # ids of tool calls that the current turn still waits for
    prefix: PrefixReport | None  # None for the first request of a conversation
    budgeted: Budgeted | None  # None without a budget
    cache: CacheReport | None  # None without prices
    request_id: str  # `record_outcome` names it
    sent: Sequence[Turn] = field(repr=False)  # `messages` as turns, before neighbours are joined
    places: Sequence[int | None] = field(repr=False)  # of each of `sent` its index; None for an added one
    elided: Mapping[int, tuple[Elision, ...]] = field(default_factory=dict)
    """By turn, its results that are sent as stubs."""
    user_first: bool = False  # whether the API wants a list that opens with a user

    @cached_property
    def violations(self) -> tuple[str, ...]:
        """Rules of chat APIs that the list breaks because of the current message itself."""
        return tuple(check_valid(self.sent, user_first=self.user_first))

    @property
    def mode(self) -> Mode | None:
        """The mode that was applied; None without a budget."""
        return None if self.budgeted is None else self.budgeted.mode

    @property
    def sections(self) -> tuple[Section, ...]:
        """All six sections, in order; none without a budget."""
        return self.budgeted.sections if self.budgeted else ()

    @property
    def budget(self) -> int | None:
        """Tokens of everything that might be sent."""
        return None if self.budgeted is None else self.budgeted.total

    @property
    def over_budget(self) -> int:
        """Tokens by which what must be sent exceeds the budget; 0 when it fits."""
        return max(0, self.tokens - self.budgeted.total) if self.budgeted else 0

    @property
    def breaches(self) -> tuple[Invariant, ...]:
        """What must hold and was missing here or before: the baseline was sent instead."""
        return self.budgeted.breaches if self.budgeted else ()

    @property
    def fallbacks(self) -> tuple[Fallback, ...]:
        """Why something else was sent than the mode asks for."""
        return self.budgeted.fallbacks if self.budgeted else ()

    def section(self, name: SectionName) -> Section:
        """Return the section of that name; KeyError without a budget."""
        return {section.name: section for section in self.sections}[name]

    def to_attributes(self, policy: str) -> dict[str, Any]:
        """Return the attributes of the selection's span; no text of the conversation is in them."""
        attributes: dict[str, Any] = {
            "convgate.request_id": self.request_id,
            "convgate.policy": policy,
            "convgate.turns": len(self.decisions),
            "convgate.kept": int(self.decisions.kept.sum()),
            "convgate.tokens_sent": self.tokens,
            "convgate.tokens_total": self.tokens_total,
            "convgate.invariants": [invariant.type for invariant in self.invariants if invariant.active],
        }
        if (spent := self.budgeted) is not None:
            attributes |= {
                "convgate.mode": spent.mode,
                "convgate.mode_source": spent.mode_decision.source,
                "convgate.confidence": spent.mode_decision.confidence,
                "convgate.budget": spent.total,
                "convgate.breaches": len(spent.breaches),
                "convgate.fallbacks": [fallback.cause for fallback in spent.fallbacks],
            }
        return attributes

    def to_json(self) -> dict[str, Any]:
        """Return the record that the server and `convgate select --explain` give; indices are 0-based."""
        record = {
            "request_id": self.request_id,
            "messages": self.messages,
            "indices": self.indices,
            "decisions": [decision.to_json() for decision in self.decisions],
            "tokens": self.tokens,
            "tokens_total": self.tokens_total,
            "invariants": [{**each.to_json(), "state": each.state} for each in self.invariants],
            "missing_results": list(self.missing_results),
            "violations": list(self.violations),
            "prefix": self.prefix and asdict(self.prefix),
            "cache": self.cache and asdict(self.cache),
            "elided": [elision.to_json() for own in self.elided.values() for elision in own],
        }
        if (spent := self.budgeted) is None:
            return record
        return record | {
            "budget": spent.total,
            "over_budget": self.over_budget,
            "mode": spent.mode,
            "own": spent.mode_decision.mode,
            "confidence": spent.mode_decision.confidence,
            "source": spent.mode_decision.source,
            "sections": [
                {
                    "name": section.name,
                    "budget": section.budget,
                    "tokens": section.tokens,
                    "turns": [
                        {"index": turn.index, "tokens": turn.tokens, "reason": turn.reason}
                        for turn in section.turns
                    ],
                }
                for section in spent.sections
            ],
            "fallbacks": [asdict(fallback) for fallback in spent.fallbacks],
            "breaches": [invariant.to_json() for invariant in spent.breaches],
        }


def write_selection(conversation: Conversation, current: CurrentMessage, selection: Selection) -> str:
    """Return the selected messages in the conversation's own format, a typed question behind them."""
    indices, turns = list(selection.indices), [*conversation.turns]
    for index, turn in zip(selection.places, selection.sent, strict=True):
        if index is not None and index in selection.elided:
            turns[index] = turn
    conversation = replace(conversation, turns=tuple(turns))
    if current.index is None:
        indices.append(len(conversation))
        conversation = replace(conversation, turns=(*conversation.turns, current.turn))
    return write_conversation(conversation, indices=indices)
