"""The labelled messages of the modes, the weights fitted to them, and how good their modes are."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import precision_recall_fscore_support
from sklearn.model_selection import StratifiedKFold

from convgate.embedding.base import Embeddings, Encoder, EncoderIdentity
from convgate.embedding.states import excerpt
from convgate.modes.mode import MIN_CONFIDENCE, MODES, Mode
from convgate.text.linear import Floats, Ngrams, TextModel, count_ngrams, probabilities
from tools.labelled import read_lines
from tools.text_fitting import fit as fit_texts
from tools.text_fitting import floats

MESSAGES = Path(__file__).parent / "pretraining" / "texts" / "modes"


@dataclass(frozen=True, slots=True)
class LabelledMessage:
    """A message with the mode that a reader gives it."""

    content: str
    mode: Mode
    hand: str  # who wrote it: the file's name


@cache
def labelled_messages() -> tuple[LabelledMessage, ...]:
    """Return all labelled messages, file by file."""
    return tuple(
        LabelledMessage(line["content"], line["mode"], file.stem)
        for file in sorted(MESSAGES.glob("*.jsonl"))
        for line in read_lines(file)
    )


def messages_hash(messages: Sequence[LabelledMessage]) -> str:
    """Return the SHA-256 of the messages and their modes, in their order."""
    text = json.dumps([(message.content, message.mode) for message in messages])
    return hashlib.sha256(text.encode()).hexdigest()


FLOORS = {"precision": 0.85, "recall": 0.80, "f1": 0.82}
"""What a mode has to reach on messages that were held out."""

_GENERAL = MODES.index("GENERAL")
_TEMPERATURES = (0.16, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.8, 1.0)
_HANDICAPS = (0.0, 0.4, 0.8, 1.2)  # logits before the temperature
_DOUBTS = (0.0, 0.02, 0.04, 0.06)
_MOST_ERROR = 0.025  # expected calibration error that all this may cost


@dataclass(frozen=True, slots=True)
class ModeQuality:
    """Of one mode, after the rule on confidence; shares 0…1."""

    precision: float
    recall: float
    f1: float

    @property
    def reaches_floors(self) -> bool:
        """Whether the mode is good enough to be given."""
        return all(getattr(self, name) >= least for name, least in FLOORS.items())


def given(shares: Floats) -> NDArray[np.int64]:
    """(n,) the modes that are given: the likeliest, or GENERAL where it is not likely enough."""
    return np.where(shares.max(axis=1) < MIN_CONFIDENCE, _GENERAL, shares.argmax(axis=1))


def qualities(applied: NDArray[np.int64], modes: NDArray[np.int64]) -> Mapping[Mode, ModeQuality]:
    """Of each mode; what nothing is applied of has a precision of 0."""
    figures = precision_recall_fscore_support(modes, applied, labels=range(len(MODES)), zero_division=0)
    return {
        mode: ModeQuality(float(figures[0][at]), float(figures[1][at]), float(figures[2][at]))
        for at, mode in enumerate(MODES)
    }


@dataclass(frozen=True, slots=True)
class Bin:
    """Messages of about the same confidence."""

    count: int
    confidence: float  # the mean, 0…1
    right: float  # share, 0…1


def reliability(shares: Floats, modes: NDArray[np.int64]) -> list[Bin]:
    """Return ten bins of equal width of the likeliest mode's share, without empty ones.

    shares: (n, modes); modes: (n,) the right ones.
    """
    confidence, right = shares.max(axis=1), shares.argmax(axis=1) == modes
    numbers = np.minimum((confidence * 10).astype(int), 9)
    masks = (numbers == number for number in range(10))
    return [
        Bin(int(mask.sum()), float(confidence[mask].mean()), float(right[mask].mean()))
        for mask in masks
        if mask.any()
    ]


def calibration_error(bins: Sequence[Bin]) -> float:
    """Return the expected one: how far the bins' confidence is from the share that is right, by count."""
    return sum(each.count * abs(each.confidence - each.right) for each in bins) / sum(
        each.count for each in bins
    )


@dataclass(frozen=True, slots=True)
class Tuning:
    """What is done to fitted logits so that they become probabilities."""

    temperature: float = 1.0  # they are divided by it: below 1 makes surer
    handicap: float = 0.0  # taken from GENERAL's before that
    doubt: float = 0.0  # share that all modes have alike: however sure a model is, some messages mislead it

    def __call__(self, logits: Floats) -> Floats:
        """(n, modes), rows sum to 1."""
        return probabilities(self.logits(logits), self.doubt)

    def logits(self, logits: Floats) -> Floats:
        """The logits after handicap and temperature."""
        tuned = logits.copy()
        tuned[..., _GENERAL] -= self.handicap
        return np.asarray(tuned / self.temperature, dtype=np.float32)


def best_tuning(logits: Floats, modes: NDArray[np.int64]) -> Tuning:
    """The tuning under which the weakest figure clears its floor by most, while confidence stays honest.

    A model of many weights is too timid about what it has not seen, and all that it is not sure of falls to
    GENERAL, besides what belongs there; so of all tunings that keep the expected calibration error low, the
    one that does most for the mode that needs it most. The logits are of messages that were held out.
    """
    honest = [
        tuning
        for tuning in (Tuning(*values) for values in product(_TEMPERATURES, _HANDICAPS, _DOUBTS))
        if calibration_error(reliability(tuning(logits), modes)) <= _MOST_ERROR
    ]
    return max(honest or [Tuning()], key=lambda tuning: _clearance(tuning(logits), modes))


def _clearance(shares: Floats, modes: NDArray[np.int64]) -> float:
    """By how much the weakest figure of any mode is above its floor; negative below it."""
    return min(
        float(getattr(quality, name)) - least
        for quality in qualities(given(shares), modes).values()
        for name, least in FLOORS.items()
    )


_PENALTY, _VECTOR_SCALE = 8.0, 2.5  # see `text_fitting.fit`


@dataclass(frozen=True, eq=False)
class Prepared:
    """Messages as the classifier sees them."""

    messages: Sequence[LabelledMessage]
    runs: Sequence[Ngrams]
    vectors: Embeddings  # (n, d)
    modes: NDArray[np.int64]  # (n,) places in `MODES`
    encoder: EncoderIdentity

    @classmethod
    def of(cls, messages: Sequence[LabelledMessage], encoder: Encoder) -> Prepared:
        """The messages, encoded."""
        return cls(
            messages,
            [count_ngrams(message.content) for message in messages],
            encoder.encode([excerpt(message.content) for message in messages]),
            np.array([MODES.index(message.mode) for message in messages]),
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
        part = data.part(out)
        logits[out] = fit(data.part(~out)).logits(part.runs, part.vectors)
    return logits


def folds(data: Prepared, count: int = 5) -> NDArray[np.int64]:
    """(n,) a fold for each message, modes spread evenly, always the same."""
    fold = np.zeros(len(data.messages), dtype=np.int64)
    split = StratifiedKFold(count, shuffle=True, random_state=0).split(fold, data.modes)
    for number, (_, places) in enumerate(split):
        fold[places] = number
    return fold


def hands(data: Prepared) -> NDArray[Any]:
    """(n,) who wrote each message."""
    return np.array([message.hand for message in data.messages])


def fit_tuned(data: Prepared) -> tuple[TextModel, Tuning]:
    """The model of all messages, as sure as it may be about hands that it does not know."""
    tuning = best_tuning(held_out(data, hands(data)), data.modes)
    return fit(data, tuning), tuning
