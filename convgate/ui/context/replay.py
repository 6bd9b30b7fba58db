"""Contexts as an agent would have built them, one message after the other, each made once and kept."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from convgate.context.builder import ContextBuilder
from convgate.context.bundle import ContextBundle
from convgate.context.mode import Mode
from convgate.context.request import Fallback, RequestRecord
from convgate.conversation import Conversation, History, Situation
from convgate.decisions import TurnDecisions
from convgate.policies.base import Policy
from convgate.ui import scoring
from convgate.ui.scoring import Moment

HELD = 5
"""Messages before the one that is looked at whose contexts are built too while the hysteresis is on."""

ALL = 24
"""Up to so many messages before it, all of them are built."""


@dataclass(frozen=True, eq=False)
class Recalled:
    """A policy whose decisions about the conversation of that key are kept, whatever is made of them."""

    name: ClassVar[str] = "recalled"
    label: ClassVar[str] = ""
    needs_encoder: ClassVar[bool] = False
    ranks: ClassVar[bool] = False
    policy: Policy
    key: str

    def decide(self, situation: Situation, history: History) -> TurnDecisions:
        """What the policy decides."""
        return scoring.decided(self.policy, Moment(self.key, situation, history))


@dataclass(frozen=True)
class Standing:
    """A guard as it stands at the moment; what is looked at on a page is no request, and is not logged."""

    fallbacks: Mapping[Mode, Fallback]

    def overruled(self, mode: Mode) -> Fallback | None:
        """Why GENERAL is applied in place of `mode`."""
        return self.fallbacks.get(mode)

    def record(self, request: RequestRecord) -> None:
        """Nothing happens."""


@dataclass(eq=False)
class Replay:
    """The contexts of one conversation under the same settings. Shared by all who look at it."""

    builder: ContextBuilder
    conversation: Conversation
    built: dict[int, ContextBundle] = field(default_factory=dict)  # by the message that is answered
    asked: dict[str, ContextBundle] = field(default_factory=dict)  # by the question that was typed
    _lock: threading.RLock = field(default_factory=threading.RLock)

    def at(self, situation: Situation, intent: str | None = None) -> ContextBundle:
        """The context for a message of the conversation, or a question after its last turn."""
        with self._lock:
            if situation.index is None:
                question = situation.turn.text
                if question not in self.asked:
                    self._catch_up(len(self.conversation))
                    self.asked[question] = self.builder.build_at(
                        self.conversation, question=question, intent=intent
                    )
                return self.asked[question]
            if situation.index not in self.built:
                self._catch_up(situation.index)
                self.built[situation.index] = self.builder.build_at(
                    self.conversation, situation.index, intent=intent
                )
            return self.built[situation.index]

    def build_all(self, turns: Sequence[int]) -> None:
        """Build what is still missing of these messages, in their order."""
        with self._lock:
            for turn in turns:
                if turn not in self.built:
                    self.built[turn] = self.builder.build_at(self.conversation, turn)

    @property
    def before(self) -> int:
        """How many messages before the one that is looked at are built in a long conversation.

        Without hysteresis one is enough: it tells how much of the front stays.
        """
        return HELD if self.builder.hysteresis else 1

    def _catch_up(self, index: int) -> None:
        before = [turn for turn in self.conversation.answerable() if turn < index]
        self.build_all(before if len(before) <= ALL else before[-self.before :])
