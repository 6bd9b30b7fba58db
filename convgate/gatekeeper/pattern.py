"""Patterns: words that mean a category, in whose message they count, and what excludes them.

Each language is a file of rows in `patterns/`. In them a blank stands for any white space (` ?` for any or
none), the end of a line for nothing, and `{name}` for words that the table `named` lists. Patterns match
whole words of folded text (see `convgate.text.folding`): no accents, capitals or curly apostrophes.
"""

from __future__ import annotations

import functools
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Literal

import re2

Span = tuple[int, int]  # of a folded text: first byte, and the one after the last

MAX_MATCHES = 100
"""Matches of one pattern in one message that are read."""

CLAUSE = r"(?:^|[.!?:;,\n(]\s*|\s-+\s|(?:^|\n)\s*(?:[-*]|\d+[.)])\s+)"
"""Where a clause begins: at the start, after punctuation, as an item of a list."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """Words that state something that lasts, as regular expressions over folded text."""

    category: str
    name: str  # unique within its language and category
    expression: str  # its first group is what matches
    unless: str  # a match that overlaps one of these does not count; "" for none
    said: Literal["user", "both"]  # in whose message


@dataclass(frozen=True, slots=True)
class Language:
    """Patterns and phrases of one language."""

    code: str  # ISO 639-1
    patterns: tuple[Pattern, ...]
    phrases: Mapping[str, str]  # regular expressions by name, such as "greetings"; see `phrases`

    @classmethod
    def read(cls, code: str, text: str) -> Language:
        """Return the language of a TOML file with the tables `phrases` and `named`, and rows of `patterns`.

        A row has `category`, `name` and `words`, and may have `unless`, `said` ("both") and `opens_clause`
        (if it counts at the start of a clause only).
        """
        tables = tomllib.loads(text)
        named: dict[str, str] = tables["named"]
        clause = CLAUSE + expand("(?:{polite})?", named)
        patterns = tuple(
            Pattern(
                row["category"],
                row["name"],
                (clause if row.get("opens_clause") else r"\b") + rf"({expand(row['words'], named)})(?:\b|$)",
                rf"\b(?:{expand(row['unless'], named)})" if "unless" in row else "",
                row.get("said", "user"),
            )
            for row in tables["patterns"]
        )
        return cls(code, patterns, {name: expand(words, {}) for name, words in tables["phrases"].items()})


def compile_folded(expression: str) -> Any:
    """Return a regular expression over folded text, which matches in linear time."""
    return re2.compile(expression.encode("ascii"), _options())


def expand(words: str, named: Mapping[str, str]) -> str:
    r"""Return the regular expression that is meant, with blanks and `{names}` replaced.

    >>> expand("i {really}like", {"really": "(?:really )?"})
    'i\\s+(?:really\\s+)?like'
    """
    for name, meaning in named.items():
        words = words.replace("{" + name + "}", meaning)
    return words.replace("\n", "").replace(" ?", r"\s*").replace(" ", r"\s+")


def remove_counts(expression: str) -> str:
    r"""Return an expression that matches at least the same, without upper limits of repetitions.

    In one automaton of all patterns, counts multiply its states. It only selects patterns for a closer look.

    >>> remove_counts("it's not [^.]{1,30} but")
    "it's not [^.]* but"
    """
    return re.sub(r"\{\d+,\d+\}", "*", expression)


@dataclass(frozen=True)
class Lexicon:
    """Patterns of several languages; one pass over a text finds which are in it."""

    patterns: Sequence[Pattern]

    def find(self, text: bytes) -> Iterator[tuple[Pattern, Span]]:
        """Yield the matches in a folded text, in the order of the patterns, without excluded ones."""
        for index in sorted(self._automaton.Match(text) or ()):
            expression, unless = self._compiled[index]
            excluded = [match.span() for match in unless.finditer(text)] if unless else ()
            for match in islice(expression.finditer(text), MAX_MATCHES):
                span = match.span(1)
                if not overlaps(span, excluded):
                    yield self.patterns[index], span

    @functools.cached_property
    def _automaton(self) -> Any:
        automaton = re2.Set.SearchSet(_options())
        for pattern in self.patterns:
            automaton.Add(remove_counts(pattern.expression).encode("ascii"))
        automaton.Compile()
        return automaton

    @functools.cached_property
    def _compiled(self) -> list[tuple[Any, Any]]:
        return [
            (compile_folded(pattern.expression), compile_folded(pattern.unless) if pattern.unless else None)
            for pattern in self.patterns
        ]


def overlaps(span: Span, others: Sequence[Span]) -> bool:
    """Return whether a span shares a byte with one of the others.

    >>> overlaps((2, 4), [(0, 2), (4, 6)]), overlaps((2, 4), [(3, 6)])
    (False, True)
    """
    return any(start < span[1] and span[0] < end for start, end in others)


def _options() -> Any:
    options = re2.Options()
    options.max_mem = 64 << 20  # bytes; all patterns of three languages as one automaton
    options.log_errors = False
    return options
