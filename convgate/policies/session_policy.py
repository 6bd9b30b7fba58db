"""Keeps what was said since the present conversation, or the present session, began."""

from __future__ import annotations

import math
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar

from convgate.core.conversation import History, Situation, Turn
from convgate.core.decisions import TurnDecisions, Why
from convgate.core.parameters import Checked, one_of, setting
from convgate.policies.base import SeesAll, history_indices
from convgate.policies.sessions import Boundaries, Boundary, BoundaryRules
from convgate.policies.sessions.segmentation import State, step

_RULES = BoundaryRules()
_CONVERSATIONS = 4  # whose boundaries are kept


@dataclass(frozen=True)
class SessionPolicy(Checked, SeesAll):
    """Keeps the turns since the present conversation began, by events alone: times, commands, states.

    The message to answer may itself begin another, and then nothing is kept. What a person moved counts, as
    the turns tell it (`policies.sessions.with_moved`). Boundaries are those of the whole conversation,
    also in a pipeline whose earlier stages dropped some of its turns.
    """

    name: ClassVar[str] = "session"
    needs_encoder: ClassVar[bool] = False
    label: ClassVar[str] = "Session: since the conversation began"
    ranks: ClassVar[bool] = False
    idle_gap: float | None = setting(
        None,
        "seconds",
        low=0,
        high=math.inf,
        step=60.0,
        help="A longer gap between messages ends a session.",
    )
    scope: str = one_of("conversation", ("conversation", "session"), "scope", help="Since what began.")
    rules: BoundaryRules = _RULES  # of the settings; `idle_gap` stands in place of theirs
    known: KnownBoundaries = field(default_factory=lambda: KnownBoundaries(), repr=False, compare=False)

    def decide(self, situation: Situation, history: History) -> TurnDecisions:
        """The turns from where the message's conversation began; all of them where it began outside."""
        rules = self.rules if self.idle_gap is None else replace(self.rules, idle_gap=self.idle_gap)
        said = history.conversation.turns[: history.stop]
        found = self.known.boundaries(said, situation.turn, rules)
        began = found.begun(len(said), "session" if self.scope == "session" else "conversation")
        indices = history_indices(history)
        return TurnDecisions(
            policy=self.name,
            rule=began.rule,
            indices=indices,
            kept=indices >= began.item,
            why_kept="",
            why_dropped="",
            told=lambda index: self._why(index, began),
        )

    def _why(self, index: int, began: Boundary) -> Why:
        present = f"the present {self.scope}"
        if began.item == 0:
            return Why(began.rule, f"part of {present}, which began with the first message.")
        if index >= began.item:
            return Why(began.rule, f"part of {present}, which began at message {began.item}.")
        return Why(
            began.rule, f"before {present}, which began at message {began.item}: {_inside(began.reason)}"
        )


@dataclass(frozen=True, eq=False)
class _Known:
    """How far a conversation was read."""

    rules: BoundaryRules
    turns: list[Turn]
    state: State  # after them
    records: tuple[Boundary, ...]  # what began in them


class KnownBoundaries:
    """Boundaries of the conversations looked at last: one that grows is read on from where it ended."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: list[_Known] = []  # the newest last

    def boundaries(self, said: Sequence[Turn], message: Turn, rules: BoundaryRules) -> Boundaries:
        """What `segment` finds in the turns and the message behind them."""
        known = self._read(list(said), rules)
        _, records = _onward(known.state, known.records, [message], rules)
        return Boundaries(len(said) + 1, records)

    def _read(self, turns: list[Turn], rules: BoundaryRules) -> _Known:
        with self._lock:
            found = next((one for one in reversed(self._known) if _begins(one, turns, rules)), None)
            if found is not None and len(found.turns) == len(turns):
                return found
            state, records, read = (
                (found.state, found.records, len(found.turns)) if found else (State(), (), 0)
            )
            known = _Known(rules, turns, *_onward(state, records, turns[read:], rules))
            self._known = [one for one in self._known if one is not found][1 - _CONVERSATIONS :]
            self._known.append(known)
            return known


def _begins(known: _Known, turns: list[Turn], rules: BoundaryRules) -> bool:
    return known.rules == rules and known.turns == turns[: len(known.turns)]


def _onward(
    state: State, records: tuple[Boundary, ...], turns: Sequence[Turn], rules: BoundaryRules
) -> tuple[State, tuple[Boundary, ...]]:
    """State and records after further turns."""
    begun = []
    for turn in turns:
        state, boundary = step(state, turn, rules)
        if boundary is not None and boundary.outcome != "none":
            begun.append(boundary)
    return state, (*records, *begun)


def _inside(sentence: str) -> str:
    """A sentence behind a colon: its first word small, where that is an article."""
    first, _, rest = sentence.partition(" ")
    return f"{first.lower()} {rest}" if first in {"A", "The", "It"} else sentence
