"""Split a message of the user's into statements."""

from __future__ import annotations

import functools
import re
from itertools import islice

from convgate.context.invariants.statement import Statement
from convgate.context.invariants.statements import statements
from convgate.context.invariants.words import about
from convgate.gatekeeper.folding import fold, own_words

MAX_STATEMENTS = 20_000
"""Statements of one message that are read, the first."""

_LETTER = re.compile(rb"[a-z]")
_DENIED = re.compile(
    rb"\b(?:not|instead of|rather than|in place of|no longer|isn't|aren't|nicht|statt|anstatt|anstelle"
    rb"|au lieu d[eu']|plutot que|(?:et|,|mais) (?:non )?pas|nicht mehr|pas)\b"
    rb"((?:\s+[a-z0-9_#.:%'-]+){1,5})"
)
_POINTING = re.compile(
    rb"(?:(?:oh|ah|hm+|and|but|so|ok|yes|no|nope|sorry|actually|wait|well|uh+)[,.:!?]* )*"
    rb"(?:it's|its|it is|it was|they're|they are|make (?:it|that)|we're|we are|es ist|es sind|c'est)\b"
)


@functools.lru_cache(4_096)
def read(text: str) -> tuple[Statement, ...]:
    """Return the statements of a message in order, their kinds not yet known."""
    folded = fold(text)
    own = own_words(folded.text)
    found = []
    for span in islice(statements(folded.text), MAX_STATEMENTS):
        said = own[slice(*span)]
        start, end = folded.span(*span)
        if not _LETTER.search(folded.text, *span) and not any(map(str.isdigit, text[start:end])):
            continue
        found.append(
            Statement(
                start=start,
                end=end,
                text=text[start:end],
                about=about(said),
                old=frozenset().union(*(about(one[1]).values for one in _DENIED.finditer(said))),
                points=_POINTING.match(said) is not None,
                quoted=_is_quoted(said, folded.text[slice(*span)]),
            )
        )
    return tuple(found)


def _is_quoted(own: bytes, whole: bytes) -> bool:
    """Whether most words are quotation or code, which `own_words` blanks or replaces by x."""
    kept = sum(one == other for one, other in zip(own, whole, strict=True))
    return 2 * kept < len(whole)
