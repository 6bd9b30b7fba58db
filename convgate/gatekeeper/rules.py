r"""Own rules: patterns of a person that decide before the built-in checks.

>>> rules = Rules(keep_patterns=(PatternRule(r"\bticket \d+", category="ticket"),))
>>> [(found.outcome, found.rule.category) for found in rules.matches(Exchange("see ticket 7"))]
[('keep', 'ticket')]

Patterns run on google-re2 in linear time, so none can hang the program.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

import re2

from convgate.core.errors import ConvgateError
from convgate.core.text import writable
from convgate.gatekeeper.decision import KEEP, SKIP, Match, Said
from convgate.gatekeeper.exchange import Exchange

AppliesTo = Literal["user", "assistant", "both"]

MAX_PATTERN = 1_000  # characters
MAX_REASON = 300  # characters
_CATEGORY = re.compile(r"[^\W_A-Z][\w-]{0,39}")
_SINGLE_BYTE = re.compile(r"(?<!\\)(?:\\\\)*\\C")
_APOSTROPHES = str.maketrans(dict.fromkeys("’‘ʼ′‛＇´", "'"))
_SHOWN_PROBLEMS = 20
_SHOWN_CHARACTERS = 80  # of a pattern in a message

_UNLIKE_MESSAGES = ("7", "zq", "☃ é", "?!., ;:-–'\"()[]{}/\\@#%&*+=<>|~^$€_")
"""Messages that share no characters: a pattern found in all of them is found in any message."""


@dataclass(frozen=True, slots=True)
class RuleProblem:
    """One thing that is wrong with rules, and where."""

    problem: str  # a sentence without its full stop
    file: str | None = None
    line: int | None = None  # from 1
    pattern: str | None = None

    def __str__(self) -> str:
        pattern = self.pattern
        if pattern is not None and len(pattern) > _SHOWN_CHARACTERS:
            pattern = f"{pattern[: _SHOWN_CHARACTERS - 1]}…"
        place = [
            self.file,
            f"line {self.line}" if self.line is not None else None,
            f"pattern {pattern!r}" if pattern is not None else None,
        ]
        return ": ".join(filter(None, (", ".join(filter(None, place)), self.problem)))


class RulesError(ConvgateError):
    """Rules cannot be used; `problems` has everything that is wrong with them."""

    code = "rules"

    def __init__(self, problems: Sequence[RuleProblem]) -> None:
        self.problems = tuple(problems)
        lines = [f"{problem}." for problem in self.problems[:_SHOWN_PROBLEMS]]
        if len(self.problems) > _SHOWN_PROBLEMS:
            lines.append(f"{len(self.problems) - _SHOWN_PROBLEMS} more problems.")
        super().__init__("\n".join(lines))


@dataclass(frozen=True, slots=True)
class PatternRule:
    """An entry of `skip_patterns` or `keep_patterns`. Raises RulesError when it cannot be used."""

    pattern: str  # a regular expression of RE2, found anywhere in the trimmed message, in any case
    reason: str = ""  # shown with the decision
    category: str = "custom"
    applies_to: AppliesTo = "user"  # in whose message it is searched
    line: int | None = field(default=None, compare=False)  # in the file, from 1

    def __post_init__(self) -> None:
        if problems := find_problems(self.pattern, self.reason, self.category, self.applies_to):
            raise RulesError([RuleProblem(text, None, self.line, self.pattern) for _, text in problems])


@dataclass(frozen=True, slots=True)
class OwnMatch:
    """A rule that matches an exchange, and where."""

    outcome: str  # KEEP or SKIP
    rule: PatternRule
    match: Match


@dataclass(frozen=True)
class Rules:
    """What to skip and what to keep."""

    skip_patterns: Sequence[PatternRule] = ()
    keep_patterns: Sequence[PatternRule] = ()

    def __len__(self) -> int:
        return len(self.skip_patterns) + len(self.keep_patterns)

    def matches(self, exchange: Exchange) -> list[OwnMatch]:
        """Return the rules that match, each with its first match: those that keep, then those that skip.

        Keep rules come first because a skipped exchange is lost.
        """
        if not len(self):
            return []
        texts: dict[Said, bytes] = {"user": _encode(exchange.user), "assistant": _encode(exchange.assistant)}
        matches = []
        for outcome, rule, expression in self._expressions:
            for said, text in texts.items():
                if rule.applies_to in (said, "both") and (match := expression.search(text)):
                    start, end = (len(text[:offset].decode()) for offset in match.span())
                    matches.append(OwnMatch(outcome, rule, _match(rule, exchange, said, start, end)))
                    break
        return matches

    @functools.cached_property
    def _expressions(self) -> list[tuple[str, PatternRule, Any]]:
        ordered = [(KEEP, rule) for rule in self.keep_patterns] + [
            (SKIP, rule) for rule in self.skip_patterns
        ]
        return [(outcome, rule, _compile(rule.pattern)) for outcome, rule in ordered]


def find_problems(pattern: str, reason: str, category: str, applies_to: str) -> list[tuple[str, str]]:
    """Return what is wrong with a rule: (field, sentence without its full stop)."""
    problems = []
    if problem := find_pattern_problem(pattern):
        problems.append(("pattern", problem))
    if len(reason) > MAX_REASON:
        problems.append(("reason", f"the reason has {len(reason):,} characters; the max is {MAX_REASON}"))
    if not _CATEGORY.fullmatch(category) or category != category.lower():
        allowed = "up to 40 lower-case letters, digits, - and _"
        problems.append(("category", f"a category has {allowed}; got {category[:60]!r}"))
    if applies_to not in get_args(AppliesTo):
        allowed = ", ".join(get_args(AppliesTo))
        problems.append(("applies_to", f"applies_to must be one of {allowed}; got {applies_to[:60]!r}"))
    return problems


def find_pattern_problem(pattern: str) -> str | None:
    r"""Return what is wrong with a pattern, as a sentence without its full stop; None when it can be used.

    >>> find_pattern_problem("x*")
    'the pattern matches every message'
    >>> find_pattern_problem(r"\bnever\b")
    """
    if not pattern.strip():
        return "the pattern is empty"
    if len(pattern) > MAX_PATTERN:
        return f"the pattern has {len(pattern):,} characters; the max is {MAX_PATTERN:,}"
    if invisible := next((c for c in pattern if not (c.isprintable() or c == "\t")), None):
        hint = r"; in YAML double quotes, \b is a backspace: use single quotes" if invisible == "\b" else ""
        return f"the pattern has the invisible character U+{ord(invisible):04X}{hint}"
    if _SINGLE_BYTE.search(pattern):
        return r"\C is not supported"
    try:
        expression = _compile(pattern)
    except re2.error as error:
        detail = error.args[0] if error.args else ""
        text = detail.decode("utf-8", "replace") if isinstance(detail, bytes) else str(detail)
        return f"not a regular expression of RE2, which has no look-around and no back-references: {text}"
    if all(expression.search(_encode(text)) for text in _UNLIKE_MESSAGES):
        return "the pattern matches every message"
    return None


def _compile(pattern: str) -> Any:
    options = re2.Options()
    options.case_sensitive = False
    options.log_errors = False
    options.max_mem = 1 << 20  # bytes
    return re2.compile(_straighten(pattern).encode(), options)


def _encode(text: str) -> bytes:
    """Return a message as patterns see it: trimmed, with straight apostrophes."""
    return _straighten(writable(text.strip())).encode()


def _straighten(text: str) -> str:
    return text if text.isascii() else text.translate(_APOSTROPHES)


def _match(rule: PatternRule, exchange: Exchange, said: Said, start: int, end: int) -> Match:
    """Return the match with its place in the message before it was trimmed."""
    text = exchange.user if said == "user" else exchange.assistant
    offset = len(text) - len(text.lstrip())
    return Match(rule.category, rule.pattern, said, offset + start, offset + end)
