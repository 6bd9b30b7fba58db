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
    greetings: str  # regular expressions, all of the following too
    pleasantries: str  # what may follow a greeting without being of substance
    confirmations: str
    yes_or_no: str  # what answers a closed question
    agreements: str  # the confirmations that are a yes where a decision was asked for
    questions: str  # how a question's clause begins
    open_questions: str  # how it begins when yes and no are no answer to it
    choices: str  # what a question has that asks for a decision
    invitations: str  # what asks without a question mark
    offers: str  # what asks for nothing yet: anything may follow it, and answers nothing
