"""A rule of one's own: words that a message may have, and what then becomes of the exchange.

Patterns run on an engine with linear time (google-re2), so that none can hang the program.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

import re2

from convgate.gatekeeper.errors import RuleProblem, RulesError

AppliesTo = Literal["user", "assistant", "both"]

LONGEST_PATTERN = 1_000  # characters
LONGEST_REASON = 300  # characters
CATEGORY = re.compile(r"[^\W_A-Z][\w-]{0,39}")
"""How a category is called: up to 40 letters, digits, - and _."""

_EVERYTHING = ("7", "zq", "☃ é", "?!., ;:-–'\"()[]{}/\\@#%&*+=<>|~^$€_")
"""Messages that have nothing in common: who finds words in all of them finds them anywhere."""

_ONE_BYTE = re.compile(r"(?<!\\)(?:\\\\)*\\C")
_APOSTROPHES = str.maketrans(dict.fromkeys("’‘ʼ′‛＇´", "'"))
_MEMORY = 1 << 20  # bytes of a compiled pattern


@dataclass(frozen=True, slots=True)
class Rule:
    """One entry of `skip_patterns` or `keep_patterns`. Raises RulesError when it cannot be used."""

    pattern: str  # a regular expression of RE2, found anywhere in the trimmed message, whatever the case
    reason: str = ""  # for the person who reads why; shown with the decision
    category: str = "custom"
    applies_to: AppliesTo = "user"  # in whose message it is looked for
    line: int | None = field(default=None, compare=False)  # in the file, from 1

    def __post_init__(self) -> None:
        problems = rule_problems(self.pattern, self.reason, self.category, self.applies_to)
        if problems:
            raise RulesError([RuleProblem(text, None, self.line, self.pattern) for _, text in problems])


def same_apostrophes(text: str) -> str:
    """The text with straight apostrophes for curly ones, each in its place."""
    return text if text.isascii() else text.translate(_APOSTROPHES)


def expression(pattern: str) -> bytes:
    """The pattern as the engine takes it."""
    return same_apostrophes(pattern).encode()


def options(memory: int = _MEMORY) -> Any:
    """How patterns are read: no capitals, no noise on standard error; `memory` in bytes."""
    chosen = re2.Options()
    chosen.case_sensitive = False
    chosen.log_errors = False
    chosen.max_mem = memory
    return chosen


def compiled(pattern: str) -> Any:
    """The pattern, ready to search bytes. Raises re2.error when it is none."""
    return re2.compile(expression(pattern), options())


def rule_problems(pattern: str, reason: str, category: str, applies_to: str) -> list[tuple[str, str]]:
    """What is wrong with a rule: of which field, and a sentence without its full stop."""
    problems = []
    if problem := pattern_problem(pattern):
        problems.append(("pattern", problem))
    if len(reason) > LONGEST_REASON:
        told = f"the reason has {len(reason):,} characters; {LONGEST_REASON} are the most"
        problems.append(("reason", told))
    if not CATEGORY.fullmatch(category) or category != category.lower():
        told = f"a category is up to 40 small letters, digits, - and _; got {category[:60]!r}"
        problems.append(("category", told))
    if applies_to not in get_args(AppliesTo):
        told = f"applies_to is one of {', '.join(get_args(AppliesTo))}; got {applies_to[:60]!r}"
        problems.append(("applies_to", told))
    return problems


def pattern_problem(pattern: str) -> str | None:
    r"""What is wrong with a pattern, as a sentence without its full stop; None when it can be used.

    >>> pattern_problem("(?!never)")
    'looking ahead or behind, as with (?!, is not supported: every pattern has to run in linear time'
    >>> pattern_problem(r"\bnever\b")
    """
    if not pattern.strip():
        return "the pattern is empty"
    if len(pattern) > LONGEST_PATTERN:
        return f"the pattern has {len(pattern):,} characters; {LONGEST_PATTERN:,} are the most"
    if "\b" in pattern:
        return r"the pattern has a backspace: in double quotes \b is one; write it in single quotes"
    if unwritable := next((c for c in pattern if not (c.isprintable() or c in "\t\n")), None):
        return f"the pattern has the invisible character U+{ord(unwritable):04X}; write it as an escape"
    if pattern != pattern.strip("\n"):
        return (
            "the pattern has a line break at its end, as no message has; write |- instead of | in front of it"
        )
    if _ONE_BYTE.search(pattern):
        return r"\C, a single byte, is not supported: letters may be several"
    try:
        found = compiled(pattern)
    except re2.error as error:
        return _worded(error)
    if all(found.search(same_apostrophes(text).encode()) for text in _EVERYTHING):
        empty = ", even no words at all" if found.search(b"") else ""
        return f"the pattern matches every message{empty}; it would decide everything"
    return None


def _worded(error: re2.error) -> str:
    raw = error.args[0] if error.args else b""
    told = raw.decode("utf-8", "replace") if isinstance(raw, bytes) else str(raw)
    what, _, where = told.partition(": ")
    linear = "is not supported: every pattern has to run in linear time"
    if where.startswith(("(?=", "(?!", "(?<")):
        return f"looking ahead or behind, as with {where}, {linear}"
    if where.startswith(("(?>", "(?(")) or (what.startswith("bad repetition") and where.endswith("+")):
        return f"{where} {linear}"
    if re.fullmatch(r"\\[1-9kg].*", where):
        return f"a reference back to a group, as with {where}, {linear}"
    if where == r"\Z":
        return r"the end of a text is written \z, not \Z"
    return f"this is no regular expression of RE2: {told}"
