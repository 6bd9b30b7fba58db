"""Drop exchanges that are not worth remembering, by patterns and rules alone."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import ClassVar

import numpy as np

from convgate.core.conversation import Conversation, CurrentMessage, History, Turn
from convgate.core.decisions import TurnDecisions, Why
from convgate.core.parameters import ParameterSet
from convgate.gatekeeper.decision import GatekeeperDecision
from convgate.gatekeeper.exchange import TAIL, PlacedExchange, exchanges_of
from convgate.gatekeeper.gatekeeper import Gatekeeper
from convgate.gatekeeper.phrases import question_before
from convgate.gatekeeper.rules import Rules
from convgate.gatekeeper.rules_file import RulesFile
from convgate.policies.base import WholeHistoryPolicy, history_indices

_MAX_KNOWN = 20_000  # decisions that are cached
_ANSWERS = frozenset({"assistant", "tool", "function"})
_SHORT, _CONFIRMED, _GREETED = "short exchange", "confirmation", "greeting"  # checks that skip

_GOING_ON = Why("open", "it is being answered now.")
_UNANSWERED = Why("open", "it has not been answered yet, so it is no short exchange.")
_ASKS = Why("question", "it ends with a question, which the current message may answer.")
_ASKED = Why("question", "it asks what the next message answers.")
_INSTRUCTION = Why("instruction", "an instruction, which is part of no exchange.")
_OPENING = Why("opening", "it stands before the first exchange.")

_DecidedExchange = tuple[PlacedExchange, GatekeeperDecision]


@dataclass(frozen=True)
class GatekeeperPolicy(ParameterSet, WholeHistoryPolicy):
    """Drops the turns of exchanges that the gatekeeper skips: a user's turn with all that answers it.

    Instructions and open exchanges stay. Each exchange is decided once.
    """

    name: ClassVar[str] = "gatekeeper"
    label: ClassVar[str] = "Gatekeeper: exchanges worth remembering"
    ranks: ClassVar[bool] = False
    gatekeeper: Gatekeeper = field(default_factory=Gatekeeper, compare=False)
    known: dict[object, GatekeeperDecision] = field(default_factory=dict, repr=False, compare=False)

    @property
    def rules(self) -> Rules:
        """The person's own rules; their file is read again when it changed."""
        rules = self.gatekeeper.rules
        return rules.current() if isinstance(rules, RulesFile) else rules

    @property
    def fingerprint(self) -> str:
        """A text that is equal for policies that decide the same."""
        rules = hashlib.blake2b(repr(self.rules).encode(), digest_size=16)
        return f"{self.gatekeeper.limits} {rules.hexdigest()}"

    def decide(self, current: CurrentMessage, history: History) -> TurnDecisions:
        """Return decisions by the turns' exchanges; only new exchanges are decided."""
        turns = history.conversation.turns[: history.stop]
        exchanges = self._decide_exchanges(turns)
        open_exchanges = _find_open(exchanges, current, turns)
        kept, exchange_of = [True] * len(turns), [-1] * len(turns)
        for at, (placed, decision) in enumerate(exchanges):
            for turn in placed.turns:
                exchange_of[turn], kept[turn] = at, decision.keep or at in open_exchanges

        def why(index: int) -> Why:
            at = exchange_of[index]
            if at < 0:
                return _INSTRUCTION if turns[index].is_instruction else _OPENING
            if at in open_exchanges:
                return open_exchanges[at]
            placed, decision = exchanges[at]
            reason = decision.explanation
            if index != placed.user_turn:
                reason = f"with the message that it answers: {reason}"
            return Why(decision.rule, reason)

        return TurnDecisions(
            policy=self.name,
            rule=self.name,
            indices=history_indices(history),
            kept=np.array(kept[history.start :], dtype=np.bool_),
            explain=why,
        )

    def _decide_exchanges(self, turns: Sequence[Turn]) -> list[_DecidedExchange]:
        """Return the exchanges of the turns, each with its decision, cached if it was decided before."""
        if len(self.known) > _MAX_KNOWN:
            self.known.clear()
        rules, decided = repr(self.rules), []
        for placed in exchanges_of(Conversation("", tuple(turns))):
            exchange = placed.exchange
            before = tuple((turn.role, turn.text) for turn in exchange.previous)
            key = (rules, placed.user_turn, exchange.user, exchange.assistant, before)
            if (decision := self.known.get(key)) is None:  # another thread may clear it at any time
                decision = self.known[key] = self.gatekeeper.decide(exchange, index=placed.user_turn)
            decided.append((placed, decision))
        return decided


def _find_open(
    exchanges: Sequence[_DecidedExchange], current: CurrentMessage, turns: Sequence[Turn]
) -> dict[int, Why]:
    """Return the exchanges, by their place, that stay although the gatekeeper skips them."""
    reasons = {
        at: _ASKED
        for at, ((_, decision), (_, after)) in enumerate(pairwise(exchanges))
        if after.rule == "answer" and decision.rule in (_SHORT, _CONFIRMED, _GREETED)
    }
    if exchanges and (why := _why_last_is_open(*exchanges[-1], current, turns)):
        reasons[len(exchanges) - 1] = why
    return {at: why for at, why in reasons.items() if not exchanges[at][1].keep}


def _why_last_is_open(
    placed: PlacedExchange, decision: GatekeeperDecision, current: CurrentMessage, turns: Sequence[Turn]
) -> Why | None:
    """Return why the last exchange is open; None when it is not."""
    if current.turn.role in _ANSWERS:
        return _GOING_ON
    if len(placed.turns) == 1:  # without any answers, this is no conversation of questions and answers
        has_answers = any(turn.role == "assistant" for turn in turns)
        return _UNANSWERED if has_answers and decision.rule == _SHORT else None
    asks = decision.rule in (_SHORT, _CONFIRMED) and question_before(turns[-TAIL:])
    return _ASKS if asks else None
