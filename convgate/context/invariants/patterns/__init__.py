"""The patterns of invariants beside the gatekeeper's own, a place for each language.

Corrections and policies are the gatekeeper's (`convgate.gatekeeper.patterns`); here is what only a conversation
as a whole needs: what has to be, what is dangerous, what fails, what ends a rule, and what is said once only.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping

from convgate.context.invariants.patterns import en
from convgate.gatekeeper.pattern import Lexicon, Pattern
from convgate.gatekeeper.patterns.en.named import NAMED as ENGLISH

_LANGUAGES: tuple[tuple[tuple[Pattern, ...], Mapping[str, str]], ...] = ((en.PATTERNS, ENGLISH),)


@functools.cache
def lexicon() -> Lexicon:
    """The patterns of all languages that are looked for in what the user says."""
    return _lexicon(lambda pattern: pattern.category not in ERROR)


@functools.cache
def error_lexicon() -> Lexicon:
    """The patterns of all languages that are looked for in everything, quotations and code too."""
    return _lexicon(lambda pattern: pattern.category in ERROR)


ERROR = frozenset(("trace", "error"))


def _lexicon(wanted: Callable[[Pattern], bool]) -> Lexicon:
    chosen = [(pattern, named) for patterns, named in _LANGUAGES for pattern in patterns if wanted(pattern)]
    return Lexicon([pattern for pattern, _ in chosen], [named for _, named in chosen])
