"""The modes, and what was found of one message."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from convgate.decisions import Decision

Mode = Literal["TASK", "EXPLORATION", "DEBUGGING", "LEARNING", "GENERAL"]

MODES: tuple[Mode, ...] = ("TASK", "EXPLORATION", "DEBUGGING", "LEARNING", "GENERAL")

Source = Literal["intent", "classifier", "low confidence"]

LEAST_CONFIDENCE = 0.70
"""Below it, a message counts as GENERAL."""

SURE = 0.85
"""From it on, the mode of a conversation changes at once."""


@dataclass(frozen=True, slots=True)
class ModeDecision(Decision):
    """The mode of one message by itself. `item` is its index, `outcome` the mode."""

    mode: Mode
    confidence: float  # 0…1: how often a mode found with it is right; 1 with an intent
    source: Source
    likeliest: Mode  # what the classifier found, whatever its confidence
    probabilities: Mapping[Mode, float] = field(
        default_factory=dict
    )  # of all modes, sum 1; none with an intent
    signs: tuple[str, ...] = ()  # what in the message spoke for it the most, for a person to read

    def to_json(self) -> dict[str, Any]:
        """The record that `convgate modes` prints."""
        return {"mode": self.mode, "confidence": self.confidence, "source": self.source}
