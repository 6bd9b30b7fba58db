"""How modes and the sections of a budget look wherever they are drawn: a colour, and a sign besides.

>>> SECTION_LABELS["task_state"]
'Task state'
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from convgate.figures.palette import LIGHT, Palette
from convgate.modes.budgets import SectionName
from convgate.modes.mode import Mode

SECTION_LABELS: Mapping[SectionName, str] = {
    "rules": "Rules",
    "task_state": "Task state",
    "recent": "Recent window",
    "evidence": "Evidence",
    "decisions": "Decisions",
    "capsules": "Capsules",
}
_MODES = {
    "TASK": ("forced", ""),
    "EXPLORATION": ("tier1", "."),
    "DEBUGGING": ("threshold", "/"),
    "LEARNING": ("tier2", "\\"),
    "GENERAL": ("dropped", "x"),
}  # a role of the palette, and a pattern
_SECTIONS = {
    "rules": ("forced", ""),
    "task_state": ("flip", "/"),
    "recent": ("tier1", "."),
    "evidence": ("kept", ""),
    "decisions": ("tier2", "\\"),
    "capsules": ("dropped", "x"),
}


@dataclass(frozen=True, slots=True)
class Look:
    """A fill that can be distinguished without its colour."""

    colour: str  # "#rrggbb"
    pattern: str  # plotly's; "" is plain
    text: str  # the colour of words on it


def mode_look(mode: Mode, palette: Palette) -> Look:
    """Return how an area of that mode is filled."""
    return _look(*_MODES[mode], palette)


def section_look(section: SectionName, palette: Palette) -> Look:
    """Return how that section is filled: rules as what is forced, evidence as what is kept."""
    return _look(*_SECTIONS[section], palette)


def _look(role: str, pattern: str, palette: Palette) -> Look:
    colour: str = getattr(palette, role)
    return Look(colour, pattern, LIGHT.background if colour == LIGHT.kept else LIGHT.ink)
