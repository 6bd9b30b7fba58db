"""What one language gives: its patterns and its phrases."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from convgate.gatekeeper.pattern import Pattern


@dataclass(frozen=True, slots=True)
class Language:
    """Words of one language, folded: no accents, no capitals, straight apostrophes."""

    code: str  # ISO 639-1
    named: Mapping[str, str]  # what `{name}` stands for in its patterns
    patterns: tuple[Pattern, ...]
    greetings: tuple[str, ...]  # regular expressions, all of the following too
    pleasantries: tuple[str, ...]  # what may follow a greeting without being of substance
    confirmations: tuple[str, ...]
    yes_or_no: tuple[str, ...]  # the confirmations that answer a closed question
    questions: tuple[str, ...]  # how a question's clause begins
    open_questions: tuple[str, ...]  # how it begins when yes and no are no answer to it
    choices: tuple[str, ...]  # what a question has that asks for a decision
    invitations: tuple[str, ...]  # what asks without a question mark
