"""The window that confidence makes for a prompt: no embeddings, and not the question either."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from convgate.core.conversation import History, Situation
from convgate.core.decisions import TurnDecisions
from convgate.core.parameters import Checked, setting
from convgate.policies.base import history_indices
from convgate.policies.pruning import decided, estimate_setting, period_setting
from convgate.policies.retention.confidence import confidences
from convgate.policies.retention.prompt_window import BASE_WINDOW, window


@dataclass(frozen=True, slots=True)
class Retention(Checked):
    """Keeps what the model was confident in, checkpoints, and the newest messages in a base window.

    The score is the confidence, which says nothing of what the current message needs: it does not rank.
    """

    name: ClassVar[str] = "retention"
    needs_encoder: ClassVar[bool] = False
    label: ClassVar[str] = "Confidence: window for a prompt"
    ranks: ClassVar[bool] = False
    period: int = period_setting("newest")
    base_window: int = setting(
        BASE_WINDOW,
        "base window",
        low=0,
        high=1_000_000,
        step=100,
        help="Characters of what is not confident.",
    )
    estimate: bool = estimate_setting()

    def decide(self, situation: Situation, history: History) -> TurnDecisions:
        """The window of `convgate.policies.retention.window`: position 1 is the history's newest message."""
        found = confidences(history.turns, estimate=self.estimate, first=history.start)
        return decided(
            self.name,
            history_indices(history),
            window(history.turns, found, base_window=self.base_window, period=self.period),
        )
