"""What is read of a conversation: the mode that a context is built for, and what must hold."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field

from convgate.context.columns import CONVERSATIONS
from convgate.context.invariant import Invariant
from convgate.context.invariants.finding import Finding, Judges
from convgate.context.mode import Mode, ModeDecision
from convgate.context.modes.conversation import Classifies, ConversationModes, FollowingModes
from convgate.context.moment import Moment
from convgate.context.request import Fallback, Guard
from convgate.conversation import Turn

_NOTHING_ASKED = ModeDecision(
    item=0,
    outcome="GENERAL",
    rule="classifier",
    reason="GENERAL: nobody asked anything yet.",
    stage="mode",
    mode="GENERAL",
    confidence=0.0,
    source="low confidence",
    likeliest="GENERAL",
)


@dataclass(frozen=True, slots=True)
class Read:
    """The modes of a conversation at its present message."""

    mode: Mode  # that is applied
    found: ModeDecision  # of the message to answer, by itself; of its question, for a tool's result
    labels: Mapping[int, Mode]  # by turn
    invariants: list[Invariant]  # that the turns state, the present one included
    goals: tuple[int, ...]  # users' turns that set a task, by themselves
    intents: dict[int, Mode]  # that callers named so far, by turn
    fallback: Fallback | None  # why `mode` is GENERAL against what was found


@dataclass(eq=False, slots=True)
class _Followed:
    """A conversation as far as it was read."""

    intents: dict[int, Mode]
    turns: list[Turn] = field(default_factory=list)
    modes: FollowingModes = field(default_factory=FollowingModes)
    finding: Finding = field(default_factory=Finding)


class Readings:
    """Reads conversations; of those read last, one that goes on is read where it grew. Thread-safe."""

    def __init__(self, judge: Judges) -> None:
        self.judge = judge
        self._lock = threading.Lock()
        self._followed: list[_Followed] = []  # the newest last; who reads one takes it out

    def read(
        self, turns: list[Turn], classifier: Classifies, intents: Mapping[int, Mode]
    ) -> tuple[ConversationModes, list[Invariant]]:
        """The modes of all turns, and every invariant that they state."""
        with self._lock:
            known = [one for one in self._followed if _goes_on(one, turns, intents)]
            found = max(known, key=lambda one: len(one.turns), default=None)
            if found is not None:
                self._followed.remove(found)
        one = found or _Followed(dict(intents))
        new = turns[len(one.turns) :]
        if new:
            one.modes.add(new, classifier, intents)
            one.finding.add(new, self.judge)
            one.turns, one.intents = list(turns), dict(intents)
        read = one.modes.modes, one.finding.invariants
        with self._lock:
            self._followed = [*self._followed[1 - CONVERSATIONS :], one]
        return read


def _goes_on(one: _Followed, turns: list[Turn], intents: Mapping[int, Mode]) -> bool:
    """Whether the turns begin with those that were read, under the same intents."""
    known = len(one.turns)
    return (
        known <= len(turns)
        and one.intents == {index: mode for index, mode in intents.items() if index < known}
        and one.turns == turns[:known]
    )


def read_modes(
    moment: Moment,
    readings: Readings,
    classifier: Classifies,
    guard: Guard,
    intent: Mode | None,
    before: Mapping[int, Mode],
) -> Read:
    """What is read at the present message; `before` are the intents of earlier requests."""
    asked = moment.asked[moment.current]
    intents = dict(before)
    if intent is not None:
        intents[moment.current if asked is None else asked] = intent
    modes, invariants = readings.read(moment.turns, classifier, intents)
    mode = intent or modes.at(moment.current)
    fallback = guard.overruled(mode)
    return Read(
        mode="GENERAL" if fallback else mode,
        found=_NOTHING_ASKED if asked is None else modes.found[asked],
        labels=modes.labels,
        invariants=invariants,
        goals=tuple(
            index
            for index, decision in modes.found.items()
            if decision.mode == "TASK" and decision.source != "low confidence"
        ),
        intents=intents,
        fallback=fallback,
    )
