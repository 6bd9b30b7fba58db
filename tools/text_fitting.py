"""Fit the text classifier of modes and statements to labelled texts, and write its file."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import save
from scipy.sparse import csr_matrix, hstack
from sklearn.linear_model import LogisticRegression

from convgate.core.files import write_whole
from convgate.embedding.base import Embeddings
from convgate.text.linear import ARRAYS, Floats, Ngrams, TextModel, scaled

_MIN_TEXTS = 2  # that an n-gram has to be in
_MAX_STEPS = 500


def fit(
    texts: Sequence[Ngrams],
    vectors: Embeddings,
    labels: Sequence[str],
    names: tuple[str, ...],
    *,
    penalty: float,
    vector_scale: float,
    weights: NDArray[np.float64] | None = None,
    info: Mapping[str, Any] | None = None,
) -> TextModel:
    """Return the classifier of labelled texts.

    vectors: (n, d); labels: one of `names` for each text, three different ones at least; penalty: C of the
    logistic regression; vector_scale: of vectors beside n-grams, where larger ones are penalised less;
    weights: (n,) of the texts, None to weigh all labels alike.
    """
    seen = Counter(run for runs in texts for run in runs)
    known = tuple(sorted(run for run, count in seen.items() if count >= _MIN_TEXTS))
    rarity = np.array([np.log((len(texts) + 1) / (seen[run] + 1)) + 1 for run in known], dtype=np.float32)
    centre = vectors.mean(axis=0)
    features = hstack([csr_matrix((vectors - centre) * vector_scale), _columns(texts, known, rarity)])
    regression = LogisticRegression(
        C=penalty, max_iter=_MAX_STEPS, class_weight="balanced" if weights is None else None
    )
    regression.fit(features.tocsr(), [names.index(label) for label in labels], sample_weight=weights)
    coefficients = np.zeros((len(names), features.shape[1]))
    bias = np.full(len(names), -30.0)  # a label without a text is never found
    coefficients[regression.classes_] = regression.coef_
    bias[regression.classes_] = regression.intercept_
    d = vectors.shape[1]
    of_vectors = coefficients[:, :d].T * vector_scale
    return TextModel(
        labels=names,
        names=known,
        vectors=floats(of_vectors),
        runs=floats(coefficients[:, d:].T),
        rarity=rarity,
        bias=floats(bias - centre @ of_vectors),
        info=info or {},
    )


def _columns(texts: Sequence[Ngrams], known: Sequence[str], rarity: Floats) -> Any:
    places = {name: place for place, name in enumerate(known)}
    values: list[Floats] = []
    columns: list[int] = []
    ends = [0]
    for runs in texts:
        at = [places[run] for run in runs if run in places]
        counts = np.array([runs[known[place]] for place in at], dtype=np.float32)
        values.append(scaled(counts * rarity[at]))
        columns += at
        ends.append(len(columns))
    return csr_matrix((np.concatenate(values), columns, ends), shape=(len(texts), len(known)))


def floats(values: NDArray[Any]) -> Floats:
    """Return the values as a contiguous float32 array."""
    return np.ascontiguousarray(values, dtype=np.float32)


def write_model(model: TextModel, file: Path) -> None:
    """Write the whole file or none."""
    header = {
        "labels": json.dumps(model.labels),
        "names": json.dumps(model.names),
        "doubt": str(model.doubt),
        "info": json.dumps(dict(model.info)),
    }
    file.parent.mkdir(parents=True, exist_ok=True)
    write_whole(file, save({name: getattr(model, name) for name in ARRAYS}, metadata=header))
