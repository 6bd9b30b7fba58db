"""Leaves out exchanges that say nothing worth remembering, by their words alone."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import ClassVar, Final

import numpy as np

from convgate.core.conversation import Conversation, History, Situation, Turn
from convgate.core.decisions import TurnDecisions, Why
from convgate.core.parameters import Checked, one_of
from convgate.gatekeeper.decision import GatekeeperDecision
from convgate.gatekeeper.exchange import TAIL, PlacedExchange, exchanges_of
from convgate.gatekeeper.gatekeeper import Gatekeeper
from convgate.gatekeeper.phrases import question_before
from convgate.gatekeeper.rules import Rules
from convgate.gatekeeper.rules_file import RulesFile
from convgate.policies.base import SeesAll, history_indices

PATTERN: Final = "pattern"
AS_SET: Final = "settings"
_MAX_KNOWN = 20_000  # decisions that are kept
_ANSWERS = frozenset({"assistant", "tool", "function"})
_SHORT, _CONFIRMED, _GREETED = "short exchange", "confirmation", "greeting"  # checks that skip

_GOING_ON = Why("open", "it is being answered now.")
_UNANSWERED = Why("open", "it has not been answered yet, so it is no short exchange.")
_ASKS = Why("question", "it ends with a question, which the current message may answer.")
_ASKED = Why("question", "it asks what the next message answers.")
_INSTRUCTION = Why("instruction", "an instruction, which is part of no exchange.")
_OPENING = Why("opening", "it stands before the first exchange.")

_Found = tuple[PlacedExchange, GatekeeperDecision]


@dataclass(frozen=True)
class GatekeeperPolicy(Checked, SeesAll):
    """Drops the turns of exchanges that the gatekeeper skips: a user's turn with all that answers it.

    Instructions stay, and so does what is still going on: the exchange that the current message belongs to, a
    short question that has no answer yet, and a question whose answer stays or is being given. A decision is
    made once, by `gatekeeper`, which is to be one of patterns and rules alone unless `mode` says "settings":
    only then may a language model be asked.
    """

    name: ClassVar[str] = "gatekeeper"
    needs_encoder: ClassVar[bool] = False
    label: ClassVar[str] = "Gatekeeper: exchanges worth remembering"
    ranks: ClassVar[bool] = False
    mode: str = one_of(
        PATTERN, (PATTERN, AS_SET), "mode", help="pattern: words alone; settings: the mode that is set there."
    )
    gatekeeper: Gatekeeper = field(default_factory=Gatekeeper, compare=False)
    known: dict[object, GatekeeperDecision] = field(default_factory=dict, repr=False, compare=False)

    @property
    def rules(self) -> Rules:
        """The rules of a person's own as they are now: a file of them is read again when it changed."""
        rules = self.gatekeeper.rules
        return rules.current() if isinstance(rules, RulesFile) else rules

    @property
    def fingerprint(self) -> str:
        """A text that is the same for policies that decide the same."""
        own, of = self.gatekeeper, hashlib.blake2b(repr(self.rules).encode(), digest_size=16)
        return f"{own.mode} {own.limits} {own.fail} {own.model} {of.hexdigest()}"

    def decide(self, situation: Situation, history: History) -> TurnDecisions:
        """Turns by the decision about their exchange; only exchanges that are new are decided about."""
        turns = history.conversation.turns[: history.stop]
        found = self._decide_exchanges(turns)
        against = _kept_all_the_same(found, situation, turns)
        kept, exchange_of = [True] * len(turns), [-1] * len(turns)
        for at, (placed, decision) in enumerate(found):
            stays = decision.keep or at in against
            for turn in placed.turns:
                exchange_of[turn], kept[turn] = at, stays

        def told(index: int) -> Why:
            at = exchange_of[index]
            if at < 0:
                return _INSTRUCTION if turns[index].is_instruction else _OPENING
            if at in against:
                return against[at]
            placed, decision = found[at]
            reason = decision.reason.partition(": ")[2]
            if index != placed.user_turn:
                reason = f"with the message that it answers: {reason}"
            return Why(decision.rule, reason)

        return TurnDecisions(
            policy=self.name,
            rule=self.name,
            indices=history_indices(history),
            kept=np.array(kept[history.start :], dtype=np.bool_),
            told=told,
        )

    def _decide_exchanges(self, turns: Sequence[Turn]) -> list[_Found]:
        """Return the exchanges of the turns, each with its decision; one that was decided is not again."""
        if len(self.known) > _MAX_KNOWN:
            self.known.clear()
        rules, found = repr(self.rules), []
        for placed in exchanges_of(Conversation("", tuple(turns))):
            exchange = placed.exchange
            before = tuple((turn.role, turn.text) for turn in exchange.previous)
            key = (rules, placed.user_turn, exchange.user, exchange.assistant, before)
            if key not in self.known:
                self.known[key] = self.gatekeeper.decide(exchange, item=placed.user_turn)
            found.append((placed, self.known[key]))
        return found


def _answered(turns: Sequence[Turn]) -> bool:
    return any(turn.role == "assistant" for turn in turns)


def _kept_all_the_same(
    found: Sequence[_Found], situation: Situation, turns: Sequence[Turn]
) -> dict[int, Why]:
    """Exchanges, by their place, that stay although the gatekeeper skips them, for what comes after them."""
    against = {
        at: _ASKED
        for at, ((_, decision), (_, after)) in enumerate(pairwise(found))
        if after.rule == "answer" and decision.rule in (_SHORT, _CONFIRMED, _GREETED)
    }
    if found and (why := _still_open(*found[-1], situation, turns)):
        against[len(found) - 1] = why
    return {at: why for at, why in against.items() if not found[at][1].keep}


def _still_open(
    placed: PlacedExchange, decision: GatekeeperDecision, situation: Situation, turns: Sequence[Turn]
) -> Why | None:
    """Return why the last exchange is still going on; None when it is not."""
    if situation.turn.role in _ANSWERS:
        return _GOING_ON
    if len(placed.turns) == 1:  # without any answers, this is no talk of questions and answers
        return _UNANSWERED if _answered(turns) and decision.rule == _SHORT else None
    asks = decision.rule in (_SHORT, _CONFIRMED) and question_before(turns[-TAIL:])
    return _ASKS if asks else None
