"""Keep the turns since the current conversation, or the current session, began."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import ClassVar

from convgate.core.conversation import Conversation, CurrentMessage, History
from convgate.core.decisions import TurnDecisions, Why
from convgate.core.parameters import ParameterSet, one_of, setting
from convgate.policies.base import WholeHistoryPolicy, history_indices
from convgate.policies.sessions.boundaries import Boundaries, Boundary
from convgate.policies.sessions.rules import BoundaryRules
from convgate.policies.sessions.segmentation import segment

_RULES = BoundaryRules()


class LastBoundaries:
    """The boundaries of the conversation that was looked at last."""

    def __init__(self) -> None:
        self._last: tuple[Conversation, BoundaryRules, Boundaries] | None = None

    def find(self, current: CurrentMessage, history: History, rules: BoundaryRules) -> Boundaries:
        """Return the boundaries of the turns before a message and of the message.

        No later turn changes a boundary, so one segmentation serves all messages of a conversation.
        """
        conversation = history.conversation
        if current.index != history.stop:
            return segment([*conversation.turns[: history.stop], current.turn], rules)
        last = self._last
        if last is None or last[0] is not conversation or last[1] != rules:
            self._last = last = conversation, rules, segment(conversation.turns, rules)
        return last[2]


@dataclass(frozen=True)
class SessionPolicy(ParameterSet, WholeHistoryPolicy):
    """Keep the turns since the current conversation began, by events alone: times, commands, states.

    Boundaries are those of the whole conversation, with what people edited, also in a pipeline. The current
    message may itself begin another conversation, and then nothing is kept.
    """

    name: ClassVar[str] = "session"
    label: ClassVar[str] = "Session: since the conversation began"
    ranks: ClassVar[bool] = False
    idle_gap_seconds: float | None = setting(
        None, "seconds", low=0, high=math.inf, step=60.0, help="A longer gap between messages ends a session."
    )
    scope: str = one_of("conversation", ("conversation", "session"), "scope", help="Since what began.")
    rules: BoundaryRules = _RULES  # of the settings; `idle_gap_seconds` stands in place of theirs
    last: LastBoundaries = field(default_factory=LastBoundaries, repr=False, compare=False)

    def decide(self, current: CurrentMessage, history: History) -> TurnDecisions:
        """Return a decision for each turn: kept from where the message's conversation began."""
        gap = self.idle_gap_seconds
        rules = self.rules if gap is None else replace(self.rules, idle_gap_seconds=gap)
        boundaries = self.last.find(current, history, rules)
        boundary = boundaries.begun(history.stop, "session" if self.scope == "session" else "conversation")
        indices = history_indices(history)
        return TurnDecisions(
            policy=self.name,
            rule=boundary.rule,
            indices=indices,
            kept=indices >= boundary.index,
            explain=lambda index: self._why(index, boundary),
        )

    def _why(self, index: int, boundary: Boundary) -> Why:
        current = f"the current {self.scope}"
        if boundary.index == 0:
            return Why(boundary.rule, f"part of {current}, which began with the first message.")
        if index >= boundary.index:
            return Why(boundary.rule, f"part of {current}, which began at message {boundary.index}.")
        return Why(
            boundary.rule,
            f"before {current}, which began at message {boundary.index}: {boundary.explanation}",
        )
