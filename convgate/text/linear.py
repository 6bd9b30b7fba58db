"""A linear text classifier: for each label a sum of weights over a text's vector and its n-grams.

Its file is safetensors, with the labels and n-grams as JSON in its header; never pickle.
"""

from __future__ import annotations

import json
import math
import re
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from convgate.core.errors import ClassifierError
from convgate.embedding.base import Embeddings
from convgate.embedding.states import excerpt
from convgate.text.folding import fold

Ngrams = Mapping[str, float]
"""n-grams of one text, with the square root of their counts."""

_WORD = re.compile(r"\n+|[a-z_]+(?:'[a-z]+)*|\d+|[^\sa-z0-9]")


def count_ngrams(text: str) -> Ngrams:
    """Return the n-grams of a text, folded, with punctuation; a number counts as 0.

    >>> list(count_ngrams("Never!"))
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


Floats = NDArray[np.float32]

RUNS_NORM = 2.0
"""L2 norm of the n-gram features of a text, whatever its length."""

_MAX_SIGNS = 3  # shown to a person
_MIN_SIGN = 0.3  # logits that an n-gram has to bring to be shown


K = TypeVar("K")
V = TypeVar("V")


class ResultCache(Generic[K, V]):
    """The results of the keys used last; thread-safe."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._results: OrderedDict[K, V] = OrderedDict()
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._results)

    def get_many(self, keys: Sequence[K], compute: Callable[[list[K]], Iterable[V]]) -> list[V]:
        """Return the result of each key; `compute` gives those of the keys that have none, in their order."""
        with self._lock:
            known = {key: self._results[key] for key in keys if key in self._results}
        new = [key for key in dict.fromkeys(keys) if key not in known]
        if new:
            known.update(zip(new, compute(new), strict=True))
        with self._lock:
            for key in keys:
                self._results[key] = known[key]
                self._results.move_to_end(key)
            while len(self._results) > self._size:
                self._results.popitem(last=False)
        return [known[key] for key in keys]


@dataclass(frozen=True, eq=False)
class TextModel:
    """Weights of a multinomial logistic regression, in logits."""

    labels: tuple[str, ...]
    names: tuple[str, ...]  # (runs,)
    vectors: Floats  # (d, labels)
    runs: Floats  # (runs, labels)
    rarity: Floats  # (runs,) inverse document frequency
    bias: Floats  # (labels,)
    doubt: float = 0.0  # 0…1, share of the probability that is spread evenly over the labels
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

    def logits(self, texts: Sequence[Ngrams], vectors: Embeddings) -> Floats:
        """Return (n, labels) logits. texts: n-grams of each text; vectors: (n, d)."""
        logits = np.asarray(vectors @ self.vectors + self.bias, dtype=np.float32)
        for row, runs in enumerate(texts):
            rows, values = self._features(runs)
            if rows:
                logits[row] += values @ self.runs[rows]
        return logits

    def probabilities(self, texts: Sequence[Ngrams], vectors: Embeddings) -> Floats:
        """Return (n, labels) probabilities; rows sum to 1."""
        return probabilities(self.logits(texts, vectors), self.doubt)

    def signs(self, runs: Ngrams, label: str) -> tuple[str, ...]:
        """Return the n-grams that contribute most to a label, strongest first, without overlaps."""
        rows, values = self._features(runs)
        weights = values * self._margins[rows, self.labels.index(label)] if rows else values
        signs: list[str] = []
        for place in np.argsort(-weights):
            name = self.names[rows[place]]
            if weights[place] < _MIN_SIGN or len(signs) == _MAX_SIGNS:
                break
            words = name.strip("^$ ")
            if words.replace(" ", "").replace("'", "").isalpha() and not any(
                words in other or other in words for other in signs
            ):
                signs.append(words)
        return tuple(signs)

    def _features(self, runs: Ngrams) -> tuple[list[int], Floats]:
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


ARRAYS = ("vectors", "runs", "rarity", "bias")


def read_model(file: Path, labels: tuple[str, ...], command: str) -> TextModel:
    """Return the classifier of a file.

    command: fits it anew, for the error. Raises ClassifierError when the file is missing, damaged, or has
    other labels.
    """
    import safetensors

    advice = f"run `{command}`, or install convgate again"
    try:
        with safetensors.safe_open(str(file), framework="np") as opened:
            header: Mapping[str, str] = opened.metadata() or {}
            arrays = {name: opened.get_tensor(name) for name in opened.keys()}  # noqa: SIM118  # no mapping
        model = TextModel(
            labels=tuple(json.loads(header["labels"])),
            names=tuple(json.loads(header["names"])),
            doubt=float(header["doubt"]),
            info=json.loads(header["info"]),
            **{name: arrays[name] for name in ARRAYS},
        )
    except (OSError, safetensors.SafetensorError, KeyError, ValueError, TypeError) as error:
        raise ClassifierError(f"the classifier in {file} cannot be read: {error}; {advice}") from error
    if model.labels != labels:
        raise ClassifierError(f"the labels of {file} are {', '.join(model.labels)}; {advice}")
    return model
