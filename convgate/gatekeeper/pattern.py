"""Patterns: words that mean a category, in whose message they count, and what excludes them.

In a pattern a blank stands for any white space (` ?` for any or none), the end of a line for nothing,
and `{name}` for words listed once per language. A line indented by one blank more begins with that blank.
Patterns match whole words of folded text (see `folding`): no accents, capitals or curly apostrophes.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from textwrap import dedent
from typing import Any, Literal

import re2

Span = tuple[int, int]  # of a folded text: first byte, and the one after the last

MAX_MATCHES = 100
"""Matches of one pattern in one message that are read."""

CLAUSE = r"(?:^|[.!?:;,\n(]\s*|\s-+\s|(?:^|\n)\s*(?:[-*]|\d+[.)])\s+)"
"""Where a clause begins: at the start, after punctuation, as an item of a list."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """Words that state something that lasts."""

    category: str
    name: str  # unique within its language and category
    words: str  # a regular expression as above, without look-around or references
    unless: str = ""  # likewise; a match that overlaps one of these does not count
    said: Literal["user", "both"] = "user"  # in whose message
    opens_clause: bool = False  # counts at the start of a clause only


@dataclass(frozen=True, slots=True)
class Language:
    """Patterns and phrases of one language, folded; all phrases are regular expressions."""

    code: str  # ISO 639-1
    named: Mapping[str, str]  # what `{name}` stands for in its patterns
    patterns: tuple[Pattern, ...]
    greetings: str
    pleasantries: str  # what may follow a greeting
    confirmations: str
    yes_or_no: str  # answers to a closed question
    agreements: str  # confirmations that answer a question for a decision
    questions: str  # how a question begins
    open_questions: str  # how a question begins that yes and no do not answer
    choices: str  # what a question for a decision contains
    invitations: str  # what asks without a question mark
    offers: str  # questions that ask nothing yet, such as "how can I help"


def compile_folded(expression: str) -> Any:
    """Return a regular expression over folded text, which matches in linear time."""
    return re2.compile(expression.encode("ascii"), _options())


def expand(words: str, named: Mapping[str, str]) -> str:
    r"""Return the regular expression that is meant, with blanks and `{names}` replaced.

    >>> expand("i {really}like", {"really": "(?:really )?"})
    'i\\s+(?:really\\s+)?like'
    """
    words = _join_lines(words)
    for name, meaning in named.items():
        words = words.replace("{" + name + "}", _join_lines(meaning))
    return words.replace(" ?", r"\s*").replace(" ", r"\s+")


def remove_counts(expression: str) -> str:
    r"""Return an expression that matches at least the same, without upper limits of repetitions.

    In one automaton of all patterns, counts multiply its states. It only selects patterns for a closer look.

    >>> remove_counts("it's not [^.]{1,30} but")
    "it's not [^.]* but"
    """
    return re.sub(r"\{\d+,\d+\}", "*", expression)


@dataclass(frozen=True)
class Lexicon:
    """Patterns with the named words of their languages; one pass over a text finds which are in it."""

    patterns: Sequence[tuple[Pattern, Mapping[str, str]]]

    def find(self, text: bytes) -> Iterator[tuple[Pattern, Span]]:
        """Yield the matches in a folded text, in the order of the patterns, without excluded ones."""
        for index in sorted(self._automaton.Match(text) or ()):
            expression, unless = self._compiled[index]
            excluded = [match.span() for match in unless.finditer(text)] if unless else ()
            for match in islice(expression.finditer(text), MAX_MATCHES):
                span = match.span(1)
                if not overlaps(span, excluded):
                    yield self.patterns[index][0], span

    @functools.cached_property
    def _automaton(self) -> Any:
        automaton = re2.Set.SearchSet(_options())
        for pattern, named in self.patterns:
            automaton.Add(remove_counts(_expression(pattern, named)).encode("ascii"))
        automaton.Compile()
        return automaton

    @functools.cached_property
    def _compiled(self) -> list[tuple[Any, Any]]:
        return [
            (
                compile_folded(_expression(pattern, named)),
                compile_folded(rf"\b(?:{expand(pattern.unless, named)})") if pattern.unless else None,
            )
            for pattern, named in self.patterns
        ]


def overlaps(span: Span, others: Sequence[Span]) -> bool:
    """Return whether a span shares a byte with one of the others.

    >>> overlaps((2, 4), [(0, 2), (4, 6)]), overlaps((2, 4), [(3, 6)])
    (False, True)
    """
    return any(start < span[1] and span[0] < end for start, end in others)


def _join_lines(words: str) -> str:
    return dedent(words).replace("\n", "")


def _expression(pattern: Pattern, named: Mapping[str, str]) -> str:
    begin = CLAUSE + expand("(?:{polite})?", named) if pattern.opens_clause else r"\b"
    return rf"{begin}({expand(pattern.words, named)})(?:\b|$)"


def _options() -> Any:
    options = re2.Options()
    options.max_mem = 64 << 20  # bytes; all patterns of three languages as one automaton
    options.log_errors = False
    return options
