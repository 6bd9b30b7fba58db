"""The rules of boundaries: the idle gap, the commands, the end of a workflow."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from convgate.core.conversation import Turn
from convgate.core.errors import SessionError

if TYPE_CHECKING:
    from convgate.core.settings import Settings

NEW_COMMANDS = ("new conversation", "start fresh", "new topic", "fresh start")
CONTINUE_COMMANDS = ("continue", "keep going", "next", "resume")

# "Next week we fly" and "next to the door" begin a sentence about something else.
_NO_COMMAND_BEFORE = {
    "next": (
        "to|door|time|second|minute|hour|day|morning|afternoon|evening|night|week|weekend|month|quarter|year"
        "|spring|summer|autumn|fall|winter|season|century|generation|christmas|easter"
        "|monday|tuesday|wednesday|thursday|friday|saturday|sunday"
        "|january|february|march|april|may|june|july|august|september|october|november|december"
    )
}


@dataclass(frozen=True, slots=True)
class Command:
    """A request to begin or to continue a conversation."""

    kind: Literal["new", "continue"]
    words: str  # as the person wrote them


@dataclass(frozen=True)
class BoundaryRules:
    """The settings that decide where boundaries are; SessionError when one is out of range."""

    idle_gap_seconds: float = 7_200.0  # 0 or more; a longer one ends a session; inf: none does
    continue_overrides_gap: bool = True  # whether a continue command goes on after a longer gap
    close_on_complete: bool = True  # whether COMPLETE closes the conversation
    new_commands: tuple[str, ...] = NEW_COMMANDS
    continue_commands: tuple[str, ...] = CONTINUE_COMMANDS

    def __post_init__(self) -> None:
        """Check each value."""
        gap = self.idle_gap_seconds
        if isinstance(gap, bool) or not isinstance(gap, int | float) or math.isnan(gap) or gap < 0:
            raise SessionError(
                f"the idle gap is a number of seconds, 0 or more, or inf for none; got {gap!r}"
            )
        kinds: dict[str, str] = {}
        for name in ("new_commands", "continue_commands"):
            for command in getattr(self, name):
                plain = " ".join(command.split()).casefold() if isinstance(command, str) else ""
                if not plain or not plain[-1].isalnum():
                    raise SessionError(f"{name}: a command ends in a letter or a digit; got {command!r}")
                if kinds.setdefault(plain, name) != name:
                    raise SessionError(f"{command!r} is both a new and a continue command; remove one")

    @classmethod
    def of(cls, settings: Settings) -> BoundaryRules:
        """Return the rules that the settings name."""
        return cls(
            idle_gap_seconds=settings.session.idle_gap_seconds,
            continue_overrides_gap=settings.session.continue_overrides_gap,
            close_on_complete=settings.session.auto_close_on_workflow_complete,
            new_commands=settings.session.new_commands,
            continue_commands=settings.session.continue_commands,
        )

    def command_of(self, turn: Turn) -> Command | None:
        """Return the command that a user's message is or begins with, also after a "please", or None."""
        if turn.role != "user":
            return None
        text = next((part.text for part in turn.parts if part.kind == "text"), "")
        for kind, pattern in self._patterns:
            if pattern and (match := pattern.match(text)):
                return Command(kind, " ".join(match["words"].split()))
        return None

    @cached_property
    def _patterns(self) -> tuple[tuple[Literal["new", "continue"], re.Pattern[str] | None], ...]:
        return (("new", _pattern(self.new_commands)), ("continue", _pattern(self.continue_commands)))


def _pattern(commands: Iterable[str]) -> re.Pattern[str] | None:
    """Return what matches a command at the start of a text; None without commands.

    It ends where its word ends: "next.js", "continue-on-error" and "next()" are other words.
    """
    ordered = sorted({" ".join(command.split()) for command in commands}, key=len, reverse=True)
    if not ordered:
        return None
    alternatives = "|".join(_alternative(command) for command in ordered)
    return re.compile(
        rf"\s*(?:please\b[\s,]*)?(?P<words>{alternatives})(?![\w'’(]|[^\w\s,;:!?…—–]\w)", re.IGNORECASE
    )


def _alternative(command: str) -> str:
    spaced = r"\s+".join(re.escape(word) for word in command.split())
    not_before = _NO_COMMAND_BEFORE.get(command.casefold())
    return rf"{spaced}(?!\s+(?:{not_before})\b)" if not_before else spaced
