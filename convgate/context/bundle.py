"""A context: what goes to the model, by section, with the reason of each turn, and what was left out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from convgate.context.invariant import Invariant
from convgate.context.mode import Mode, ModeDecision
from convgate.context.request import Fallback
from convgate.context.section import SectionName
from convgate.decisions import TurnDecisions


@dataclass(frozen=True, slots=True)
class PlacedTurn:
    """A turn in its section."""

    index: int | None  # 0-based in the conversation; None for a capsule
    tokens: int
    reason: str  # a sentence


@dataclass(frozen=True, slots=True)
class Section:
    """One part of the context."""

    name: SectionName
    budget: int  # tokens, after scaling, before what others left over
    turns: tuple[PlacedTurn, ...]  # in the order of the conversation

    @property
    def tokens(self) -> int:
        """Of its turns."""
        return sum(turn.tokens for turn in self.turns)


@dataclass(frozen=True, slots=True)
class PrefixReport:
    """How much of what was sent for the previous message stands unchanged at the front of this."""

    tokens: int  # of the longest common beginning
    before: int  # tokens of the previous context
    held: tuple[int, ...]  # turns that stayed by the hysteresis alone


@dataclass(frozen=True, eq=False)
class ContextBundle:
    """A context that can be sent. Indices are 0-based; `messages` are the caller's own objects."""

    request_id: str
    mode: Mode  # that was applied
    found: ModeDecision  # of the message to answer, by itself
    labels: Mapping[int, Mode]  # by turn: the mode that it belongs to
    sections: tuple[Section, ...]  # all six, in their order
    budget: int  # tokens of the whole context
    tokens: int  # of `messages`
    tokens_total: int  # had everything up to the current message been sent
    over_budget: int  # tokens by which what has to stay exceeds the budget; 0 when it fits
    invariants: tuple[Invariant, ...]  # all that were found, active or not
    breaches: tuple[Invariant, ...]  # held ones that were missing; the baseline context stands in place
    fallbacks: tuple[Fallback, ...]
    decisions: TurnDecisions  # one for every earlier turn, with its section as stage
    messages: list[Mapping[str, Any]]  # valid, in order
    indices: list[int]  # of `messages` in the conversation, without capsules and a typed question
    missing_results: tuple[str, ...]  # ids of tool calls that the current turn still waits for
    violations: tuple[str, ...]  # of what chat APIs ask, where the current message itself breaks it
    prefix: PrefixReport | None  # None for the first context of a conversation
