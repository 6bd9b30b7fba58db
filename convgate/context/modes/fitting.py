"""From labelled messages to the classifier's weights; scikit-learn is imported only here."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from convgate.context.mode import MODES
from convgate.context.modes.cues import CUES
from convgate.context.modes.messages import LabelledMessage
from convgate.context.modes.model import Floats, ModeModel, scaled
from convgate.context.modes.quality import Tuning, best_tuning
from convgate.context.modes.surface import Surface, excerpt, surface_of
from convgate.embedding.base import Embeddings, Encoder, EncoderIdentity

_PENALTY = 4.0  # C of the logistic regression
_VECTOR, _CUES = 1.6, 0.4  # by how much vectors and cues are stretched: the longer, the less the penalty
_SEEN = 2  # messages that a run has to be in
_MOST_STEPS = 300

SHARED_TUNING = Tuning(temperature=0.2, handicap=0.8, doubt=0.06)
"""What is nearly the best for the shipped weights; vectors of other encoders get it without a search."""


@dataclass(frozen=True, eq=False)
class Prepared:
    """Messages as the classifier sees them."""

    messages: Sequence[LabelledMessage]
    surfaces: Sequence[Surface]
    vectors: Embeddings  # (n, d)
    modes: NDArray[np.int64]  # (n,) places in `MODES`
    encoder: EncoderIdentity

    @classmethod
    def of(cls, messages: Sequence[LabelledMessage], encoder: Encoder) -> Prepared:
        """The messages, encoded."""
        return cls(
            messages,
            [surface_of(one.content) for one in messages],
            encoder.encode([excerpt(one.content) for one in messages]),
            np.array([MODES.index(one.mode) for one in messages]),
            encoder.identity,
        )

    def part(self, rows: NDArray[Any]) -> Prepared:
        """Some of them: places, or a mask."""
        places = np.arange(len(self.messages))[rows]
        return Prepared(
            [self.messages[place] for place in places],
            [self.surfaces[place] for place in places],
            self.vectors[places],
            self.modes[places],
            self.encoder,
        )


def fit(data: Prepared, tuning: Tuning | None = None) -> ModeModel:
    """The weights for these messages; all modes count alike. A tuning becomes part of them."""
    from scipy.sparse import csr_matrix, hstack
    from sklearn.linear_model import LogisticRegression

    seen = Counter(run for surface in data.surfaces for run in surface.runs)
    names = tuple(sorted(run for run, count in seen.items() if count >= _SEEN))
    count = len(data.messages)
    rarity = np.array([np.log((count + 1) / (seen[name] + 1)) + 1 for name in names], dtype=np.float32)
    centre = data.vectors.mean(axis=0)
    columns = [
        csr_matrix((data.vectors - centre) * _VECTOR),
        csr_matrix(_cue_columns(data.surfaces) * _CUES),
        _run_columns(data.surfaces, names, rarity),
    ]
    fitted = LogisticRegression(C=_PENALTY, max_iter=_MOST_STEPS, class_weight="balanced")
    fitted.fit(hstack(columns).tocsr(), data.modes)
    weights = np.zeros((len(MODES), fitted.coef_.shape[1]))
    bias = np.full(len(MODES), -30.0)  # a mode without a message is never found
    weights[fitted.classes_], bias[fitted.classes_] = fitted.coef_, fitted.intercept_
    d, cues = data.vectors.shape[1], len(CUES)
    vectors = weights[:, :d].T * _VECTOR
    tuning = tuning or Tuning()
    bias = tuning.logits(bias - centre @ vectors)
    return ModeModel(
        encoder=data.encoder,
        vectors=_floats(vectors / tuning.temperature),
        cues=_floats(weights[:, d : d + cues].T * _CUES / tuning.temperature),
        runs=_floats(weights[:, d + cues :].T / tuning.temperature),
        rarity=rarity,
        names=names,
        bias=_floats(bias),
        doubt=tuning.doubt,
    )


def held_out(data: Prepared, groups: NDArray[Any]) -> Floats:
    """(n, modes) the logits of each message by a model that was fitted without its group."""
    logits = np.zeros((len(data.messages), len(MODES)), dtype=np.float32)
    for group in np.unique(groups):
        out = groups == group
        told = data.part(out)
        logits[out] = fit(data.part(~out)).logits(told.surfaces, told.vectors)
    return logits


def folds(data: Prepared, count: int = 5) -> NDArray[np.int64]:
    """(n,) a fold for each message, modes spread evenly, always the same."""
    from sklearn.model_selection import StratifiedKFold

    fold = np.zeros(len(data.messages), dtype=np.int64)
    split = StratifiedKFold(count, shuffle=True, random_state=0).split(fold, data.modes)
    for number, (_, places) in enumerate(split):
        fold[places] = number
    return fold


def hands(data: Prepared) -> NDArray[Any]:
    """(n,) who wrote each message."""
    return np.array([one.hand for one in data.messages])


def fit_tuned(data: Prepared) -> tuple[ModeModel, Tuning]:
    """The model of all messages, as sure as it may be about hands that it does not know."""
    tuning = best_tuning(held_out(data, hands(data)), data.modes)
    return fit(data, tuning), tuning


def _cue_columns(surfaces: Sequence[Surface]) -> Floats:
    columns = np.zeros((len(surfaces), len(CUES)), dtype=np.float32)
    places = {cue.name: place for place, cue in enumerate(CUES)}
    for row, surface in enumerate(surfaces):
        for name, value in surface.cues.items():
            columns[row, places[name]] = value
    return columns


def _run_columns(surfaces: Sequence[Surface], names: Sequence[str], rarity: Floats) -> Any:
    from scipy.sparse import csr_matrix

    places = {name: place for place, name in enumerate(names)}
    values: list[Floats] = []
    rows: list[int] = []
    ends = [0]
    for surface in surfaces:
        known = [run for run in surface.runs if run in places]
        at = [places[run] for run in known]
        values.append(scaled(np.array([surface.runs[run] for run in known], dtype=np.float32) * rarity[at]))
        rows += at
        ends.append(len(rows))
    return csr_matrix((np.concatenate(values), rows, ends), shape=(len(surfaces), len(names)))


def _floats(values: NDArray[Any]) -> Floats:
    return np.ascontiguousarray(values, dtype=np.float32)
