"""Intents: what a caller says that a message is meant for, and the mode that it asks for."""

from __future__ import annotations

from collections.abc import Mapping

from convgate.context.mode import MODES, Mode
from convgate.errors import ContextError
from convgate.settings import Settings

INTENTS: Mapping[str, Mode] = {
    "task": "TASK",
    "debug": "DEBUGGING",
    "explore": "EXPLORATION",
    "learn": "LEARNING",
    "general": "GENERAL",
}


def mode_of_intent(intent: str, settings: Settings) -> Mode:
    """The mode that an intent asks for, whatever its case and the blanks around it.

    Names of modes are intents too. `settings.context_intents` adds to them, and may give one of them another
    mode. Raises ContextError for an intent that there is not, and for one that asks for no mode.

    >>> mode_of_intent(" Debug ", Settings())
    'DEBUGGING'
    """
    known = known_intents(settings)
    if not isinstance(intent, str):
        raise ContextError(f"an intent is a word; got {intent!r}; there are {', '.join(known)}")
    mode = known.get(_plain(intent))
    if mode is None:
        raise ContextError(f"there is no intent {intent!r}; there are {', '.join(known)}")
    return mode


def known_intents(settings: Settings) -> dict[str, Mode]:
    """All intents, plain, with their modes; ContextError when the settings name a mode that there is not."""
    known: dict[str, Mode] = {**INTENTS, **{mode.lower(): mode for mode in MODES}}
    for intent, named in settings.context_intents.items():
        if not _plain(intent):
            raise ContextError("context_intents: an intent is a word; got an empty one")
        mode = next((mode for mode in MODES if mode == named.strip().upper()), None)
        if mode is None:
            raise ContextError(
                f"context_intents, {intent}: there is no mode {named!r}; there are {', '.join(MODES)}"
            )
        known[_plain(intent)] = mode
    return known


def _plain(intent: str) -> str:
    return intent.strip().casefold()
