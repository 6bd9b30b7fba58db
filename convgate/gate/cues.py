"""Linear models over one and two words that predict the part of a text in a conversation.

Each gives log odds: that a message needs something said before it (`needs`); that a sentence of a user's
states a lasting instruction (`instruction`). They are fitted on texts that come with convgate
(`tools/fit_cues.py`); a text in another language has no known words, and gets the bias.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from itertools import islice, pairwise

from convgate.embedding.chunks import SENTENCE_END

_TOKEN = re.compile(r"\w+|[?.!:,;]")
_MAX_TOKENS = 400
_MAX_SENTENCES = 200
NAMES = ("needs", "instruction")


@dataclass(frozen=True, slots=True)
class Cue:
    """bias + Σ weights of a text's n-grams / √(how many different ones it has)."""

    bias: float
    weights: Mapping[str, float]

    def logit(self, ngrams: frozenset[str]) -> float:
        """Return the log odds for a text with these n-grams."""
        weights = self.weights
        total = sum(weights[ngram] for ngram in ngrams if ngram in weights)
        return self.bias + total / math.sqrt(max(1, len(ngrams)))

    def max_logit(self, text: str) -> float:
        """Return the max log odds of the sentences of a text."""
        return max(map(self.logit, map(ngrams_of, sentences_of(text))), default=self.bias)


def ngrams_of(text: str) -> frozenset[str]:
    """Return the words, punctuation marks, and pairs of neighbours among the first 400 of a text.

    >>> sorted(ngrams_of("And Rome?"))
    ['?', 'and', 'and rome', 'rome', 'rome ?']
    """
    tokens = _TOKEN.findall(text.casefold())[:_MAX_TOKENS]
    return frozenset(tokens).union(map(" ".join, pairwise(tokens)))


def sentences_of(text: str) -> list[str]:
    """Return the first 200 sentences and lines of a text.

    >>> sentences_of("Stop it. Now!")
    ['Stop it.', 'Now!']
    """
    ends = (match.end() for match in SENTENCE_END.finditer(text))
    bounds = [0, *islice(ends, _MAX_SENTENCES), len(text)]
    return [sentence for start, stop in pairwise(bounds) if (sentence := text[start:stop].strip())]


@cache
def shipped_cues() -> Mapping[str, Cue]:
    """Return the models that come with convgate, by their names."""
    stored = json.loads(resources.files("convgate.gate").joinpath("cues.json").read_text(encoding="utf-8"))
    return {name: Cue(stored[name]["bias"], stored[name]["weights"]) for name in NAMES}
