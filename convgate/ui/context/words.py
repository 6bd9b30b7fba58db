"""What invariants are called on screen."""

from __future__ import annotations

from convgate.context.invariant import HELD, PRIORITIES, Invariant, InvariantType
from convgate.figures.hover import on_screen

TYPES: dict[InvariantType, str] = {
    "safety_requirement": "Safety requirement",
    "user_correction": "Correction",
    "hard_constraint": "Hard constraint",
    "blocking_error": "Blocking error",
}
STATES = {
    "active": ":green-badge[:material/keep: holds]",
    "superseded": ":gray-badge[:material/edit_note: corrected]",
    "lifted": ":gray-badge[:material/lock_open: lifted]",
    "resolved": ":gray-badge[:material/check: resolved]",
}


def type_label(type: InvariantType) -> str:
    """A type as people call it.

    >>> type_label("user_correction")
    'Correction'
    """
    return TYPES[type]


def why_alone(reason: str) -> str:
    """A reason without what became of the turn, where that is told already.

    >>> why_alone("Kept as recent: it is one of the newest turns.")
    'It is one of the newest turns.'
    """
    told, between, why = on_screen(reason).partition(": ")
    why = why if between else told
    return why[:1].upper() + why[1:]


def state_badge(one: Invariant) -> str:
    """Whether it holds, as Markdown."""
    return STATES[one.state]


def type_help(type: InvariantType) -> str:
    """What its priority means."""
    held = PRIORITIES[type] >= HELD
    return f"Priority {PRIORITIES[type]:,}: " + (
        "every context must have it." if held else "it stands in the task state where there is room."
    )
