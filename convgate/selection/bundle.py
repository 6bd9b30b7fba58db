"""A context: the messages for the model, its sections with the reason of each turn, and dropped turns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any

from convgate.core.conversation import Turn
from convgate.core.decisions import TurnDecisions, Why
from convgate.guardrails.request import Fallback
from convgate.invariants.invariant import Invariant
from convgate.messages.check import check_valid
from convgate.modes.budgets import SectionName
from convgate.modes.mode import Mode, ModeDecision


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
    """One part of the context."""

    name: SectionName
    budget: int  # tokens, after scaling, before what others left over
    tokens: int  # of its turns
    place: Callable[[], Iterable[PlacedTurn]] = field(repr=False, compare=False)

    @cached_property
    def turns(self) -> tuple[PlacedTurn, ...]:
        """Its turns in the order of the conversation, added messages first; made when they are read."""
        return tuple(self.place())


@dataclass(frozen=True, slots=True)
class PrefixReport:
    """The common beginning of the previous context and this one."""

    tokens: int  # of the longest common beginning
    before: int  # tokens of the previous context
    held: tuple[int, ...]  # turns that are sent by the hysteresis alone


@dataclass(frozen=True, eq=False)
class ContextBundle:
    """A context that can be sent. Indices are 0-based; `messages` are the caller's own objects."""

    request_id: str
    mode: Mode  # that was applied
    mode_decision: ModeDecision  # of the message to answer, by itself; of its question, for a tool's result
    labels: Mapping[int, Mode]  # by turn: the mode that it belongs to
    sections: tuple[Section, ...]  # all six, in order; the current message is in none
    budget: int  # tokens of the whole context
    tokens: int  # of `messages`
    tokens_total: int  # had everything up to the current message been sent
    over_budget: int  # tokens by which required turns exceed the budget; 0 when they fit
    invariants: tuple[Invariant, ...]  # all that were found, active or not
    breaches: tuple[Invariant, ...]  # held, missing here or before: the baseline was sent instead
    fallbacks: tuple[Fallback, ...]
    decisions: TurnDecisions  # one for every earlier turn; its rule is its section, or what dropped it
    messages: list[Mapping[str, Any]]  # valid, in order
    places: list[int | None]  # of each message: its index; None for a capsule and the like
    indices: list[int]  # of `messages` in the conversation, without capsules and a typed question
    missing_results: tuple[str, ...]  # ids of tool calls that the current turn still waits for
    sent: Sequence[Turn] = field(repr=False)  # `messages` as turns
    prefix: PrefixReport | None  # None for the first context of a conversation

    @cached_property
    def violations(self) -> tuple[str, ...]:
        """Rules of chat APIs that the list breaks because of the current message itself."""
        return tuple(check_valid(self.sent))

    def section(self, name: SectionName) -> Section:
        """Return the section of that name."""
        return next(section for section in self.sections if section.name == name)

    def to_attributes(self, policy: str) -> dict[str, str | int | float | list[str]]:
        """Return the attributes of the context's span; no text of the conversation is in them."""
        return {
            "convgate.request_id": self.request_id,
            "convgate.policy": policy,
            "convgate.mode": self.mode,
            "convgate.mode_source": self.mode_decision.source,
            "convgate.confidence": self.mode_decision.confidence,
            "convgate.turns": len(self.decisions),
            "convgate.kept": int(self.decisions.kept.sum()),
            "convgate.tokens_sent": self.tokens,
            "convgate.tokens_total": self.tokens_total,
            "convgate.budget": self.budget,
            "convgate.invariants": [invariant.type for invariant in self.invariants if invariant.active],
            "convgate.breaches": len(self.breaches),
            "convgate.fallbacks": [fallback.cause for fallback in self.fallbacks],
        }

    def to_json(self) -> dict[str, Any]:
        """Return the record that `convgate context` prints; indices are 0-based."""
        return {
            "request_id": self.request_id,
            "mode": self.mode,
            "own": self.mode_decision.mode,
            "confidence": self.mode_decision.confidence,
            "source": self.mode_decision.source,
            "budget": self.budget,
            "tokens": self.tokens,
            "tokens_total": self.tokens_total,
            "over_budget": self.over_budget,
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
                for section in self.sections
            ],
            "invariants": [
                {**invariant.to_json(), "state": invariant.state} for invariant in self.invariants
            ],
            "dropped": [
                {"index": decision.index, "by": decision.rule, "reason": decision.reason}
                for decision in self.decisions
                if not decision.kept
            ],
            "fallbacks": [asdict(fallback) for fallback in self.fallbacks],
            "breaches": [invariant.to_json() for invariant in self.breaches],
            "missing_results": list(self.missing_results),
            "violations": list(self.violations),
            "prefix": self.prefix and asdict(self.prefix),
            "messages": self.messages,
        }
