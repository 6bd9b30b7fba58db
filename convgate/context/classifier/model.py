"""The classifier's arithmetic: for each label a sum of weights over a text's vector and its n-grams."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from convgate.context.classifier.words import Runs
from convgate.embedding.base import Embeddings

Floats = NDArray[np.float32]

RUNS_NORM = 2.0
"""L2 norm of the n-gram features of a text, whatever its length."""

_MAX_SIGNS = 3  # shown to a person
_MIN_SIGN = 0.3  # logits that an n-gram has to bring to be shown


@dataclass(frozen=True, eq=False)
class TextModel:
    """Weights of a multinomial logistic regression, in logits."""

    labels: tuple[str, ...]
    names: tuple[str, ...]  # (runs,)
    vectors: Floats  # (d, labels)
    runs: Floats  # (runs, labels)
    rarity: Floats  # (runs,) inverse document frequency
    bias: Floats  # (labels,)
    doubt: float = 0.0  # 0…1, share of the probability that all labels have alike
    info: Mapping[str, Any] = field(default_factory=dict)  # JSON: data, encoder and figures of the fit

    @cached_property
    def _rows(self) -> dict[str, int]:
        return {name: row for row, name in enumerate(self.names)}

    @cached_property
    def _margins(self) -> Floats:
        """(runs, labels) how much each weight exceeds the mean of the other labels."""
        count = len(self.labels)
        others = (self.runs.sum(axis=1, keepdims=True) - self.runs) / (count - 1)
        return np.asarray(self.runs - others, dtype=np.float32)

    def logits(self, texts: Sequence[Runs], vectors: Embeddings) -> Floats:
        """Return (n, labels) logits. texts: n-grams of each text; vectors: (n, d)."""
        logits = np.asarray(vectors @ self.vectors + self.bias, dtype=np.float32)
        for row, runs in enumerate(texts):
            rows, values = self._features(runs)
            if rows:
                logits[row] += values @ self.runs[rows]
        return logits

    def probabilities(self, texts: Sequence[Runs], vectors: Embeddings) -> Floats:
        """Return (n, labels) probabilities; rows sum to 1."""
        return probabilities(self.logits(texts, vectors), self.doubt)

    def signs(self, runs: Runs, label: str) -> tuple[str, ...]:
        """Return the n-grams that contribute most to a label, strongest first, without overlaps."""
        rows, values = self._features(runs)
        weights = values * self._margins[rows, self.labels.index(label)] if rows else values
        shown: list[str] = []
        for place in np.argsort(-weights):
            name = self.names[rows[place]]
            if weights[place] < _MIN_SIGN or len(shown) == _MAX_SIGNS:
                break
            words = name.strip("^$ ")
            if words.replace(" ", "").replace("'", "").isalpha() and not any(
                words in other or other in words for other in shown
            ):
                shown.append(words)
        return tuple(shown)

    def _features(self, runs: Runs) -> tuple[list[int], Floats]:
        rows = [self._rows[run] for run in runs if run in self._rows]
        values = np.array([value for run, value in runs.items() if run in self._rows], dtype=np.float32)
        return rows, scaled(values * self.rarity[rows])


def scaled(values: Floats) -> Floats:
    """Return the n-gram features of one text with the norm `RUNS_NORM`; zeros stay zeros."""
    norm = float(np.linalg.norm(values))
    return np.asarray(values * (RUNS_NORM / norm if norm else 0.0), dtype=np.float32)


def probabilities(logits: Floats, doubt: float = 0.0) -> Floats:
    """Return the softmax of each row; `doubt` of the whole is spread evenly.

    >>> probabilities(np.zeros((1, 2), dtype=np.float32)).tolist()
    [[0.5, 0.5]]
    """
    odds = np.exp(logits - logits.max(axis=1, keepdims=True))
    shares = (1 - doubt) * odds / odds.sum(axis=1, keepdims=True) + doubt / logits.shape[1]
    return np.asarray(shares, dtype=np.float32)
