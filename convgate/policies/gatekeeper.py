"""Leaves out exchanges that say nothing worth remembering, by their words alone."""

from __future__ import annotations

import hashlib
import threading
from bisect import bisect_left
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
_CONVERSATIONS = 4  # whose decisions are kept
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
    known: KnownDecisions = field(default_factory=lambda: KnownDecisions(), repr=False, compare=False)

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
        found = self.known.decided(self.gatekeeper, self.rules, history.conversation, turns)
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


@dataclass(frozen=True, eq=False)
class _Known:
    """What was decided about one conversation so far."""

    rules: Rules  # of a person's own, by which it was decided
    turns: list[Turn]
    decisions: dict[tuple[int, ...], GatekeeperDecision] = field(default_factory=dict)  # by its turns
    read: list[PlacedExchange] = field(default_factory=list)  # the first ones, which nothing can change


class KnownDecisions:
    """Decisions about the conversations looked at last; one that grows is decided about where it grew."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: list[_Known] = []  # the newest last

    def decided(
        self, gatekeeper: Gatekeeper, rules: Rules, conversation: Conversation, turns: Sequence[Turn]
    ) -> list[_Found]:
        """The exchanges of the conversation's first turns, each with its decision."""
        known = self._of(rules, list(turns))
        found = []
        for placed in _exchanges(conversation, turns, list(known.read)):
            decision = known.decisions.get(placed.turns)
            if decision is None:
                decision = gatekeeper.decide(placed.exchange, item=placed.user_turn)
                known.decisions[placed.turns] = decision
            found.append((placed, decision))
        if len(found) > len(known.read):
            known.read[:] = [placed for placed, _ in found[:-1]]  # the last one may go on
        return found

    def _of(self, rules: Rules, turns: list[Turn]) -> _Known:
        """What is known of a talk with the same beginning; an exchange knows nothing of what follows."""
        with self._lock:
            found = next((one for one in reversed(self._known) if _same(one, rules, turns)), None)
            if found is not None and len(found.turns) >= len(turns):
                return found
            known = _Known(rules, turns, *((found.decisions, found.read) if found else ({}, [])))
            self._known = [one for one in self._known if one is not found][1 - _CONVERSATIONS :]
            self._known.append(known)
            return known


def _exchanges(
    conversation: Conversation, turns: Sequence[Turn], read: list[PlacedExchange]
) -> list[PlacedExchange]:
    """The exchanges of the conversation's first turns; `read` are some of them, or go on beyond."""
    done = read[: max(0, bisect_left(read, len(turns), key=lambda one: one.user_turn) - 1)]
    first = done[-1].turns[-1] + 1 if done else 0
    begin, before = first, TAIL  # the next exchange knows of that many turns before it
    while begin and before:
        begin -= 1
        before -= not turns[begin].is_instruction
    # Without any answers each turn is an exchange of its own, so both parts have to have some.
    if not (_answered(turns[:first]) and _answered(turns[begin:])):
        done, first, begin = [], 0, 0
    whole = not begin and len(turns) == len(conversation)
    found = exchanges_of(conversation if whole else Conversation("", tuple(turns[begin:])))
    return done + [
        PlacedExchange(one.exchange, one.user_turn + begin, tuple(turn + begin for turn in one.turns))
        for one in found
        if one.user_turn + begin >= first
    ]


def _answered(turns: Sequence[Turn]) -> bool:
    return any(turn.role == "assistant" for turn in turns)


def _same(known: _Known, rules: Rules, turns: list[Turn]) -> bool:
    shared = min(len(known.turns), len(turns))
    return known.rules == rules and shared > 0 and known.turns[:shared] == turns[:shared]


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
    """Why the last exchange is still going on; None when it is not."""
    if situation.turn.role in _ANSWERS:
        return _GOING_ON
    if len(placed.turns) == 1:  # without any answers, this is no talk of questions and answers
        return _UNANSWERED if _answered(turns) and decision.rule == _SHORT else None
    asks = decision.rule in (_SHORT, _CONFIRMED) and question_before(turns[-TAIL:])
    return _ASKS if asks else None
