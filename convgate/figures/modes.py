"""How modes and the sections of a context look wherever they are drawn: a colour, and a sign besides.

>>> mode_letter("DEBUGGING"), SECTION_LABELS["task_state"]
('D', 'Task state')
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from convgate.context.mode import Mode
from convgate.context.section import SectionName
from convgate.figures.palette import LIGHT, Palette

SECTION_LABELS: Mapping[SectionName, str] = {
    "rules": "Rules",
    "task_state": "Task state",
    "recent": "Recent window",
    "evidence": "Evidence",
    "decisions": "Decisions",
    "capsules": "Capsules",
}
"""What sections are called on screen."""


@dataclass(frozen=True, slots=True)
class Look:
    """A fill that can be told from others without its colour."""

    colour: str  # "#rrggbb"
    pattern: str  # plotly's; "" is plain
    text: str  # the colour of words on it


def mode_letter(mode: Mode) -> str:
    """The sign of a mode where there is no room for its name."""
    return mode[0]


def mode_colour(mode: Mode, palette: Palette) -> str:
    """The colour of marks of that mode."""
    return {
        "TASK": palette.kept,
        "EXPLORATION": palette.tier1,
        "DEBUGGING": palette.threshold,
        "LEARNING": palette.tier2,
        "GENERAL": palette.dropped,
    }[mode]


def mode_look(mode: Mode, palette: Palette) -> Look:
    """How an area of that mode is filled."""
    colour = mode_colour(mode, palette)
    pattern = {"TASK": "", "EXPLORATION": ".", "DEBUGGING": "/", "LEARNING": "\\", "GENERAL": "x"}[mode]
    return Look(colour, pattern, LIGHT.background if colour == LIGHT.kept else LIGHT.ink)


def section_look(section: SectionName, palette: Palette) -> Look:
    """How that section is filled: rules in the colour of what is forced, evidence in that of what is kept."""
    colour, pattern = {
        "rules": (palette.forced, ""),
        "task_state": (palette.flip, "/"),
        "recent": (palette.tier1, "."),
        "evidence": (palette.kept, ""),
        "decisions": (palette.tier2, "\\"),
        "capsules": (palette.dropped, "x"),
    }[section]
    is_dark = colour == LIGHT.kept
    return Look(colour, pattern, LIGHT.background if is_dark else LIGHT.ink)
