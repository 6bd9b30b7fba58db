"""What an arm sends for a request: as much as it takes by itself, or within a budget."""

from __future__ import annotations

import threading
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from convgate.core.conversation import Conversation
from convgate.core.decisions import TurnDecisions
from convgate.embedding.base import Encoder
from convgate.experiments.arms import Arm
from convgate.experiments.judge import Messages
from convgate.messages.validity import make_valid
from convgate.policies import responses
from convgate.policies.base import Policy
from convgate.policies.build import EncoderOnDemand, build_policy
from convgate.selection.builder import ContextBuilder
from convgate.selection.claims import Claim
from convgate.selection.memory import RequestMemory
from convgate.selection.packing import ContextBudget, Packing
from convgate.selection.turn_table import TurnTable
from convgate.transcripts import to_messages


@dataclass(frozen=True, eq=False, slots=True)
class SentContext:
    """What an arm sends for a request."""

    turns: frozenset[int]  # sent, or stated by an invariant that is sent
    tokens: int  # of all messages
    messages: Messages


@dataclass(frozen=True)
class ArmSelector:
    """An arm, ready to select: a policy, or a builder of contexts."""

    name: str
    selects: Policy | ContextBuilder
    pair_answers: bool = False  # whether a question and its answer stay together; of a policy

    @property
    def policy(self) -> Policy:
        """Return the policy, or that of the contexts."""
        return self.selects.policy if isinstance(self.selects, ContextBuilder) else self.selects

    def without_memory(self) -> ArmSelector:
        """Return the same arm, which knows of no earlier request."""
        if isinstance(self.selects, ContextBuilder):
            return replace(self, selects=replace(self.selects, memory=RequestMemory()))
        return self


@dataclass(eq=False)
class ArmSelectors:
    """The selectors of arms, each loaded when it is first needed, and kept. Arms share encoders. Thread-safe.

    encoder: replaces those that the settings of arms name.
    """

    encoder: Encoder | None = None
    _encoders: dict[tuple[str, str, str], EncoderOnDemand] = field(default_factory=dict)
    _loaded: dict[str, ArmSelector] = field(default_factory=dict)  # by the arm's name
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def load(self, arm: Arm) -> ArmSelector:
        """Return the selector of an arm; errors as of `build_policy` and `ContextBuilder.of`."""
        with self._lock:
            if arm.name not in self._loaded:
                self._loaded[arm.name] = self._build(arm)
            return self._loaded[arm.name]

    def _build(self, arm: Arm) -> ArmSelector:
        settings = arm.settings
        key = settings.encoder, settings.encoder_dtype, settings.device
        encoder = self.encoder or self._encoders.setdefault(key, EncoderOnDemand(settings))
        if arm.is_context:
            return ArmSelector(arm.name, ContextBuilder.of(settings, encoder=encoder))
        policy = build_policy(settings.policy, settings, encoder)
        return ArmSelector(arm.name, policy, pair_answers=settings.pair_answers)


@dataclass(eq=False)
class ArmRequest:
    """An arm at one request; its policy decides once for all budgets."""

    selector: ArmSelector
    conversation: Conversation  # the last turn is the message to answer
    table: TurnTable  # of its turns

    @cached_property
    def _decisions(self) -> TurnDecisions:
        return responses.decide(self.selector.policy, *self.conversation.at(self.table.current))

    def send(self, budget: int | None) -> SentContext:
        """Return what is sent within the tokens of a whole context; None: as many as the arm takes."""
        selector = self.selector
        if isinstance(selector.selects, ContextBuilder):
            bundle = selector.selects.build_at(self.conversation, self.table.current, budget=budget)
            stated = {invariant.source for invariant in bundle.invariants if invariant.held}
            return SentContext(frozenset(stated.union(bundle.indices)), bundle.tokens, bundle.messages)
        if budget is None:
            return self._send_turns(self._decisions.kept_indices)
        has_ranking = selector.policy.ranks and self._decisions.scores is not None
        ranking = _rank(self._decisions, () if has_ranking else self._decisions.kept_indices)
        return self._send_turns(fill(self.table, ranking, budget, pair_answers=selector.pair_answers))

    def _send_turns(self, kept: Sequence[int]) -> SentContext:
        turns, table = self.conversation.turns, self.table
        valid = make_valid(turns, kept, table.current, pair_answers=self.selector.pair_answers)
        tokens = sum(table.tokens[index] for index in valid.indices)
        return SentContext(frozenset(valid.indices), tokens, to_messages(valid.of(turns)))


def fill(table: TurnTable, ranking: Sequence[int], budget: int, *, pair_answers: bool = False) -> list[int]:
    """Return the turns that fit the tokens of a whole context, in the order of the ranking.

    Turns that belong together are taken together; what does not fit is passed over. Instructions, the message
    to answer and the user's turn that must open the list count, as in a context.
    """
    instructions = np.flatnonzero(table.is_instruction[: table.current]).tolist()
    packing = Packing(table, instructions, ContextBudget(budget, {}))
    for index in ranking:
        if not table.is_unsendable[index] and index not in packing.placed:
            turns = table.group(index, paired=pair_answers)
            packing.place_if_fits(Claim("evidence", turns, turns))
    return sorted(packing.placed)


def _rank(decisions: TurnDecisions, first: Collection[int]) -> list[int]:
    """Return the turns: those of `first` before others, then by score, of equal ones the newer first."""
    scores = (
        np.zeros(len(decisions)) if decisions.scores is None else np.nan_to_num(decisions.scores, nan=-np.inf)
    )
    rows = zip(decisions.indices.tolist(), scores.tolist(), strict=True)
    return [
        index
        for _, _, index in sorted(((index in first, score, index) for index, score in rows), reverse=True)
    ]
