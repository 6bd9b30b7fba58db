"""The n-grams that the classifier reads: one to three words in a row."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from itertools import pairwise

from convgate.gatekeeper.folding import fold

READ = 4_000
"""Characters of a text that are read: its first and its last half of them."""

Runs = Mapping[str, float]
"""n-grams of one text, with the square root of their counts."""

_WORD = re.compile(r"\n+|[a-z_]+(?:'[a-z]+)*|\d+|[^\sa-z0-9]")


def excerpt(text: str) -> str:
    """Return the text, or the beginning and the end of a long one, so that its cost is bounded."""
    return text if len(text) <= READ else f"{text[: READ // 2]}\n{text[-READ // 2 :]}"


def runs_of(text: str) -> Runs:
    """Return the n-grams of a text, folded, with punctuation; a number counts as 0.

    >>> list(runs_of("Never!"))
    ['never', '!', '^ never', 'never !', '! $', '^ never !', 'never ! $']
    """
    words = _WORD.findall(fold(excerpt(text)).text.decode("ascii"))
    tokens = ["^", *("0" if word.isdigit() else "\n" if word[0] == "\n" else word for word in words), "$"]
    counts: dict[str, int] = {}
    for run in (
        *tokens[1:-1],
        *map(" ".join, pairwise(tokens)),
        *map(" ".join, zip(tokens, tokens[1:], tokens[2:], strict=False)),
    ):
        counts[run] = counts.get(run, 0) + 1
    return {run: math.sqrt(count) for run, count in counts.items()}
