"""From labelled statements to the model's weights; scikit-learn is imported only here."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from convgate.context.invariants.kinds.labelled_statements import KINDS, LabelledStatement, statements_hash
from convgate.context.invariants.kinds.model import KindModel
from convgate.context.modes.model import scaled
from convgate.context.modes.surface import runs_of
from convgate.embedding.base import Embeddings, Encoder

_PENALTY = 4.0  # C of the logistic regression
_VECTOR = 1.6  # by how much vectors are stretched: the longer, the less the penalty
_SEEN = 2  # statements that a run has to be in
_MOST_STEPS = 500


@dataclass(frozen=True, eq=False)
class Prepared:
    """Statements as the model sees them."""

    statements: Sequence[LabelledStatement]
    runs: Sequence[Mapping[str, float]]
    vectors: Embeddings  # (n, d)

    @classmethod
    def of(cls, statements: Sequence[LabelledStatement], encoder: Encoder) -> Prepared:
        """The statements, encoded."""
        texts = [one.text for one in statements]
        return cls(statements, [runs_of(text) for text in texts], encoder.encode(texts))

    def without(self, hand: str) -> Prepared:
        """Those of all other hands."""
        rows = [row for row, one in enumerate(self.statements) if one.hand != hand]
        return Prepared(
            [self.statements[row] for row in rows], [self.runs[row] for row in rows], self.vectors[rows]
        )


def fit(data: Prepared) -> KindModel:
    """The weights for these statements; all kinds count alike."""
    from scipy.sparse import csr_matrix, hstack
    from sklearn.linear_model import LogisticRegression

    seen = Counter(run for runs in data.runs for run in runs)
    names = tuple(sorted(run for run, count in seen.items() if count >= _SEEN))
    count = len(data.statements)
    rarity = np.array([np.log((count + 1) / (seen[name] + 1)) + 1 for name in names], dtype=np.float32)
    centre = data.vectors.mean(axis=0)
    columns = [csr_matrix((data.vectors - centre) * _VECTOR), _columns(data.runs, names, rarity)]
    kinds = np.array([KINDS.index(one.kind) for one in data.statements])
    fitted = LogisticRegression(C=_PENALTY, max_iter=_MOST_STEPS, class_weight="balanced")
    fitted.fit(hstack(columns).tocsr(), kinds)
    d = data.vectors.shape[1]
    vectors = fitted.coef_[:, :d].T * _VECTOR
    return KindModel(
        statements=statements_hash(data.statements),
        names=names,
        vectors=_floats(vectors),
        runs=_floats(fitted.coef_[:, d:].T),
        rarity=rarity,
        bias=_floats(fitted.intercept_ - centre @ vectors),
    )


def _columns(shown: Sequence[Mapping[str, float]], names: Sequence[str], rarity: NDArray[np.float32]) -> Any:
    from scipy.sparse import csr_matrix

    places = {name: place for place, name in enumerate(names)}
    values: list[float] = []
    at: list[int] = []
    ends = [0]
    for runs in shown:
        known = [places[run] for run in runs if run in places]
        counts = np.array([runs[names[place]] for place in known], dtype=np.float32)
        values += scaled(counts * rarity[known]).tolist()
        at += known
        ends.append(len(at))
    return csr_matrix((values, at, ends), shape=(len(shown), len(names)))


def _floats(values: NDArray[Any]) -> NDArray[np.float32]:
    return np.ascontiguousarray(values, dtype=np.float32)
