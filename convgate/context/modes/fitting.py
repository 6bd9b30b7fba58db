"""From labelled messages to the classifier's weights; see `classifier.fitting`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from convgate.context.classifier.fitting import fit as fit_texts
from convgate.context.classifier.fitting import floats
from convgate.context.classifier.model import Floats, TextModel
from convgate.context.classifier.words import Runs, excerpt, runs_of
from convgate.context.mode import MODES
from convgate.context.modes.messages import LabelledMessage, messages_hash
from convgate.context.modes.quality import Tuning, best_tuning
from convgate.embedding.base import Embeddings, Encoder, EncoderIdentity

_PENALTY, _VECTOR_SCALE = 8.0, 2.5  # see `classifier.fitting`

SHARED_TUNING = Tuning(temperature=0.2, handicap=0.8, doubt=0.06)
"""What is nearly the best for the shipped weights; vectors of other encoders get it without a search."""


@dataclass(frozen=True, eq=False)
class Prepared:
    """Messages as the classifier sees them."""

    messages: Sequence[LabelledMessage]
    runs: Sequence[Runs]
    vectors: Embeddings  # (n, d)
    modes: NDArray[np.int64]  # (n,) places in `MODES`
    encoder: EncoderIdentity

    @classmethod
    def of(cls, messages: Sequence[LabelledMessage], encoder: Encoder) -> Prepared:
        """The messages, encoded."""
        return cls(
            messages,
            [runs_of(one.content) for one in messages],
            encoder.encode([excerpt(one.content) for one in messages]),
            np.array([MODES.index(one.mode) for one in messages]),
            encoder.identity,
        )

    def part(self, rows: NDArray[Any]) -> Prepared:
        """Some of them: places, or a mask."""
        places = np.arange(len(self.messages))[rows]
        return Prepared(
            [self.messages[place] for place in places],
            [self.runs[place] for place in places],
            self.vectors[places],
            self.modes[places],
            self.encoder,
        )


def fit(data: Prepared, tuning: Tuning | None = None) -> TextModel:
    """Return the classifier of these messages; all modes weigh alike. A tuning becomes part of it."""
    tuning = tuning or Tuning()
    labels = [message.mode for message in data.messages]
    model = fit_texts(data.runs, data.vectors, labels, MODES, penalty=_PENALTY, vector_scale=_VECTOR_SCALE)
    return replace(
        model,
        vectors=floats(model.vectors / tuning.temperature),
        runs=floats(model.runs / tuning.temperature),
        bias=tuning.logits(model.bias),
        doubt=tuning.doubt,
        info={"messages": messages_hash(data.messages), "encoder": asdict(data.encoder)},
    )


def held_out(data: Prepared, groups: NDArray[Any]) -> Floats:
    """(n, modes) the logits of each message by a model that was fitted without its group."""
    logits = np.zeros((len(data.messages), len(MODES)), dtype=np.float32)
    for group in np.unique(groups):
        out = groups == group
        told = data.part(out)
        logits[out] = fit(data.part(~out)).logits(told.runs, told.vectors)
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


def fit_tuned(data: Prepared) -> tuple[TextModel, Tuning]:
    """The model of all messages, as sure as it may be about hands that it does not know."""
    tuning = best_tuning(held_out(data, hands(data)), data.modes)
    return fit(data, tuning), tuning
