"""Modes over a conversation: what each turn belongs to, and the mode that holds at each user's turn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from convgate.context.mode import LEAST_CONFIDENCE, SURE, Mode, ModeDecision
from convgate.conversation import Turn
from convgate.messages.units import calls_of, is_result


class Classifies(Protocol):
    """What finds the mode of messages, each by itself: `ModeClassifier`, or a test's own."""

    def classify(self, turns: Sequence[Turn], /) -> list[ModeDecision]:
        """A decision for each turn; its item is the place in `turns`."""
        ...


@dataclass(frozen=True, slots=True)
class ConversationModes:
    """The modes of a conversation's turns; indices are 0-based."""

    found: Mapping[int, ModeDecision]  # of each user's turn by itself
    applied: Mapping[int, Mode]  # of each user's turn: the mode of the conversation there, smoothed
    labels: Mapping[int, Mode]  # of each turn: what it belongs to; instructions have none

    def at(self, index: int) -> Mode:
        """The mode that holds at a turn: that of the nearest user's turn up to it; GENERAL before any."""
        return next(
            (self.applied[place] for place in range(index, -1, -1) if place in self.applied), "GENERAL"
        )


def is_users(turn: Turn) -> bool:
    """Whether a turn is a user's: it neither instructs nor answers, and is no tool's."""
    return not (turn.is_instruction or turn.role == "assistant" or is_result(turn) or calls_of(turn))


def modes_of(
    turns: Sequence[Turn], classifier: Classifies, intents: Mapping[int, Mode] | None = None
) -> ConversationModes:
    """The modes of all turns. `intents` are the modes that callers asked for, by turn.

    The mode of the conversation changes at once on an intent or at confidence 0.85, otherwise after two
    user's turns in a row that agree; the first one takes its own. A turn belongs to its own mode from
    confidence 0.70 on, else to what the conversation was in before it: a short "and then?" belongs to what
    it follows. Answers belong to what they answer.
    """
    intents = intents or {}
    users = [index for index, turn in enumerate(turns) if is_users(turn)]
    found = {
        index: asked_for(index, intents[index]) if index in intents else replace(decision, item=index)
        for index, decision in zip(users, classifier.classify([turns[index] for index in users]), strict=True)
    }
    applied: dict[int, Mode] = {}
    own: dict[int, Mode] = {}
    mode: Mode | None = None
    previous: Mode | None = None  # what the user's turn before this one was by itself
    for index in users:
        decision = found[index]
        sure = decision.source == "intent" or decision.confidence >= SURE
        own[index] = decision.mode if mode is None or decision.confidence >= LEAST_CONFIDENCE else mode
        if mode is None or sure or decision.mode == previous:
            mode = decision.mode
        applied[index], previous = mode, decision.mode
    labels: dict[int, Mode] = {}
    at: Mode = "GENERAL"
    for index, turn in enumerate(turns):
        at = own.get(index, at)
        if not turn.is_instruction:
            labels[index] = at
    return ConversationModes(found, applied, labels)


def asked_for(index: int, mode: Mode) -> ModeDecision:
    """The decision about a turn whose mode the caller named."""
    return ModeDecision(
        item=index,
        outcome=mode,
        rule="intent",
        reason=f"{mode}: the caller asked for it.",
        stage="mode",
        mode=mode,
        confidence=1.0,
        source="intent",
        likeliest=mode,
    )
