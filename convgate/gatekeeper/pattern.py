"""A pattern: named words of a category, in whose message they count, and what takes them back.

Patterns are written as people read them: a blank stands for any white space (and ` ?` for any or none), the
end of a line for nothing (a line that is indented by one blank more begins with it), `{name}` for words that
are listed once for a language, and the whole stands between word boundaries. Message and pattern are without
accents, capitals and curly apostrophes (see `folding`).
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

MOST_MATCHES = 100
"""Matches of one pattern in one message that are looked at."""

CLAUSE = r"(?:^|[.!?:;,\n(]\s*|\s-+\s|(?:^|\n)\s*(?:[-*]|\d+[.)])\s+)"
"""Where a clause begins: at the start, after punctuation, as an item of a list."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """Words that mean something."""

    category: str
    name: str  # unique in its language
    words: str  # a regular expression as above, without look-around or references
    said: Literal["user", "assistant", "both"] = "user"
    unless: str = ""  # the same, of words that are no such thing: a match that they overlap does not count
    opens_clause: bool = False  # whether it counts at the start of a clause alone
    asked: bool = False  # whether it counts within a question


@dataclass(frozen=True, slots=True)
class Found:
    """A pattern's match in a folded text."""

    pattern: Pattern
    span: Span


def compiled(expression: str) -> Any:
    """A regular expression over folded text, in linear time."""
    return re2.compile(expression.encode("ascii"), _options())


def spelled_out(words: str, named: Mapping[str, str]) -> str:
    r"""The expression that is meant: blanks and `{names}` put in.

    >>> spelled_out("i {really}like", {"really": "(?:really )?"})
    'i\\s+(?:really\\s+)?like'
    """
    words = _one_line(words)
    for name, meant in named.items():
        words = words.replace("{" + name + "}", _one_line(meant))
    return words.replace(" ?", r"\s*").replace(" ", r"\s+")


def _one_line(words: str) -> str:
    return dedent(words).replace("\n", "")


def uncounted(expression: str) -> str:
    r"""What finds at least the same, without an upper limit of repetitions.

    An automaton of all patterns that counted would have a state for every way in which the counts of several
    can stand together, and would build one at each letter of some texts; it only has to say what is worth
    a closer look.

    >>> uncounted("it's not [^.]{1,30} but")
    "it's not [^.]* but"
    """
    return re.sub(r"\{\d+,\d+\}", "*", expression)


@dataclass(frozen=True)
class Lexicon:
    """Patterns that are looked for together: one pass over the text says which are in it at all."""

    patterns: Sequence[Pattern]
    named: Sequence[Mapping[str, str]]  # (patterns,) the words of each pattern's language

    @functools.cached_property
    def _present(self) -> Any:
        found = re2.Set.SearchSet(_options())
        for pattern, named in zip(self.patterns, self.named, strict=True):
            found.Add(uncounted(_expression(pattern, named)).encode("ascii"))
        found.Compile()
        return found

    @functools.cached_property
    def _compiled(self) -> list[tuple[Any, Any]]:
        return [
            (
                compiled(_expression(pattern, named)),
                compiled(rf"\b(?:{spelled_out(pattern.unless, named)})") if pattern.unless else None,
            )
            for pattern, named in zip(self.patterns, self.named, strict=True)
        ]

    def find(self, text: bytes) -> Iterator[Found]:
        """All matches, by pattern in their order; those of what takes a pattern back are left out."""
        for index in sorted(self._present.Match(text) or ()):
            expression, unless = self._compiled[index]
            taken_back = [found.span() for found in unless.finditer(text)] if unless else ()
            for found in islice(expression.finditer(text), MOST_MATCHES):
                span = found.span(1)
                if not overlaps(span, taken_back):
                    yield Found(self.patterns[index], span)


def overlaps(span: Span, others: Sequence[Span]) -> bool:
    """Whether a span shares a byte with one of the others.

    >>> overlaps((2, 4), [(0, 2), (4, 6)]), overlaps((2, 4), [(3, 6)])
    (False, True)
    """
    return any(start < span[1] and span[0] < end for start, end in others)


def _expression(pattern: Pattern, named: Mapping[str, str]) -> str:
    begin = CLAUSE + spelled_out("(?:{polite})?", named) if pattern.opens_clause else r"\b"
    return rf"{begin}({spelled_out(pattern.words, named)})(?:\b|$)"


def _options() -> Any:
    options = re2.Options()
    options.max_mem = 64 << 20  # all patterns of three languages as one automaton
    options.log_errors = False
    return options
