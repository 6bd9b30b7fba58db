"""Keeps what was said since the present conversation, or the present session, began."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import ClassVar

from convgate.conversation import History, Situation
from convgate.decisions import TurnDecisions, Why
from convgate.parameters import Checked, one_of, setting
from convgate.policies.base import SeesAll, history_indices
from convgate.sessions import Boundary, BoundaryRules, segment

_RULES = BoundaryRules()


@dataclass(frozen=True)
class SessionPolicy(Checked, SeesAll):
    """Keeps the turns since the present conversation began, by events alone: times, commands, states.

    The message to answer may itself begin another, and then nothing is kept. What a person moved counts, as
    the turns tell it (`convgate.sessions.with_moved`). Boundaries are those of the whole conversation,
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

    def decide(self, situation: Situation, history: History) -> TurnDecisions:
        """The turns from where the message's conversation began; all of them where it began outside."""
        rules = self.rules if self.idle_gap is None else replace(self.rules, idle_gap=self.idle_gap)
        said = history.conversation.turns[: history.stop]
        found = segment([*said, situation.turn], rules)
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


def _inside(sentence: str) -> str:
    """A sentence behind a colon: its first word small, where that is an article."""
    first, _, rest = sentence.partition(" ")
    return f"{first.lower()} {rest}" if first in {"A", "The", "It"} else sentence
