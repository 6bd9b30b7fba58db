"""The mode that a context is built for: what was found, smoothed, and what overrules it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from convgate.context.mode import Mode, ModeDecision
from convgate.context.modes.conversation import Classifies, modes_of
from convgate.context.moment import Moment
from convgate.context.request import Fallback, Guard

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
    goals: tuple[int, ...]  # users' turns that set a task, by themselves
    intents: dict[int, Mode]  # that callers named so far, by turn
    fallback: Fallback | None  # why `mode` is GENERAL against what was found


def read_modes(
    moment: Moment, classifier: Classifies, guard: Guard, intent: Mode | None, before: Mapping[int, Mode]
) -> Read:
    """The mode at the present message. `before` are intents of earlier requests; `intent` is this one's."""
    asked = moment.asked[moment.current]
    intents = dict(before)
    if intent is not None:
        intents[moment.current if asked is None else asked] = intent
    modes = modes_of(moment.turns, classifier, intents)
    mode = intent or modes.at(moment.current)
    fallback = guard.overruled(mode)
    return Read(
        mode="GENERAL" if fallback else mode,
        found=_NOTHING_ASKED if asked is None else modes.found[asked],
        labels=modes.labels,
        goals=tuple(
            index
            for index, decision in modes.found.items()
            if decision.mode == "TASK" and decision.source != "low confidence"
        ),
        intents=intents,
        fallback=fallback,
    )
