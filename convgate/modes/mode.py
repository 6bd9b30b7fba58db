"""The modes, the decision about one message's mode, and the intents by which a caller names a mode."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from convgate.core.errors import RequestError
from convgate.core.settings import Settings
from convgate.core.text import quote

log = logging.getLogger(__name__)

Mode = Literal["TASK", "EXPLORATION", "DEBUGGING", "LEARNING", "GENERAL"]

MODES: tuple[Mode, ...] = ("TASK", "EXPLORATION", "DEBUGGING", "LEARNING", "GENERAL")

ModeSource = Literal["intent", "classifier", "low confidence"]

MIN_CONFIDENCE = 0.70
"""Below it, a message counts as GENERAL."""

SURE = 0.85
"""From it on, the mode of a conversation changes at once."""


@dataclass(frozen=True, slots=True)
class ModeDecision:
    """The mode of one message by itself."""

    index: int  # 0-based index of the turn in its conversation
    mode: Mode
    explanation: str  # a sentence for a newcomer, to stand behind the mode and a colon
    confidence: float  # 0…1: how often a mode found with it is right; 1 with an intent
    source: ModeSource
    likeliest: Mode  # what the classifier found, whatever its confidence
    probabilities: Mapping[Mode, float] = field(default_factory=dict)  # sum 1; none with an intent
    signs: tuple[str, ...] = ()  # the n-grams of the message that contribute most

    @property
    def reason(self) -> str:
        """The whole sentence: the mode, how sure a classifier is of it, and the explanation."""
        likelihood = f" with {self.confidence:.2f}" if self.source == "classifier" else ""
        return f"{self.mode}{likelihood}: {self.explanation}"

    def to_json(self) -> dict[str, Any]:
        """Return the record that `convgate modes` prints."""
        return {"mode": self.mode, "confidence": self.confidence, "source": self.source}


def no_mode(reason: str, probabilities: Mapping[Mode, float] | None = None) -> ModeDecision:
    """Return the decision about a message that shows no mode: GENERAL, with low confidence."""
    shares = probabilities or {}
    confidence = max(shares.values(), default=0.0)
    return ModeDecision(0, "GENERAL", reason, confidence, "low confidence", "GENERAL", shares)


INTENTS: Mapping[str, Mode] = {
    "task": "TASK",
    "debug": "DEBUGGING",
    "explore": "EXPLORATION",
    "learn": "LEARNING",
    "general": "GENERAL",
}


def mode_of_intent(intent: str, settings: Settings) -> Mode:
    """Return the mode that an intent asks for, whatever its case and the blanks around it.

    Names of modes are intents too. `settings.budget.intents` adds to them, and may give one of them another
    mode. Raises RequestError for an unknown intent.

    >>> mode_of_intent(" Debug ", Settings())
    'DEBUGGING'
    """
    known = known_intents(settings)
    if not isinstance(intent, str):
        raise RequestError(f"an intent is a word; got {intent!r}; there are {', '.join(known)}")
    mode = known.get(_plain(intent))
    if mode is None:
        raise RequestError(f"there is no intent {intent!r}; there are {', '.join(known)}")
    return mode


def find_mode(intent: str, settings: Settings) -> Mode | None:
    """Return the mode of an intent; None, with a warning, for an unknown one.

    Raises RequestError for settings that name an unknown mode.
    """
    known = known_intents(settings)
    try:
        return mode_of_intent(intent, settings)
    except RequestError:
        log.warning(
            "unknown intent %s (known: %s); the message is classified", quote(intent), ", ".join(known)
        )
        return None


def known_intents(settings: Settings) -> dict[str, Mode]:
    """Return all intents in lower case with their modes; RequestError for unknown modes in the settings."""
    known: dict[str, Mode] = {**INTENTS, **{mode.lower(): mode for mode in MODES}}
    for intent, named in settings.budget.intents.items():
        if not _plain(intent):
            raise RequestError("budget.intents: an intent is a word; got an empty one")
        mode = next((mode for mode in MODES if mode == named.strip().upper()), None)
        if mode is None:
            raise RequestError(
                f"budget.intents, {intent}: there is no mode {named!r}; there are {', '.join(MODES)}"
            )
        known[_plain(intent)] = mode
    return known


def _plain(intent: str) -> str:
    return intent.strip().casefold()
