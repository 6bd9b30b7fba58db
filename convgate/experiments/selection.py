"""What an arm sends for a request: as much as it takes by itself, or within a budget."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field, replace
from functools import cached_property

from convgate.core.conversation import Conversation, CurrentMessage, History
from convgate.core.decisions import TurnDecisions
from convgate.core.settings import Settings
from convgate.embedding.base import Encoder
from convgate.experiments.arms import Arm
from convgate.experiments.judge import Messages
from convgate.modes.budgets import Budgets
from convgate.policies.base import Policy
from convgate.policies.build import EncoderOnDemand, build_policy
from convgate.selection.load import selector_of
from convgate.selection.selector import Selector

_EVIDENCE_ALONE = Budgets(
    {
        mode: {section: int(section == "evidence") for section in cells}
        for mode, cells in Budgets().table.items()
    }
)


@dataclass(frozen=True, eq=False, slots=True)
class ArmMessages:
    """What an arm sends for a request."""

    turns: frozenset[int]  # sent, or stated by an invariant that is sent
    tokens: int  # of all messages
    messages: Messages


@dataclass(frozen=True, eq=False)
class ArmSelector:
    """An arm, ready to select."""

    name: str
    selector: Selector  # without a log
    alone: bool = False  # whether the policy selects by its ranking alone

    @classmethod
    def of(cls, name: str, policy: Policy, settings: Settings, *, alone: bool = False) -> ArmSelector:
        """Return the arm of a policy."""
        selector = selector_of(policy, settings)
        if alone:
            usual = selector.fit
            selector = replace(
                selector,
                holds=None,
                fit=lambda: replace(usual(), budgets=_EVIDENCE_ALONE, fills_unscored=True),
            )
        return cls(name, selector, alone)

    @property
    def policy(self) -> Policy:
        """What chooses the turns."""
        return self.selector.policy


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
        """Return the selector of an arm; errors as of `build_policy`."""
        with self._lock:
            if arm.name not in self._loaded:
                settings = arm.settings
                key = settings.encoder, settings.encoder_dtype, settings.device
                encoder = self.encoder or self._encoders.setdefault(key, EncoderOnDemand(settings))
                policy = build_policy(settings.policy, settings, encoder)
                self._loaded[arm.name] = ArmSelector.of(arm.name, policy, settings, alone=arm.alone)
            return self._loaded[arm.name]


@dataclass(eq=False)
class ArmRequest:
    """An arm at one request; its policy decides once for all budgets."""

    arm: ArmSelector
    conversation: Conversation  # the last turn is the message to answer

    @cached_property
    def _asked(self) -> tuple[CurrentMessage, History]:
        return self.conversation.at(len(self.conversation) - 1)

    @cached_property
    def _decisions(self) -> TurnDecisions:
        return self.arm.selector.decide(*self._asked)

    def send(self, budget: int | None) -> ArmMessages:
        """Return what is sent within the tokens of everything; None: as many as the arm takes."""
        selection = self.arm.selector.select_current(
            *self._asked,
            budget=budget,
            intent="general" if self.arm.alone else None,
            decisions=self._decisions,
        )
        stated = {invariant.source for invariant in selection.invariants if invariant.held}
        return ArmMessages(frozenset(stated.union(selection.indices)), selection.tokens, selection.messages)
