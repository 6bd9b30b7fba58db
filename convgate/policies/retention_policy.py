"""Policies by how confident the model was: a window for a prompt, and pruning of what is stored."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from convgate.core.conversation import History, Situation
from convgate.core.decisions import TurnDecisions
from convgate.core.parameters import Checked, setting, switch
from convgate.policies.base import history_indices
from convgate.policies.retention.confidence import confidences
from convgate.policies.retention.windows import BASE_WINDOW, KEEP_LAST, PERIOD, Retained, prune, window


def _period_setting(end: str) -> Any:
    """Return how often a checkpoint comes, counted from the `end` that the policy counts from."""
    told = f"Every so many messages, counted from the {end}, one of 0.60 or more stays; 0: no checkpoints."
    return setting(PERIOD, "checkpoint period", low=0, high=10_000, step=1, help=told)


def _estimate_setting() -> Any:
    """Return whether hedging language stands in for a confidence that is not stated."""
    told = "On: estimated from hedging language where none is stated. Off: it counts as 0.50."
    return switch(default=False, label="estimate", help=told)


def _decisions_of(policy: str, indices: NDArray[np.int64], found: Retained) -> TurnDecisions:
    """Return what retention found, as decisions; the score is the confidence."""
    start = int(indices[0]) if len(indices) else 0
    return TurnDecisions(
        policy=policy,
        rule=policy,
        indices=indices,
        kept=found.kept,
        scores=np.array([confidence.value for confidence in found.confidences], dtype=np.float64),
        told=lambda index: found.why(index - start),
    )


@dataclass(frozen=True, slots=True)
class Pruning(Checked):
    """Keeps the last messages, and of the older ones what the model was confident in, and checkpoints.

    The score is the confidence, which says nothing of what the current message needs: it does not rank.
    """

    name: ClassVar[str] = "pruning"
    needs_encoder: ClassVar[bool] = False
    label: ClassVar[str] = "Confidence: pruning of what is stored"
    ranks: ClassVar[bool] = False
    period: int = _period_setting("start")
    keep_last: int = setting(
        KEEP_LAST, "last messages", low=0, high=10_000, step=1, help="How many messages stay in any case."
    )
    max_messages: int = setting(
        0,
        "at most messages",
        low=0,
        high=1_000_000,
        step=1,
        help="The least confident leave first; 0: no limit.",
    )
    max_characters: int = setting(
        0, "at most characters", low=0, high=100_000_000, step=100, help="The same, by length; 0: no limit."
    )
    estimate: bool = _estimate_setting()

    def decide(self, situation: Situation, history: History) -> TurnDecisions:
        """Return what `policies.retention.prune` leaves of the history; positions are the conversation's."""
        found = prune(
            history.turns,
            confidences(history.turns, estimate=self.estimate, first=history.start),
            period=self.period,
            keep_last=self.keep_last,
            max_messages=self.max_messages,
            max_characters=self.max_characters,
            first=history.start,
        )
        return _decisions_of(self.name, history_indices(history), found)


@dataclass(frozen=True, slots=True)
class Retention(Checked):
    """Keeps what the model was confident in, checkpoints, and the newest messages in a base window.

    The score is the confidence, which says nothing of what the current message needs: it does not rank.
    """

    name: ClassVar[str] = "retention"
    needs_encoder: ClassVar[bool] = False
    label: ClassVar[str] = "Confidence: window for a prompt"
    ranks: ClassVar[bool] = False
    period: int = _period_setting("newest")
    base_window: int = setting(
        BASE_WINDOW,
        "base window",
        low=0,
        high=1_000_000,
        step=100,
        help="Characters of what is not confident.",
    )
    estimate: bool = _estimate_setting()

    def decide(self, situation: Situation, history: History) -> TurnDecisions:
        """The window of `convgate.policies.retention.window`: position 1 is the history's newest message."""
        found = confidences(history.turns, estimate=self.estimate, first=history.start)
        return _decisions_of(
            self.name,
            history_indices(history),
            window(history.turns, found, base_window=self.base_window, period=self.period),
        )
