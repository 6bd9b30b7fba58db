"""Words that hint at a mode, by what they say; how much each hint weighs is learned from the messages.

Written as the gatekeeper's patterns are (see `gatekeeper.pattern`): over folded text, in linear time.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from convgate.context.mode import Mode
from convgate.context.modes.cues.cue import Cue
from convgate.context.modes.cues.debugging import DEBUGGING
from convgate.context.modes.cues.exploration import EXPLORATION
from convgate.context.modes.cues.general import GENERAL
from convgate.context.modes.cues.learning import LEARNING
from convgate.context.modes.cues.task import TASK

CUES_OF: Mapping[Mode, tuple[Cue, ...]] = MappingProxyType(
    {
        "TASK": TASK,
        "EXPLORATION": EXPLORATION,
        "DEBUGGING": DEBUGGING,
        "LEARNING": LEARNING,
        "GENERAL": GENERAL,
    }
)

CUES: tuple[Cue, ...] = tuple(cue for cues in CUES_OF.values() for cue in cues)

__all__ = ["CUES", "CUES_OF", "Cue"]
