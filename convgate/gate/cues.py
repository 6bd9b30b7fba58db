"""What the words of a text tell about its part in a conversation: linear models over one and two words.

Three questions are answered, each in logits: does a message need anything said before it (`needs`); will a
turn be needed much later (`lasting`, of users and assistants apart); does a user's turn state a lasting
instruction (`instruction`). The models are fitted on conversations with an assistant that come with convgate
(`scripts/fit_cues.py`); a text in another language has no known words, and gets their usual answer.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from itertools import pairwise

_TOKEN = re.compile(r"\w+|[?.!:,;]")
_MOST_TOKENS = 400
NAMES = ("needs", "lasting_user", "lasting_assistant", "instruction")


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


def ngrams_of(text: str) -> frozenset[str]:
    """Return the words, signs, and pairs of neighbours among the first 400 of a text.

    >>> sorted(ngrams_of("And Rome?"))
    ['?', 'and', 'and rome', 'rome', 'rome ?']
    """
    tokens = _TOKEN.findall(text.casefold())[:_MOST_TOKENS]
    return frozenset(tokens).union(map(" ".join, pairwise(tokens)))


@cache
def shipped_cues() -> Mapping[str, Cue]:
    """Return the models that come with convgate, by their names."""
    stored = json.loads(resources.files("convgate.gate").joinpath("cues.json").read_text(encoding="utf-8"))
    return {name: Cue(stored[name]["bias"], stored[name]["weights"]) for name in NAMES}
