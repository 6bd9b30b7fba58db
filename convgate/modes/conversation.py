"""Modes over a conversation: of each turn, and of the conversation at each user's turn."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from convgate.core.conversation import Turn
from convgate.core.conversation_cache import GrowingCache
from convgate.messages.units import is_from_user
from convgate.modes.classifier import ModeClassifier
from convgate.modes.mode import MIN_CONFIDENCE, MODES, SURE, Mode, ModeDecision

NO_MODE = 255


class TurnLabels(Mapping[int, Mode]):
    """The mode that each turn belongs to, by index; instructions have none."""

    def __init__(self, codes: bytes) -> None:
        self.codes = np.frombuffer(codes, dtype=np.uint8)  # (n,) places in MODES, NO_MODE without one

    def __getitem__(self, index: int) -> Mode:
        if not 0 <= index < len(self.codes) or self.codes[index] == NO_MODE:
            raise KeyError(index)
        return MODES[int(self.codes[index])]

    def __iter__(self) -> Iterator[int]:
        return iter(np.flatnonzero(self.codes != NO_MODE).tolist())

    def __len__(self) -> int:
        return int((self.codes != NO_MODE).sum())

    def are_of(self, modes: Collection[Mode]) -> NDArray[np.bool_]:
        """Return (n,) whether each turn belongs to one of the modes."""
        return np.isin(self.codes, [MODES.index(mode) for mode in modes])


@dataclass(frozen=True, slots=True)
class ConversationModes:
    """The modes of a conversation's turns; indices are 0-based."""

    decisions: Mapping[int, ModeDecision]  # of each user's turn by itself
    applied: Mapping[int, Mode]  # of each user's turn: the mode of the conversation there, smoothed
    labels: TurnLabels
    goals: tuple[int, ...]  # users' turns that set a task, by themselves

    def at(self, index: int) -> Mode:
        """Return the mode at a turn: that of the nearest user's turn up to it; GENERAL before any."""
        return next(
            (self.applied[place] for place in range(index, -1, -1) if place in self.applied), "GENERAL"
        )


class ModeTracker:
    """Finds the modes of a growing conversation incrementally.

    The mode of the conversation changes at once on an intent or at confidence 0.85, otherwise after two
    user's turns in a row that agree. A turn belongs to its own mode from confidence 0.70 on, else to the
    conversation's mode before it. Answers belong to what they answer.
    """

    def __init__(self) -> None:
        self._decisions: dict[int, ModeDecision] = {}
        self._applied: dict[int, Mode] = {}
        self._labels = bytearray()
        self._goals: list[int] = []
        self._mode: Mode | None = None  # of the conversation
        self._previous: Mode | None = None  # what the last user's turn was by itself
        self._label: Mode = "GENERAL"  # what the last turn belongs to
        self.turns: list[Turn] = []  # so far
        self.intents: dict[int, Mode] = {}  # of these

    def precedes(self, turns: list[Turn], intents: Mapping[int, Mode]) -> bool:
        """Return whether the turns begin with those so far, under the same intents."""
        n = len(self.turns)
        own = {index: mode for index, mode in intents.items() if index < n}
        return n <= len(turns) and self.intents == own and self.turns == turns[:n]

    def add(self, turns: Sequence[Turn], classifier: ModeClassifier, intents: Mapping[int, Mode]) -> None:
        """Read the next turns; `intents` are by turn of the whole conversation."""
        users = [place for place, turn in enumerate(turns) if is_from_user(turn)]
        decisions = classifier.classify([turns[place] for place in users])
        by_place = dict(zip(users, decisions, strict=True))
        for place, turn in enumerate(turns):
            index = len(self.turns) + place
            if place in by_place:
                own = replace(by_place[place], index=index)
                self._add(decide_by_intent(index, intents[index]) if index in intents else own)
            self._labels.append(NO_MODE if turn.is_instruction else MODES.index(self._label))
        self.turns.extend(turns)
        self.intents = {index: mode for index, mode in intents.items() if index < len(self.turns)}

    @property
    def modes(self) -> ConversationModes:
        """Of the turns so far."""
        labels, goals = TurnLabels(bytes(self._labels)), tuple(self._goals)
        return ConversationModes(dict(self._decisions), dict(self._applied), labels, goals)

    def _add(self, decision: ModeDecision) -> None:
        is_sure = decision.source == "intent" or decision.confidence >= SURE
        is_own = self._mode is None or decision.confidence >= MIN_CONFIDENCE
        self._label = decision.mode if is_own or self._mode is None else self._mode
        if self._mode is None or is_sure or decision.mode == self._previous:
            self._mode = decision.mode
        self._decisions[decision.index] = decision
        if decision.mode == "TASK" and decision.source != "low confidence":
            self._goals.append(decision.index)
        self._applied[decision.index], self._previous = self._mode, decision.mode


class ModeReader:
    """Reads modes; of conversations read last, one that goes on is read where it grew. Thread-safe."""

    def __init__(self) -> None:
        self._known: GrowingCache[ModeTracker] = GrowingCache()

    def read(
        self, turns: list[Turn], classifier: ModeClassifier, intents: Mapping[int, Mode]
    ) -> ConversationModes:
        """Return the modes of all turns."""
        tracker = self._known.take(lambda known: known.precedes(turns, intents)) or ModeTracker()
        if new := turns[len(tracker.turns) :]:
            tracker.add(new, classifier, intents)
        modes = tracker.modes
        self._known.put(tracker)
        return modes


def decide_by_intent(index: int, mode: Mode) -> ModeDecision:
    """Return the decision about a turn whose mode the caller named."""
    return ModeDecision(index, mode, "the caller asked for it.", 1.0, "intent", mode)
