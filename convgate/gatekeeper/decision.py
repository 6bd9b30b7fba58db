"""A decision of the gatekeeper: keep or skip, of which category, and by which words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from convgate.core.decisions import Decision

KEEP, SKIP = "keep", "skip"

Category = Literal[
    "preference",
    "policy",
    "correction",
    "decision",
    "greeting",
    "general_knowledge",
    "other",
    "team_preference",
    "answer",
    "custom",
]

Said = Literal["user", "assistant"]


@dataclass(frozen=True, slots=True)
class Match:
    """Words that a pattern found."""

    category: str  # a Category, or the one that an own rule names
    rule: str  # the check or the pattern
    said: Said  # in whose message
    start: int  # characters, inclusive, in the message as it was given
    end: int  # exclusive


@dataclass(frozen=True, slots=True)
class GatekeeperDecision(Decision):
    """Whether an exchange is stored. `index` is the user's turn, or the line of a file; `rule` the check."""

    category: str
    categories: Sequence[str]  # all that matched, the deciding one first
    matches: Sequence[Match]
    language: str | None = None  # ISO 639-1, where it was detected

    @property
    def outcome_text(self) -> str:
        """The outcome in words."""
        return "Kept" if self.keep else "Skipped"

    @property
    def keep(self) -> bool:
        """Whether the exchange is stored."""
        return self.outcome == KEEP

    def to_json(self) -> dict[str, Any]:
        """Return the record that `convgate gatekeep` prints."""
        return {
            "keep": self.keep,
            "category": self.category,
            "categories": list(self.categories),
            "reason": self.reason,
        }
